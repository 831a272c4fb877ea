/* SPDX-License-Identifier: MIT */
/* Every allocation of a client over HTTP may fail: nothing leaks, every request
 * that was started completes once, before its time is over, and the client can
 * be closed and freed. The server is on a loop of its own, which has memory. */
#include "support/failing_alloc.h"
#include "unit/http_client/kit.h"

static int started;
static int done;
static int lost; /* something failed for lack of memory */
static int is_closed;

static void count_done(mcp_client *told, const mcp_outcome *outcome,
                       void *userdata) {
  done++;
  assert_int_not_equal(outcome->status, MCP_ERR_TIMEOUT);
  lost |= outcome->status != 0;
}

static void note_end(mcp_client *told, const mcp_error *err, void *userdata) {
  is_closed = 1;
}

/* --- the server ----------------------------------------------------------- */

static void respond_event(request *asked, const char *result) {
  char text[1024];
  snprintf(text, sizeof(text),
           "id: e-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}\n\n",
           id_of(asked), result);
  stream(asked, text, 1);
}

/* The first two times it must be asked again: elsewhere, and for the rest. */
static void answer_old(request *asked) {
  const mcp_http_header headers[] = {{"Location", "/mcp/"}};
  static unsigned long cut;
  if (asks(asked, "tools/list") && strcmp(asked->target, "/mcp/") != 0) {
    asked->responder->respond(asked->exchange, 307, headers, 1, NULL, 0);
  } else if (asks(asked, "tools/list")) {
    cut = id_of(asked);
    stream(asked, "id: e-0\nretry: 1\ndata:\n\n", 1);
  } else if (strcmp(asked->last_id, "e-0") == 0) {
    char text[128];
    snprintf(text, sizeof(text),
             "data: {\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"tools\":[]}}"
             "\n\n",
             cut);
    stream(asked, text, 1);
  } else if (strcmp(asked->method, "GET") == 0) {
    stream(asked, ": open\n\n", 0);
  } else {
    answer_legacy(asked);
  }
}

static int has_forgotten;

/* Loses its sessions once. */
static void answer_forgetful(request *asked) {
  if (!has_forgotten && strcmp(asked->method, "POST") == 0 &&
      asks(asked, "tools/list")) {
    has_forgotten = 1;
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

static void answer_new(request *asked) {
  if (asks(asked, "tools/list")) {
    respond_event(asked,
                  "{\"resultType\":\"complete\",\"ttlMs\":1,\"cacheScope\":"
                  "\"private\",\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
                  "\"type\":\"object\",\"properties\":{\"x\":{\"type\":"
                  "\"string\",\"x-mcp-header\":\"City\"}}}},{\"name\":\"b\","
                  "\"inputSchema\":{\"x-mcp-header\":\"\"}}]}");
  } else {
    answer_modern(asked);
  }
}

/* --- the client ----------------------------------------------------------- */

static void run_until(mcp_loop *loop, const int *condition, int wanted) {
  for (uint64_t began_ns = uv_hrtime(); *condition < wanted;) {
    assert_true(uv_hrtime() - began_ns < UINT64_C(30000000000));
    mcp_loop_wait(loop, 1);
    mcp_loop_wait(fake.loop, 0);
  }
}

static void finish(mcp_loop *loop, int rc) {
  if (rc == 0) {
    started++;
    run_until(loop, &done, started);
  } else {
    lost = 1;
  }
}

/* Without memory an answer is not shown, and nothing else changes. */
static void see_answer(const mcp_http_answer *answer, void *userdata) {
  assert_in_range(answer->status, 200, 500);
  assert_true(answer->head_len > 0);
}

static void speak(mcp_loop *loop, mcp_client *self) {
  const char *const token[] = {"Authorization: Bearer abc", NULL};
  const mcp_http_client_options http = {.size = sizeof(mcp_http_client_options),
                                        .headers = token,
                                        .proxy = "",
                                        .close_wait_ms = 100,
                                        .on_answer = see_answer};
  mcp_error err;
  int rc =
      mcp_client_connect_url(self, fake.url, &http, count_done, NULL, &err);
  finish(loop, rc);
  if (rc != 0 || lost) {
    return;
  }
  finish(loop, mcp_client_list_tools(self, NULL, count_done, NULL, NULL));
  finish(loop, mcp_client_call_tool(self, "a", "{\"x\":\"\xc3\xa4\"}", NULL,
                                    count_done, NULL, NULL));
}

static int converse(const mcp_allocator *allocator, uint32_t policy) {
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .allocator = allocator};
  const mcp_client_options wishes = {.size = sizeof(mcp_client_options),
                                     .policy = policy,
                                     .connect_timeout_ms = 30000,
                                     .request_timeout_ms = 30000,
                                     .on_closed = note_end};
  mcp_loop *loop = mcp_loop_new(&options, NULL);
  mcp_client *self = mcp_client_new(loop, "test", "1", &wishes, NULL);
  lost = self == NULL;
  if (!lost) {
    is_closed = 0;
    speak(loop, self);
    mcp_client_close(self);
    run_until(loop, &is_closed, mcp_client_revision(self) != NULL);
  }
  mcp_client_free(self);
  mcp_loop_free(loop);
  return lost ? MCP_ERR_NOMEM : 0;
}

static void forget_requests(void) {
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  started = 0;
  done = 0;
  has_forgotten = 0;
  int rc = converse(allocator, *(uint32_t *)userdata);
  assert_int_equal(done, started);
  forget_requests();
  return rc;
}

WEB_TEST(each_allocation_may_fail_modern) {
  uint32_t policy = MCP_POLICY_MODERN;
  fake.answer = answer_new;
  assert_true(failing_alloc_rerun(scenario, &policy) > 50);
}

WEB_TEST(each_allocation_may_fail_legacy) {
  uint32_t policy = MCP_POLICY_LEGACY;
  fake.answer = answer_old;
  assert_true(failing_alloc_rerun(scenario, &policy) > 50);
}

WEB_TEST(each_allocation_may_fail_in_a_lost_session) {
  uint32_t policy = MCP_POLICY_LEGACY;
  fake.answer = answer_forgetful;
  assert_true(failing_alloc_rerun(scenario, &policy) > 50);
}
