/* SPDX-License-Identifier: MIT */
/* completion/complete. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODERN(completion)                                                     \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"completion\":{" completion      \
  "},\"resultType\":\"complete\"," PAIR_INFO "}}"
#define LEGACY(completion)                                                     \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"completion\":{" completion "}}" \
  "}"
#define ERROR(code, message)                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code                    \
  ",\"message\":\"" message "\"}}"

#define PROMPT "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"}"
#define TEMPLATE "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x:{v}\"}"
#define RESOURCE "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"y:1\"}"
#define ARGUMENT(name, value)                                                  \
  ",\"argument\":{\"name\":\"" name "\",\"value\":\"" value "\"}"

static int on_call(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static const mcp_prompt_argument arguments[] = {{.name = "a"}};

static int add_all(server_pair *pair, mcp_complete_cb complete) {
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .arguments = arguments,
                             .argument_count = 1,
                             .handler = on_call,
                             .complete = complete};
  const mcp_prompt silent = {.size = MCP_PROMPT_INIT,
                             .name = "silent",
                             .arguments = arguments,
                             .argument_count = 1,
                             .handler = on_call};
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "x:{v}",
                                     .name = "t",
                                     .handler = on_call,
                                     .complete = complete};
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "y:1", .name = "y", .text = ""};
  int rc = mcp_server_add_prompt(pair->server, &prompt);
  if (rc == 0) {
    rc = mcp_server_add_prompt(pair->server, &silent);
  }
  if (rc == 0) {
    rc = mcp_server_add_resource_template(pair->server, &tpl);
  }
  if (rc == 0) {
    rc = mcp_server_add_resource(pair->server, &resource);
  }
  return rc;
}

static void assert_completed(mcp_complete_cb complete, const char *revision,
                             const char *params, const char *expected) {
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_all(&pair, complete), 0);
  assert_int_equal(server_pair_connect(&pair, revision), 0);
  assert_string_equal(server_pair_ask(&pair, "completion/complete", params),
                      expected);
  server_pair_deinit(&pair);
}

static int echo(mcp_call *call, void *userdata) {
  char text[200];
  const char *name = mcp_call_name(call);
  const mcp_json *context = mcp_call_complete_context(call);
  const char *other = mcp_json_string(mcp_json_get(context, "o"));
  (void)userdata;
  assert_null(mcp_call_uri(call));
  snprintf(text, sizeof(text), "%s.%s=%s %s", name != NULL ? name : "-",
           mcp_call_complete_argument(call), mcp_call_complete_value(call),
           other != NULL ? other : "-");
  mcp_call_add_completion(call, text);
  assert_int_equal(mcp_call_add_completion(call, "\xFF"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_completion(call, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_text(call, "x"), MCP_ERR_INVALID);
  mcp_call_add_completion(call, "");
  return mcp_call_reply(call);
}

static void prompts_and_templates_complete(void **state) {
  (void)state;
  assert_completed(echo, NULL, PROMPT ARGUMENT("a", "ty\\\""),
                   MODERN("\"values\":[\"p.a=ty\\\" -\",\"\"]"));
  assert_completed(echo, "2024-11-05", PROMPT ARGUMENT("a", ""),
                   LEGACY("\"values\":[\"p.a= -\",\"\"]"));
  assert_completed(
      echo, "2025-11-25",
      TEMPLATE ARGUMENT("v", "1") ",\"context\":{\"arguments\":{\"o\":\"2\"}}",
      LEGACY("\"values\":[\"-.v=1 2\",\"\"]"));
}

static void what_does_not_complete_has_no_values(void **state) {
  (void)state;
  assert_completed(
      echo, NULL,
      "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"silent\"}" ARGUMENT("a", ""),
      MODERN("\"values\":[]"));
  assert_completed(echo, NULL, RESOURCE ARGUMENT("any", ""),
                   MODERN("\"values\":[]"));
}

static void what_is_unknown_is_refused(void **state) {
  (void)state;
  assert_completed(
      echo, NULL,
      "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"q\"}" ARGUMENT("a", ""),
      ERROR("-32602", "unknown prompt \\\"q\\\""));
  assert_completed(
      echo, NULL,
      "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\\u0000\"}" ARGUMENT("a",
                                                                         ""),
      ERROR("-32602", "unknown prompt: the text contains NUL (\\\\u0000)"));
  assert_completed(
      echo, NULL,
      "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"z:\"}" ARGUMENT("a", ""),
      ERROR("-32602", "unknown resource template \\\"z:\\\""));
  assert_completed(echo, NULL, "\"ref\":{\"type\":\"x\"}" ARGUMENT("a", ""),
                   ERROR("-32602", "unknown ref type \\\"x\\\""));
  assert_completed(echo, NULL, "\"ref\":{}" ARGUMENT("a", ""),
                   ERROR("-32602", "unknown ref type \\\"\\\""));
  assert_completed(echo, NULL, PROMPT ARGUMENT("b", ""),
                   ERROR("-32602", "unknown argument \\\"b\\\""));
  assert_completed(echo, NULL, TEMPLATE ARGUMENT("w", ""),
                   ERROR("-32602", "unknown argument \\\"w\\\""));
  assert_completed(echo, NULL, PROMPT ",\"argument\":{\"name\":\"a\"}",
                   ERROR("-32602", "argument needs a name and a value, both "
                                   "strings"));
}

static void the_context_is_of_strings(void **state) {
  (void)state;
  assert_completed(echo, NULL,
                   PROMPT ARGUMENT("a", "") ",\"context\":{\"arguments\":{"
                                            "\"o\":\"\",\"n\":7}}",
                   ERROR("-32602", "the argument \\\"n\\\" must be a string, "
                                   "not the number 7"));
  assert_completed(
      echo, NULL, PROMPT ARGUMENT("a", "") ",\"context\":{\"arguments\":[]}",
      ERROR("-32602", "params.context.arguments must be an object, "
                      "not an array of 0 items"));
  assert_completed(echo, "2025-11-25",
                   PROMPT ARGUMENT("a", "") ",\"context\":{}",
                   LEGACY("\"values\":[\"p.a= -\",\"\"]"));
}

static void without_completion_there_is_no_method(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_all(&pair, NULL), 0);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  assert_non_null(strstr(
      server_pair_ask(&pair, "completion/complete", PROMPT ARGUMENT("a", "")),
      "\"code\":-32601"));
  server_pair_deinit(&pair);
}

/* --- the limit ---------------------------------------------------------- */

