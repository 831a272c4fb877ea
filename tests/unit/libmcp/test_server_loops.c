/* SPDX-License-Identifier: MIT */
/* One server on several loops, each in a thread of its own: what is changed,
 * told or ended on one reaches all. Run it under the thread sanitizer. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOOPS = 3, ROUNDS = 50 };

/* A thread with a loop, and a client of a session there. */
typedef struct branch {
  mcp_server *server;
  pthread_t thread;
  mcp_loop *loop;
  mcp_transport *client;
  atomic_int is_ready;
  atomic_int results;
  atomic_int changes;
  atomic_int updates;
  atomic_int logs;
  int is_closed;
} branch;

typedef struct bench {
  mcp_server *server;
  atomic_int reports;
  branch branches[LOOPS];
} bench;

/* --- a client ----------------------------------------------------------- */

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  branch *br = transport->owner;
  char text[600];
  snprintf(text, sizeof(text), "%.*s", (int)len, message);
  if (strstr(text, "\"result\"") != NULL) {
    atomic_fetch_add(&br->results, 1);
  } else if (strstr(text, "list_changed") != NULL) {
    atomic_fetch_add(&br->changes, 1);
  } else if (strstr(text, "resources/updated") != NULL) {
    atomic_fetch_add(&br->updates, 1);
  } else if (strstr(text, "notifications/message") != NULL) {
    atomic_fetch_add(&br->logs, 1);
  }
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  branch *br = transport->owner;
  br->is_closed = 1;
  mcp_loop_stop(br->loop);
}

static void send(branch *br, const char *message) {
  const mcp_send_info info = {.size = sizeof(info)};
  br->client->send(br->client, message, strlen(message), &info);
}

static void open_session(branch *br) {
  mcp_transport *end;
  assert_int_equal(mcp_memory_pair(br->loop, &end, &br->client, NULL), 0);
  br->client->owner = br;
  br->client->on_message = on_message;
  br->client->on_error = on_error;
  br->client->on_close = on_close;
  assert_int_equal(br->client->start(br->client, NULL), 0);
  assert_int_equal(
      mcp_server_connect(br->server, br->loop, end, NULL, NULL, NULL), 0);
  send(br, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
           "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
           "\"clientInfo\":{}}}");
  send(br, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  send(br, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
           "\"params\":{\"uri\":\"a:1\"}}");
}

/* Until its connection is closed, by whichever thread. */
static void *run(void *argument) {
  branch *br = argument;
  br->loop = mcp_loop_new(NULL, NULL);
  open_session(br);
  while (atomic_load(&br->results) < 2) {
    mcp_loop_wait(br->loop, 20);
  }
  atomic_store(&br->is_ready, 1);
  while (!br->is_closed) {
    mcp_loop_wait(br->loop, 1000);
  }
  for (int i = 0; i < 10; i++) {
    mcp_loop_step(br->loop); /* the server may be freed by a later letter */
  }
  mcp_transport_free(br->client);
  return NULL;
}

/* --- the bench ---------------------------------------------------------- */

static void await(atomic_int *count, int wanted) {
  const struct timespec pause = {0, 1000000};
  while (atomic_load(count) < wanted) {
    nanosleep(&pause, NULL);
  }
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  bench *b = userdata;
  assert_int_equal(err->code, MCP_ERR_PARSE);
  assert_non_null(strstr(err->message, "mcp_server_log: the data is not JSON"));
  int is_of_a_loop = 0;
  for (int i = 0; i < LOOPS; i++) {
    is_of_a_loop |= pthread_equal(pthread_self(), b->branches[i].thread);
  }
  assert_true(is_of_a_loop);
  atomic_fetch_add(&b->reports, 1);
}

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

static int add_tool(mcp_server *server, const char *name) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = name, .handler = on_nothing};
  return mcp_server_add_tool(server, &tool, NULL);
}

/* Tools come and go while they are called. */
static int on_change(mcp_call *call, void *userdata) {
  char name[60];
  snprintf(name, sizeof(name), "made-%p", (void *)call);
  add_tool(mcp_call_server(call), name);
  mcp_server_remove_tool(mcp_call_server(call), name);
  return mcp_call_reply(call);
}

