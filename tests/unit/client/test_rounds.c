/* SPDX-License-Identifier: MIT */
/* Rounds of questions of a modern server. */
#include "unit/client/kit.h"

#define CAN "{\"roots\":{},\"sampling\":{},\"elicitation\":{\"form\":{}}}"
#define META_CAN META_FOR(CAN)
#define FORM                                                                   \
  "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"who?\","       \
  "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":"         \
  "{\"type\":\"string\"}},\"required\":[\"name\"]}}}"
#define SAMPLE                                                                 \
  "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],"        \
  "\"maxTokens\":5}}"
#define ROOTS "{\"method\":\"roots/list\"}"
#define MORE(id, members)                                                      \
  RESULT(id, "{\"resultType\":\"input_required\"" members "}")
#define DONE(id) RESULT(id, "{\"resultType\":\"complete\",\"content\":[]}")
#define CALL(id, extra)                                                        \
  REQUEST(id, "tools/call",                                                    \
          "{\"name\":\"t\",\"arguments\":{\"a\":1}" extra                      \
          ",\"_meta\":{" META_CAN "}}")

typedef struct asked {
  mcp_question *questions[8];
  size_t count;
} asked;

static asked all; /* the questions of the test */

static void keep_all(mcp_question *question, void *userdata) {
  (void)userdata;
  all.questions[all.count++] = question;
}

static void connect_asking(kit *k) {
  mcp_client_options options = options_of(k);
  memset(&all, 0, sizeof(all));
  options.on_elicit = keep_all;
  options.on_sample = keep_all;
  options.on_roots = keep_all;
  connect_modern_as(k, &options, CAN);
}

static ending *call(kit *k) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", "{\"a\":1}", NULL, on_done, e, NULL),
      0);
  return e;
}

static void one_round_of_all_kinds(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  expect(k, CALL("2", ""));
  say(k,
      MORE("2", ",\"inputRequests\":{\"a b\":" FORM ",\"s\":" SAMPLE
                ",\"r\":" ROOTS "},\"requestState\":\"x\\\"\\u00e9\\u0000\""));
  assert_int_equal(all.count, 3);
  assert_int_equal(
      mcp_question_answer(all.questions[2], "{\"roots\":[]}", NULL), 0);
  assert_int_equal(
      mcp_question_accept(all.questions[0], "{\"name\":\"n\"}", NULL), 0);
  expect_nothing(k);
  assert_int_equal(mcp_question_answer(all.questions[1],
                                       "{\"role\":\"assistant\",\"content\":"
                                       "[],\"model\":\"m\"}",
                                       NULL),
                   0);
  expect(k, CALL("3", ",\"inputResponses\":{\"r\":{\"roots\":[]},\"a b\":"
                      "{\"action\":\"accept\",\"content\":{\"name\":\"n\"}},"
                      "\"s\":{\"role\":\"assistant\",\"content\":[],\"model\":"
                      "\"m\"}},\"requestState\":\"x\\\"\xc3\xa9\\u0000\""));
  assert_int_equal(e->count, 0);
  say(k, DONE("3"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

static void a_round_of_too_many_questions(void **state) {
  kit *k = *state;
  char *text = calloc(1, 65536);
  size_t used = 0;
  connect_asking(k);
  ending *e = call(k);
  used += (size_t)snprintf(text, 65536,
                           "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
                           "\"resultType\":\"input_required\","
                           "\"inputRequests\":{");
  for (int i = 0; i < 1025; i++) {
    used += (size_t)snprintf(text + used, 65536 - used, "%s\"%d\":" ROOTS,
                             i > 0 ? "," : "", i);
  }
  snprintf(text + used, 65536 - used, "}}}");
  say(k, text);
  free(text);
  assert_int_equal(all.count, 0);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  assert_string_equal(e->message, "1025 questions at once, of 1024");
}

static void only_this_rounds_answers_and_state(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k,
      MORE("2", ",\"inputRequests\":{\"k\":" FORM "},\"requestState\":\"1\""));
  mcp_question_decline(all.questions[0]);
  expect(k, CALL("3", ",\"inputResponses\":{\"k\":{\"action\":\"decline\"}},"
                      "\"requestState\":\"1\""));
  say(k, MORE("3", ",\"inputRequests\":{\"l\":" FORM "}"));
  mcp_question_cancel(all.questions[1]);
  expect(k, CALL("4", ",\"inputResponses\":{\"l\":{\"action\":\"cancel\"}}"));
  say(k, DONE("4"));
  assert_int_equal(e->status, 0);
}

static void an_empty_state_goes_back(void **state) {
  kit *k = *state;
  connect_asking(k);
  call(k);
  turn(k);
  k->got[0] = '\0';
  say(k,
      MORE("2", ",\"inputRequests\":{\"k\":" FORM "},\"requestState\":\"\""));
  mcp_question_decline(all.questions[0]);
  expect(k, CALL("3", ",\"inputResponses\":{\"k\":{\"action\":\"decline\"}},"
                      "\"requestState\":\"\""));
}

static void without_questions_it_waits_a_little(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"requestState\":\"s\""));
  pass(k, 249);
  expect_nothing(k);
  pass(k, 1);
  expect(k, CALL("3", ",\"requestState\":\"s\""));
  say(k, MORE("3", ",\"inputRequests\":{},\"requestState\":\"t\""));
  pass(k, 250);
  expect(k, CALL("4", ",\"requestState\":\"t\""));
  say(k, DONE("4"));
  assert_int_equal(e->count, 1);
}

