/* SPDX-License-Identifier: MIT */
/* Questions of a legacy server: requests to the client. */
#include "unit/client/kit.h"

#define FORM                                                                   \
  "{\"message\":\"who?\",\"requestedSchema\":{\"type\":\"object\","            \
  "\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":"          \
  "\"integer\",\"default\":7}},\"required\":[\"name\"]}}"
#define SAMPLE "{\"messages\":[],\"maxTokens\":5}"
#define REFUSED(id, code, message)                                             \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code               \
  ",\"message\":\"" message "\"}}"

static mcp_client_options asking_options(kit *k) {
  mcp_client_options options = options_of(k);
  options.on_elicit = keep_question;
  options.on_sample = keep_question;
  options.on_roots = keep_question;
  return options;
}

static void connect_asking(kit *k) {
  mcp_client_options options = asking_options(k);
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{\"form\":{}}}");
}

static void expect_question(kit *k, const char *method) {
  turn(k);
  assert_int_equal(k->question_count, 1);
  assert_string_equal(mcp_question_method(k->question), method);
  assert_ptr_equal(mcp_question_client(k->question), k->client);
  assert_int_equal(mcp_question_is_cancelled(k->question), 0);
}

/* --- elicitation -------------------------------------------------------- */

static void a_form_is_filled(void **state) {
  kit *k = *state;
  mcp_error err;
  connect_asking(k);
  say(k, REQUEST("\"q\\u0041\"", "elicitation/create", FORM));
  expect_question(k, "elicitation/create");
  assert_string_equal(mcp_json_string(mcp_json_get(
                          mcp_question_params(k->question), "message")),
                      "who?");
  expect_nothing(k);
  assert_int_equal(mcp_question_accept(k->question, "{\"name\": 3}", &err),
                   MCP_ERR_SCHEMA);
  assert_non_null(strstr(err.message, "/name"));
  assert_int_equal(mcp_question_accept(k->question, NULL, &err),
                   MCP_ERR_SCHEMA);
  assert_int_equal(mcp_question_accept(k->question, "[]", &err),
                   MCP_ERR_INVALID);
  expect_nothing(k);
  assert_int_equal(mcp_question_accept(k->question, "{\"name\":\"x\"}", &err),
                   0);
  expect(k, RESULT("\"qA\"", "{\"action\":\"accept\",\"content\":"
                             "{\"name\":\"x\"}}"));
}

static void defaults_fill_what_is_left_out(void **state) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  options.apply_defaults = 1;
  connect_legacy_as(k, &options, "2025-06-18",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{}}");
  say(k, REQUEST("1", "elicitation/create", FORM));
  assert_int_equal(mcp_question_accept(k->question, "{\"name\":\"x\"}", NULL),
                   0);
  expect(k, RESULT("1", "{\"action\":\"accept\",\"content\":"
                        "{\"name\":\"x\",\"age\":7}}"));
  say(k, REQUEST("2", "elicitation/create", FORM));
  assert_int_equal(
      mcp_question_accept(k->question, "{\"age\":8,\"name\":\"x\"}", NULL), 0);
  expect(k, RESULT("2", "{\"action\":\"accept\",\"content\":"
                        "{\"age\":8,\"name\":\"x\"}}"));
}

/* One that all properties refer to; the question is still open. */
static void defaults_may_be_too_much(void **state) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  mcp_error err;
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  options.apply_defaults = 1;
  connect_legacy_as(k, &options, "2025-06-18",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{}}");
  fputs("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\","
        "\"params\":{\"message\":\"m\",\"requestedSchema\":{"
        "\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"string\","
        "\"default\":\"",
        out);
  fprintf(out, "%0400000d\"}", 0);
  for (int i = 0; i < 200; i++) {
    fprintf(out, ",\"p%d\":{\"type\":\"string\",\"$ref\":\"#/properties/p\"}",
            i);
  }
  fputs("}}}}", out);
  fclose(out);
  say(k, text);
  free(text);
  assert_int_equal(mcp_question_accept(k->question, "{}", &err),
                   MCP_ERR_SCHEMA);
  assert_string_equal(err.message,
                      "the form's defaults are too much to be filled in");
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, RESULT("1", "{\"action\":\"decline\"}"));
}

