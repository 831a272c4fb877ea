/* SPDX-License-Identifier: MIT */
/* Requests that become WebSockets, as the endpoint sees them: who may, and what
 * is served then. Memory stands for the socket. */
#include "endpoint/endpoint.h"
#include "endpoint/life.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS "Host: localhost\nUpgrade: WebSocket\nConnection: upgrade\n"
#define UPGRADE "GET /mcp\n" HEADERS "\n"
#define SAYS(status, text) status " text/plain; charset=utf-8\n" text "\n"
#define NO_SESSION                                                             \
  JSON("400", ERROR_ALONE("-32600", "Mcp-Session-Id is missing: send "         \
                                    "initialize first"))
#define PING "{$J,'id':1,'method':'ping'}"
#define WHO "{$J,'id':1,'method':'tools/call','params':{'name':'who',$M{}}}"

#define BARE(text) "{'content':[{'type':'text','text':'" text "'}]}"

typedef struct bench {
  http_rig http;
  http_trip trip;
  rig_wire wire;
  size_t upgrades;
  size_t max_message;
  int refuses; /* the handshake is not valid */
  int status;  /* what the hook returns */
  mcp_call *kept;
  char trace[1024];
} bench;

static bench b;

static mcp_transport *on_upgrade(http_trip *trip, size_t max_message) {
  assert_ptr_equal(trip, &b.trip);
  b.upgrades++;
  b.max_message = max_message;
  return b.refuses || wire_begin(&b.wire, &b.http.rig) != 0 ? NULL
                                                            : b.wire.server_end;
}

static int on_who(mcp_call *call, void *userdata) {
  return mcp_call_reply_textf(call, "%s at %s", mcp_call_principal(call),
                              mcp_call_peer(call));
}

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  assert_ptr_equal(server, b.http.rig.server);
  assert_int_equal(decision->size, sizeof(mcp_http_decision));
  assert_null(decision->principal);
  assert_null(decision->reason);
  assert_null(decision->challenge);
  decision->principal = "anna";
  decision->reason = "who are you?";
  return b.status;
}

static void on_trace(mcp_server *server, const mcp_traced_message *message,
                     void *userdata) {
  size_t used = strlen(b.trace);
  assert_ptr_equal(server, b.http.rig.server);
  assert_int_equal(message->size, sizeof(mcp_traced_message));
  assert_null(message->session);
  snprintf(b.trace + used, sizeof(b.trace) - used, "%c %s %.*s\n",
           message->is_sent ? '>' : '<', message->peer, (int)message->len,
           message->text);
}

static int begin_with(mcp_http_options options,
                      const mcp_allocator *allocator) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "who", .handler = on_who};
  b = (bench){.trip.upgrade = on_upgrade};
  options.size = sizeof(mcp_http_options);
  int rc = http_rig_init(&b.http, NULL, &options, allocator);
  return rc != 0 ? rc : mcp_server_add_tool(b.http.rig.server, &tool, NULL);
}

static void begin(mcp_http_options options) {
  assert_int_equal(begin_with(options, NULL), 0);
}

static void end(void) {
  trip_deinit(&b.trip);
  wire_deinit(&b.wire);
  http_rig_deinit(&b.http);
}

static int set_up(void **state) {
  memset(&b, 0, sizeof(b));
  return 0;
}

static int tear_down(void **state) {
  end();
  return 0;
}

static void send(const char *request) {
  trip_send(&b.trip, &b.http, request);
}

#define refused(request, expected)                                             \
  do {                                                                         \
    send(request);                                                             \
    came(&b.trip, expected);                                                   \
    trip_deinit(&b.trip);                                                      \
    b.trip.upgrade = on_upgrade;                                               \
    assert_int_equal(b.upgrades, 0);                                           \
  } while (0)

static const mcp_http_options both = {.wires = MCP_HTTP_STREAMABLE |
                                               MCP_HTTP_WEBSOCKET};
static const mcp_http_options alone = {.wires = MCP_HTTP_WEBSOCKET};

#define UPGRADE_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- what is served ------------------------------------------------------ */

UPGRADE_TEST(a_websocket_speaks_both_eras) {
  begin(both);
  b.trip.principal = "CN=agent";
  send(UPGRADE);
  assert_int_equal(b.upgrades, 1);
  assert_int_equal(b.max_message, 10 * 1024 * 1024);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  exchange(&b.wire, WHO, RESULT_TEXT("1", "CN=agent at 127.0.0.1:4711"));
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, PING, "{$J,'id':1,'result':{}}");
  b.wire.end->close(b.wire.end);
  rig_turn(&b.http.rig);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
}

UPGRADE_TEST(the_program_says_who_asks) {
  mcp_http_options options = alone;
  options.on_request = on_request;
  begin(options);
  b.status = 401;
  refused(UPGRADE, "401 text/plain; charset=utf-8\nwho are you?");
  b.status = 0;
  send(UPGRADE);
  exchange(&b.wire, WHO, RESULT_TEXT("1", "anna at 127.0.0.1:4711"));
}

