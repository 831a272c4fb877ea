/* SPDX-License-Identifier: MIT */
/* Notifications from the server, and the ping after a silence. */
#include "unit/client/kit.h"

static void logs_are_told(void **state) {
  kit *k = *state;
  connect_legacy(k, "2024-11-05");
  say(k, NOTE("notifications/message",
              "{\"level\":\"warning\",\"logger\":\"db\",\"data\":{\"a\":1}}"));
  say(k,
      NOTE("notifications/message", "{\"level\":\"verbose\",\"data\":null}"));
  expect_log(k, "log 4 db {\"a\":1}\nlog 2 - null\n");
}

static void lists_and_resources_change(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  say(k, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
         "list_changed\"}");
  say(k, NOTE("notifications/prompts/list_changed", "{}"));
  say(k, NOTE("notifications/resources/list_changed", "{}"));
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"x:y\"}"));
  expect_log(k, "changed tools\nchanged prompts\nchanged resources\n"
                "updated x:y\n");
}

static void a_notification_before_the_handshake_ends(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  connect_with(k, &options);
  say(k, NOTE("notifications/message", "{\"level\":\"info\",\"data\":1}"));
  expect_log(k, "log 2 - 1\n");
}

static void others_are_handed_on(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-06-18");
  say(k, NOTE("com.example/n", "{\"a\":1}"));
  /* Of another revision, or of the other direction. */
  say(k,
      NOTE("notifications/elicitation/complete", "{\"elicitationId\":\"e\"}"));
  say(k, NOTE("notifications/initialized", "{}"));
  expect_log(k, "other com.example/n {\"a\":1}\n"
                "other notifications/elicitation/complete "
                "{\"elicitationId\":\"e\"}\n"
                "other notifications/initialized {}\n");
}

static void malformed_ones_are_reported(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-06-18");
  say(k, NOTE("notifications/resources/updated", "{}"));
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"x\\u0000y\"}"));
  say(k, NOTE("notifications/message", "{\"level\":\"info\"}"));
  say(k, NOTE("notifications/message", "{\"level\":3,\"data\":1}"));
  expect_log(k, "error params.uri is missing: it must be a string\n"
                "error params.uri must not contain NUL (\\u0000)\n"
                "error params.data is missing\n"
                "error params.level must be a string, not a number\n");
  expect_nothing(k); /* a notification is never answered */
}

static void nobody_need_listen(void **state) {
  kit *k = *state;
  mcp_client_options options = {.size = sizeof(mcp_client_options)};
  connect_legacy_as(k, &options, "2025-11-25", "{}");
  say(k, NOTE("notifications/message", "{\"level\":\"info\",\"data\":1}"));
  say(k, NOTE("notifications/tools/list_changed", "{}"));
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"x\"}"));
  say(k,
      NOTE("notifications/elicitation/complete", "{\"elicitationId\":\"e\"}"));
  say(k, NOTE("com.example/n", "{}"));
  say(k, "rubbish");
  mcp_client_close(k->client);
  turn(k);
  expect_log(k, "");
}

/* --- ping --------------------------------------------------------------- */

static void connect_pinging(kit *k) {
  mcp_client_options options = options_of(k);
  options.ping_interval_ms = 1000;
  options.request_timeout_ms = 100;
  connect_legacy_as(k, &options, "2025-11-25", "{}");
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"

static void a_silent_server_is_pinged(void **state) {
  kit *k = *state;
  connect_pinging(k);
  pass(k, 999);
  expect_nothing(k);
  pass(k, 1);
  expect(k, PING("2"));
  say(k, RESULT("2", "{}"));
  pass(k, 500);
  say(k, NOTE("com.example/n", "{}"));
  pass(k, 999);
  expect_nothing(k);
  pass(k, 1);
  expect(k, PING("3"));
  say(k, ERROR("3", "-32601", "")); /* an answer is an answer */
  pass(k, 1000);
  expect(k, PING("4"));
}

static void an_unanswered_ping_closes(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .timeout_ms = UINT32_MAX};
  connect_pinging(k);
  mcp_client_call_tool(k->client, "t", NULL, &options, on_done, e, NULL);
  pass(k, 1000);
  pass(k, 99);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(k->far_closed, 1);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
  pass(k, 10000);
}

static void a_modern_server_is_not_pinged(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.ping_interval_ms = 1000;
  connect_modern_as(k, &options, "{}");
  pass(k, 100000);
  expect_nothing(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(logs_are_told),
      kit_test(lists_and_resources_change),
      kit_test(a_notification_before_the_handshake_ends),
      kit_test(others_are_handed_on),
      kit_test(malformed_ones_are_reported),
      kit_test(nobody_need_listen),
      kit_test(a_silent_server_is_pinged),
      kit_test(an_unanswered_ping_closes),
      kit_test(a_modern_server_is_not_pinged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
