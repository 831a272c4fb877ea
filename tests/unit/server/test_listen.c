/* SPDX-License-Identifier: MIT */
/* Listens that end while a change is sent to them. All else about listens is in
 * tests/wire/server/listen.txt. */
#include "support/server_bench.h"
#include <stdlib.h>
#include <string.h>

/* A transport of the program's own that refuses everything at some time, and
 * whose close ends it at once and closes what the program has connected. */
typedef struct brittle {
  mcp_transport transport;
  mcp_connection *connections[2];
  int is_full;
  int send_count;
} brittle;

static int brittle_start(mcp_transport *transport, mcp_error *err) {
  return 0;
}

static int brittle_send(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  brittle *odd = transport->userdata;
  odd->send_count++;
  return odd->is_full ? MCP_ERR_LIMIT : 0;
}

static void brittle_close(mcp_transport *transport) {
  brittle *odd = transport->userdata;
  for (size_t i = 0; i < 2; i++) {
    mcp_connection *connection = odd->connections[i];
    odd->connections[i] = NULL;
    mcp_connection_close(connection, 0);
  }
  transport->on_close(transport, NULL);
}

static void brittle_deliver(brittle *odd, const char *marked) {
  char *text = rig_expand(marked);
  odd->transport.on_message(&odd->transport, text, strlen(text));
  free(text);
}

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

#define LISTEN(id)                                                             \
  "{$J,'id':" id ",'method':'subscriptions/listen','params':{"                 \
  "'notifications':{'toolsListChanged':true,'own':true,'ids':['v'],"           \
  "'resourceSubscriptions':['a:1']},$M{}}}"

/* Two listens on a brittle connection and one on another, all of which end when
 * the first of them gets a change. */
static void expect_end(server_bench *b, void (*change)(mcp_server *server)) {
  const mcp_resource resource = {
      .size = sizeof(mcp_resource), .uri = "a:1", .name = "a", .text = "x"};
  brittle odd = {.transport = {.size = sizeof(mcp_transport),
                               .start = brittle_start,
                               .send = brittle_send,
                               .close = brittle_close}};
  mcp_server *server = b->rig.server;
  odd.transport.userdata = &odd;
  server_bench_add_tool(b, "t", on_nothing);
  mcp_server_add_resource(server, &resource, NULL);
  mcp_server_add_listen_filter(server, "own", NULL);
  mcp_server_add_listen_values(server, "ids", NULL, NULL);
  rig_turn(&b->rig);
  assert_int_equal(mcp_server_connect(server, b->rig.loop, &odd.transport, NULL,
                                      &odd.connections[0], NULL),
                   0);
  odd.connections[1] = b->wire.connection;
  brittle_deliver(&odd, LISTEN("1"));
  brittle_deliver(&odd, LISTEN("2"));
  wire_send(&b->wire, LISTEN("1"));
  rig_turn(&b->rig);
  assert_int_equal(odd.send_count, 2);
  odd.is_full = 1;
  change(server);
  rig_turn(&b->rig);
  assert_int_equal(odd.send_count, 3);
  assert_int_equal(mcp_server_connection_count(server), 0);
}

static void remove_tool(mcp_server *server) {
  mcp_server_remove_tool(server, "t");
}

BENCH_TEST(a_changed_list_may_end_all_listens) {
  expect_end(*state, remove_tool);
}

static void update(mcp_server *server) {
  mcp_server_resource_updated(server, "a:1");
}

BENCH_TEST(an_update_may_end_all_listens) {
  expect_end(*state, update);
}

static void notify(mcp_server *server) {
  mcp_server_notify_listeners(server, "own", "n", NULL);
}

BENCH_TEST(a_notification_may_end_all_listens) {
  expect_end(*state, notify);
}

static void notify_value(mcp_server *server) {
  mcp_server_notify_listeners_of(server, "ids", "v", NULL, "n", NULL);
}

BENCH_TEST(a_notification_of_a_value_may_end_all_listens) {
  expect_end(*state, notify_value);
}