UPGRADE_TEST(the_trace_shows_its_messages) {
  mcp_http_options options = both;
  options.on_trace = on_trace;
  begin(options);
  send(UPGRADE);
  wire_send(&b.wire, "{$J,'id':1,'method':'x','params':{'token':'hush'}}");
  rig_turn(&b.http.rig);
  assert_non_null(strstr(b.trace, "< 127.0.0.1:4711 {\"jsonrpc\""));
  assert_non_null(strstr(b.trace, "> 127.0.0.1:4711 {\"jsonrpc\""));
  assert_non_null(strstr(b.trace, "[redacted]"));
  assert_null(strstr(b.trace, "hush"));
}

/* --- who may ------------------------------------------------------------- */

UPGRADE_TEST(an_upgrade_is_guarded_like_any_request) {
  mcp_http_options options = both;
  options.max_rate = 1;
  begin(options);
  refused("GET /elsewhere\n" HEADERS "\n",
          SAYS("404", "there is nothing here"));
  refused("GET /mcp\n" HEADERS "Origin: http://evil.example\n\n",
          JSON("403",
               ERROR_ALONE("-32600", "pages of \\\"http://evil.example\\\" may "
                                     "not use this server (allowed_origins)")));
  refused(
      "GET /mcp\nHost: evil.example\nUpgrade: websocket\n\n",
      JSON("403", ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not "
                                        "served here (allowed_hosts)")));
  send("GET /mcp\n" HEADERS "Origin: http://localhost:3000\n\n");
  assert_int_equal(b.upgrades, 1);
  b.upgrades = 0;
  refused(UPGRADE, SAYS("429", "too many requests"));
}

UPGRADE_TEST(a_server_that_drains_opens_no_websocket) {
  begin(both);
  mcp_server_drain(b.http.rig.server, 0);
  refused(UPGRADE, SAYS("503", "the server is shutting down"));
  refused("GET /mcp\n" HEADERS "Mcp-Session-Id: x\n\n",
          SAYS("503", "the server is shutting down"));
}

/* --- limits -------------------------------------------------------------- */

static int on_keep(mcp_call *call, void *userdata) {
  b.kept = call;
  return mcp_call_defer(call);
}

static void add_keep(void) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "keep", .handler = on_keep};
  assert_int_equal(mcp_server_add_tool(b.http.rig.server, &tool, NULL), 0);
}

static void reply(void) {
  mcp_call_reply_text(b.kept, "kept");
  rig_turn(&b.http.rig);
}

UPGRADE_TEST(a_websocket_has_its_age) {
  mcp_http_options options = both;
  options.session_max_ms = 15000;
  begin(options);
  send(UPGRADE);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  rig_pass(&b.http.rig, 14999);
  exchange(&b.wire, PING, "{$J,'id':1,'result':{}}");
  rig_pass(&b.http.rig, 1);
  assert_true(b.wire.is_closed);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  assert_string_equal(b.http.rig.reports.bytes,
                      "127.0.0.1:4711: it has been open for session_max_ms");
}

UPGRADE_TEST(a_websocket_without_a_session_ends_early) {
  mcp_http_options options = both;
  options.initialized_ms = 5000;
  begin(options);
  send(UPGRADE);
  rig_pass(&b.http.rig, 4999);
  assert_false(b.wire.is_closed);
  rig_pass(&b.http.rig, 1);
  assert_true(b.wire.is_closed);
  assert_string_equal(b.http.rig.reports.bytes,
                      "127.0.0.1:4711: the client has not begun a session "
                      "within 5000 ms (initialized_ms)");
}

UPGRADE_TEST(a_websocket_with_a_session_may_be_silent) {
  mcp_http_options options = both;
  options.initialized_ms = 5000;
  begin(options);
  send(UPGRADE);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  rig_pass(&b.http.rig, 5000);
  exchange(&b.wire, PING, "{$J,'id':1,'result':{}}");
}

/* Those that end at once take nobody else's time with them. */
UPGRADE_TEST(a_websocket_has_its_age_while_it_drains) {
  mcp_http_options options = both;
  static http_trip opened;
  options.session_max_ms = 15000;
  begin(options);
  add_keep();
  trip_send(&opened, &b.http, INITIALIZE("2025-11-25", "{}"));
  trip_deinit(&opened);
  send(UPGRADE);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  wire_send(&b.wire, LEGACY_CALL("1", "keep"));
  rig_turn(&b.http.rig);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 2);
  mcpi_endpoint_drain(b.http.http);
  rig_turn(&b.http.rig);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  rig_pass(&b.http.rig, 14999);
  assert_false(b.wire.is_closed);
  rig_pass(&b.http.rig, 1);
  assert_true(b.wire.is_closed);
  reply();
}

