/* SPDX-License-Identifier: MIT */
/* Calls that other threads hold: the loop gets all their actions in order, and
 * an action on a call that is gone returns MCP_ERR_GONE. Run it under the
 * thread sanitizer. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 200 };

typedef struct bench {
  mcp_loop *loop;
  mcp_server *server;
  mcp_transport *client;
  int results; /* that came */
  int notes;   /* progress and logs that came */
  int out_of_order;
  int updates;
  char last_progress[40];
  atomic_int answered; /* replies that threads made */
  atomic_int gone;     /* of them, those that nobody waited for */
  pthread_t threads[CALLS];
  int thread_count;
  int is_closed;
} bench;

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  bench *b = transport->owner;
  char text[600];
  snprintf(text, sizeof(text), "%.*s", (int)len, message);
  if (strstr(text, "\"result\"") != NULL) {
    b->results++;
  } else if (strstr(text, "resources/updated") != NULL) {
    b->updates++;
  } else if (strstr(text, "notifications/") != NULL) {
    b->notes++;
  }
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  ((bench *)transport->owner)->is_closed = 1;
}

/* --- what threads do ---------------------------------------------------- */

static bench *bench_of(mcp_call *call) {
  return mcp_server_userdata(mcp_call_server(call));
}

static void *answer(void *argument) {
  mcp_call *call = argument;
  bench *b = bench_of(call);
  for (int i = 1; i <= 3; i++) {
    mcp_call_progress(call, i, 3, "on the way");
    mcp_call_logf(call, MCP_LOG_INFO, "step %d", i);
  }
  mcp_call_add_textf(call, "%s", mcp_call_name(call));
  mcp_call_flush(call); /* also posted; adds no progress */
  if (mcp_call_reply(call) == MCP_ERR_GONE) {
    atomic_fetch_add(&b->gone, 1);
  }
  atomic_fetch_add(&b->answered, 1);
  return NULL;
}

static int on_thread(mcp_call *call, void *userdata) {
  bench *b = userdata;
  int rc = mcp_call_defer(call);
  if (rc == 0) {
    rc = pthread_create(&b->threads[b->thread_count++], NULL, answer, call);
    assert_int_equal(rc, 0);
  }
  return rc;
}

static int on_pool(mcp_call *call, void *userdata) {
  bench *b = userdata;
  mcp_call_progress(call, 1, 0, NULL);
  atomic_fetch_add(&b->answered, 1);
  mcp_builder *result = mcp_call_structured(call);
  mcp_builder_object(result, NULL);
  mcp_builder_bool(result, "done", 1);
  mcp_builder_end(result);
  return mcp_call_reply(call);
}

static void on_cancelled(mcp_call *call, void *userdata) {
  atomic_fetch_add((atomic_int *)userdata, 1);
}

/* Waits until it is cancelled, and then replies. */
static int on_wait(mcp_call *call, void *userdata) {
  bench *b = userdata;
  mcp_call_on_cancel(call, on_cancelled, &b->answered);
  while (!mcp_call_is_cancelled(call)) {
  }
  if (mcp_call_reply(call) == MCP_ERR_GONE) {
    atomic_fetch_add(&b->gone, 1);
  }
  return 0;
}

/* --- the bench ---------------------------------------------------------- */

static void add_tool(bench *b, const char *name, mcp_call_cb handler,
                     int32_t is_blocking) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .is_blocking = is_blocking,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->server, &tool, NULL), 0);
}

static void send(bench *b, const char *message) {
  const mcp_send_info info = {.size = sizeof(info)};
  assert_int_equal(b->client->send(b->client, message, strlen(message), &info),
                   0);
}

static void initialize(bench *b) {
  send(b, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}},"
          "\"clientInfo\":{}}}");
  send(b, "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"resources/subscribe\""
          ",\"params\":{\"uri\":\"a:1\"}}");
}