static void begin(bench *b) {
  const mcp_resource resource = {
      .size = sizeof(mcp_resource), .uri = "a:1", .name = "a", .text = "x"};
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "change", .handler = on_change};
  memset(b, 0, sizeof(*b));
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .userdata = b,
                                      .on_report = on_report};
  b->server = mcp_server_new("test", "1", &options, NULL);
  mcp_server_enable_logging(b->server);
  assert_int_equal(mcp_server_add_resource(b->server, &resource, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->server, &tool, NULL), 0);
  for (int i = 0; i < LOOPS; i++) {
    branch *br = &b->branches[i];
    br->server = b->server;
    assert_int_equal(pthread_create(&br->thread, NULL, run, br), 0);
  }
  for (int i = 0; i < LOOPS; i++) {
    await(&b->branches[i].is_ready, 1);
  }
}

/* The threads end because their connections do. Freeing their loops frees the
 * rest of the server. */
static void join(bench *b) {
  for (int i = 0; i < LOOPS; i++) {
    assert_int_equal(pthread_join(b->branches[i].thread, NULL), 0);
  }
  for (int i = 0; i < LOOPS; i++) {
    mcp_loop_free(b->branches[i].loop);
  }
}

static void end(bench *b) {
  mcp_server_free(b->server);
  join(b);
}

static void call_tool(void *argument) {
  send(argument, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
                 "\"params\":{\"name\":\"change\"}}");
  send(argument, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\"}");
}

/* --- tests -------------------------------------------------------------- */

TEST(changes_reach_every_loop) {
  bench b;
  begin(&b);
  assert_int_equal(add_tool(b.server, "more"), 0);
  for (int i = 0; i < LOOPS; i++) {
    await(&b.branches[i].changes, 1);
  }
  assert_int_equal(mcp_server_remove_tool(b.server, "more"), 0);
  for (int i = 0; i < LOOPS; i++) {
    await(&b.branches[i].changes, 2);
  }
  end(&b);
}

TEST(handlers_change_what_all_loops_serve) {
  bench b;
  begin(&b);
  for (int round = 1; round <= ROUNDS; round++) {
    for (int i = 0; i < LOOPS; i++) {
      branch *br = &b.branches[i];
      assert_int_equal(mcp_loop_post(br->loop, call_tool, br), 0);
    }
    for (int i = 0; i < LOOPS; i++) {
      await(&b.branches[i].results, 2 + 2 * round);
    }
  }
  end(&b);
}

TEST(updates_and_logs_reach_every_loop) {
  bench b;
  begin(&b);
  for (int i = 0; i < ROUNDS; i++) {
    assert_int_equal(mcp_server_resource_updated(b.server, "a:1"), 0);
    assert_int_equal(mcp_server_log(b.server, MCP_LOG_INFO, NULL, "1"), 0);
  }
  for (int i = 0; i < LOOPS; i++) {
    await(&b.branches[i].updates, ROUNDS);
    await(&b.branches[i].logs, ROUNDS);
  }
  assert_int_equal(mcp_server_connection_count(b.server), LOOPS);
  end(&b);
}

TEST(one_loop_reports_a_log_message_that_is_not_json) {
  bench b;
  begin(&b);
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(mcp_server_log(b.server, MCP_LOG_INFO, NULL, "{"),
                     MCP_ERR_PARSE);
    await(&b.reports, i);
  }
  end(&b);
  assert_int_equal(atomic_load(&b.reports), 3);
}

TEST(draining_reaches_every_loop) {
  bench b;
  begin(&b);
  mcp_server_drain(b.server, 1000);
  for (int i = 0; i < LOOPS; i++) {
    assert_int_equal(pthread_join(b.branches[i].thread, NULL), 0);
  }
  assert_int_equal(mcp_server_connection_count(b.server), 0);
  mcp_server_free(b.server);
  for (int i = 0; i < LOOPS; i++) {
    mcp_loop_free(b.branches[i].loop);
  }
}