static void the_user_may_decline_or_cancel(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "elicitation/create", FORM));
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, RESULT("1", "{\"action\":\"decline\"}"));
  say(k, REQUEST("2", "elicitation/create", FORM));
  assert_int_equal(mcp_question_cancel(k->question), 0);
  expect(k, RESULT("2", "{\"action\":\"cancel\"}"));
  say(k, REQUEST("3", "elicitation/create", FORM));
  assert_int_equal(mcp_question_fail(k->question, -32603, "no terminal"), 0);
  expect(k, REFUSED("3", "-32603", "no terminal"));
}

static void a_url_must_have_been_declared(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "elicitation/create",
                 "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\","
                 "\"elicitationId\":\"e\"}"));
  expect(k, REFUSED("1", "-32602", "elicitation by URL was not declared"));
  assert_int_equal(k->question_count, 0);
}

static void a_url_is_visited(void **state) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  options.can_elicit_url = 1;
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{\"form\":{},\"url\":{}}}");
  say(k, REQUEST("1", "elicitation/create",
                 "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\","
                 "\"elicitationId\":\"e\"}"));
  assert_int_equal(mcp_question_accept(k->question, "{}", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_question_accept(k->question, NULL, NULL), 0);
  expect(k, RESULT("1", "{\"action\":\"accept\"}"));
  say(k,
      NOTE("notifications/elicitation/complete", "{\"elicitationId\":\"e\"}"));
  expect_log(k, "elicited e\n");
}

#define VISIT(id, elicitation)                                                 \
  REQUEST(id, "elicitation/create",                                            \
          "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x\","         \
          "\"elicitationId\":\"" elicitation "\"}")
#define VISITED(id)                                                            \
  NOTE("notifications/elicitation/complete", "{\"elicitationId\":\"" id "\"}")

static void connect_visiting(kit *k) {
  mcp_client_options options = asking_options(k);
  options.can_elicit_url = 1;
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{\"form\":{},\"url\":{}}}");
}

static void the_end_of_a_visit_is_told_once(void **state) {
  kit *k = *state;
  connect_visiting(k);
  say(k, VISITED("e"));
  expect_log(k, "");
  say(k, VISIT("1", "e"));
  assert_int_equal(mcp_question_accept(k->question, NULL, NULL), 0);
  say(k, VISITED("f"));
  expect_log(k, "");
  say(k, VISITED("e"));
  expect_log(k, "elicited e\n");
  say(k, VISITED("e"));
  expect_log(k, "");
}

static void ask_to_visit(kit *k, const char *url) {
  char text[256];
  snprintf(text, sizeof(text),
           REQUEST("1", "elicitation/create",
                   "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"%s\","
                   "\"elicitationId\":\"e\"}"),
           url);
  say(k, text);
}

static void only_web_pages_are_shown_to_the_program(void **state) {
  static const char *const bad[] = {
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ms-word:ofe|u|x",
      "https:",
      "https://",
      "https:///x",
      " https://x",
      "",
      "https://x\\n",
      "https://x y",
  };
  static const char *const good[] = {"https://x", "HTTP://x/y?z",
                                     "http://[::1]"};
  kit *k = *state;
  connect_visiting(k);
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    ask_to_visit(k, bad[i]);
    expect(k, REFUSED("1", "-32602",
                      "params.url is not an http:// or https:// URL"));
    assert_int_equal(k->question_count, 0);
  }
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    ask_to_visit(k, good[i]);
    assert_int_equal(mcp_question_accept(k->question, NULL, NULL), 0);
    expect(k, RESULT("1", "{\"action\":\"accept\"}"));
  }
}

