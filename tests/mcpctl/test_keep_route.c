/* SPDX-License-Identifier: MIT */
#include "keep/route.h"

#include "support/cm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the route has sent since the last expect, a message a line: "S" and what
 * the server gets, or a client's number and what that client gets. */
static char sent[16384];
static ctl_route *route;

static void note(const char *who, const char *text, size_t len) {
  size_t at = strlen(sent);
  assert_true(at + len + 8 < sizeof(sent));
  snprintf(sent + at, sizeof(sent) - at, "%s %.*s\n", who, (int)len, text);
}

static void note_server(const char *text, size_t len, const mcp_json *message,
                        void *userdata) {
  (void)userdata;
  assert_non_null(message);
  note("S", text, len);
}

static void note_client(uint64_t client, const char *text, size_t len,
                        void *userdata) {
  char number[32];
  (void)userdata;
  snprintf(number, sizeof(number), "%d", (int)client);
  note(number, text, len);
}

static void begin_with_roots(const char *roots) {
  const ctl_route_events events = {note_server, note_client, NULL};
  route = ctl_route_new(&events, roots);
  assert_non_null(route);
  sent[0] = '\0';
  for (uint64_t client = 1; client <= 3; client++) {
    assert_int_equal(ctl_route_join(route, client), 0);
  }
}

static int begin(void **state) {
  (void)state;
  begin_with_roots(NULL);
  return 0;
}

static int end(void **state) {
  (void)state;
  ctl_route_free(route);
  route = NULL;
  return 0;
}

