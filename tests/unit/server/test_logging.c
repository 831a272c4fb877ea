/* SPDX-License-Identifier: MIT */
/* logging/setLevel and mcp_server_log. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <string.h>

static void open_pair(server_pair *pair, const char *revision) {
  assert_int_equal(server_pair_init(pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_enable_logging(pair->server), 0);
  assert_int_equal(server_pair_connect(pair, revision), 0);
}

/* What a client is sent because of a log. */
static const char *log_it(server_pair *pair, int level, const char *logger) {
  server_pair_ask(pair, "ping", "");
  size_t before = strlen(pair->text);
  assert_int_equal(mcp_server_log(pair->server, level, logger, "{\"a\":\n1}"),
                   0);
  return server_pair_turn(pair) + before;
}

#define LOG(level, logger)                                                     \
  "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"   \
  "\"level\":\"" level "\"," logger "\"data\":{\"a\":1}}}"

static void sessions_get_logs_of_their_level(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair, "2025-11-25");
  assert_string_equal(log_it(&pair, MCP_LOG_INFO, "db"),
                      LOG("info", "\"logger\":\"db\","));
  assert_string_equal(log_it(&pair, MCP_LOG_DEBUG, NULL), "");
  assert_non_null(
      strstr(server_pair_ask(&pair, "logging/setLevel", "\"level\":\"error\""),
             "\"result\":{}"));
  assert_string_equal(log_it(&pair, MCP_LOG_WARNING, NULL), "");
  assert_string_equal(log_it(&pair, MCP_LOG_EMERGENCY, NULL),
                      LOG("emergency", ""));
  server_pair_deinit(&pair);
}

static void unknown_levels_are_refused(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair, "2024-11-05");
  assert_string_equal(
      server_pair_ask(&pair, "logging/setLevel", "\"level\":\"loud\""),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
      "\"message\":\"unknown level \\\"loud\\\"\"}}");
  server_pair_deinit(&pair);
}

static void modern_clients_get_none(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair, NULL);
  assert_string_equal(log_it(&pair, MCP_LOG_EMERGENCY, NULL), "");
  server_pair_deinit(&pair);
}

static void without_the_capability_nothing_is_sent(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  assert_string_equal(log_it(&pair, MCP_LOG_EMERGENCY, NULL), "");
  assert_non_null(
      strstr(server_pair_ask(&pair, "logging/setLevel", "\"level\":\"error\""),
             "-32601"));
  server_pair_deinit(&pair);
}

/* It would set a level for messages that never come. */
static void a_level_is_set_where_logging_was_declared(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  assert_int_equal(mcp_server_enable_logging(pair.server), 0);
  assert_non_null(
      strstr(server_pair_ask(&pair, "logging/setLevel", "\"level\":\"error\""),
             "-32601"));
  server_pair_deinit(&pair);
}

static void bad_logs_are_refused(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair, "2025-11-25");
  assert_int_equal(mcp_server_log(pair.server, 0, NULL, "1"), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(pair.server, 9, NULL, "1"), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(pair.server, 1, "\xFF", "1"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(pair.server, 1, NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(pair.server, 1, NULL, "{"), MCP_ERR_PARSE);
  assert_int_equal(mcp_server_log(NULL, 1, NULL, "1"), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_enable_logging(NULL), MCP_ERR_INVALID);
  server_pair_deinit(&pair);
}

static int log_once(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  (void)userdata;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  mcp_server_enable_logging(pair.server);
  rc = server_pair_connect(&pair, "2025-11-25");
  if (rc == 0) {
    rc = mcp_server_log(pair.server, MCP_LOG_ERROR, NULL, "\"x\"");
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(log_once, NULL) > 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sessions_get_logs_of_their_level),
      cmocka_unit_test(unknown_levels_are_refused),
      cmocka_unit_test(modern_clients_get_none),
      cmocka_unit_test(without_the_capability_nothing_is_sent),
      cmocka_unit_test(a_level_is_set_where_logging_was_declared),
      cmocka_unit_test(bad_logs_are_refused),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