static void other_urls_are_shown_to_a_program_that_asks(void **state) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  options.can_elicit_url = 1;
  options.any_elicit_url = 1;
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{\"form\":{},\"url\":{}}}");
  ask_to_visit(k, "myapp:x");
  assert_int_equal(k->question_count, 1);
  assert_int_equal(mcp_question_accept(k->question, NULL, NULL), 0);
}

static void a_refusal_shows_web_pages_only(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_visiting(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL);
  say(k, ERROR("2", "-32042",
               ",\"data\":{\"elicitations\":[{\"mode\":\"url\",\"message\":"
               "\"m\",\"url\":\"https://x\",\"elicitationId\":\"r\"},"
               "{\"mode\":\"url\",\"message\":\"m\",\"url\":\"file:///x\","
               "\"elicitationId\":\"s\"}]}"));
  assert_int_equal(e->remote_code, -32042);
  assert_string_equal(e->data, "");
  expect_log(k, "error the server asks the user to visit what is not an "
                "http:// or https:// URL: the error's data are withheld\n");
  say(k, VISITED("r"));
  expect_log(k, "");
}

static void a_visit_that_was_turned_down_has_no_end(void **state) {
  kit *k = *state;
  connect_visiting(k);
  say(k, VISIT("1", "d"));
  assert_int_equal(mcp_question_decline(k->question), 0);
  say(k, VISIT("2", "c"));
  assert_int_equal(mcp_question_cancel(k->question), 0);
  say(k, VISITED("d"));
  say(k, VISITED("c"));
  expect_log(k, "");
}

static void a_refusal_may_ask_for_visits(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_visiting(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL);
  say(k, ERROR("2", "-32042",
               ",\"data\":{\"elicitations\":[{\"mode\":\"url\",\"message\":"
               "\"m\",\"url\":\"https://x\",\"elicitationId\":\"r\"},7]}"));
  assert_int_equal(e->remote_code, -32042);
  say(k, VISITED("s"));
  expect_log(k, "");
  say(k, VISITED("r"));
  expect_log(k, "elicited r\n");
}

static void only_so_many_visits_are_remembered(void **state) {
  kit *k = *state;
  char text[512];
  connect_visiting(k);
  for (int i = 0; i < 257; i++) {
    snprintf(text, sizeof(text), VISIT("%d", "e%d"), i, i);
    say(k, text);
    assert_int_equal(mcp_question_accept(k->question, NULL, NULL), 0);
    turn(k);
    k->got[0] = '\0';
  }
  say(k, VISITED("e0"));
  expect_log(k, "");
  say(k, VISITED("e1"));
  say(k, VISITED("e256"));
  expect_log(k, "elicited e1\nelicited e256\n");
}

static void malformed_elicitations_are_refused(void **state) {
  static const char *const cases[][2] = {
      {"{}", "params.message is missing: it must be a string"},
      {"{\"message\":\"m\"}",
       "params.requestedSchema is missing: it must be an object"},
      {"{\"message\":\"m\",\"mode\":\"voice\"}",
       "params.mode \\\"voice\\\" is neither form nor url"},
      {"{\"message\":\"m\",\"requestedSchema\":[]}",
       "params.requestedSchema must be an object, not an array"},
      {"{\"message\":\"m\",\"requestedSchema\":{\"type\":5}}",
       "params.requestedSchema: /type: expected \\\"object\\\", got the "
       "number 5"},
      {"{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
       "\"properties\":{\"a\":{\"type\":\"null\"}}}}",
       "params.requestedSchema: /properties/a/type: expected one of "
       "\\\"string\\\", \\\"number\\\", \\\"integer\\\", \\\"boolean\\\", "
       "\\\"array\\\", got the string \\\"null\\\""},
      {"{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
       "\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":-1}}}}",
       "params.requestedSchema: /properties/a/minLength: expected a whole "
       "number, not negative, got the number -1"},
  };
  kit *k = *state;
  connect_asking(k);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[512];
    snprintf(text, sizeof(text), REQUEST("1", "elicitation/create", "%s"),
             cases[i][0]);
    say(k, text);
    snprintf(text, sizeof(text), REFUSED("1", "-32602", "%s"), cases[i][1]);
    expect(k, text);
  }
  assert_int_equal(k->question_count, 0);
}

