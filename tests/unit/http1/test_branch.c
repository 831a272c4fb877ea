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
  _Atomic(mcp_call *) task; /* of the tool "later" */
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

static int on_later(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_defer(call);
  atomic_store(&b.task, call);
  return rc;
}

static void add_task(void) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "later",
                         .task = MCP_TASK_OPTIONAL,
                         .handler = on_later};
  assert_int_equal(mcp_server_enable_tasks(b.server, NULL, NULL), 0);
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
  add_task();
  assert_int_equal(mcp_server_add_listen_filter(b.server, "news", NULL), 0);
  assert_int_equal(mcp_server_add_listen_values(b.server, "ids", NULL, NULL),
                   0);
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
  "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{"           \
  "\"io.modelcontextprotocol/tasks\":{}}}}"

/* `name`: of what the request concerns; "": nothing. */
static void ask_about(int i, const char *method, const char *name,
                      const char *params) {
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
                     "%s%s%sContent-Length: %zu\r\n\r\n%s",
                     method, name[0] != '\0' ? "Mcp-Name: " : "", name,
                     name[0] != '\0' ? "\r\n" : "", strlen(body), body);
  assert_int_equal(write(b.fds[i], text, (size_t)len), len);
}

static void ask(int i, const char *method, const char *params) {
  ask_about(i, method, "", params);
}

/* What the last await has read. */
static char came[20000];

/* Reads until that has come. 0: the connection ended before. */
static int await(int i, const char *wanted) {
  size_t len = 0;
  while (len < sizeof(came) - 1) {
    ssize_t count = read(b.fds[i], came + len, sizeof(came) - 1 - len);
    if (count <= 0) {
      return 0;
    }
    len += (size_t)count;
    came[len] = '\0';
    if (strstr(came, wanted) != NULL) {
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

/* This thread has no loop of the server. */
BRANCH_TEST(any_thread_notifies_listens) {
  for (int i = 0; i < BRANCHES; i++) {
    ask(i, "subscriptions/listen",
        i == 0 ? "\"notifications\":{\"news\":true,\"ids\":[\"a\",\"c\"]},"
               : "\"notifications\":{\"news\":true,\"ids\":[\"b\",\"c\"]},");
    assert_true(await(i, "acknowledged"));
  }
  for (int i = 0; i < BRANCHES; i++) {
    assert_int_equal(mcp_server_notify_listeners_of(b.server, "ids",
                                                    i == 0 ? "a" : "b", NULL,
                                                    "n/own", "{\"at\":1}"),
                     0);
    assert_true(await(i, "\"method\":\"n/own\",\"params\":{\"at\":1,"));
  }
  assert_int_equal(
      mcp_server_notify_listeners_of(b.server, "ids", "c", "", "n/both", NULL),
      0);
  assert_int_equal(
      mcp_server_notify_listeners(b.server, "news", "n/news", NULL), 0);
  for (int i = 0; i < BRANCHES; i++) {
    assert_true(await(i, "n/news"));
  }
}

/* --- tasks --- */

static char task_id[65];

/* Begins a task on the first loop. Returns its call: this thread holds it. */
static mcp_call *begin_task(void) {
  static const char member[] = "\"taskId\":\"";
  atomic_store(&b.task, NULL);
  ask_about(0, "tools/call", "later", "\"name\":\"later\",");
  assert_true(await(0, "\"pollIntervalMs\""));
  const char *id = strstr(came, member);
  assert_non_null(id);
  id += strlen(member);
  snprintf(task_id, sizeof(task_id), "%.*s", (int)strcspn(id, "\""), id);
  while (atomic_load(&b.task) == NULL) {
    uv_sleep(1);
  }
  return atomic_load(&b.task);
}

static void ask_about_task(int i, const char *method, const char *wanted) {
  char params[100];
  snprintf(params, sizeof(params), "\"taskId\":\"%s\",", task_id);
  ask_about(i, method, task_id, params);
  assert_true(await(i, wanted));
}

BRANCH_TEST(a_task_is_read_and_cancelled_on_another_loop) {
  mcp_call *call = begin_task();
  ask_about_task(1, "tasks/get", "\"pollIntervalMs\"");
  assert_non_null(strstr(came, "\"working\""));
  assert_int_equal(mcp_call_progress(call, 1, 2, "half"), 0);
  while (strstr(came, "\"half (1 of 2)\"") == NULL) {
    ask_about_task(1, "tasks/get", "\"pollIntervalMs\"");
  }
  ask_about_task(1, "tasks/cancel", "\"complete\"");
  while (!mcp_call_is_cancelled(call)) {
    uv_sleep(1);
  }
  assert_int_equal(mcp_call_reply_text(call, "late"), MCP_ERR_GONE);
  ask_about_task(0, "tasks/get", "\"pollIntervalMs\"");
  assert_non_null(strstr(came, "\"cancelled\""));
}

/* A thread replies while another loop cancels: one of both wins. */
BRANCH_TEST(a_reply_and_a_cancel_on_another_loop_race) {
  enum { ROUNDS = 20 };
  for (int i = 0; i < ROUNDS; i++) {
    mcp_call *call = begin_task();
    char params[100];
    snprintf(params, sizeof(params), "\"taskId\":\"%s\",", task_id);
    ask_about(1, "tasks/cancel", task_id, params);
    mcp_call_reply_text(call, "done");
    assert_true(await(1, "\"complete\""));
    ask_about_task(0, "tasks/get", "\"pollIntervalMs\"");
    assert_true(strstr(came, "\"completed\"") != NULL ||
                strstr(came, "\"cancelled\"") != NULL);
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
