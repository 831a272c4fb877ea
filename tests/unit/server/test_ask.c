/* SPDX-License-Identifier: MIT */
/* Questions where it takes keys, another platform or regular expressions to
 * show what is right. All else about questions is in tests/wire/server, in
 * ask.txt, ask-legacy.txt and ask-revisions.txt. */
#include "support/plain_regex.h"
#include "support/server_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPS "{'elicitation':{'form':{}}}"
#define ASK                                                                    \
  "{$J,'id':1,'method':'tools/call','params':{'name':'greet',$M" CAPS "}}"
#define ANSWER(name)                                                           \
  "{'action':'accept','content':{'name':'" name "','more':1}}"

/* The client is shown neither the pattern nor that there may be no other
 * members. */
static int on_greet(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING(
          "name", NULL, .more = "\"pattern\":\"^a\",\"maxLength\":3"))};
  const mcp_json *answer;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "hello");
}

static void restart(server_bench *b, const mcp_server_options *options) {
  server_bench_restart(b, options);
  server_bench_add_tool(b, "greet", on_greet);
}

/* ---- the seal ----------------------------------------------------------- */

/* Asks, and takes the sealed state out of what came. Owned. */
static char *first_state(server_bench *b) {
  static const char name[] = "\"requestState\":\"";
  wire_send(&b->wire, ASK);
  rig_turn(&b->rig);
  const char *value = strstr(b->wire.text.bytes, name);
  assert_non_null(value);
  value += strlen(name);
  char *state = strndup(value, strcspn(value, "\""));
  wire_forget(&b->wire);
  return state;
}

/* Answers with that state. */
static void retry(server_bench *b, const char *sealed, const char *expected) {
  char *message = NULL;
  assert_true(asprintf(&message,
                       "{$J,'id':2,'method':'tools/call','params':{'name':"
                       "'greet','requestState':'%s','inputResponses':{'who':"
                       "" ANSWER("a") "},$M" CAPS "}}",
                       sealed) > 0);
  exchange(&b->wire, message, expected);
  free(message);
}

#define HELLO RESULT_TEXT("2", "hello")
#define FOREIGN                                                                \
  ERROR("2", "-32602",                                                         \
        "requestState was refused: it was altered, or belongs to another "     \
        "request")

/* The first key seals, and each opens, so that keys can be turned. */
BENCH_TEST(each_key_of_the_ring_opens_a_state) {
  server_bench *b = *state;
  uint8_t ring[2][MCP_SEAL_KEY_SIZE];
  memset(ring[0], 'n', sizeof(ring[0]));
  memset(ring[1], 'o', sizeof(ring[1]));
  const mcp_server_options old_key = {.size = sizeof(mcp_server_options),
                                      .state_keys = ring[1],
                                      .state_key_count = 1};
  const mcp_server_options new_key = {.size = sizeof(mcp_server_options),
                                      .state_keys = ring[0],
                                      .state_key_count = 1};
  const mcp_server_options both = {.size = sizeof(mcp_server_options),
                                   .state_keys = ring[0],
                                   .state_key_count = 2};
  restart(b, &old_key);
  char *older = first_state(b);
  restart(b, &both);
  retry(b, older, HELLO);
  char *newer = first_state(b);
  restart(b, &new_key);
  retry(b, older, FOREIGN);
  retry(b, newer, HELLO);
  free(older);
  free(newer);
}

BENCH_TEST(a_server_without_keys_makes_one) {
  server_bench *b = *state;
  restart(b, NULL);
  char *sealed = first_state(b);
  restart(b, NULL);
  b->rig.seed = 1;
  retry(b, sealed, FOREIGN);
  free(sealed);
}

static void drop_seal(mcp_platform *platform) {
  platform->seal = NULL;
}

static void drop_unseal(mcp_platform *platform) {
  platform->unseal = NULL;
}

static void drop_random(mcp_platform *platform) {
  platform->random = NULL;
}