#define SEVERAL                                                                \
  "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","               \
  "\"properties\":{"                                                           \
  "\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"x\"]}" \
  "}}}}"

static void several_are_chosen(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "elicitation/create", SEVERAL));
  expect_question(k, "elicitation/create");
  assert_int_equal(mcp_question_accept(k->question, "{\"a\":[\"x\"]}", NULL),
                   0);
  expect(k, RESULT("1", "{\"action\":\"accept\",\"content\":{\"a\":[\"x\"]}}"));
}

static void several_came_with_2025_11_25(void **state) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  connect_legacy_as(k, &options, "2025-06-18",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{}}");
  say(k, REQUEST("1", "elicitation/create", SEVERAL));
  expect(k, REFUSED("1", "-32602",
                    "params.requestedSchema: /properties/a/type: expected one "
                    "of \\\"string\\\", \\\"number\\\", \\\"integer\\\", "
                    "\\\"boolean\\\", got the string \\\"array\\\""));
  assert_int_equal(k->question_count, 0);
}

/* Keywords that the protocol does not name are the server's own affair, and
 * formats are asserted. */
static void a_peers_form_may_say_more(void **state) {
  kit *k = *state;
  mcp_error err;
  connect_asking(k);
  say(k, REQUEST("1", "elicitation/create",
                 "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","
                 "\"title\":\"T\",\"properties\":{\"a\":{\"type\":\"string\","
                 "\"format\":\"email\",\"x-order\":1}}}}"));
  expect_question(k, "elicitation/create");
  assert_int_equal(mcp_question_accept(k->question, "{\"a\":\"me\"}", &err),
                   MCP_ERR_SCHEMA);
  assert_string_equal(err.message,
                      "/a: the string \"me\" is not of the format \"email\"");
  assert_int_equal(
      mcp_question_accept(k->question, "{\"a\":\"me@x.org\"}", &err), 0);
  expect(k, RESULT("1",
                   "{\"action\":\"accept\",\"content\":{\"a\":\"me@x.org\"}}"));
}

/* --- sampling ----------------------------------------------------------- */

static void the_model_answers(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("7", "sampling/createMessage", SAMPLE));
  expect_question(k, "sampling/createMessage");
  assert_int_equal(mcp_question_accept(k->question, "{}", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_question_answer(k->question, "{\"role\":\"user\"}", NULL),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_question_answer(k->question, "nonsense", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_question_answer(k->question, NULL, NULL),
                   MCP_ERR_INVALID);
  expect_nothing(k);
  assert_int_equal(
      mcp_question_answer(k->question,
                          "{\"role\":\"assistant\",\"content\":{\"type\":"
                          "\"text\",\"text\":\"hi\"},\"model\":\"m\"}",
                          NULL),
      0);
  expect(k, RESULT("7", "{\"role\":\"assistant\",\"content\":{\"type\":"
                        "\"text\",\"text\":\"hi\"},\"model\":\"m\"}"));
}

static void sampling_may_be_refused(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "sampling/createMessage", SAMPLE));
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, REFUSED("1", "-1", "refused by the user"));
  say(k, REQUEST("2", "sampling/createMessage", SAMPLE));
  assert_int_equal(mcp_question_cancel(k->question), 0);
  expect(k, REFUSED("2", "-1", "refused by the user"));
}