static int how_many;

static int add_many(mcp_call *call, void *userdata) {
  (void)userdata;
  for (int i = 0; i < how_many; i++) {
    assert_int_equal(mcp_call_add_completion(call, "v"), 0);
  }
  return mcp_call_reply(call);
}

static void assert_many(int count, const char *end) {
  server_pair pair;
  char expected[1000] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                        "\"completion\":{\"values\":[\"v\"";
  how_many = count;
  for (int i = 1; i < 100; i++) {
    strcat(expected, ",\"v\"");
  }
  strcat(expected, end);
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_all(&pair, add_many), 0);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  assert_string_equal(
      server_pair_ask(&pair, "completion/complete", PROMPT ARGUMENT("a", "")),
      expected);
  server_pair_deinit(&pair);
}

static void a_hundred_values_are_sent(void **state) {
  (void)state;
  assert_many(100, "]}}}");
  assert_many(101, "],\"total\":101,\"hasMore\":true}}}");
}

static int complete_it(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  (void)userdata;
  how_many = 50;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_all(&pair, on_call);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  if (rc == 0 && strstr(server_pair_ask(&pair, "completion/complete",
                                        PROMPT ARGUMENT("a", "")),
                        "\"values\"") == NULL) {
    rc = MCP_ERR_NOMEM;
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(complete_it, NULL) > 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prompts_and_templates_complete),
      cmocka_unit_test(what_does_not_complete_has_no_values),
      cmocka_unit_test(what_is_unknown_is_refused),
      cmocka_unit_test(the_context_is_of_strings),
      cmocka_unit_test(without_completion_there_is_no_method),
      cmocka_unit_test(a_hundred_values_are_sent),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
