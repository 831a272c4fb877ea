/* SPDX-License-Identifier: MIT */
/* A client that speaks by plain POSTs: what tests/wire/web/plain_post.txt does
 * not show. */
#include "unit/http_client/kit.h"

#include "support/failing_alloc.h"
#include "support/tool_schemas.h"

#define FIVE "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}]}"
#define ARGUMENTS "{\"a\":2,\"b\":3}"

/* How a call has ended, and what it was shown before. */
static struct {
  int count;
  int status;
  char message[MCP_ERROR_TEXT_SIZE];
  char shown[256];
} done;

static void on_call(mcp_client *told, const mcp_outcome *outcome,
                    void *userdata) {
  done.count++;
  done.status = outcome->status;
  snprintf(done.message, sizeof(done.message), "%s", outcome->error->message);
}

static void on_shown(mcp_client *told, double progress, double total,
                     const char *message, void *userdata) {
  size_t used = strlen(done.shown);
  snprintf(done.shown + used, sizeof(done.shown) - used, "%g:%s ", progress,
           message != NULL ? message : "-");
}

static void call(const mcp_request_options *options) {
  memset(&done, 0, sizeof(done));
  assert_int_equal(mcp_client_call_tool(client, "add", ARGUMENTS, options,
                                        on_call, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, done.count == 1);
}

static void open_dialect(uint32_t dialect, void (*answer)(request *asked)) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .dialect = dialect};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer, &options, NULL), 0);
  assert_int_equal(fake.count, 0); /* connecting asks nothing */
}

/* --- requests ------------------------------------------------------------- */

static void answer_five(request *asked) {
  respond_result(asked, FIVE);
}

static void answer_bare(request *asked) {
  respond(asked, 200, FIVE);
}

WEB_TEST(each_form_is_posted_as_it_is_written) {
  static const struct {
    uint32_t dialect;
    const char *body;
    const char *accept;
  } cases[] = {
      {MCP_DIALECT_MCP_CORE,
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
       "\"name\":\"add\",\"arguments\":" ARGUMENTS "}}",
       "application/json, text/event-stream"},
      {MCP_DIALECT_MCP_CORE_RPC,
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
       "\"name\":\"add\",\"arguments\":" ARGUMENTS "}}",
       "application/json, text/event-stream"},
      {MCP_DIALECT_MCP_CORE_BARE,
       "{\"name\":\"add\",\"arguments\":" ARGUMENTS "}", "application/json"},
  };
  for (size_t i = 0; i < 3; i++) {
    int is_bare = cases[i].dialect == MCP_DIALECT_MCP_CORE_BARE;
    open_dialect(cases[i].dialect, is_bare ? answer_bare : answer_five);
    call(NULL);
    assert_int_equal(done.status, 0);
    assert_string_equal(last_asked()->body, cases[i].body);
    assert_string_equal(last_asked()->accept, cases[i].accept);
    assert_int_equal(
        tool_schema_accepts(TOOL_REQUEST, cases[i].body, strlen(cases[i].body)),
        !is_bare);
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
    free(fake.requests[0].body);
    fake.count = 0;
  }
}

static void keep_waiting(request *asked) {
}

enum { ENOUGH = 1000 }; /* for the test to fail, and not to hang */

static int pings;

static void ping_again(mcp_client *self, const mcp_outcome *outcome,
                       void *userdata) {
  if (outcome->status == 0 && ++pings < ENOUGH) {
    assert_int_equal(mcp_client_ping(self, NULL, ping_again, userdata, NULL),
                     0);
  }
}