static void begin(bench *b) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .userdata = b};
  const mcp_loop_options loop_options = {
      .size = sizeof(mcp_loop_options), .pool_threads = 4, .pool_queue = CALLS};
  const mcp_resource resource = {
      .size = sizeof(mcp_resource), .uri = "a:1", .name = "a", .text = "x"};
  mcp_transport *end;
  memset(b, 0, sizeof(*b));
  b->loop = mcp_loop_new(&loop_options, NULL);
  b->server = mcp_server_new("test", "1", &options, NULL);
  assert_non_null(b->server);
  mcp_server_enable_logging(b->server);
  add_tool(b, "thread", on_thread, 0);
  add_tool(b, "pool", on_pool, 1);
  add_tool(b, "wait", on_wait, 1);
  assert_int_equal(mcp_server_add_resource(b->server, &resource, NULL), 0);
  assert_int_equal(mcp_memory_pair(b->loop, &end, &b->client, NULL), 0);
  b->client->owner = b;
  b->client->on_message = on_message;
  b->client->on_error = on_error;
  b->client->on_close = on_close;
  assert_int_equal(b->client->start(b->client, NULL), 0);
  assert_int_equal(
      mcp_server_connect(b->server, b->loop, end, NULL, NULL, NULL), 0);
  initialize(b);
}

static void call_tool(bench *b, int id, const char *name) {
  char message[300];
  snprintf(message, sizeof(message),
           "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
           "\"params\":{\"name\":\"%s\",\"_meta\":{\"progressToken\":%d}}}",
           id, name, id);
  send(b, message);
}

static void run_until(bench *b, const int *count, int wanted) {
  while (*count < wanted) {
    assert_int_equal(mcp_loop_wait(b->loop, 20), 0);
  }
}

static void join(bench *b) {
  for (int i = 0; i < b->thread_count; i++) {
    pthread_join(b->threads[i], NULL);
  }
  b->thread_count = 0;
}

static void end(bench *b) {
  mcp_server_free(b->server);
  run_until(b, &b->is_closed, 1);
  mcp_transport_free(b->client);
  mcp_loop_free(b->loop);
}

/* --- tests -------------------------------------------------------------- */

TEST(threads_report_and_reply) {
  bench b;
  begin(&b);
  for (int i = 1; i <= CALLS; i++) {
    call_tool(&b, i, "thread");
  }
  run_until(&b, &b.results, CALLS + 2);
  assert_int_equal(b.notes, 6 * CALLS);
  assert_int_equal(atomic_load(&b.gone), 0);
  join(&b);
  end(&b);
}

TEST(the_pool_works_and_replies) {
  bench b;
  begin(&b);
  for (int i = 1; i <= CALLS; i++) {
    call_tool(&b, i, "pool");
  }
  run_until(&b, &b.results, CALLS + 2);
  assert_int_equal(b.notes, CALLS);
  end(&b);
}

TEST(threads_learn_that_the_server_is_gone) {
  bench b;
  begin(&b);
  for (int i = 1; i <= 20; i++) {
    call_tool(&b, i, "thread");
  }
  while (b.thread_count < 20) {
    assert_int_equal(mcp_loop_wait(b.loop, 20), 0);
  }
  mcp_server_free(b.server);
  join(&b);
  assert_int_equal(atomic_load(&b.answered), 20);
  /* The loop gets their posts before it may end. */
  run_until(&b, &b.is_closed, 1);
  for (int i = 0; i < 10; i++) {
    mcp_loop_step(b.loop);
  }
  mcp_transport_free(b.client);
  mcp_loop_free(b.loop);
}

TEST(a_blocked_handler_sees_the_cancellation) {
  bench b;
  begin(&b);
  call_tool(&b, 1, "wait");
  call_tool(&b, 2, "wait");
  run_until(&b, &b.results, 2);
  send(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
           "\"params\":{\"requestId\":1}}");
  send(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
           "\"params\":{\"requestId\":2}}");
  while (atomic_load(&b.gone) < 2) {
    assert_int_equal(mcp_loop_wait(b.loop, 20), 0);
  }
  for (int i = 0; i < 10; i++) {
    mcp_loop_step(b.loop);
  }
  call_tool(&b, 3, "pool");
  run_until(&b, &b.results, 3);
  end(&b);
}

static void *update(void *argument) {
  bench *b = argument;
  for (int i = 0; i < 50; i++) {
    mcp_server_resource_updated(b->server, "a:1");
  }
  return NULL;
}

TEST(any_thread_tells_of_updates) {
  bench b;
  begin(&b);
  run_until(&b, &b.results, 2);
  for (int i = 0; i < 4; i++) {
    pthread_create(&b.threads[b.thread_count++], NULL, update, &b);
  }
  run_until(&b, &b.updates, 200);
  join(&b);
  end(&b);
}