static void tools_must_have_been_declared(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "sampling/createMessage",
                 "{\"messages\":[],\"maxTokens\":5,\"tools\":[]}"));
  expect(k, REFUSED("1", "-32602", "sampling with tools was not declared"));
  say(k, REQUEST("2", "sampling/createMessage", "{\"messages\":[]}"));
  expect(k, REFUSED("2", "-32602",
                    "params.maxTokens is missing: it must be a number"));
}

#define SAMPLE_OF(messages) "{\"messages\":[" messages "],\"maxTokens\":5}"
#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define ASSISTANT(content) "{\"role\":\"assistant\",\"content\":" content "}"
#define WORDS "{\"type\":\"text\",\"text\":\"t\"}"
#define USE(id)                                                                \
  "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"n\",\"input\":{}}"
#define USED(id)                                                               \
  "{\"type\":\"tool_result\",\"toolUseId\":\"" id "\",\"content\":[]}"

static void unbalanced_tool_uses_are_refused(void **state) {
  static const char *const cases[][2] = {
      {SAMPLE_OF(ASSISTANT(USE("a"))),
       "params.messages[1]: there is no result of the tool use \\\"a\\\""},
      {SAMPLE_OF(ASSISTANT(USE("a")) "," USER(WORDS)),
       "params.messages[1]: there is no result of the tool use \\\"a\\\""},
      {SAMPLE_OF(ASSISTANT(USE("a")) "," ASSISTANT(USED("a"))),
       "params.messages[1]: there is no result of the tool use \\\"a\\\""},
      {SAMPLE_OF(ASSISTANT("[" USE("a") "," USE("b") "]") "," USER(USED("a"))),
       "params.messages[1]: there is no result of the tool use \\\"b\\\""},
      {SAMPLE_OF(USER(WORDS) "," USER(USED("a"))),
       "params.messages[1]: the message before has no tool use \\\"a\\\""},
      {SAMPLE_OF(ASSISTANT(USE("a")) "," USER("[" USED("a") "," USED("a") "]")),
       "params.messages[1]: the message before has no tool use \\\"a\\\""},
      {SAMPLE_OF(ASSISTANT(USE("a")) "," USER("[" USED("a") "," WORDS "]")),
       "params.messages[1]: among tool results there is \\\"text\\\""},
      {SAMPLE_OF(USER("[" WORDS "," USED("a") "]")),
       "params.messages[0]: among tool results there is \\\"text\\\""},
      {SAMPLE_OF(ASSISTANT("[" USE("a") "," USE("a") "]")),
       "params.messages[0]: there are two tool uses \\\"a\\\""},
  };
  kit *k = *state;
  char text[1024];
  connect_asking(k);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(text, sizeof(text), REQUEST("1", "sampling/createMessage", "%s"),
             cases[i][0]);
    say(k, text);
    snprintf(text, sizeof(text), REFUSED("1", "-32602", "%s"), cases[i][1]);
    expect(k, text);
  }
  assert_int_equal(k->question_count, 0);
}

static void balanced_tool_uses_are_handed_out(void **state) {
#define USES ASSISTANT("[" WORDS "," USE("a") "," USE("b") "]")
#define RESULTS USER("[" USED("b") "," USED("a") "]")
#define ONE_USE ASSISTANT(USE("a")) "," USER(USED("a"))
  static const char sample[] =
      SAMPLE_OF(USER(WORDS) "," USES "," RESULTS "," ONE_USE "," USER(WORDS));
  kit *k = *state;
  char text[1024];
  connect_asking(k);
  snprintf(text, sizeof(text), REQUEST("1", "sampling/createMessage", "%s"),
           sample);
  say(k, text);
  expect_question(k, "sampling/createMessage");
  assert_int_equal(mcp_question_decline(k->question), 0);
}

/* --- roots -------------------------------------------------------------- */

static void the_program_is_asked_for_roots(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
  expect_question(k, "roots/list");
  assert_int_equal(mcp_question_answer(k->question, "{\"roots\":[]}", NULL), 0);
  expect(k, RESULT("1", "{\"roots\":[]}"));
}

