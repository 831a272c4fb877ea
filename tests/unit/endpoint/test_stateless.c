/* SPDX-License-Identifier: MIT */
/* The legacy era over HTTP without sessions (PROTOCOL 2.11 b): each POST is
 * served alone. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept;
  int rc;
  int told; /* times that the program was told of a session */
} bench;

#define IN(revision, body) POST("MCP-Protocol-Version: " revision "\n", body)

static int on_where(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_null(mcp_call_session(call));
  return mcp_call_reply_text(call, mcp_call_revision(call));
}

static int on_keep(mcp_call *call, void *userdata) {
  ((bench *)userdata)->kept = call;
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  return mcp_call_ask_elicit(call, "name", &question, &answer);
}

static void on_session(mcp_server *server, mcp_session *session,
                       void *userdata) {
  (void)server;
  (void)session;
  ((bench *)userdata)->told++;
}

static void add(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  mcp_server_add_tool(b->http.rig.server, &tool);
}

static int begin_with(bench *b, const mcp_allocator *allocator) {
  const mcp_server_options server = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .on_session_opened = on_session,
                                     .on_session_closed = on_session,
                                     .userdata = b};
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .legacy = MCP_HTTP_STATELESS};
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "a:1", .name = "a", .text = "x"};
  memset(b, 0, sizeof(*b));
  int rc = http_rig_init(&b->http, &server, &options, allocator);
  if (rc != 0) {
    return rc;
  }
  add(b, "where", on_where);
  add(b, "keep", on_keep);
  add(b, "ask", on_ask);
  return mcp_server_add_resource(b->http.rig.server, &resource);
}

static void begin(bench *b) {
  assert_int_equal(begin_with(b, NULL), 0);
}

static void end(bench *b) {
  http_rig_deinit(&b->http);
}

static void initialize_promises_no_news(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, INITIALIZE("2025-06-18", "{'elicitation':{}}"));
  came(&trip, JSON("200", "{$J,'id':0,'result':{'protocolVersion':'2025-06-18',"
                          "'capabilities':{'tools':{},'resources':{}},"
                          "'serverInfo':{'name':'test','version':'1'}}}"));
  assert_null(trip_header(&trip, "Mcp-Session-Id"));
  trip_deinit(&trip);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  assert_int_equal(b.told, 0);
  end(&b);
}

static void each_request_is_served_alone(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, IN("2025-06-18", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-06-18")));
  ask(&b.http, IN("2025-11-25", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-11-25")));
  ask(&b.http, POST("Mcp-Session-Id: x\n", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-03-26")));
  ask(&b.http, CALL("1", "where"),
      JSON("200", RESULT_TEXT("1", NEWEST_REVISION)));
  ask(&b.http, POST("", "{$J,'method':'notifications/initialized'}"), "202");
  ask(&b.http, POST("", "{$J,'id':1,'result':{}}"), "202");
  ask(&b.http, IN("2025-06-18", "{$J,'id':1,'method':'no/such'}"),
      JSON("200", ERROR("1", "-32601", "unknown method: \\\"no/such\\\"")));
  ask(&b.http, IN("1999-01-01", LEGACY_CALL("1", "where")),
      JSON("400", ERROR("1", "-32600",
                        "MCP-Protocol-Version names no revision that is served "
                        "here")));
  assert_int_equal(b.told, 0);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  end(&b);
}

static void batches_go_by_the_header(void **state) {
  static const char batch[] = POST("", "[{$J,'id':1,'method':'ping'}]");
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, batch, JSON("200", "[{$J,'id':1,'result':{}}]"));
  ask(&b.http, IN("2025-06-18", "[{$J,'id':1,'method':'ping'}]"),
      JSON("400", ERROR_ALONE("-32600", "a batch, where none is allowed")));
  end(&b);
}

static void there_is_no_way_back(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, "GET /mcp\n" HTTP_JSON "\n",
      "405 text/plain; charset=utf-8\nthis method is not served here\n");
  ask(&b.http, "DELETE /mcp\n" HTTP_JSON "Mcp-Session-Id: x\n\n",
      "405 text/plain; charset=utf-8\nthis method is not served here\n");
  ask(&b.http, IN("2025-06-18", LEGACY_CALL("1", "ask")),
      JSON("200", ERROR("1", "-32603",
                        "elicitation.form: a request without a session "
                        "cannot ask its client")));
  ask(&b.http,
      IN("2025-06-18", "{$J,'id':1,'method':'resources/subscribe','params':{"
                       "'uri':'a:1'}}"),
      JSON("200",
           ERROR("1", "-32601",
                 "this server does not offer: \\\"resources/subscribe\\\"")));
  end(&b);
}

static void calls_run_on_without_their_client(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, IN("2025-06-18", LEGACY_CALL("1", "keep")));
  add(&b, "more", on_where); /* nobody is told */
  came(&trip, "");
  mcp_call_reply_text(b.kept, "kept");
  came(&trip, JSON("200", LEGACY_TEXT("1", "kept")));
  trip_deinit(&trip);
  trip_send(&trip, &b.http, IN("2025-06-18", LEGACY_CALL("1", "keep")));
  trip_gone(&trip);
  rig_turn(&b.http.rig);
  assert_false(mcp_call_is_cancelled(b.kept));
  assert_int_equal(mcp_call_reply_text(b.kept, "kept"), MCP_ERR_GONE);
  rig_turn(&b.http.rig);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  trip_deinit(&trip);
  end(&b);
}

/* Whatever the answer is, there is one. */
static void ask_any(http_rig *http, http_trip *trip, const char *request) {
  trip_send(trip, http, request);
  assert_true(trip->is_over);
  trip_deinit(trip);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  http_trip trip = {0};
  (void)userdata;
  int rc = begin_with(&b, allocator);
  if (rc == 0) {
    ask_any(&b.http, &trip, INITIALIZE("2025-06-18", "{'elicitation':{}}"));
    ask_any(&b.http, &trip, IN("2025-06-18", LEGACY_CALL("1", "where")));
    ask_any(&b.http, &trip, POST("", "[{$J,'id':1,'method':'ping'}]"));
  }
  if (b.http.http != NULL) {
    end(&b);
  }
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initialize_promises_no_news),
      cmocka_unit_test(each_request_is_served_alone),
      cmocka_unit_test(batches_go_by_the_header),
      cmocka_unit_test(there_is_no_way_back),
      cmocka_unit_test(calls_run_on_without_their_client),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_stateless", tests, NULL, NULL);
}
