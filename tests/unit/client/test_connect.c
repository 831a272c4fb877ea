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