static void set_roots_answers_by_itself(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  assert_int_equal(mcp_client_set_roots(k->client, "{}", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_set_roots(k->client, "[{\"uri\":\"http://x\"}]", NULL),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_client_set_roots(k->client, "[", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_client_set_roots(NULL, "[]", NULL), MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_set_roots(k->client, "[ {\"uri\": \"file:///a\"} ]", NULL), 0);
  k->roots = "[{\"uri\":\"file:///a\"}]";
  connect_legacy_as(k, &options, "2024-11-05",
                    "{\"roots\":{\"listChanged\":true}}");
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
  expect(k, RESULT("1", "{\"roots\":[{\"uri\":\"file:///a\"}]}"));
  assert_int_equal(mcp_client_set_roots(k->client, NULL, NULL), 0);
  expect(k, "{\"jsonrpc\":\"2.0\",\"method\":"
            "\"notifications/roots/list_changed\"}");
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}");
  expect(k, RESULT("2", "{\"roots\":[]}"));
}

static void roots_that_were_not_declared_are_not_shown(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  assert_int_equal(mcp_client_set_roots(k->client, "[]", NULL), 0);
  expect_nothing(k);
}

static void roots_taken_back_before_connecting(void **state) {
  kit *k = *state;
  assert_int_equal(mcp_client_set_roots(k->client, "[]", NULL), 0);
  assert_int_equal(mcp_client_set_roots(k->client, NULL, NULL), 0);
  connect_legacy(k, "2025-11-25");
}

/* --- all of them -------------------------------------------------------- */

static void what_nobody_handles_is_not_found(void **state) {
  static const char *const methods[] = {"sampling/createMessage",
                                        "elicitation/create", "roots/list"};
  kit *k = *state;
  char text[256];
  connect_legacy(k, "2025-11-25");
  for (size_t i = 0; i < 3; i++) {
    snprintf(text, sizeof(text), REQUEST("1", "%s", "{}"), methods[i]);
    say(k, text);
    snprintf(text, sizeof(text),
             REFUSED("1", "-32601", "this client did not declare: \\\"%s\\\""),
             methods[i]);
    expect(k, text);
  }
  say(k, REQUEST("1", "tools/list", "{}"));
  expect(k, REFUSED("1", "-32601", "unknown method: \\\"tools/list\\\""));
  say(k, REQUEST("1", "nonsense", "{}"));
  expect(k, REFUSED("1", "-32601", "unknown method: \\\"nonsense\\\""));
}

static void elicitation_is_not_in_old_revisions(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_elicit = keep_question;
  connect_legacy_as(k, &options, "2025-03-26", "{}");
  say(k, REQUEST("1", "elicitation/create", FORM));
  expect(k,
         REFUSED("1", "-32601", "unknown method: \\\"elicitation/create\\\""));
}

static void the_server_may_cancel(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("9", "elicitation/create", FORM));
  say(k, NOTE("notifications/cancelled", "{\"requestId\":9}"));
  assert_int_equal(mcp_question_is_cancelled(k->question), 1);
  assert_int_equal(mcp_question_decline(k->question), MCP_ERR_GONE);
  expect_nothing(k);
}

/* What was asked first cannot be answered before. */
static void the_clock_stands_still_while_the_user_thinks(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_asking(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL);
  pass(k, 59000);
  say(k, REQUEST("1", "elicitation/create", FORM));
  pass(k, 3600000);
  assert_int_equal(e->count, 0);
  assert_int_equal(mcp_question_decline(k->question), 0);
  pass(k, 999);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
}

static void the_clock_goes_on_when_the_question_is_taken_back(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_asking(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL);
  turn(k);
  say(k, REQUEST("1", "elicitation/create", FORM));
  pass(k, 90000);
  say(k, NOTE("notifications/cancelled", "{\"requestId\":1}"));
  pass(k, 59999);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
  assert_int_equal(mcp_question_decline(k->question), MCP_ERR_GONE);
}