/* In envelopes a ping is answered here. */
WEB_TEST(asking_again_and_again_keeps_nobody_off) {
  open_dialect(MCP_DIALECT_MCP_CORE_RPC, keep_waiting);
  pings = 0;
  assert_int_equal(mcp_client_ping(client, NULL, ping_again, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, pings > 0);
  assert_true(pings < ENOUGH);
}

static const mcp_request_options idempotent = {
    .size = sizeof(mcp_request_options), .is_idempotent = 1};

/* TLS with a server that does not speak TLS, and with a file that does not
 * exist. */
WEB_TEST(what_stays_wrong_is_told_at_once) {
  static const char *const files[] = {NULL, "/nowhere/ca.pem"};
  char url[80];
  snprintf(url, sizeof(url), "https:%s", strchr(fake.url, '/'));
  for (size_t i = 0; i < 2; i++) {
    const mcp_http_client_options options = {
        .size = sizeof(mcp_http_client_options),
        .dialect = MCP_DIALECT_MCP_CORE,
        .ca_file = files[i]};
    fake.connection_count = 0;
    begin_client(MCP_POLICY_AUTO);
    assert_int_equal(mcp_sync_connect_url(client, url, &options, NULL), 0);
    call(&idempotent);
    assert_int_equal(done.status, MCP_ERR_IO);
    assert_int_equal(fake.connection_count, 1);
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
  }
}

/* --- making one ---------------------------------------------------------- */

#define SPEAKS_MCP_ALONE                                                       \
  " speaks MCP alone; mcp_transport_post (http://) and "                       \
  "mcp_transport_websocket (ws://) speak others"

WEB_TEST(what_cannot_be_is_named) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .dialect = 9};
  mcp_error err;
  assert_null(mcp_transport_post(fake.loop, "ftp://x/", NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(mcp_transport_post(fake.loop, fake.url, &options, &err));
  assert_string_equal(err.message, "dialect: 9 is not one of MCP_DIALECT_*");
  options.dialect = MCP_DIALECT_MCP_CORE;
  assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
  assert_string_equal(err.message, "dialect: Streamable HTTP" SPEAKS_MCP_ALONE);
  assert_null(mcp_transport_sse(fake.loop, fake.url, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "dialect: HTTP+SSE" SPEAKS_MCP_ALONE);
  mcp_transport *unused =
      mcp_transport_post(fake.loop, fake.url, &options, &err);
  assert_non_null(unused);
  mcp_transport_free(unused);
}

/* --- memory -------------------------------------------------------------- */

static void forget_requests(void) {
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
}

static int is_lost;

static void note_end(mcp_client *told, const mcp_error *err, void *userdata) {
  is_lost |= err->code != 0;
}

#define ONE                                                                    \
  "event: result\ndata: {\"content\":[{\"type\":\"text\",\"text\":\"one\"}]}"  \
  "\n\n"
#define TWO                                                                    \
  "event: result\r\ndata: {\"content\":[{\"type\":\"text\",\"text\":\"two\"}"  \
  "],\r\ndata: \"structuredContent\":{\"last\":2}}\r\n\r\n"

static void answer_all(request *asked) {
  char text[512];
  if (strstr(asked->body, "\"name\":\"add\"") != NULL) {
    snprintf(text, sizeof(text),
             ONE TWO "event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":%lu,"
                     "\"result\":" FIVE "}\n\n",
             id_of(asked));
    stream(asked, text, 1);
  } else {
    respond(asked, 404, "{\"error\":\"no such tool\"}");
  }
}

/* Each ends, whatever it is, and none by its limit of time. */
static int ask(mcp_loop *loop, mcp_client *self, const char *tool, int wanted) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_shown};
  memset(&done, 0, sizeof(done));
  int rc = mcp_client_call_tool(self, tool, ARGUMENTS, &options, on_call, NULL,
                                NULL);
  for (int i = 0; rc == 0 && done.count == 0; i++) {
    assert_true(i < 30000);
    mcp_loop_wait(loop, 1);
    mcp_loop_wait(fake.loop, 0);
  }
  assert_int_not_equal(done.status, MCP_ERR_TIMEOUT);
  return rc != 0 || done.status != wanted || strstr(done.message, "memory") ||
         (wanted == 0 && strcmp(done.shown, "1:one 2:two ") != 0);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options loop_options = {.size = sizeof(mcp_loop_options),
                                         .allocator = allocator};
  const mcp_client_options wishes = {.size = sizeof(mcp_client_options),
                                     .on_closed = note_end};
  const mcp_http_client_options http = {.size = sizeof(mcp_http_client_options),
                                        .proxy = "",
                                        .dialect = MCP_DIALECT_MCP_CORE};
  mcp_error err;
  is_lost = 0;
  mcp_loop *loop = mcp_loop_new(&loop_options, NULL);
  mcp_client *self = mcp_client_new(loop, "test", "1", &wishes, NULL);
  int rc = self == NULL;
  memset(&done, 0, sizeof(done));
  if (rc == 0) {
    rc = mcp_client_connect_url(self, fake.url, &http, on_call, NULL, &err);
  }
  for (int i = 0; rc == 0 && done.count == 0; i++) {
    assert_true(i < 30000);
    mcp_loop_wait(loop, 1);
  }
  assert_int_not_equal(done.status, MCP_ERR_TIMEOUT);
  rc = rc != 0 || done.status != 0;
  rc = rc != 0 || ask(loop, self, "add", 0);
  rc = rc != 0 || ask(loop, self, "nope", MCP_ERR_REMOTE);
  mcp_client_free(self);
  mcp_loop_free(loop);
  forget_requests();
  return rc != 0 || is_lost ? MCP_ERR_NOMEM : 0;
}

WEB_TEST(each_allocation_may_fail) {
  fake.answer = answer_all;
  assert_true(failing_alloc_rerun(scenario, NULL) > 20);
}