static void answer_at_once(mcp_question *question, void *userdata) {
  (void)userdata;
  if (strcmp(mcp_question_method(question), "elicitation/create") == 0) {
    assert_int_equal(mcp_question_accept(question, "{\"name\":\"n\"}", NULL),
                     0);
  } else {
    assert_int_equal(mcp_question_answer(question, "{\"roots\":[]}", NULL), 0);
  }
}

static void answers_may_come_at_once(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_elicit = answer_at_once;
  options.on_roots = answer_at_once;
  connect_modern_as(k, &options,
                    "{\"roots\":{},\"elicitation\":{\"form\":{}}}");
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"a\":" FORM ",\"b\":" ROOTS "}"));
  assert_non_null(
      strstr(k->got, "\"inputResponses\":{\"a\":{\"action\":\"accept\","
                     "\"content\":{\"name\":\"n\"}},\"b\":{\"roots\":[]}}"));
  say(k, DONE("3"));
  assert_int_equal(e->count, 1);
}

static void set_roots_answers_by_itself(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  k->roots = "[{\"uri\":\"file:///\"}]";
  connect_modern_as(k, &options, "{\"roots\":{}}");
  assert_int_equal(
      mcp_client_set_roots(k->client, "[{\"uri\":\"file:///b\"}]", NULL), 0);
  expect_nothing(k); /* a modern server is not told */
  call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"r\":" ROOTS "}"));
  assert_non_null(strstr(k->got, "\"inputResponses\":{\"r\":{\"roots\":"
                                 "[{\"uri\":\"file:///b\"}]}}"));
}

static void the_other_two_methods_may_ask(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_asking(k);
  mcp_client_read_resource(k->client, "file:///x", NULL, on_done, e, NULL);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"k\":" FORM "}"));
  mcp_question_decline(all.questions[0]);
  expect(k, REQUEST("3", "resources/read",
                    "{\"uri\":\"file:///x\",\"inputResponses\":{\"k\":"
                    "{\"action\":\"decline\"}},\"_meta\":{" META_CAN "}}"));
  mcp_client_get_prompt(k->client, "p", NULL, NULL, on_done, e, NULL);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("4", ",\"inputRequests\":{\"k\":" FORM "}"));
  mcp_question_decline(all.questions[1]);
  expect(k, REQUEST("5", "prompts/get",
                    "{\"name\":\"p\",\"inputResponses\":{\"k\":"
                    "{\"action\":\"decline\"}},\"_meta\":{" META_CAN "}}"));
}

/* --- no answer ---------------------------------------------------------- */

static void a_failed_question_ends_the_request(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"a\":" FORM ",\"b\":" SAMPLE "}"));
  assert_int_equal(mcp_question_fail(all.questions[0], -32603, "no terminal"),
                   0);
  assert_int_equal(e->count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_UNANSWERED);
  assert_string_equal(e->message, "no terminal");
  assert_int_equal(mcp_question_is_cancelled(all.questions[1]), 1);
  assert_int_equal(mcp_question_decline(all.questions[1]), MCP_ERR_GONE);
  expect_nothing(k);
}

static void declined_sampling_is_no_answer(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  say(k, MORE("2", ",\"inputRequests\":{\"b\":" SAMPLE "}"));
  assert_int_equal(mcp_question_decline(all.questions[0]), 0);
  turn(k);
  assert_int_equal(e->status, MCP_ERR_UNANSWERED);
  assert_string_equal(e->message, "refused by the user");
}