static void a_second_request_of_the_same_id_is_refused(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("9", "elicitation/create", FORM));
  mcp_question *first = k->question;
  say(k, REQUEST("9", "sampling/createMessage", SAMPLE));
  expect(k, REFUSED("9", "-32600", "a request of that id is being answered"));
  say(k, REQUEST("\"9\"", "sampling/createMessage", SAMPLE));
  assert_int_equal(k->question_count, 2);
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, REFUSED("\"9\"", "-1", "refused by the user"));
  assert_int_equal(mcp_question_cancel(first), 0);
  expect(k, RESULT("9", "{\"action\":\"cancel\"}"));
}

static void questions_cannot_be_piled_up_by_cancelling(void **state) {
  enum { MAX = 1024 };
  static mcp_question *questions[MAX];
  kit *k = *state;
  char text[256];
  connect_asking(k);
  for (int i = 0; i < MAX; i++) {
    snprintf(text, sizeof(text),
             REQUEST("%d", "sampling/createMessage", SAMPLE), i);
    say(k, text);
    assert_int_equal(k->question_count, i + 1);
    questions[i] = k->question;
    snprintf(text, sizeof(text),
             NOTE("notifications/cancelled", "{\"requestId\":%d}"), i);
    say(k, text);
  }
  say(k, REQUEST("\"x\"", "sampling/createMessage", SAMPLE));
  expect(k, REFUSED("\"x\"", "-32603", "more than 1024 questions at once"));
  for (int i = 0; i < MAX; i++) {
    assert_int_equal(mcp_question_decline(questions[i]), MCP_ERR_GONE);
  }
  say(k, REQUEST("\"x\"", "sampling/createMessage", SAMPLE));
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, REFUSED("\"x\"", "-1", "refused by the user"));
}

static void ids_are_echoed_exactly(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,"
         "\"method\":\"ping\"}");
  expect(k, RESULT("123456789012345678901234567890", "{}"));
}

#define BROKEN(id, reason) REFUSED(id, "-32600", reason)

static void a_malformed_request_is_refused_with_its_id(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\",\"params\":[]}");
  expect(k, BROKEN("99", "\\\"params\\\" is not an object"));
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":5}");
  expect(k, BROKEN("\"a\"", "\\\"method\\\" is not a string"));
  say(k, "{\"id\":7,\"method\":\"ping\"}");
  expect(k, BROKEN("7", "\\\"jsonrpc\\\" is not \\\"2.0\\\""));
}

static void a_request_with_too_long_an_id_is_refused_with_it(void **state) {
  kit *k = *state;
  char request[65536 + 128];
  connect_asking(k);
  snprintf(request, sizeof(request),
           "{\"jsonrpc\":\"2.0\",\"id\":\"%065537d\",\"method\":\"ping\"}", 0);
  k->got[0] = '\0';
  say(k, request);
  turn(k);
  assert_non_null(strstr(k->got, "{\"jsonrpc\":\"2.0\",\"id\":\"000"));
}

/* An answer would go round and round with a peer that echoes. */
static void what_is_no_request_is_not_answered(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":99}");
  say(k, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":[]}");
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}");
  say(k, "{\"id\":99,\"result\":{}}");
  say(k, BROKEN("99", "no"));
  say(k, "rubbish");
  expect_nothing(k);
}

static void a_modern_server_gets_no_refusals(void **state) {
  kit *k = *state;
  connect_modern(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\",\"params\":[]}");
  expect_nothing(k);
}

static void a_question_outlives_the_connection(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("9", "elicitation/create", FORM));
  mcp_question *first = k->question;
  say(k, REQUEST("10", "elicitation/create", FORM));
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(mcp_question_is_cancelled(first), 1);
  assert_null(mcp_question_client(first));
  assert_non_null(mcp_question_params(first));
  assert_int_equal(mcp_question_accept(first, "{\"name\":\"x\"}", NULL),
                   MCP_ERR_GONE);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(mcp_question_fail(k->question, 1, "x"), MCP_ERR_GONE);
}

