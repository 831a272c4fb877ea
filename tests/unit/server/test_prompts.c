/* SPDX-License-Identifier: MIT */
/* prompts/get. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <string.h>

#define MODERN(members)                                                        \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members                         \
  ",\"resultType\":\"complete\"," PAIR_INFO "}}"
#define ERROR(code, message)                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code                    \
  ",\"message\":\"" message "\"}}"
#define SAID(role, text)                                                       \
  "{\"role\":\"" role "\",\"content\":{\"type\":\"text\",\"text\":\"" text     \
  "\"}}"

static const mcp_prompt_argument arguments[] = {{.name = "path", .required = 1},
                                                {.name = "mode"}};
static const mcp_prompt_argument many[] = {{.name = "one", .required = 1},
                                           {.name = "two", .required = 1},
                                           {.name = "three", .required = 1}};

static int add_prompt(server_pair *pair, mcp_call_cb handler) {
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .arguments = arguments,
                             .argument_count = 2,
                             .handler = handler};
  return mcp_server_add_prompt(pair->server, &prompt);
}

static void assert_prompt(mcp_call_cb handler, const char *revision,
                          const char *params, const char *expected) {
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_prompt(&pair, handler), 0);
  assert_int_equal(server_pair_connect(&pair, revision), 0);
  assert_string_equal(server_pair_ask(&pair, "prompts/get", params), expected);
  server_pair_deinit(&pair);
}

static int talk(mcp_call *call, void *userdata) {
  const mcp_content file = {.size = MCP_CONTENT_INIT,
                            .type = MCP_CONTENT_RESOURCE,
                            .uri = "file:///x",
                            .text = "x"};
  (void)userdata;
  assert_string_equal(mcp_call_name(call), "p");
  mcp_call_add_textf(call, "Look at %s", mcp_call_string(call, "path"));
  assert_int_equal(mcp_call_set_role(call, 3), MCP_ERR_INVALID);
  mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
  mcp_call_set_description(call, "first");
  mcp_call_set_description(call, "A \"talk\"");
  mcp_call_add_text(call, "I did");
  mcp_call_set_role(call, MCP_ROLE_USER);
  mcp_call_add_content(call, &file);
  return mcp_call_reply(call);
}

#define TALK                                                                   \
  "\"messages\":[" SAID("user", "Look at /a") "," SAID(                        \
      "assistant", "I did") ",{\"role\":\"user\",\"content\":{"                \
                            "\"type\":\"resource\",\"resource\":{"             \
                            "\"uri\":\"file:///x\",\"text\":\"x\"}}}],"        \
                            "\"description\":\"A \\\"talk\\\"\""

static void messages_have_roles(void **state) {
  (void)state;
  assert_prompt(talk, NULL, "\"name\":\"p\",\"arguments\":{\"path\":\"/a\"}",
                MODERN(TALK));
  assert_prompt(talk, "2024-11-05",
                "\"name\":\"p\",\"arguments\":{\"path\":\"/a\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" TALK "}}");
}

static int say_nothing(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void no_message_is_a_reply(void **state) {
  (void)state;
  assert_prompt(say_nothing, NULL,
                "\"name\":\"p\",\"arguments\":{\"path\":\"\",\"more\":\"x\"}",
                MODERN("\"messages\":[]"));
}

static int give_up(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "lost");
  assert_int_equal(mcp_call_set_structured(call, "{}"), MCP_ERR_INVALID);
  return mcp_call_reply_failure(call, "%s", "cannot");
}

static void a_failure_is_an_error(void **state) {
  (void)state;
  assert_prompt(give_up, NULL, "\"name\":\"p\",\"arguments\":{\"path\":\"\"}",
                ERROR("-32603", "cannot"));
}

static void arguments_are_checked(void **state) {
  (void)state;
  assert_prompt(talk, NULL, "\"name\":\"p\"",
                ERROR("-32602", "the prompt \\\"p\\\" needs the argument "
                                "\\\"path\\\""));
  assert_prompt(talk, NULL, "\"name\":\"p\",\"arguments\":{\"mode\":\"x\"}",
                ERROR("-32602", "the prompt \\\"p\\\" needs the argument "
                                "\\\"path\\\""));
  assert_prompt(talk, "2025-03-26", "\"name\":\"p\",\"arguments\":{\"path\":3}",
                ERROR("-32602", "the argument \\\"path\\\" must be a string, "
                                "not the number 3"));
  assert_prompt(
      talk, NULL, "\"name\":\"p\",\"arguments\":{\"path\":\"\",\"x\":null}",
      ERROR("-32602", "the argument \\\"x\\\" must be a string, not null"));
  assert_prompt(talk, NULL, "\"name\":\"q\"",
                ERROR("-32602", "unknown prompt \\\"q\\\""));
}

static void all_that_is_missing_is_named(void **state) {
  (void)state;
  server_pair pair;
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "m",
                             .arguments = many,
                             .argument_count = 3,
                             .handler = talk};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_prompt(pair.server, &prompt), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(
      server_pair_ask(&pair, "prompts/get",
                      "\"name\":\"m\",\"arguments\":{\"two\":\"\"}"),
      ERROR("-32602", "the prompt \\\"m\\\" needs the arguments "
                      "\\\"one\\\", \\\"three\\\""));
  server_pair_deinit(&pair);
}

static int show_other(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_string(call, "via"));
}

/* Whoever sends them may know a newer prompt. */
static void other_arguments_are_let_pass(void **state) {
  (void)state;
  assert_prompt(show_other, NULL,
                "\"name\":\"p\",\"arguments\":{\"path\":\"\",\"via\":\"x\"}",
                MODERN("\"messages\":[" SAID("user", "x") "]"));
}

static void a_prompt_is_removed(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_prompt(&pair, talk), 0);
  assert_int_equal(add_prompt(&pair, talk), MCP_ERR_EXISTS);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_int_equal(mcp_server_remove_prompt(pair.server, "p"), 0);
  assert_int_equal(mcp_server_remove_prompt(pair.server, "p"),
                   MCP_ERR_NOT_FOUND);
  assert_string_equal(server_pair_ask(&pair, "prompts/get", "\"name\":\"p\""),
                      ERROR("-32602", "unknown prompt \\\"p\\\""));
  server_pair_deinit(&pair);
}

static int get(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  (void)userdata;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_prompt(&pair, talk);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  if (rc == 0 &&
      strstr(server_pair_ask(&pair, "prompts/get",
                             "\"name\":\"p\",\"arguments\":{\"path\":\"\"}"),
             "\"description\"") == NULL) {
    rc = MCP_ERR_NOMEM;
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(get, NULL) > 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_have_roles),
      cmocka_unit_test(no_message_is_a_reply),
      cmocka_unit_test(a_failure_is_an_error),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(all_that_is_missing_is_named),
      cmocka_unit_test(other_arguments_are_let_pass),
      cmocka_unit_test(a_prompt_is_removed),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
