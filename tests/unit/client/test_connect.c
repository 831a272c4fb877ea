/* SPDX-License-Identifier: MIT */
/* Options that are refused, and a second connection. The handshake is in
 * tests/wire/client/connect.txt. */
#include "unit/client/kit.h"

static void expect_refused(kit *k, mcp_client_options options,
                           const char *member) {
  mcp_error err;
  assert_int_equal(kit_remake(k, &options, &err), MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, member));
}

KIT_TEST(the_refusal_of_an_option_names_it) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = 3;
  expect_refused(k, options, "policy");
  options = options_of(k);
  options.revision = "2026-01-01";
  expect_refused(k, options, "revision");
  options.revision = "2025-11-25";
  options.policy = MCP_POLICY_MODERN;
  expect_refused(k, options, "revision");
  options = options_of(k);
  options.log_level = 9;
  expect_refused(k, options, "log_level");
  options = options_of(k);
  options.title = "\xff";
  expect_refused(k, options, "title");
  options = options_of(k);
  options.icon_count = 1;
  expect_refused(k, options, "icons");
  const mcp_icon icon = {.src = "data:,", .reserved = {NULL, "x"}};
  options.icons = &icon;
  expect_refused(k, options, "icons[0].reserved");
  options = options_of(k);
  options.max_depth = 129;
  expect_refused(k, options, "max_depth 129");
  const char *const extensions[] = {"a/b", "[]", NULL};
  const char *const no_prefix[] = {"b", "{}", NULL};
  options = options_of(k);
  options.extensions = no_prefix;
  expect_refused(k, options, "extensions");
  options = options_of(k);
  options.extensions = extensions;
  expect_refused(k, options, "extensions");
  const char *const types[] = {"task", "\xff", NULL};
  options = options_of(k);
  options.result_types = types;
  expect_refused(k, options, "result_types");
  options = options_of(k);
  options.size = 0;
  expect_refused(k, options, "mcp_client_options has no size");
}

KIT_TEST(options_of_an_older_header_are_taken) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.size = offsetof(mcp_client_options, policy);
  options.policy = 77;
  assert_int_equal(kit_remake(k, &options, NULL), 0);
}

KIT_TEST(a_second_connection_is_refused) {
  kit *k = *state;
  connect_modern(k);
  mcp_transport *a;
  mcp_transport *b;
  mcp_error err;
  assert_int_equal(mcp_memory_pair(k->loop, &a, &b, NULL), 0);
  assert_int_equal(mcp_client_connect(k->client, a, NULL, NULL, &err),
                   MCP_ERR_BUSY);
  mcp_transport_free(b);
  assert_int_equal(mcp_client_connect(k->client, NULL, NULL, NULL, &err),
                   MCP_ERR_INVALID);
}

static const char *fake_id(mcp_transport *transport) {
  return "s7";
}

KIT_TEST(a_client_has_the_session_id_of_its_transport) {
  kit *k = *state;
  assert_null(mcp_client_session_id(NULL));
  assert_null(mcp_client_session_id(k->client));
  connect_modern(k);
  assert_null(mcp_client_session_id(k->client));
  k->inner->session_id = fake_id;
  assert_string_equal(mcp_client_session_id(k->client), "s7");
}

/* --- a transport that waits ----------------------------------------------- */

enum { HOUR_MS = 3600 * 1000 };

static void begin_limited(kit *k, uint32_t policy) {
  mcp_client_options options = options_of(k);
  options.policy = policy;
  options.connect_timeout_ms = 1000;
  connect_with(k, &options);
}

KIT_TEST(the_limit_of_connecting_stands_still_while_the_transport_waits) {
  kit *k = *state;
  begin_limited(k, MCP_POLICY_MODERN);
  expect(k, PROBE);
  pass(k, 400);
  k->inner->on_waiting(k->inner, 1);
  pass(k, HOUR_MS);
  assert_int_equal(k->connected.count, 0);
  k->inner->on_waiting(k->inner, 0);
  pass(k, 599);
  assert_int_equal(k->connected.count, 0);
  pass(k, 1);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_TIMEOUT);
  assert_string_equal(k->connected.message,
                      "not connected within 1000 ms (connect_timeout_ms)");
}