/* A program whose answer was refused may think that the question is gone. */
static void the_loop_frees_questions_without_an_answer(void **state) {
  kit *k = *state;
  mcp_error err;
  connect_asking(k);
  say(k, REQUEST("1", "elicitation/create", FORM));
  say(k, REQUEST("2", "elicitation/create", FORM));
  say(k, REQUEST("3", "sampling/createMessage", SAMPLE));
  turn(k);
  assert_int_equal(k->question_count, 3);
  assert_int_equal(mcp_question_answer(k->question, "[]", NULL),
                   MCP_ERR_INVALID);
  say(k, REQUEST("4", "elicitation/create", FORM));
  turn(k);
  assert_int_equal(mcp_question_accept(k->question, "{\"name\":3}", &err),
                   MCP_ERR_SCHEMA);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(mcp_question_is_cancelled(k->question), 1);
  assert_non_null(mcp_question_params(k->question));
}

static void nothing_is_no_question(void **state) {
  (void)state;
  assert_null(mcp_question_method(NULL));
  assert_null(mcp_question_params(NULL));
  assert_null(mcp_question_client(NULL));
  assert_int_equal(mcp_question_is_cancelled(NULL), 1);
  assert_int_equal(mcp_question_accept(NULL, NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_question_decline(NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_question_cancel(NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_question_answer(NULL, "{}", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_question_fail(NULL, 0, NULL), MCP_ERR_INVALID);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_form_is_filled),
      kit_test(defaults_fill_what_is_left_out),
      kit_test(defaults_may_be_too_much),
      kit_test(the_user_may_decline_or_cancel),
      kit_test(a_url_must_have_been_declared),
      kit_test(a_url_is_visited),
      kit_test(only_web_pages_are_shown_to_the_program),
      kit_test(other_urls_are_shown_to_a_program_that_asks),
      kit_test(a_refusal_shows_web_pages_only),
      kit_test(malformed_elicitations_are_refused),
      kit_test(several_are_chosen),
      kit_test(several_came_with_2025_11_25),
      kit_test(a_peers_form_may_say_more),
      kit_test(the_model_answers),
      kit_test(sampling_may_be_refused),
      kit_test(tools_must_have_been_declared),
      kit_test(the_program_is_asked_for_roots),
      kit_test(set_roots_answers_by_itself),
      kit_test(roots_that_were_not_declared_are_not_shown),
      kit_test(roots_taken_back_before_connecting),
      kit_test(what_nobody_handles_is_not_found),
      kit_test(elicitation_is_not_in_old_revisions),
      kit_test(the_server_may_cancel),
      kit_test(the_clock_stands_still_while_the_user_thinks),
      kit_test(the_clock_goes_on_when_the_question_is_taken_back),
      kit_test(a_second_request_of_the_same_id_is_refused),
      kit_test(the_end_of_a_visit_is_told_once),
      kit_test(a_visit_that_was_turned_down_has_no_end),
      kit_test(a_refusal_may_ask_for_visits),
      kit_test(only_so_many_visits_are_remembered),
      kit_test(unbalanced_tool_uses_are_refused),
      kit_test(balanced_tool_uses_are_handed_out),
      kit_test(questions_cannot_be_piled_up_by_cancelling),
      kit_test(ids_are_echoed_exactly),
      kit_test(a_malformed_request_is_refused_with_its_id),
      kit_test(a_request_with_too_long_an_id_is_refused_with_it),
      kit_test(what_is_no_request_is_not_answered),
      kit_test(a_modern_server_gets_no_refusals),
      kit_test(a_question_outlives_the_connection),
      kit_test(the_loop_frees_questions_without_an_answer),
      cmocka_unit_test(nothing_is_no_question),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
