/* SPDX-License-Identifier: MIT */
/* A loop in a thread of its own that serves connections which this one hands
 * over. Run it under the thread sanitizer. */
#include "support/cm.h"

#include "http1/branch.h"
#include <mcp/mcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BRANCHES = 2 };

typedef struct bench {
  mcp_loop *loop;
  mcp_server *server;
  mcpi_http1_homes homes;
  mcpi_http1_branch *branches[BRANCHES];
  int fds[BRANCHES]; /* the clients' ends */
  atomic_int drained;
} bench;

static bench b;

static const mcpi_http1_limits limits = {.max_connections = 20,
                                         .max_head = 16384,
                                         .max_headers = 100,
                                         .max_body = 65536,
                                         .max_queue = 65536,
                                         .max_waiting = 64 * 1024 * 1024,
                                         .head_ms = 10000,
                                         .body_ms = 10000,
                                         .idle_ms = 60000,
                                         .write_ms = 10000,
                                         .ping_ms = UINT32_MAX,
                                         .pong_ms = UINT32_MAX};

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

static void add_tool(const char *name) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_tool(b.server, &tool, NULL), 0);
}

static void connect_to(int i) {
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  b.fds[i] = pair[0];
  mcpi_http1_branch_serve(b.branches[i], pair[1], "unix");
}

static mcpi_http1_branch_setup setup_of(const mcp_http_options *options) {
  return (mcpi_http1_branch_setup){.server = b.server,
                                   .loop = b.loop,
                                   .options = options,
                                   .limits = limits,
                                   .count = BRANCHES,
                                   .homes = &b.homes};
}

static void begin_with(const mcp_method *method) {
  memset(&b, 0, sizeof(b));
  b.loop = mcp_loop_new(NULL, NULL);
  b.server = mcp_server_new("test", "1", NULL, NULL);
  add_tool("t");
  if (method != NULL) {
    assert_int_equal(mcp_server_add_method(b.server, method, NULL), 0);
  }
  b.homes.allocator = mcp_allocator_default();
  const mcpi_http1_branch_setup setup = setup_of(NULL);
  for (int i = 0; i < BRANCHES; i++) {
    b.branches[i] = mcpi_http1_branch_new(&setup, NULL);
    assert_non_null(b.branches[i]);
    connect_to(i);
  }
}

static void begin(void) {
  begin_with(NULL);
}

static void end(void) {
  mcpi_http1_branches_free(b.branches, BRANCHES);
  for (int i = 0; i < BRANCHES; i++) {
    close(b.fds[i]);
  }
  mcp_server_free(b.server);
  mcp_loop_free(b.loop);
}

static int set_up(void **state) {
  begin();
  return 0;
}

static int tear_down(void **state) {
  end();
  return 0;
}

#define BRANCH_TEST(name) TEST_WITH(name, set_up, tear_down)

#define META                                                                   \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void ask(int i, const char *method, const char *params) {
  char body[500];
  char text[900];
  snprintf(body, sizeof(body),
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s}}",
           method, params, META);
  int len = snprintf(text, sizeof(text),
                     "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\n"
                     "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     method, strlen(body), body);
  assert_int_equal(write(b.fds[i], text, (size_t)len), len);
}

/* Reads until that has come. 0: the connection ended before. */
static int await(int i, const char *wanted) {
  char text[20000];
  size_t len = 0;
  while (len < sizeof(text) - 1) {
    ssize_t count = read(b.fds[i], text + len, sizeof(text) - 1 - len);
    if (count <= 0) {
      return 0;
    }
    len += (size_t)count;
    text[len] = '\0';
    if (strstr(text, wanted) != NULL) {
      return 1;
    }
  }
  return 0;
}

static void on_drained(void *userdata) {
  atomic_fetch_add(&((bench *)userdata)->drained, 1);
}

/* --- tests -------------------------------------------------------------- */

BRANCH_TEST(serves_what_it_is_given) {
  for (int i = 0; i < BRANCHES; i++) {
    ask(i, "tools/list", "");
    assert_true(await(i, "\"name\":\"t\""));
    assert_int_equal(mcpi_http1_branch_connection_count(b.branches[i]), 1);
  }
}

BRANCH_TEST(tells_of_tools_that_come_and_go) {
  for (int i = 0; i < BRANCHES; i++) {
    ask(i, "subscriptions/listen",
        "\"notifications\":{\"toolsListChanged\":true},");
    assert_true(await(i, "acknowledged"));
  }
  add_tool("more");
  for (int i = 0; i < BRANCHES; i++) {
    assert_true(await(i, "tools/list_changed"));
  }
  assert_int_equal(mcp_server_remove_tool(b.server, "more"), 0);
  for (int i = 0; i < BRANCHES; i++) {
    assert_true(await(i, "tools/list_changed"));
  }
}

BRANCH_TEST(drains) {
  for (int i = 0; i < BRANCHES; i++) {
    ask(i, "subscriptions/listen",
        "\"notifications\":{\"toolsListChanged\":true},");
    assert_true(await(i, "acknowledged"));
  }
  mcp_server_drain(b.server, 10000);
  for (int i = 0; i < BRANCHES; i++) {
    mcpi_http1_branch_drain(b.branches[i], on_drained, &b);
    assert_true(await(i, "\"result\""));
  }
  while (atomic_load(&b.drained) < BRANCHES) {
    uv_sleep(1);
  }
}

BRANCH_TEST(ends_in_the_middle) {
  ask(0, "tools/list", "");
  assert_int_equal(write(b.fds[1], "POST", 4), 4);
}

static int keep_call(mcp_call *call, void *userdata) {
  int rc = mcp_call_defer(call);
  *(_Atomic(mcp_call *) *)userdata = call;
  return rc;
}

/* Its reply may be on the way to the loop as the thread ends. */
TEST(waits_for_a_call_that_is_kept) {
  _Atomic(mcp_call *) kept = NULL;
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = "test/keep",
                             .handler = keep_call,
                             .userdata = &kept};
  begin_with(&method);
  ask(0, "test/keep", "");
  while (atomic_load(&kept) == NULL) {
    uv_sleep(1);
  }
  mcp_call_reply_json(kept, "{}");
  end();
}

TEST(says_what_is_wrong) {
  mcp_error err = {0};
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .legacy = 7};
  begin();
  const mcpi_http1_branch_setup setup = setup_of(&options);
  assert_null(mcpi_http1_branch_new(&setup, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  end();
}