/* Client 0 is the server. */
static int say(uint64_t client, const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  int rc = 0;
  assert_non_null(doc);
  if (client == 0) {
    ctl_route_from_server(route, mcp_doc_root(doc));
  } else {
    rc = ctl_route_from_client(route, client, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  return rc;
}

static void expect(const char *lines) {
  assert_string_equal(sent, lines);
  sent[0] = '\0';
}

static void drop(void) {
  sent[0] = '\0';
}

/* The first client's handshake, in the legacy era. */
static void shake_hands(void) {
  say(1, "{\"id\":1,\"method\":\"server/discover\"}");
  say(0, "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
  say(1, "{\"id\":2,\"method\":\"initialize\"}");
  say(0, "{\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\"}}");
  say(1, "{\"method\":\"notifications/initialized\"}");
  for (uint64_t client = 2; client <= 3; client++) {
    say(client, "{\"id\":1,\"method\":\"initialize\"}");
  }
  drop(); /* the server has numbers from 3 on */
}

/* ---- handshakes --------------------------------------------------------- */

TEST_WITH(later_clients_get_the_first_ones_handshake, begin, end) {
  say(1, "{\"id\":1,\"method\":\"server/discover\"}");
  expect("S {\"id\":1,\"method\":\"server/discover\"}\n");
  say(0, "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
  expect("1 {\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n");
  say(1, "{\"id\":2,\"method\":\"initialize\"}");
  say(0, "{\"id\":2,\"result\":{\"a\":1}}");
  say(1, "{\"method\":\"notifications/initialized\"}");
  drop();
  say(2, "{\"id\":\"x\",\"method\":\"server/discover\"}");
  say(2, "{\"id\":9,\"method\":\"initialize\"}");
  say(2, "{\"method\":\"notifications/initialized\"}");
  expect("2 {\"jsonrpc\":\"2.0\",\"id\":\"x\","
         "\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
         "2 {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"a\":1}}\n");
}

TEST_WITH(a_server_that_was_not_asked_for_its_era_never_is, begin, end) {
  say(1, "{\"id\":1,\"method\":\"initialize\"}");
  say(0, "{\"id\":1,\"result\":{}}");
  drop();
  say(2, "{\"id\":1,\"method\":\"server/discover\"}");
  expect("2 {\"jsonrpc\":\"2.0\",\"id\":1,"
         "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n");
}

/* ---- requests ----------------------------------------------------------- */

TEST_WITH(ids_and_progress_tokens_are_translated, begin, end) {
  say(1, "{\"id\":7,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"progressToken\":\"t\",\"x\":1},\"name\":\"a\"}}");
  say(2, "{\"id\":7,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"progressToken\":7}}}");
  expect("S {\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"progressToken\":1,\"x\":1},\"name\":\"a\"}}\n"
         "S {\"id\":2,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"progressToken\":2}}}\n");
  say(0, "{\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":1,\"progress\":5}}");
  say(0, "{\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":3,\"progress\":5}}");
  expect("1 {\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":\"t\",\"progress\":5}}\n");
  say(0, "[{\"id\":2,\"result\":{\"id\":2}},{\"id\":1,\"result\":{}},"
         "{\"id\":1,\"result\":{}}]");
  expect("2 {\"id\":7,\"result\":{\"id\":2}}\n"
         "1 {\"id\":7,\"result\":{}}\n");
}

TEST_WITH(a_cancellation_names_the_request_of_its_client, begin, end) {
  say(1, "{\"id\":5,\"method\":\"tools/call\"}");
  say(2, "{\"id\":5,\"method\":\"tools/call\"}");
  drop();
  say(2, "{\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":5,\"reason\":\"r\"}}");
  say(2, "{\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":5}}");
  say(0, "{\"id\":2,\"result\":{}}");
  expect("S {\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":2,\"reason\":\"r\"}}\n");
  say(0, "{\"id\":1,\"result\":{}}");
  expect("1 {\"id\":5,\"result\":{}}\n");
}

TEST_WITH(requests_of_one_client_have_a_limit, begin, end) {
  for (int i = 0; i < CTL_KEEP_MAX_FLIGHTS; i++) {
    say(1, "{\"id\":1,\"method\":\"x\"}");
    drop();
  }
  say(1, "{\"id\":2,\"method\":\"x\"}");
  expect("1 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,"
         "\"message\":\"the session has too many requests in flight\"}}\n");
  say(2, "{\"id\":2,\"method\":\"x\"}");
  expect("S {\"id\":1001,\"method\":\"x\"}\n");
  assert_int_equal(ctl_route_requests(route), 1002);
}

TEST_WITH(what_is_not_a_message_is_refused, begin, end) {
  assert_int_equal(say(1, "[]"), MCP_ERR_PROTOCOL);
  assert_int_equal(say(1, "{\"id\":1}"), MCP_ERR_PROTOCOL);
  assert_int_equal(say(1, "7"), MCP_ERR_PROTOCOL);
  assert_int_equal(ctl_route_from_client(route, 1, NULL), MCP_ERR_PROTOCOL);
  say(0, "7");
  say(0, "[7,[],{}]");
  say(0, "{\"id\":{\"a\":1},\"result\":{}}");
  expect("");
}

TEST_WITH(a_server_cannot_speak_for_the_process, begin, end) {
  const char error[] = "{\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\","
                       "\"data\":{\"mcpctl/failure\":{\"code\":-3}}}}";
  say(1, "{\"id\":7,\"method\":\"tools/call\"}");
  drop();
  say(0, "{\"method\":\"notifications/mcpctl/exit\",\"params\":{}}");
  say(0, "{\"method\":\"notifications/mcpctl/stderr\",\"params\":{}}");
  expect("");
  say(0, error);
  expect("1 {\"id\":7,\"error\":{\"code\":-1,\"message\":\"m\",\"data\":{"
         "\"mcpctl/failure\":null}}}\n");
}

TEST_WITH(a_failure_of_the_process_passes, begin, end) {
  const char error[] = "{\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\","
                       "\"data\":{\"mcpctl/failure\":{\"code\":-3}}}}";
  say(1, "{\"id\":7,\"method\":\"tools/call\"}");
  drop();
  mcp_doc *doc = mcp_doc_parse(error, strlen(error), NULL, NULL, NULL);
  ctl_route_failed(route, mcp_doc_root(doc));
  mcp_doc_free(doc);
  expect("1 {\"id\":7,\"error\":{\"code\":-1,\"message\":\"m\",\"data\":{"
         "\"mcpctl/failure\":{\"code\":-3}}}}\n");
}

/* ---- questions ---------------------------------------------------------- */

TEST_WITH(a_question_goes_to_the_newest_request, begin, end) {
  say(1, "{\"id\":1,\"method\":\"tools/call\"}");
  say(2, "{\"id\":1,\"method\":\"tools/call\"}");
  say(3, "{\"id\":1,\"method\":\"ping\"}");
  drop();
  say(0, "{\"id\":\"q\",\"method\":\"elicitation/create\"}");
  expect("2 {\"id\":\"q\",\"method\":\"elicitation/create\"}\n");
  say(1, "{\"id\":\"q\",\"result\":{}}");
  expect("");
  say(2, "{\"id\":\"q\",\"result\":{}}");
  say(2, "{\"id\":\"q\",\"result\":{}}");
  expect("S {\"id\":\"q\",\"result\":{}}\n");
}

TEST_WITH(a_question_to_nobody_is_refused, begin, end) {
  say(0, "{\"id\":4,\"method\":\"sampling/createMessage\"}");
  expect("S {\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32603,"
         "\"message\":\"mcpctl accepts no further questions\"}}\n");
}

TEST_WITH(a_question_that_the_server_cancels_is_forgotten, begin, end) {
  say(1, "{\"id\":1,\"method\":\"tools/call\"}");
  say(0, "{\"id\":1,\"method\":\"elicitation/create\"}");
  drop();
  say(0, "{\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":1}}");
  expect("1 {\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":1}}\n");
  say(1, "{\"id\":1,\"result\":{}}");
  expect("");
}

TEST_WITH(pings_and_roots_need_no_client, begin, end) {
  say(0, "{\"id\":1,\"method\":\"ping\"}");
  say(0, "{\"id\":2,\"method\":\"roots/list\"}");
  expect("S {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
         "S {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,"
         "\"message\":\"there are no roots\"}}\n");
  end(NULL);
  begin_with_roots("{\"roots\":[]}");
  say(0, "{\"id\":2,\"method\":\"roots/list\"}");
  expect("S {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"roots\":[]}}\n");
}

/* ---- tasks -------------------------------------------------------------- */

TEST_WITH(what_is_said_of_a_task_goes_to_its_client, begin, end) {
  shake_hands();
  say(1, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"progressToken\":8}}}");
  say(0, "{\"id\":3,\"result\":{\"task\":{\"taskId\":\"T\"}}}");
  say(2, "{\"id\":1,\"method\":\"tools/call\"}");
  drop();
  say(0, "{\"method\":\"notifications/tasks/status\",\"params\":{"
         "\"taskId\":\"T\"}}");
  say(0, "{\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":3}}");
  say(0, "{\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
         "\"_meta\":{\"io.modelcontextprotocol/related-task\":{"
         "\"taskId\":\"T\"}}}}");
  expect("1 {\"method\":\"notifications/tasks/status\",\"params\":{"
         "\"taskId\":\"T\"}}\n"
         "1 {\"method\":\"notifications/progress\",\"params\":{"
         "\"progressToken\":8}}\n"
         "1 {\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
         "\"_meta\":{\"io.modelcontextprotocol/related-task\":{"
         "\"taskId\":\"T\"}}}}\n");
  ctl_route_leave(route, 1);
  drop();
  say(0, "{\"method\":\"notifications/tasks/status\",\"params\":{"
         "\"taskId\":\"T\"}}");
  expect("");
  say(3, "{\"id\":1,\"method\":\"tasks/get\",\"params\":{"
         "\"taskId\":\"T\"}}");
  drop();
  say(0, "{\"method\":\"notifications/tasks/status\",\"params\":{"
         "\"taskId\":\"T\"}}");
  expect("3 {\"method\":\"notifications/tasks/status\",\"params\":{"
         "\"taskId\":\"T\"}}\n");
}

