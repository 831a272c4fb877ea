/* SPDX-License-Identifier: MIT */
/* Limits and lifetimes of questions; tests/wire/client has what they say, in
 * questions.txt and rounds.txt. */
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

/* One that all properties refer to; the question is still open. */
KIT_TEST(defaults_that_are_too_large_are_refused) {
  kit *k = *state;
  mcp_client_options options = asking_options(k);
  mcp_error err;
  enum { PROPERTIES = 200, LONG = 400000, SIZE = LONG + PROPERTIES * 100 };
  char *text = malloc(SIZE);
  assert_non_null(text);
  options.apply_defaults = 1;
  connect_legacy_as(k, &options, "2025-06-18",
                    "{\"roots\":{\"listChanged\":true},\"sampling\":{},"
                    "\"elicitation\":{}}");
  int len = snprintf(
      text, SIZE,
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\","
      "\"params\":{\"message\":\"m\",\"requestedSchema\":{"
      "\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"string\","
      "\"default\":\"%0*d\"}",
      LONG, 0);
  for (int i = 0; i < PROPERTIES; i++) {
    len += snprintf(
        text + len, (size_t)(SIZE - len),
        ",\"p%d\":{\"type\":\"string\",\"$ref\":\"#/properties/p\"}", i);
  }
  snprintf(text + len, (size_t)(SIZE - len), "}}}}");
  say(k, text);
  free(text);
  assert_int_equal(mcp_question_accept(k->question, "{}", &err),
                   MCP_ERR_SCHEMA);
  assert_string_equal(err.message,
                      "the form's defaults are too large to be filled in");
  assert_int_equal(mcp_question_decline(k->question), 0);
  expect(k, RESULT("1", "{\"action\":\"decline\"}"));
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

KIT_TEST(the_oldest_of_257_visits_is_forgotten) {
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

KIT_TEST(roots_that_were_taken_back_are_not_declared) {
  kit *k = *state;
  assert_int_equal(mcp_client_set_roots(k->client, "[]", NULL), 0);
  assert_int_equal(mcp_client_set_roots(k->client, NULL, NULL), 0);
  connect_legacy(k, "2025-11-25");
}

KIT_TEST(questions_cannot_be_piled_up_by_cancelling) {
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

KIT_TEST(a_round_of_1025_questions_is_refused) {
  kit *k = *state;
  char text[65536];
  size_t used;
  mcp_client_options options = options_of(k);
  options.on_roots = keep_question;
  connect_modern_as(k, &options, "{\"roots\":{}}");
  ending *e = new_ending(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL);
  used = (size_t)snprintf(text, sizeof(text),
                          "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
                          "\"resultType\":\"input_required\","
                          "\"inputRequests\":{");
  for (int i = 0; i < 1025; i++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used,
                             "%s\"%d\":{\"method\":\"roots/list\"}",
                             i > 0 ? "," : "", i);
  }
  snprintf(text + used, sizeof(text) - used, "}}}");
  say(k, text);
  assert_int_equal(k->question_count, 0);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  assert_string_equal(e->message, "1025 questions at once, of 1024");
}

KIT_TEST(a_request_with_too_long_an_id_is_refused_with_it) {
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

KIT_TEST(a_question_outlives_the_connection) {
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
KIT_TEST(the_loop_frees_questions_without_an_answer) {
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

TEST(a_null_question_is_refused) {
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
