/* SPDX-License-Identifier: MIT */
/* Values of listens as a transcript cannot show them: many of them, and news
 * that come from another thread. tests/wire/server/listen-values.txt has the
 * rest. */
#include "support/server_bench.h"
#include <stdio.h>
#include <string.h>

enum { VALUES = 1000 };

#define SUBSCRIBED "'_meta':{'io.modelcontextprotocol/subscriptionId':1}"
#define NEWS "{$J,'method':'n','params':{" SUBSCRIBED "}}"

/* A listen with the values v0, v1, ... */
static void listen_to_all(server_bench *b) {
  static char text[VALUES * 16];
  int len = snprintf(text, sizeof(text),
                     "{$J,'id':1,'method':'subscriptions/listen','params':{"
                     "'notifications':{'ids':[");
  for (int i = 0; i < VALUES; i++) {
    len += snprintf(text + len, sizeof(text) - (size_t)len, "%s'v%d'",
                    i > 0 ? "," : "", i);
  }
  snprintf(text + len, sizeof(text) - (size_t)len, "]},$M{}}}");
  wire_send(&b->wire, text);
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

static int notify(const server_bench *b, const char *value) {
  return mcp_server_notify_listeners_of(b->rig.server, "ids", value, NULL, "n",
                                        NULL);
}

BENCH_TEST(a_listen_may_name_many_values) {
  server_bench *b = *state;
  char value[20];
  assert_int_equal(
      mcp_server_add_listen_values(b->rig.server, "ids", NULL, NULL), 0);
  listen_to_all(b);
  for (int i = 0; i < VALUES; i++) {
    snprintf(value, sizeof(value), "v%d", i);
    assert_int_equal(notify(b, value), 0);
    expect(&b->wire, NEWS);
  }
  assert_int_equal(notify(b, "v"), 0);
  assert_int_equal(notify(b, "v1000"), 0);
  expect(&b->wire, "");
}

BENCH_TEST(another_thread_may_notify) {
  server_bench *b = *state;
  assert_int_equal(
      mcp_server_add_listen_values(b->rig.server, "ids", NULL, NULL), 0);
  listen_to_all(b);
  b->is_elsewhere = 1;
  char value[] = "v7";
  char method[] = "n";
  char params[] = "{}";
  assert_int_equal(mcp_server_notify_listeners_of(b->rig.server, "ids", value,
                                                  NULL, method, params),
                   0);
  b->is_elsewhere = 0;
  memset(value, 'x', sizeof(value) - 1);
  memset(method, 'x', sizeof(method) - 1);
  memset(params, 'x', sizeof(params) - 1);
  rig_turn(&b->rig);
  expect(&b->wire, NEWS);
}

BENCH_TEST(a_notification_of_a_value_needs_all_its_parts) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  assert_int_equal(mcp_server_add_listen_values(server, "ids", NULL, NULL), 0);
  assert_int_equal(
      mcp_server_notify_listeners_of(server, "ids", "v", NULL, NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_notify_listeners_of(server, "ids", "v", NULL, "\xff", NULL),
      MCP_ERR_INVALID);
  assert_int_equal(notify(b, NULL), MCP_ERR_INVALID);
  assert_int_equal(notify(b, ""), MCP_ERR_INVALID);
  assert_int_equal(notify(b, "\xff"), MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_notify_listeners_of(server, "ids", "v", NULL, "n", ""),
      MCP_ERR_PARSE);
  assert_int_equal(notify(b, "v"), 0);
}