KIT_TEST(
    a_step_that_begins_while_the_transport_waits_has_the_rest_of_the_time) {
  kit *k = *state;
  begin_limited(k, MCP_POLICY_AUTO);
  expect(k, PROBE);
  pass(k, 400);
  k->inner->on_waiting(k->inner, 1);
  pass(k, HOUR_MS);
  say(k, ERROR("1", "-32601", ""));
  expect(k, INITIALIZE("2", "2025-11-25"));
  pass(k, HOUR_MS);
  k->inner->on_waiting(k->inner, 0);
  pass(k, 599);
  assert_int_equal(k->connected.count, 0);
  pass(k, 1);
  assert_int_equal(k->connected.status, MCP_ERR_TIMEOUT);
}

/* An open client does not stop the clocks of its requests. */
KIT_TEST(the_limits_of_requests_go_on_while_the_transport_waits) {
  kit *k = *state;
  ending *e = new_ending(k);
  begin_limited(k, MCP_POLICY_MODERN);
  expect(k, PROBE);
  k->inner->on_waiting(k->inner, 1);
  say(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  pass(k, 60000);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
  k->inner->on_waiting(k->inner, 0);
}

KIT_TEST(a_client_may_end_while_the_transport_waits) {
  kit *k = *state;
  begin_limited(k, MCP_POLICY_MODERN);
  k->inner->on_waiting(k->inner, 1);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  k->got[0] = '\0';
  mcp_transport_free(k->far);
  k->far = NULL;
  memset(&k->connected, 0, sizeof(k->connected));
  assert_int_equal(connect_pair(k), 0); /* which does not wait */
  pass(k, 1000);
  assert_int_equal(k->connected.status, MCP_ERR_TIMEOUT);
}

KIT_TEST(a_ping_without_an_answer_is_forgiven_while_the_transport_waits) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.ping_interval_ms = 1000;
  options.request_timeout_ms = 500;
  connect_legacy_as(k, &options, "2025-11-25", "{}");
  pass(k, 1000);
  k->inner->on_waiting(k->inner, 1);
  pass(k, 500);
  expect_log(k, "");
  k->inner->on_waiting(k->inner, 0);
  pass(k, 1000);
  pass(k, 500);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
}

/* --- its identity --------------------------------------------------------- */

static uint64_t identity;

static uint64_t identity_now(mcp_transport *transport) {
  return identity;
}

#define LIST                                                                   \
  RESULT("%d", "{\"resultType\":\"complete\",\"tools\":[],"                    \
               "\"ttlMs\":60000,\"cacheScope\":\"private\"}")

static void list_and_answer(kit *k, int id) {
  char answer[200];
  ending *e = new_ending(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  k->got[0] = '\0';
  snprintf(answer, sizeof(answer), LIST, id);
  say(k, answer);
  assert_int_equal(e->status, 0);
}

KIT_TEST(kept_answers_end_with_the_identity_of_the_transport) {
  kit *k = *state;
  ending *e;
  identity = 1;
  connect_modern(k);
  k->inner->identity = identity_now;
  list_and_answer(k, 2);
  e = new_ending(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  expect_nothing(k); /* it was kept */
  assert_int_equal(e->count, 1);
  identity = 2;
  list_and_answer(k, 3);
  e = new_ending(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  expect_nothing(k);
  assert_int_equal(e->count, 1);
}

KIT_TEST(an_answer_to_an_earlier_identity_is_not_kept) {
  kit *k = *state;
  identity = 1;
  connect_modern(k);
  k->inner->identity = identity_now;
  ending *e = new_ending(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  identity = 2;
  k->got[0] = '\0';
  char answer[200];
  snprintf(answer, sizeof(answer), LIST, 2);
  say(k, answer);
  assert_int_equal(e->status, 0);
  e = new_ending(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  assert_string_not_equal(k->got, "");
  k->got[0] = '\0';
}