/* Of all wires together. */
UPGRADE_TEST(calls_of_websockets_count_too) {
  mcp_http_options options = both;
  static http_trip posted;
  options.max_calls = 1;
  begin(options);
  add_keep();
  b.trip.principal = "CN=agent";
  trip_send(&posted, &b.http, CALL("1", "keep"));
  send(UPGRADE);
  exchange(&b.wire, WHO, ERROR("1", "-32603", ALL_TAKEN("1")));
  reply();
  trip_deinit(&posted);
  exchange(&b.wire, WHO, RESULT_TEXT("1", "CN=agent at 127.0.0.1:4711"));
}

/* Answers that wait for one before them, as a client without ids must have
 * them. */
UPGRADE_TEST(answers_that_its_dialect_keeps_back_count) {
  mcp_http_options options = both;
  options.dialect = MCP_DIALECT_MCP_CORE;
  begin(options);
  add_keep();
  b.trip.principal = "CN=agent";
  mcpi_quota *waiting = b.http.http->waiting;
  waiting->max = 4 * strlen(BARE("CN=agent at 127.0.0.1:4711"));
  send(UPGRADE);
  wire_send(&b.wire, "{'name':'keep'}");
  exchange(&b.wire, "{'name':'who'}", "");
  assert_int_equal(mcpi_quota_used(waiting), waiting->max / 4);
  reply();
  wire_expect(&b.wire, __FILE__, __LINE__,
              BARE("kept") "\n" BARE("CN=agent at 127.0.0.1:4711"));
  assert_int_equal(mcpi_quota_used(waiting), 0);
  wire_send(&b.wire, "{'name':'keep'}");
  exchange(&b.wire, "{'name':'who'}", "");
  assert_false(b.wire.is_closed);
  /* Half is for other clients, and half of its own for its other
   * connections. */
  wire_send(&b.wire, "{'name':'who'}");
  rig_turn(&b.http.rig);
  assert_true(b.wire.is_closed);
  assert_int_equal(mcpi_quota_used(waiting), 0);
  reply();
}

/* --- where there is none ------------------------------------------------- */

UPGRADE_TEST(without_the_wire_an_upgrade_is_a_request_like_others) {
  begin((mcp_http_options){.wires = 0});
  refused("GET /mcp\n" HEADERS "\n", NO_SESSION);
}

UPGRADE_TEST(so_it_is_when_the_http_server_cannot_upgrade) {
  begin(both);
  b.trip.upgrade = NULL;
  refused(UPGRADE, NO_SESSION);
}

UPGRADE_TEST(other_protocols_are_passed_over) {
  begin(both);
  send("POST /mcp\n" HTTP_JSON "Upgrade: h2c, websocket\n\n" PING);
  assert_int_equal(b.upgrades, 0);
  trip_forget(&b.trip);
  trip_deinit(&b.trip);
  b.trip.upgrade = on_upgrade;
  send("GET /mcp\nHost: localhost\nUpgrade: h2c\n\n");
  assert_int_equal(b.upgrades, 0);
  trip_forget(&b.trip);
  trip_deinit(&b.trip);
  b.trip.upgrade = on_upgrade;
  send("GET /mcp\nHost: localhost\nUpgrade: h2c, websocket\n\n");
  assert_int_equal(b.upgrades, 1);
}

UPGRADE_TEST(where_it_is_alone_other_requests_are_refused) {
  begin(alone);
  refused(POST("", PING), SAYS("405", "this method is not served here"));
  send("GET /mcp\nHost: localhost\n\n");
  came(&b.trip, SAYS("426", "only WebSockets are served here"));
  assert_string_equal(trip_header(&b.trip, "Upgrade"), "websocket");
  assert_string_equal(trip_header(&b.trip, "Connection"), "Upgrade");
}

/* --- ends ---------------------------------------------------------------- */

UPGRADE_TEST(a_bad_handshake_leaves_nothing) {
  begin(both);
  b.refuses = 1;
  send(UPGRADE);
  assert_int_equal(b.upgrades, 1);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
}

UPGRADE_TEST(a_websocket_ends_with_its_endpoint) {
  begin(both);
  send(UPGRADE);
  mcp_http_free(b.http.http);
  b.http.http = NULL;
  rig_turn(&b.http.rig);
  assert_true(b.wire.is_closed);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
}

static int upgrade_and_ask(const mcp_allocator *allocator, void *userdata) {
  mcp_http_options options = both;
  options.on_trace = on_trace;
  int rc = begin_with(options, allocator);
  if (rc != 0) {
    if (b.http.http != NULL) {
      end();
    }
    return rc;
  }
  send(UPGRADE);
  rc = mcp_server_connection_count(b.http.rig.server) == 1 ? 0 : MCP_ERR_NOMEM;
  end();
  return rc;
}

TEST(an_upgrade_survives_each_failed_allocation) {
  assert_true(failing_alloc_rerun(upgrade_and_ask, NULL) > 3);
}