static void undeclared_questions_are_not_answered(void **state) {
  static const char *const cases[] = {
      "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],"
      "\"maxTokens\":5,\"tools\":[]}}",
      "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\","
      "\"message\":\"m\",\"url\":\"https://x\"}}",
      "{\"method\":\"elicitation/create\",\"params\":7}",
      "{\"method\":\"elicitation/create\"}",
      "{\"method\":\"tools/list\"}",
      "{}",
      "7",
  };
  kit *k = *state;
  char text[1024];
  connect_asking(k);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    k->ending_count = 0;
    ending *e = call(k);
    e->count = 0;
    turn(k);
    snprintf(text, sizeof(text), MORE("%zu", ",\"inputRequests\":{\"k\":%s}"),
             i + 2, cases[i]);
    say(k, text);
    assert_int_equal(e->count, 1);
    assert_int_equal(e->status, MCP_ERR_UNANSWERED);
  }
  assert_int_equal(all.count, 0);
}

static void malformed_rounds_are_violations(void **state) {
  static const char *const cases[] = {
      "", ",\"inputRequests\":[]", ",\"inputRequests\":null",
      ",\"requestState\":7",
      ",\"inputRequests\":{\"k\":" FORM "},\"requestState\":{}"};
  kit *k = *state;
  char text[1024];
  connect_asking(k);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    k->ending_count = 0;
    ending *e = call(k);
    e->count = 0;
    turn(k);
    snprintf(text, sizeof(text), MORE("%zu", "%s"), i + 2, cases[i]);
    say(k, text);
    assert_int_equal(e->count, 1);
    assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  }
}

static void rounds_have_a_limit(void **state) {
  kit *k = *state;
  char text[256];
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  for (int id = 2; id < 12; id++) {
    snprintf(text, sizeof(text), MORE("%d", ",\"requestState\":\"s\""), id);
    say(k, text);
    pass(k, 250);
    assert_int_equal(e->count, 0);
  }
  say(k, MORE("12", ",\"requestState\":\"s\""));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
}

/* --- giving up ---------------------------------------------------------- */

static void cancelled_while_asking(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"k\":" FORM "}"));
  assert_int_equal(mcp_client_cancel(k->client, 2, NULL), 0);
  expect_nothing(k); /* nothing is in flight */
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  assert_int_equal(mcp_question_decline(all.questions[0]), MCP_ERR_GONE);
}

static void cancelled_while_pausing(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"requestState\":\"s\""));
  assert_int_equal(mcp_client_cancel(k->client, 2, NULL), 0);
  pass(k, 1000);
  expect_nothing(k);
  assert_int_equal(e->count, 1);
}

static void closed_while_asking(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  say(k, MORE("2", ",\"inputRequests\":{\"k\":" FORM "}"));
  k->far->close(k->far);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 1);
  assert_int_equal(mcp_question_accept(all.questions[0], NULL, NULL),
                   MCP_ERR_GONE);
}

static void the_user_has_all_the_time(void **state) {
  kit *k = *state;
  connect_asking(k);
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  say(k, MORE("2", ",\"inputRequests\":{\"k\":" FORM "}"));
  pass(k, 3600000);
  assert_int_equal(e->count, 0);
  assert_int_equal(mcp_question_decline(all.questions[0]), 0);
  expect(k, CALL("3", ",\"inputResponses\":{\"k\":{\"action\":\"decline\"}}"));
  pass(k, 60000);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
}

static void a_modern_server_must_not_send_requests(void **state) {
  kit *k = *state;
  connect_asking(k);
  say(k, REQUEST("1", "roots/list", "{}"));
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
  expect_nothing(k);
  assert_int_equal(all.count, 0);
  expect_log(k, "error a modern server sent a request: dropped\n"
                "error a modern server sent a request: dropped\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(one_round_of_all_kinds),
      kit_test(a_round_of_too_many_questions),
      kit_test(only_this_rounds_answers_and_state),
      kit_test(an_empty_state_goes_back),
      kit_test(without_questions_it_waits_a_little),
      kit_test(answers_may_come_at_once),
      kit_test(set_roots_answers_by_itself),
      kit_test(the_other_two_methods_may_ask),
      kit_test(a_failed_question_ends_the_request),
      kit_test(declined_sampling_is_no_answer),
      kit_test(undeclared_questions_are_not_answered),
      kit_test(malformed_rounds_are_violations),
      kit_test(rounds_have_a_limit),
      kit_test(cancelled_while_asking),
      kit_test(cancelled_while_pausing),
      kit_test(closed_while_asking),
      kit_test(the_user_has_all_the_time),
      kit_test(a_modern_server_must_not_send_requests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