TEST_WITH(a_clients_own_task_is_asked_for_there, begin, end) {
  say(1, "{\"id\":1,\"method\":\"tools/call\"}");
  say(0, "{\"id\":\"q\",\"method\":\"elicitation/create\"}");
  say(1, "{\"id\":\"q\",\"result\":{\"task\":{\"taskId\":\"C\"}}}");
  say(2, "{\"id\":1,\"method\":\"tools/call\"}");
  drop();
  say(0, "{\"id\":\"g\",\"method\":\"tasks/get\",\"params\":{"
         "\"taskId\":\"C\"}}");
  expect("1 {\"id\":\"g\",\"method\":\"tasks/get\",\"params\":{"
         "\"taskId\":\"C\"}}\n");
}

/* ---- subscriptions ------------------------------------------------------ */

TEST_WITH(the_server_sees_one_subscription, begin, end) {
  shake_hands();
  say(1, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  say(0, "{\"id\":3,\"result\":{}}");
  drop();
  say(2, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("2 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  say(0, "{\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("2 {\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\"}}\n"
         "1 {\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\"}}\n");
  say(1, "{\"id\":2,\"method\":\"resources/unsubscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("1 {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
  ctl_route_leave(route, 2);
  expect("S {\"jsonrpc\":\"2.0\",\"id\":4,"
         "\"method\":\"resources/unsubscribe\",\"params\":{\"uri\":\"x\"}}\n");
  say(0, "{\"id\":4,\"result\":{}}");
  say(0, "{\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("");
}

TEST_WITH(nobody_ends_the_subscription_of_another, begin, end) {
  shake_hands();
  say(1, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  say(0, "{\"id\":3,\"result\":{}}");
  drop();
  say(2, "{\"id\":1,\"method\":\"resources/unsubscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("2 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  say(2, "{\"id\":2,\"method\":\"resources/unsubscribe\",\"params\":{"
         "\"uri\":\"y\"}}");
  expect("S {\"id\":4,\"method\":\"resources/unsubscribe\",\"params\":{"
         "\"uri\":\"y\"}}\n");
}

TEST_WITH(a_part_of_a_resource_belongs_to_the_whole, begin, end) {
  shake_hands();
  say(1, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x://a\"}}");
  drop();
  say(0, "{\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x://a/b\"}}");
  expect("1 {\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x://a/b\"}}\n");
  say(0, "{\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x://ab\"}}");
  expect("");
}

TEST_WITH(a_refused_subscription_does_not_count, begin, end) {
  shake_hands();
  say(1, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  say(0, "{\"id\":3,\"error\":{\"code\":1,\"message\":\"no\"}}");
  drop();
  say(2, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}");
  expect("S {\"id\":4,\"method\":\"resources/subscribe\",\"params\":{"
         "\"uri\":\"x\"}}\n");
}

TEST_WITH(a_listen_has_the_id_of_its_client, begin, end) {
  say(1, "{\"id\":9,\"method\":\"subscriptions/listen\"}");
  say(2, "{\"id\":\"z\",\"method\":\"subscriptions/listen\"}");
  drop();
  say(0, "{\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\",\"_meta\":{"
         "\"io.modelcontextprotocol/subscriptionId\":2}}}");
  say(0, "{\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":1}}");
  say(0, "{\"id\":1,\"result\":{\"_meta\":{"
         "\"io.modelcontextprotocol/subscriptionId\":1}}}");
  expect("2 {\"method\":\"notifications/resources/updated\",\"params\":{"
         "\"uri\":\"x\",\"_meta\":{"
         "\"io.modelcontextprotocol/subscriptionId\":\"z\"}}}\n"
         "1 {\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":9}}\n"
         "1 {\"id\":9,\"result\":{\"_meta\":{"
         "\"io.modelcontextprotocol/subscriptionId\":9}}}\n");
}

TEST_WITH(a_changed_list_goes_to_all_who_have_begun, begin, end) {
  say(1, "{\"id\":1,\"method\":\"ping\"}");
  say(3, "{\"id\":1,\"method\":\"ping\"}");
  drop();
  say(0, "{\"method\":\"notifications/tools/list_changed\"}");
  expect("3 {\"method\":\"notifications/tools/list_changed\"}\n"
         "1 {\"method\":\"notifications/tools/list_changed\"}\n");
}

/* A client that subscribes and leaves. The server gets three messages. */
static void come_and_go(uint64_t client) {
  assert_int_equal(ctl_route_join(route, client), 0);
  say(client, "{\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
              "\"uri\":\"x\"}}");
  drop();
  ctl_route_leave(route, client);
}

TEST_WITH(a_server_that_never_answers_does_not_fill_memory, begin, end) {
  const char cancelled[] =
      "S {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
      "\"params\":{\"requestId\":2001,\"reason\":\"the client has ended\"}}\n";
  for (uint64_t i = 0; i < CTL_KEEP_MAX_FLIGHTS; i++) {
    come_and_go(4 + i);
  }
  drop();
  come_and_go(5000);
  expect(cancelled);
  say(0, "{\"id\":2,\"result\":{}}");
  come_and_go(5001);
  assert_non_null(strstr(sent, "resources/unsubscribe"));
}

/* ---- log messages ------------------------------------------------------- */

static void set_level(uint64_t client, const char *level) {
  char text[128];
  snprintf(text, sizeof(text),
           "{\"id\":1,\"method\":\"logging/setLevel\",\"params\":{"
           "\"level\":\"%s\"}}",
           level);
  say(client, text);
}

TEST_WITH(each_client_has_its_level, begin, end) {
  shake_hands();
  set_level(1, "warning");
  expect("S {\"id\":3,\"method\":\"logging/setLevel\",\"params\":{"
         "\"level\":\"warning\"}}\n");
  say(0, "{\"id\":3,\"result\":{}}");
  set_level(2, "debug");
  say(0, "{\"id\":4,\"result\":{}}");
  drop();
  set_level(3, "error");
  expect("3 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  say(0, "{\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"warning\"}}");
  expect("2 {\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"warning\"}}\n"
         "1 {\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"warning\"}}\n");
  set_level(2, "alert"); /* the first client still wants warnings */
  expect("S {\"id\":5,\"method\":\"logging/setLevel\",\"params\":{"
         "\"level\":\"warning\"}}\n");
  say(0, "{\"id\":5,\"result\":{}}");
  drop();
  ctl_route_leave(route, 1);
  expect("S {\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"logging/setLevel\","
         "\"params\":{\"level\":\"error\"}}\n");
}

TEST_WITH(a_request_of_2026_07_28_has_its_level, begin, end) {
  say(1, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/logLevel\":\"info\"}}}");
  say(2, "{\"id\":1,\"method\":\"tools/call\"}");
  drop();
  say(0, "{\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"debug\"}}");
  say(0, "{\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"info\"}}");
  expect("1 {\"method\":\"notifications/message\",\"params\":{"
         "\"level\":\"info\"}}\n");
}

/* ---- leaving ------------------------------------------------------------ */

TEST_WITH(a_client_that_leaves_cancels_and_refuses, begin, end) {
  say(1, "{\"id\":1,\"method\":\"initialize\"}");
  say(1, "{\"id\":2,\"method\":\"tools/call\"}");
  say(0, "{\"id\":\"q\",\"method\":\"elicitation/create\"}");
  drop();
  ctl_route_leave(route, 1);
  ctl_route_leave(route, 1);
  expect("S {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"error\":{\"code\":-32603,"
         "\"message\":\"the client has ended\"}}\n"
         "S {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":2,\"reason\":\"the client has "
         "ended\"}}\n");
  say(0, "{\"id\":2,\"result\":{}}");
  expect("");
}
