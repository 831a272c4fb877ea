/* SPDX-License-Identifier: MIT */
/* server/reply.c where no protocol method shows it: results of the program's
 * own, and their limits. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <string.h>

static const char *result; /* what the method replies with */
static int expected_rc;

static int reply_result(mcp_call *call, void *userdata) {
  (void)userdata;
  if (result == NULL) {
    return mcp_call_reply(call);
  }
  assert_int_equal(mcp_call_reply_json(call, result), expected_rc);
  return 0;
}

static int add_method(server_pair *pair, mcp_call_cb handler) {
  const mcp_method method = {
      .size = MCP_METHOD_INIT, .name = "x/report", .handler = handler};
  return mcp_server_add_method(pair->server, &method);
}

static void assert_replied(const char *revision, const char *json,
                           const char *expected) {
  server_pair pair;
  result = json;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_method(&pair, reply_result), 0);
  assert_int_equal(server_pair_connect(&pair, revision), 0);
  assert_string_equal(server_pair_ask(&pair, "x/report", ""), expected);
  server_pair_deinit(&pair);
}

#define RESULT(members)                                                        \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}"
#define ERROR(message)                                                         \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"                  \
  "\"message\":\"" message "\"}}"

static void an_empty_result_is_complete(void **state) {
  (void)state;
  expected_rc = 0;
  assert_replied(NULL, NULL, RESULT("\"resultType\":\"complete\"," PAIR_INFO));
  assert_replied(NULL, "{ }", RESULT("\"resultType\":\"complete\"," PAIR_INFO));
  assert_replied("2025-11-25", NULL, RESULT(""));
}

static void what_the_revision_demands_is_added(void **state) {
  (void)state;
  expected_rc = 0;
  assert_replied(NULL, "{\"a\":\n[1.0]}",
                 RESULT("\"a\":[1.0],\"resultType\":\"complete\"," PAIR_INFO));
  assert_replied("2024-11-05", "{\"a\":[1.0]}", RESULT("\"a\":[1.0]"));
}

static void what_is_there_already_is_kept(void **state) {
  (void)state;
  expected_rc = 0;
  assert_replied(NULL, "{\"resultType\":\"x\",\"_meta\":{\"m\":{}},\"a\":1}",
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                 "\"resultType\":\"x\",\"a\":1,\"_meta\":{\"m\":{},"
                 "\"io.modelcontextprotocol/serverInfo\":{"
                 "\"name\":\"test\",\"version\":\"1\"}}}}");
  assert_replied(NULL,
                 "{\"_meta\":{"
                 "\"io.modelcontextprotocol/serverInfo\":null}}",
                 RESULT("\"resultType\":\"complete\",\"_meta\":{"
                        "\"io.modelcontextprotocol/serverInfo\":null}"));
  assert_replied("2025-11-25", "{\"_meta\":{\"m\":1}}",
                 RESULT("\"_meta\":{\"m\":1}"));
}

static void a_result_is_an_object(void **state) {
  (void)state;
  expected_rc = MCP_ERR_INVALID;
  assert_replied(NULL, "[1]", ERROR("result: expected an object, got array"));
  assert_replied("2024-11-05", "3",
                 ERROR("result: expected an object, got number"));
}

/* An object of that depth. */
static void make_deep(char *text, int depth) {
  text[0] = '\0';
  for (int i = 0; i < depth; i++) {
    strcat(text, "{\"a\":");
  }
  strcat(text, "1");
  for (int i = 0; i < depth; i++) {
    strcat(text, "}");
  }
}

/* The message around it is a level more, and 128 is what peers take. */
static void a_message_is_not_deeper_than_peers_admit(void **state) {
  (void)state;
  char text[1000];
  char expected[1000];
  expected_rc = 0;
  make_deep(text, 126);
  strcpy(expected, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":");
  strcat(expected, text);
  strcat(expected, "}");
  assert_replied("2025-11-25", text, expected);
  expected_rc = MCP_ERR_LIMIT;
  make_deep(text, 127);
  assert_replied("2025-11-25", text,
                 ERROR("result: JSON of depth 127, limit 126"));
}

static int reply_misfits(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_add_text(call, "x"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_number(call, 1), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_structured(call, "{}"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_json(call, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply(NULL), MCP_ERR_INVALID);
  return mcp_call_reply_failure(call, "no");
}

static void content_belongs_to_the_protocols_methods(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_method(&pair, reply_misfits), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(server_pair_ask(&pair, "x/report", ""), ERROR("no"));
  server_pair_deinit(&pair);
}

static int report(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  (void)userdata;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_method(&pair, reply_result);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  result = NULL;
  if (rc == 0 &&
      strstr(server_pair_ask(&pair, "x/report", ""), "\"result\"") == NULL) {
    rc = MCP_ERR_NOMEM;
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(report, NULL) > 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_result_is_complete),
      cmocka_unit_test(what_the_revision_demands_is_added),
      cmocka_unit_test(what_is_there_already_is_kept),
      cmocka_unit_test(a_result_is_an_object),
      cmocka_unit_test(a_message_is_not_deeper_than_peers_admit),
      cmocka_unit_test(content_belongs_to_the_protocols_methods),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