static void expect_no_seal(server_bench *b,
                           void (*change)(mcp_platform *platform),
                           const char *expected) {
  b->change_platform = change;
  restart(b, NULL);
  exchange(&b->wire, ASK, expected);
}

#define CANNOT(why) ERROR("1", "-32603", "the platform cannot seal: " why)

BENCH_TEST(a_platform_that_cannot_seal_cannot_ask) {
  expect_no_seal(*state, drop_seal, CANNOT("it has no seal"));
  expect_no_seal(*state, drop_unseal, CANNOT("it has no unseal"));
  expect_no_seal(*state, drop_random, CANNOT("it has no random"));
}

/* ---- answers ------------------------------------------------------------ */

BENCH_TEST(an_answer_is_judged_by_what_was_shown) {
  static const char *const revisions[] = {"2025-06-18", "2025-11-25"};
  server_bench *b = *state;
  for (int i = 0; i < 2; i++) {
    restart(b, NULL);
    wire_initialize(&b->wire, revisions[i], CAPS);
    wire_send(&b->wire, LEGACY_CALL("1", "greet"));
    rig_turn(&b->rig);
    assert_null(strstr(b->wire.text.bytes, "pattern"));
    assert_null(strstr(b->wire.text.bytes, "additionalProperties"));
    wire_forget(&b->wire);
    exchange(&b->wire, "{$J,'id':1,'result':" ANSWER("b") "}",
             LEGACY_TEXT("1", "hello"));
    wire_send(&b->wire, LEGACY_CALL("2", "greet"));
    rig_turn(&b->rig);
    wire_forget(&b->wire);
    exchange(&b->wire, "{$J,'id':2,'result':" ANSWER("bcde") "}",
             ERROR("2", "-32602",
                   "the answer to \\\"who\\\" is malformed: /name: the string "
                   "\\\"bcde\\\" has 4 characters, the maximum is 3"));
  }
}

/* ---- what only a program can do wrong ------------------------------------ */

static int on_wrong(mcp_call *call, void *userdata) {
  const mcp_elicitation good = {.size = sizeof(mcp_elicitation),
                                .message = "Who?",
                                .form = MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_sampling no_size = {.size = 0};
  const mcp_sampling bad_text = {
      .size = sizeof(mcp_sampling), .prompt = "\xff", .max_tokens = 1};
  const mcp_json *answer;
  assert_int_equal(mcp_call_ask_elicit(call, "\xff", &good, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_elicit(call, "", &good, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_elicit(call, "k", &good, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_elicit(call, "k", NULL, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_url(call, "k", NULL, "a:b", NULL, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_sample(call, "k", &no_size, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_sample(call, "k", &bad_text, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_state(call, NULL), MCP_ERR_INVALID);
  return mcp_call_reply_failure(call, "checked");
}

BENCH_TEST(a_question_needs_all_its_parts) {
  server_bench *b = *state;
  server_bench_add_tool(b, "wrong", on_wrong);
  wire_initialize(&b->wire, "2025-11-25",
                  "{'elicitation':{'form':{},'url':{}},'sampling':{}}");
  exchange(&b->wire, LEGACY_CALL("1", "wrong"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'checked'}],"
           "'isError':true}}");
}

static int on_formless(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?"};
  const mcp_json *answer;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  assert_int_equal(rc, MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_question_without_a_form_is_refused) {
  server_bench *b = *state;
  server_bench_add_tool(b, "formless", on_formless);
  wire_initialize(&b->wire, "2025-11-25", CAPS);
  exchange(&b->wire, LEGACY_CALL("1", "formless"),
           ERROR("1", "-32603",
                 "a question needs a form: the schema of its answer"));
}

static int on_messageless(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation)};
  const mcp_json *answer;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  assert_int_equal(rc, MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_question_without_a_message_is_refused) {
  server_bench *b = *state;
  server_bench_add_tool(b, "messageless", on_messageless);
  wire_initialize(&b->wire, "2025-11-25", CAPS);
  exchange(&b->wire, LEGACY_CALL("1", "messageless"),
           ERROR("1", "-32603", "the message of a question is NULL"));
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
