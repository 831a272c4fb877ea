/* SPDX-License-Identifier: MIT */
/* Questions to the client in both eras, and every way in which their answers
 * and the sealed state can be wrong. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  int runs; /* of handlers */
  int rc;   /* what an ask returned that mattered */
  const mcp_schema *form;
  const mcp_sample *sample;
  int goes_on; /* after a failed ask */
  mcp_call *kept;
} bench;

#define CAPS                                                                   \
  "{'elicitation':{'form':{},'url':{}},'sampling':{'tools':{}},'roots':{}}"
#define CALL(id, name, more)                                                   \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'," more    \
  "$M" CAPS "}}"
#define LEGACY_CALL(id, name)                                                  \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define TEXT(id, text)                                                         \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}],$"  \
  "C}}"
#define LEGACY_TEXT(id, text)                                                  \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}]}}"
#define ERROR(id, code, text)                                                  \
  "{$J,'id':" id ",'error':{'code':" code ",'message':'" text "'}}"
#define ROUND(id, requests)                                                    \
  "{$J,'id':" id ",'result':{'inputRequests':{" requests "},"                  \
  "'requestState':'S','resultType':'input_required',$I}}"

/* --- handlers ----------------------------------------------------------- */

static int ask_name(mcp_call *call, const char *key, const mcp_json **answer) {
  const mcp_elicit question = {
      .size = MCP_ELICIT_INIT,
      .message = "Who?",
      .form =
          MCP_OBJECT(MCP_STRING("name", "yours", .more = "\"maxLength\":9"))};
  return mcp_call_ask_elicit(call, key, &question, answer);
}

#define WHO(mode)                                                              \
  "{'method':'elicitation/create','params':{" mode "'message':'Who?',"         \
  "'requestedSchema':{'type':'object','properties':{'name':{'type':'string',"  \
  "'description':'yours','maxLength':9}},'required':['name']}}}"

static int on_greet(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer;
  b->runs++;
  int rc = ask_name(call, "who", &answer);
  if (rc != 0) {
    b->rc = rc;
    return rc;
  }
  switch (mcp_answer_action(answer)) {
  case MCP_ACTION_ACCEPT:
    return mcp_call_reply_textf(
        call, "Hello, %s",
        mcp_json_string(mcp_json_pointer(answer, "/content/name")));
  case MCP_ACTION_DECLINE:
    return mcp_call_reply_text(call, "declined");
  default:
    return mcp_call_reply_text(call, "cancelled");
  }
}

/* Three questions in one round. */
static int on_three(mcp_call *call, void *userdata) {
  const mcp_sample sample = {
      .size = MCP_SAMPLE_INIT, .prompt = "Greet", .max_tokens = 50};
  const mcp_json *who;
  const mcp_json *words;
  const mcp_json *roots;
  ((bench *)userdata)->runs++;
  int rc_who = ask_name(call, "who", &who);
  int rc_words = mcp_call_ask_sample(call, "words", &sample, &words);
  int rc_roots = mcp_call_ask_roots(call, "roots", &roots);
  if (rc_who != 0 || rc_words != 0 || rc_roots != 0) {
    return rc_who < 0     ? rc_who
           : rc_words < 0 ? rc_words
           : rc_roots < 0 ? rc_roots
                          : MCP_PENDING;
  }
  return mcp_call_reply_textf(
      call, "%s, %s (%zu roots)",
      mcp_json_string(mcp_json_pointer(words, "/content/text")),
      mcp_json_string(mcp_json_pointer(who, "/content/name")),
      mcp_json_size(mcp_json_get(roots, "roots")));
}

/* Two rounds, with a state that counts them. */
static int on_steps(mcp_call *call, void *userdata) {
  const mcp_json *first;
  const mcp_json *second;
  ((bench *)userdata)->runs++;
  int64_t count = mcp_json_int(mcp_json_get(mcp_call_state(call), "count"));
  char state[40];
  snprintf(state, sizeof(state), "{\"count\":%d}", (int)count + 1);
  int rc = mcp_call_set_state(call, state);
  if (rc == 0) {
    rc = ask_name(call, "first", &first);
  }
  if (rc == 0) {
    rc = ask_name(call, "second", &second);
  }
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(
      call, "%s %s %d",
      mcp_json_string(mcp_json_pointer(first, "/content/name")),
      mcp_json_string(mcp_json_pointer(second, "/content/name")), (int)count);
}

static int on_url(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  ((bench *)userdata)->runs++;
  int rc = mcp_call_ask_url(call, "pay", "Pay", "https://example.com/pay",
                            "e-1", &answer);
  ((bench *)userdata)->rc = rc;
  return rc != 0 ? rc : mcp_call_reply_text(call, "consented");
}

static int on_form(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_elicit question = {
      .size = MCP_ELICIT_INIT, .message = "Fill in", .form = b->form};
  const mcp_json *answer;
  b->rc = mcp_call_ask_elicit(call, "form", &question, &answer);
  return b->rc != 0 ? b->rc : mcp_call_reply_text(call, "filled in");
}

static int on_sample(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer;
  b->rc = mcp_call_ask_sample(call, "model", b->sample, &answer);
  return b->rc != 0 ? b->rc
                    : mcp_call_reply_text(
                          call, mcp_json_string(mcp_json_get(answer, "model")));
}

static int on_roots(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_roots(call, "roots", &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "rooted");
}

static int on_other(mcp_call *call, void *userdata) {
  return on_greet(call, userdata);
}

static int on_big(mcp_call *call, void *userdata) {
  bench *b = userdata;
  char *state = malloc(70000);
  memset(state, '1', 70000);
  state[69999] = '\0';
  b->rc = mcp_call_set_state(call, state);
  free(state);
  return b->rc;
}

static int on_big_enough(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer;
  static char state[65530];
  memset(state, '1', sizeof(state) - 1);
  b->rc = mcp_call_set_state(call, state);
  assert_int_equal(b->rc, 0);
  b->rc = ask_name(call, "who", &answer);
  return b->rc;
}

static int on_for_ever(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  char key[20];
  int64_t count = mcp_json_int(mcp_call_state(call));
  (void)userdata;
  snprintf(key, sizeof(key), "%d", (int)count + 1);
  mcp_call_set_state(call, key);
  return ask_name(call, key, &answer);
}

/* Sets its state in the first round alone, and asks each question twice. */
static int on_once(mcp_call *call, void *userdata) {
  const mcp_json *first;
  const mcp_json *again;
  const mcp_json *second;
  (void)userdata;
  if (mcp_call_state(call) == NULL) {
    mcp_call_set_state(call, "\"kept\"");
  }
  int rc = ask_name(call, "first", &first);
  if (rc == 0) {
    rc = ask_name(call, "first", &again);
  }
  if (rc == 0) {
    assert_ptr_equal(first, again);
    rc = ask_name(call, "second", &second);
    assert_int_equal(rc, ask_name(call, "second", &second));
  }
  return rc != 0
             ? rc
             : mcp_call_reply_text(call, mcp_json_string(mcp_call_state(call)));
}

static int on_url_without_id(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  return mcp_call_ask_url(call, "k", "m", "https://example.com/", NULL,
                          &answer);
}

static int on_method(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  ((bench *)userdata)->rc = ask_name(call, "k", &answer);
  return ((bench *)userdata)->rc;
}

static int on_fallback(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer;
  b->runs++;
  int rc = ask_name(call, "who", &answer);
  if (rc == MCP_ERR_UNANSWERED) {
    rc = mcp_call_ask_roots(call, "roots", &answer);
  }
  return rc != 0 ? rc : mcp_call_reply_text(call, "went on");
}

static int on_wrong(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer;
  assert_int_equal(ask_name(call, NULL, &answer), MCP_ERR_INVALID);
  assert_int_equal(ask_name(call, "", &answer), MCP_ERR_INVALID);
  assert_int_equal(ask_name(call, "\xff", &answer), MCP_ERR_INVALID);
  assert_int_equal(ask_name(call, "k", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_elicit(call, "k", NULL, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_url(call, "k", "m", "not a url", NULL, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_ask_url(call, "k", NULL, "a:b", NULL, &answer),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_state(call, "{"), MCP_ERR_PARSE);
  assert_int_equal(mcp_call_set_state(call, NULL), MCP_ERR_INVALID);
  assert_null(mcp_call_state(call));
  mcp_call_defer(call);
  b->rc = ask_name(call, "k", &answer);
  return mcp_call_reply_text(call, "checked");
}

/* Two that forget MCP_PENDING. */
static int on_hasty(mcp_call *call, void *userdata) {
  const mcp_json *answer = NULL;
  (void)userdata;
  ask_name(call, "who", &answer);
  return mcp_call_reply_text(call, "hello");
}

static int on_mute(mcp_call *call, void *userdata) {
  const mcp_json *answer = NULL;
  (void)userdata;
  ask_name(call, "who", &answer);
  return 0;
}

/* Three that mix asking with deferring. */
static int on_ask_and_defer(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer = NULL;
  assert_int_equal(ask_name(call, "who", &answer), MCP_PENDING);
  b->kept = call;
  return mcp_call_defer(call);
}

static int on_defer_and_ask(mcp_call *call, void *userdata) {
  bench *b = userdata;
  const mcp_json *answer = NULL;
  assert_int_equal(mcp_call_defer(call), 0);
  b->kept = call;
  b->rc = ask_name(call, "who", &answer);
  return 0;
}

static int on_defer_and_wait(mcp_call *call, void *userdata) {
  ((bench *)userdata)->kept = call;
  assert_int_equal(mcp_call_defer(call), 0);
  return MCP_PENDING;
}

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = name,
                         .input =
                             MCP_OBJECT(MCP_NUMBER("n", "any", .optional = 1)),
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void begin(bench *b, const mcp_server_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  add_tool(b, "greet", on_greet);
  add_tool(b, "three", on_three);
  add_tool(b, "steps", on_steps);
  add_tool(b, "url", on_url);
  add_tool(b, "form", on_form);
  add_tool(b, "sample", on_sample);
  add_tool(b, "roots", on_roots);
  add_tool(b, "other", on_other);
  add_tool(b, "big", on_big);
  add_tool(b, "big_enough", on_big_enough);
  add_tool(b, "for_ever", on_for_ever);
  add_tool(b, "fallback", on_fallback);
  add_tool(b, "wrong", on_wrong);
  add_tool(b, "once", on_once);
  add_tool(b, "hasty", on_hasty);
  add_tool(b, "mute", on_mute);
  add_tool(b, "ask_and_defer", on_ask_and_defer);
  add_tool(b, "defer_and_ask", on_defer_and_ask);
  add_tool(b, "defer_and_wait", on_defer_and_wait);
  add_tool(b, "url_without_id", on_url_without_id);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- rounds ------------------------------------------------------------- */

/* Takes the sealed state out of what came and puts S in its place. Owned. */
static char *take_state(rig_wire *wire) {
  static const char name[] = "\"requestState\":\"";
  char *value = strstr(wire->text.bytes, name);
  assert_non_null(value);
  value += sizeof(name) - 1;
  size_t len = strcspn(value, "\"");
  char *copy = strndup(value, len);
  value[0] = 'S';
  memmove(value + 1, value + len, strlen(value + len) + 1);
  return copy;
}

/* Sends, asserts an input_required result, and returns its state. */
static char *ask_round(bench *b, const char *message, const char *expected) {
  wire_send(&b->wire, message);
  rig_turn(&b->rig);
  char *sealed = take_state(&b->wire);
  wire_expect(&b->wire, __FILE__, __LINE__, expected);
  return sealed;
}

/* A retry of a tool's call with a state (freed) and responses. */
static void send_retry(bench *b, const char *tool, char *sealed,
                       const char *responses) {
  char *message = malloc(strlen(sealed) + strlen(responses) + 500);
  sprintf(message,
          "{$J,'id':2,'method':'tools/call','params':{'name':'%s',"
          "'requestState':'%s','inputResponses':%s,$M" CAPS "}}",
          tool, sealed, responses);
  wire_send(&b->wire, message);
  rig_turn(&b->rig);
  free(message);
  free(sealed);
}

#define retry(b, tool, sealed, responses, expected)                            \
  do {                                                                         \
    send_retry(b, tool, sealed, responses);                                    \
    wire_expect(&(b)->wire, __FILE__, __LINE__, expected);                     \
  } while (0)

#define ADA "{'action':'accept','content':{'name':'Ada'}}"

static void asks_and_is_answered(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "greet", ""),
                           ROUND("1", "'who':" WHO("'mode':'form',")));
  retry(&b, "greet", sealed, "{'who':" ADA "}", TEXT("2", "Hello, Ada"));
  assert_int_equal(b.runs, 2);
  end(&b);
}

static void hands_over_declined_and_cancelled(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "greet", ""),
                           ROUND("1", "'who':" WHO("'mode':'form',")));
  retry(&b, "greet", strdup(sealed), "{'who':{'action':'decline'}}",
        TEXT("2", "declined"));
  retry(&b, "greet", sealed, "{'who':{'action':'cancel','content':null}}",
        TEXT("2", "cancelled"));
  end(&b);
}

static void asks_again_for_what_is_missing(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "greet", ""),
                           ROUND("1", "'who':" WHO("'mode':'form',")));
  send_retry(&b, "greet", sealed, "{'someone':" ADA "}");
  sealed = take_state(&b.wire);
  wire_expect(&b.wire, __FILE__, __LINE__,
              ROUND("2", "'who':" WHO("'mode':'form',")));
  retry(&b, "greet", sealed, "{'who':" ADA ",'x':1,'y':{}}",
        TEXT("2", "Hello, Ada"));
  end(&b);
}

static void takes_answers_without_a_state(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "greet", "'inputResponses':{'who':" ADA "},"),
           TEXT("1", "Hello, Ada"));
  char *sealed = ask_round(&b, CALL("1", "greet", "'inputResponses':null,"),
                           ROUND("1", "'who':" WHO("'mode':'form',")));
  free(sealed);
  end(&b);
}

static void refuses_malformed_answers(void **state) {
  static const struct {
    const char *responses;
    const char *why;
  } cases[] = {
      {"{'who':12345}", "its action must be accept, decline or cancel"},
      {"{'who':{}}", "its action must be accept, decline or cancel"},
      {"{'who':{'action':'maybe'}}",
       "its action must be accept, decline or cancel"},
      {"{'who':{'action':'accept'}}", "its content must be an object"},
      {"{'who':{'action':'accept','content':[]}}",
       "its content must be an object"},
  };
  bench b;
  char expected[300];
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "greet", ""),
                           ROUND("1", "'who':" WHO("'mode':'form',")));
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(expected, sizeof(expected),
             ERROR("2", "-32602", "the answer to \\\"who\\\" is malformed: %s"),
             cases[i].why);
    retry(&b, "greet", strdup(sealed), cases[i].responses, expected);
  }
  send_retry(&b, "greet", sealed,
             "{'who':{'action':'accept','content':{'name':'0123456789'}}}");
  assert_non_null(strstr(b.wire.text.bytes, "\"code\":-32602"));
  assert_non_null(strstr(b.wire.text.bytes, "/name"));
  end(&b);
}

static void asks_several_in_one_round(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(
      &b, CALL("1", "three", ""),
      ROUND("1", "'who':" WHO(
                     "'mode':'form',") ",'words':{"
                                       "'method':'sampling/"
                                       "createMessage','params':{'messages':[{"
                                       "'role':'user','content':{'type':'text',"
                                       "'text':'Greet'}}],"
                                       "'maxTokens':50}},'roots':{'method':'"
                                       "roots/list','params':{}}"));
  retry(&b, "three", sealed,
        "{'who':" ADA ",'words':{'role':'assistant','model':'m','content':{"
        "'type':'text','text':'Hi'}},'roots':{'roots':[{'uri':'file:///a'}]}}",
        TEXT("2", "Hi, Ada (1 roots)"));
  end(&b);
}

static void asks_for_the_rest_when_some_is_answered(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_send(&b.wire, CALL("1", "three", ""));
  rig_turn(&b.rig);
  char *sealed = take_state(&b.wire);
  wire_forget(&b.wire);
  send_retry(&b, "three", sealed, "{'who':" ADA "}");
  sealed = take_state(&b.wire);
  wire_expect(&b.wire, __FILE__, __LINE__,
              ROUND("2", "'words':{'method':'sampling/createMessage','params':{"
                         "'messages':[{'role':'user','content':{'type':'text',"
                         "'text':'Greet'}}],'maxTokens':50}},"
                         "'roots':{'method':'roots/list','params':{}}"));
  /* The first answer travels in the state by now. */
  retry(&b, "three", sealed,
        "{'words':{'role':'assistant','model':'m','content':{'type':'text',"
        "'text':'Hi'}},'roots':{'roots':[]}}",
        TEXT("2", "Hi, Ada (0 roots)"));
  assert_int_equal(b.runs, 3);
  end(&b);
}

static void keeps_its_state_from_round_to_round(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "steps", ""),
                           ROUND("1", "'first':" WHO("'mode':'form',")));
  send_retry(&b, "steps", sealed, "{'first':" ADA "}");
  sealed = take_state(&b.wire);
  wire_expect(&b.wire, __FILE__, __LINE__,
              ROUND("2", "'second':" WHO("'mode':'form',")));
  /* An answer that is sealed cannot be replaced. */
  retry(&b, "steps", sealed,
        "{'first':{'action':'accept','content':{'name':'Eve'}},"
        "'second':{'action':'accept','content':{'name':'Bob'}}}",
        TEXT("2", "Ada Bob 2"));
  assert_int_equal(b.runs, 3);
  end(&b);
}

static void a_state_stays_until_another_is_set(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(&b, CALL("1", "once", ""),
                           ROUND("1", "'first':" WHO("'mode':'form',")));
  send_retry(&b, "once", sealed, "{'first':" ADA "}");
  sealed = take_state(&b.wire);
  wire_expect(&b.wire, __FILE__, __LINE__,
              ROUND("2", "'second':" WHO("'mode':'form',")));
  retry(&b, "once", sealed, "{'second':" ADA "}", TEXT("2", "kept"));
  end(&b);
}

static void only_three_methods_can_ask(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "m",
                             .handler = on_method,
                             .userdata = &b};
  assert_int_equal(mcp_server_add_method(b.rig.server, &method), 0);
  exchange(&b.wire, "{$J,'id':1,'method':'m','params':{$M" CAPS "}}",
           ERROR("1", "-32603", "only tools, prompts and resources can ask"));
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  end(&b);
}

/* --- the seal ----------------------------------------------------------- */

#define REFUSED(why) ERROR("2", "-32602", "requestState was refused: " why)
#define FOREIGN REFUSED("it was altered, or belongs to another request")

static char *first_state(bench *b) {
  wire_send(&b->wire, CALL("1", "greet", ""));
  rig_turn(&b->rig);
  char *sealed = take_state(&b->wire);
  wire_forget(&b->wire);
  return sealed;
}

static void refuses_an_altered_state(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = first_state(&b);
  char *altered = malloc(strlen(sealed) + 20);
  sprintf(altered, "%s-TAMPERED", sealed);
  retry(&b, "greet", altered, "{'who':" ADA "}", FOREIGN);
  altered = strdup(sealed);
  altered[50] = altered[50] == 'A' ? 'B' : 'A';
  retry(&b, "greet", altered, "{'who':" ADA "}", FOREIGN);
  retry(&b, "greet", strdup(""), "{'who':" ADA "}", FOREIGN);
  retry(&b, "greet", strdup("AAAA"), "{}", FOREIGN);
  retry(&b, "greet", strdup("not base64!"), "{}", FOREIGN);
  assert_int_equal(b.runs, 1);
  free(sealed);
  end(&b);
}

static void refuses_an_expired_state(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .ask_timeout_ms = 5000};
  bench b;
  (void)state;
  begin(&b, &options);
  char *sealed = first_state(&b);
  rig_pass(&b.rig, 4999);
  retry(&b, "greet", strdup(sealed), "{'who':" ADA "}",
        TEXT("2", "Hello, Ada"));
  rig_pass(&b.rig, 1);
  retry(&b, "greet", sealed, "{'who':" ADA "}", REFUSED("it has expired"));
  end(&b);
}

static void refuses_the_state_of_another_request(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = first_state(&b);
  /* Another tool, which asks the same. */
  retry(&b, "other", strdup(sealed), "{'who':" ADA "}", FOREIGN);
  /* Other arguments. */
  char *message = malloc(strlen(sealed) + 500);
  sprintf(message,
          "{$J,'id':2,'method':'tools/call','params':{'arguments':{'n':1},"
          "'name':'greet','requestState':'%s','inputResponses':{},$M" CAPS "}}",
          sealed);
  exchange(&b.wire, message, FOREIGN);
  /* The same in another order, with other _meta: the same request. */
  sprintf(message,
          "{$J,'id':2,'method':'tools/call','params':{$M" CAPS
          ",'requestState':'%s','inputResponses':{'who':" ADA
          "},'name':'greet'}}",
          sealed);
  exchange(&b.wire, message, TEXT("2", "Hello, Ada"));
  free(message);
  free(sealed);
  end(&b);
}

static void refuses_the_state_of_another_principal(void **state) {
  const mcp_connection_options ada = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                      .principal = "ada"};
  const mcp_connection_options eve = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                      .principal = "eve"};
  bench b;
  rig_wire nobody;
  (void)state;
  begin(&b, NULL);
  nobody = b.wire;
  rig_wire wires[2];
  assert_int_equal(wire_connect(&wires[0], &b.rig, &ada), 0);
  assert_int_equal(wire_connect(&wires[1], &b.rig, &eve), 0);
  wires[0].end->owner = &b.wire;
  wires[1].end->owner = &b.wire;
  b.wire.end = wires[0].end;
  char *sealed = first_state(&b);
  b.wire.end = wires[1].end;
  retry(&b, "greet", strdup(sealed), "{'who':" ADA "}", FOREIGN);
  b.wire.end = nobody.end;
  retry(&b, "greet", strdup(sealed), "{'who':" ADA "}", FOREIGN);
  b.wire.end = wires[0].end;
  retry(&b, "greet", sealed, "{'who':" ADA "}", TEXT("2", "Hello, Ada"));
  b.wire.end = nobody.end;
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  rig_turn(&b.rig);
  wire_deinit(&wires[0]);
  wire_deinit(&wires[1]);
  end(&b);
}

static void serves_a_replay(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = first_state(&b);
  retry(&b, "greet", strdup(sealed), "{'who':" ADA "}",
        TEXT("2", "Hello, Ada"));
  retry(&b, "greet", sealed, "{'who':" ADA "}", TEXT("2", "Hello, Ada"));
  end(&b);
}

/* Seals with the first key; opens with any. */
static void turns_its_keys(void **state) {
  uint8_t keys[2][MCP_SEAL_KEY_SIZE];
  memset(keys[0], 'a', sizeof(keys[0]));
  memset(keys[1], 'b', sizeof(keys[1]));
  const mcp_server_options old_key = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .state_keys = keys[0],
                                      .state_key_count = 1};
  const mcp_server_options new_key = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .state_keys = keys[1],
                                      .state_key_count = 1};
  bench b;
  (void)state;
  begin(&b, &old_key);
  char *sealed = first_state(&b);
  end(&b);
  /* Another process with both keys, the new one first. */
  uint8_t ring[2][MCP_SEAL_KEY_SIZE];
  memcpy(ring[0], keys[1], sizeof(ring[0]));
  memcpy(ring[1], keys[0], sizeof(ring[1]));
  const mcp_server_options both = {.size = MCP_SERVER_OPTIONS_INIT,
                                   .state_keys = ring[0],
                                   .state_key_count = 2};
  begin(&b, &both);
  retry(&b, "greet", strdup(sealed), "{'who':" ADA "}",
        TEXT("2", "Hello, Ada"));
  char *newer = first_state(&b);
  end(&b);
  begin(&b, &new_key);
  retry(&b, "greet", sealed, "{'who':" ADA "}", FOREIGN);
  retry(&b, "greet", newer, "{'who':" ADA "}", TEXT("2", "Hello, Ada"));
  end(&b);
  /* Without keys, each process has its own. */
  begin(&b, NULL);
  sealed = first_state(&b);
  end(&b);
  begin(&b, NULL);
  b.rig.seed = 1;
  retry(&b, "greet", sealed, "{'who':" ADA "}", FOREIGN);
  end(&b);
}

static void needs_the_platform_to_seal(void **state) {
  static const char *const missing[] = {"seal", "unseal", "random"};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    bench b;
    char expected[200];
    begin(&b, NULL);
    end(&b);
    memset(&b, 0, sizeof(b));
    assert_int_equal(rig_init(&b.rig, NULL, NULL), 0);
    mcp_loop_free(b.rig.loop);
    b.rig.platform.seal = i == 0 ? NULL : b.rig.platform.seal;
    b.rig.platform.unseal = i == 1 ? NULL : b.rig.platform.unseal;
    b.rig.platform.random = i == 2 ? NULL : b.rig.platform.random;
    b.rig.loop = mcp_loop_new_manual(&b.rig.platform, NULL);
    add_tool(&b, "greet", on_greet);
    assert_int_equal(wire_connect(&b.wire, &b.rig, NULL), 0);
    snprintf(expected, sizeof(expected),
             ERROR("1", "-32603", "the platform cannot seal: it has no %s"),
             missing[i]);
    exchange(&b.wire, CALL("1", "greet", ""), expected);
    assert_int_equal(b.rc, MCP_ERR_PLATFORM);
    end(&b);
  }
}

/* --- limits ------------------------------------------------------------- */

static void limits_the_rounds(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_rounds = 3};
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, CALL("1", "for_ever", ""));
  rig_turn(&b.rig);
  for (int round = 0; round < 2; round++) {
    char *sealed = take_state(&b.wire);
    wire_forget(&b.wire);
    send_retry(&b, "for_ever", sealed, "{}");
  }
  char *sealed = take_state(&b.wire);
  wire_forget(&b.wire);
  retry(
      &b, "for_ever", sealed, "{}",
      ERROR("2", "-32603", "the call has asked 3 rounds of questions already"));
  end(&b);
}

static void limits_the_state(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "big", ""),
           ERROR("1", "-32603", "state: 69999 bytes are more than 65536"));
  assert_int_equal(b.rc, MCP_ERR_LIMIT);
  wire_send(&b.wire, CALL("1", "big_enough", ""));
  rig_turn(&b.rig);
  assert_int_equal(b.rc, MCP_ERR_LIMIT);
  assert_non_null(strstr(b.wire.text.bytes, "more than 65536"));
  end(&b);
}

static void says_what_a_handler_did_wrong(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "wrong", ""), TEXT("1", "checked"));
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  end(&b);
}

/* Two questions under one key, of two kinds and of one kind. */
static int on_one_key(mcp_call *call, void *userdata) {
  const mcp_elicit other = {.size = MCP_ELICIT_INIT,
                            .message = "What?",
                            .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  bench *b = userdata;
  const mcp_json *answer;
  b->runs++;
  int rc = ask_name(call, "who", &answer);
  assert_int_equal(ask_name(call, "who", &answer), rc);
  if (rc == MCP_PENDING && !b->goes_on) {
    return rc;
  }
  b->rc = mcp_call_ask_elicit(call, "who", &other, &answer);
  return mcp_call_ask_roots(call, "who", &answer);
}

static void a_key_names_one_question(void **state) {
  static const char why[] =
      "the key \\\"who\\\" names two questions of this call: give each its own";
  char expected[300];
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "one_key", on_one_key);
  snprintf(expected, sizeof(expected), ERROR("2", "-32603", "%s"), why);
  exchange(&b.wire, CALL("2", "one_key", "'inputResponses':{'who':" ADA "},"),
           expected);
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  b.goes_on = 1;
  exchange(&b.wire, CALL("2", "one_key", ""), expected);
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  assert_int_equal(b.runs, 2);
  end(&b);
}

/* --- capabilities ------------------------------------------------------- */

static void names_the_capability_that_is_missing(void **state) {
  const mcp_sample with_tools = {
      .size = MCP_SAMPLE_INIT, .prompt = "x", .max_tokens = 1, .tools = "[]"};
  static const struct {
    const char *tool;
    const char *has;
    const char *name;
    const char *data;
  } cases[] = {
      {"greet", "{}", "elicitation.form", "{'elicitation':{'form':{}}}"},
      {"greet", "{'elicitation':{'url':{}}}", "elicitation.form",
       "{'elicitation':{'form':{}}}"},
      {"url", "{'elicitation':{}}", "elicitation.url",
       "{'elicitation':{'url':{}}}"},
      {"roots", "{}", "roots", "{'roots':{}}"},
      {"sample", "{'sampling':{}}", "sampling.tools",
       "{'sampling':{'tools':{}}}"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    bench b;
    char message[300];
    char expected[400];
    begin(&b, NULL);
    b.sample = &with_tools;
    snprintf(message, sizeof(message),
             "{$J,'id':1,'method':'tools/call','params':{'name':'%s',$M%s}}",
             cases[i].tool, cases[i].has);
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32021,'message':'the client has not "
             "declared the capability %s','data':{'requiredCapabilities':%s}}}",
             cases[i].name, cases[i].data);
    exchange(&b.wire, message, expected);
    wire_initialize(&b.wire, "2025-11-25", cases[i].has);
    snprintf(message, sizeof(message), LEGACY_CALL("1", "%s"), cases[i].tool);
    snprintf(
        expected, sizeof(expected),
        ERROR("1", "-32603", "the client has not declared the capability %s"),
        cases[i].name);
    exchange(&b.wire, message, expected);
    end(&b);
  }
}

static void an_empty_elicitation_capability_is_the_form(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-06-18", "{'elicitation':{}}");
  wire_send(&b.wire, LEGACY_CALL("1", "greet"));
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "elicitation/create"));
  end(&b);
}

/* --- legacy ------------------------------------------------------------- */

static void asks_a_legacy_client_by_requests(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "greet"),
           "{$J,'id':1,'method':'elicitation/create','params':{'mode':'form',"
           "'message':'Who?','requestedSchema':{'type':'object','properties':{"
           "'name':{'type':'string','description':'yours','maxLength':9}},"
           "'required':['name']}}}");
  exchange(&b.wire, "{$J,'id':1,'result':" ADA "}",
           LEGACY_TEXT("1", "Hello, Ada"));
  assert_int_equal(b.runs, 2);
  exchange(&b.wire, LEGACY_CALL("'x'", "greet"),
           "{$J,'id':2,'method':'elicitation/create','params':{'mode':'form',"
           "'message':'Who?','requestedSchema':{'type':'object','properties':{"
           "'name':{'type':'string','description':'yours','maxLength':9}},"
           "'required':['name']}}}");
  exchange(&b.wire, "{$J,'id':2,'result':{'action':'decline'}}",
           LEGACY_TEXT("'x'", "declined"));
  end(&b);
}

static void asks_legacy_rounds(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-06-18", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "steps"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  wire_send(&b.wire, "{$J,'id':1,'result':" ADA "}");
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "\"id\":2,\"method\""));
  wire_forget(&b.wire);
  exchange(&b.wire,
           "{$J,'id':2,'result':{'action':'accept','content':{'name':'Bob'}}}",
           LEGACY_TEXT("1", "Ada Bob 2"));
  end(&b);
}

static void runs_again_when_all_answers_are_in(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "three"));
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "{\"jsonrpc\":\"2.0\",\"id\":3,"
                                            "\"method\":\"roots/list\"}"));
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':3,'result':{'roots':[]}}", "");
  exchange(&b.wire,
           "{$J,'id':2,'result':{'role':'assistant','model':'m','content':{"
           "'type':'text','text':'Hi'}}}",
           "");
  assert_int_equal(b.runs, 1);
  exchange(&b.wire, "{$J,'id':1,'result':" ADA "}",
           LEGACY_TEXT("1", "Hi, Ada (0 roots)"));
  assert_int_equal(b.runs, 2);
  end(&b);
}

static void tells_when_a_legacy_client_fails_to_answer(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .ask_timeout_ms = 5000};
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "greet"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':1,'error':{'code':-1,'message':'User rejected'}}",
           ERROR("1", "-32603",
                 "question \\\"who\\\" was not answered: User rejected"));
  assert_int_equal(b.rc, MCP_ERR_UNANSWERED);
  wire_send(&b.wire, LEGACY_CALL("1", "greet"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  rig_pass(&b.rig, 5000);
  expect(&b.wire,
         "{$J,'method':'notifications/cancelled','params':{'requestId':2,"
         "'reason':'timed out'}}\n" ERROR(
             "1", "-32603",
             "question \\\"who\\\" was not answered: no answer in time"));
  /* A late answer is nobody's. */
  exchange(&b.wire, "{$J,'id':2,'result':" ADA "}", "");
  wire_send(&b.wire, LEGACY_CALL("1", "greet"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':3,'result':{'action':7}}",
           ERROR("1", "-32602",
                 "the answer to \\\"who\\\" is malformed: its "
                 "action must be accept, decline or cancel"));
  end(&b);
}

static void limits_the_bytes_of_legacy_answers(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 64 * 1024};
  static char answer[20000];
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "three"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  /* 16 KB with its values. */
  snprintf(answer, sizeof(answer),
           "{$J,'id':3,'result':{'roots':[],'pad':'%*s'}}", 3500, "");
  exchange(&b.wire, answer, "");
  snprintf(answer, sizeof(answer),
           "{$J,'id':2,'result':{'role':'assistant','model':'m','content':{"
           "'type':'text','text':'Hi'},'pad':'%*s'}}",
           3500, "");
  exchange(&b.wire, answer, "");
  exchange(&b.wire, "{$J,'id':1,'result':" ADA "}",
           ERROR("1", "-32603",
                 "question \\\"words\\\" was not answered: the answers take "
                 "too many bytes"));
  exchange(&b.wire, "{$J,'id':2,'method':'ping'}", "{$J,'id':2,'result':{}}");
  wire_send(&b.wire, LEGACY_CALL("1", "roots"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  snprintf(answer, sizeof(answer),
           "{$J,'id':4,'result':{'roots':[],'pad':'%*s'}}", 7000, "");
  wire_send(&b.wire, answer);
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "too many bytes"));
  end(&b);
}

/* A failure is known in later rounds too. */
static void a_handler_may_go_on_without_an_answer(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "fallback"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':1,'error':{'code':-32603,'message':'no'}}",
           "{$J,'id':2,'method':'roots/list'}");
  exchange(&b.wire, "{$J,'id':2,'result':{'roots':[]}}",
           LEGACY_TEXT("1", "went on"));
  assert_int_equal(b.runs, 3);
  end(&b);
}

static void takes_its_questions_back_when_it_is_cancelled(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "three"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  wire_send(&b.wire, "{$J,'id':2,'result':{'x':1}}");
  exchange(&b.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':1}}",
           "{$J,'method':'notifications/cancelled','params':{'requestId':1,"
           "'reason':'the call that asked was cancelled'}}\n"
           "{$J,'method':'notifications/cancelled','params':{'requestId':3,"
           "'reason':'the call that asked was cancelled'}}");
  exchange(&b.wire, "{$J,'id':1,'result':" ADA "}", "");
  assert_int_equal(b.runs, 1);
  end(&b);
}

static void questions_end_with_their_connection(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  wire_send(&b.wire, LEGACY_CALL("1", "three"));
  wire_send(&b.wire, LEGACY_CALL("2", "greet"));
  rig_turn(&b.rig);
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  assert_int_equal(b.wire.close_count, 1);
  assert_int_equal(b.runs, 2);
  end(&b);
}

static void asks_by_url(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  char *sealed = ask_round(
      &b, CALL("1", "url", ""),
      ROUND("1", "'pay':{'method':'elicitation/create','params':{'mode':'url',"
                 "'message':'Pay','url':'https://example.com/pay'}}"));
  retry(&b, "url", sealed, "{'pay':{'action':'accept'}}",
        TEXT("2", "consented"));
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "url"),
           "{$J,'id':1,'method':'elicitation/create','params':{'mode':'url',"
           "'message':'Pay','url':'https://example.com/pay',"
           "'elicitationId':'e-1'}}");
  exchange(&b.wire, "{$J,'id':1,'result':{'action':'accept'}}",
           LEGACY_TEXT("1", "consented"));
  end(&b);
}

static void makes_an_id_for_a_url(void **state) {
  bench b;
  char *ids[2];
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  for (int i = 0; i < 2; i++) {
    wire_send(&b.wire, LEGACY_CALL("'x'", "url_without_id"));
    wire_send(&b.wire, "{$J,'method':'notifications/cancelled','params':{"
                       "'requestId':'x'}}");
    rig_turn(&b.rig);
    char *id = strstr(b.wire.text.bytes, "\"elicitationId\":\"k-");
    assert_non_null(id);
    ids[i] = strndup(id, strcspn(id, "}"));
    wire_forget(&b.wire);
  }
  assert_string_not_equal(ids[0], ids[1]);
  free(ids[0]);
  free(ids[1]);
  end(&b);
}

static void offers_tools_to_the_model(void **state) {
  const mcp_sample sample = {.size = MCP_SAMPLE_INIT,
                             .prompt = "x",
                             .max_tokens = 1,
                             .tools = "[{\"name\":\"t\"}]",
                             .tool_choice = "required"};
  bench b;
  (void)state;
  begin(&b, NULL);
  b.sample = &sample;
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "sample"),
           "{$J,'id':1,'method':'sampling/createMessage','params':{"
           "'messages':[{'role':'user','content':{'type':'text','text':'x'}}],"
           "'maxTokens':1,'tools':[{'name':'t'}],'toolChoice':{"
           "'mode':'required'}}}");
  end(&b);
}

static void reports_handlers_that_do_not_wait_for_an_answer(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "hasty"), LEGACY_TEXT("1", "hello"));
  exchange(&b.wire, LEGACY_CALL("2", "mute"),
           ERROR("2", "-32603", "the server dropped the request"));
  wire_send(&b.wire, CALL("3", "hasty", ""));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  assert_string_equal(b.rig.reports.bytes,
                      "hasty: the handler replied, but its question \"who\" "
                      "has no answer yet: return MCP_PENDING\n"
                      "mute: the handler asked a question, did not return "
                      "MCP_PENDING, and ended without a reply\n"
                      "hasty: the handler replied, but its question \"who\" "
                      "has no answer yet: return MCP_PENDING");
  end(&b);
}

static void expect_report(bench *b, const char *tool, const char *report) {
  char request[200];
  snprintf(request, sizeof(request), LEGACY_CALL("1", "%s"), tool);
  rig_text_clear(&b->rig.reports);
  b->rc = 0;
  exchange(&b->wire, request, "");
  assert_string_equal(b->rig.reports.bytes, report);
  assert_int_equal(mcp_call_reply_text(b->kept, "later"), 0);
  assert_string_equal(b->rig.reports.bytes, report);
  expect(&b->wire, LEGACY_TEXT("1", "later"));
}

static void reports_handlers_that_ask_and_defer(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  expect_report(&b, "ask_and_defer",
                "ask_and_defer: the handler deferred, but its question \"who\" "
                "has no answer yet: return MCP_PENDING");
  expect_report(&b, "defer_and_ask",
                "defer_and_ask: the handler asked after it had deferred: ask "
                "first, and defer when all answers are there");
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  expect_report(&b, "defer_and_wait",
                "defer_and_wait: the handler returned MCP_PENDING after it had "
                "deferred");
  end(&b);
}

/* Clients may declare what their revision does not have. */
static void never_asks_what_the_revision_does_not_have(void **state) {
  static const mcp_sample with_tools = {
      .size = MCP_SAMPLE_INIT, .prompt = "x", .max_tokens = 1, .tools = "[]"};
  static const mcp_sample with_more_tools = {.size = MCP_SAMPLE_INIT,
                                             .prompt = "x",
                                             .max_tokens = 1,
                                             .more = "\"tools\":[]"};
  static const mcp_sample audio = {
      .size = MCP_SAMPLE_INIT,
      .messages = "[{\"role\":\"user\",\"content\":{\"type\":\"audio\","
                  "\"data\":\"\",\"mimeType\":\"audio/wav\"}}]",
      .max_tokens = 1};
  static const mcp_sample tool_use = {
      .size = MCP_SAMPLE_INIT,
      .messages =
          "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\","
          "\"id\":\"1\",\"name\":\"t\",\"input\":{}}]},"
          "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
          "\"toolUseId\":\"1\",\"content\":[]}]}]",
      .max_tokens = 1};
  static const struct {
    const char *revision;
    const char *tool;
    const mcp_sample *sample;
    int rc;
  } cases[] = {
      {"2024-11-05", "form", NULL, MCP_ERR_UNSUPPORTED},
      {"2025-03-26", "form", NULL, MCP_ERR_UNSUPPORTED},
      {"2025-06-18", "form", NULL, MCP_PENDING},
      {"2024-11-05", "url", NULL, MCP_ERR_UNSUPPORTED},
      {"2025-06-18", "url", NULL, MCP_ERR_UNSUPPORTED},
      {"2025-11-25", "url", NULL, MCP_PENDING},
      {"2025-06-18", "sample", &with_tools, MCP_ERR_UNSUPPORTED},
      {"2025-06-18", "sample", &with_more_tools, MCP_ERR_UNSUPPORTED},
      {"2025-11-25", "sample", &with_tools, MCP_PENDING},
      {"2024-11-05", "sample", &audio, MCP_ERR_UNSUPPORTED},
      {"2025-03-26", "sample", &audio, MCP_PENDING},
      {"2025-06-18", "sample", &tool_use, MCP_ERR_UNSUPPORTED},
      {"2025-11-25", "sample", &tool_use, MCP_PENDING},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    bench b;
    char message[300];
    begin(&b, NULL);
    b.form = MCP_OBJECT(MCP_STRING("s", NULL));
    b.sample = cases[i].sample;
    wire_initialize(&b.wire, cases[i].revision, CAPS);
    snprintf(message, sizeof(message), LEGACY_CALL("1", "%s"), cases[i].tool);
    wire_send(&b.wire, message);
    rig_turn(&b.rig);
    assert_int_equal(b.rc, cases[i].rc);
    if (cases[i].rc != MCP_PENDING) {
      assert_null(strstr(b.wire.text.bytes, "\"method\""));
      assert_non_null(strstr(b.wire.text.bytes, cases[i].revision));
    }
    end(&b);
  }
}

/* To declare it would not help. */
static void names_the_revision_where_nothing_is_declared_either(void **state) {
  static const mcp_sample with_tools = {
      .size = MCP_SAMPLE_INIT, .prompt = "x", .max_tokens = 1, .tools = "[]"};
  static const struct {
    const char *revision;
    const char *tool;
    const char *capabilities;
  } cases[] = {{"2024-11-05", "form", "{}"},
               {"2025-06-18", "url", "{'elicitation':{}}"},
               {"2025-06-18", "sample", "{'sampling':{}}"}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    bench b;
    char message[300];
    begin(&b, NULL);
    b.form = MCP_OBJECT(MCP_STRING("s", NULL));
    b.sample = &with_tools;
    wire_initialize(&b.wire, cases[i].revision, cases[i].capabilities);
    snprintf(message, sizeof(message), LEGACY_CALL("1", "%s"), cases[i].tool);
    wire_send(&b.wire, message);
    rig_turn(&b.rig);
    assert_int_equal(b.rc, MCP_ERR_UNSUPPORTED);
    assert_non_null(strstr(b.wire.text.bytes, cases[i].revision));
    end(&b);
  }
}

/* In older revisions there is no capability that could say so. */
static void asks_for_context_where_the_client_declared_it(void **state) {
  static const mcp_sample context = {.size = MCP_SAMPLE_INIT,
                                     .prompt = "x",
                                     .max_tokens = 1,
                                     .more = "\"includeContext\":"
                                             "\"thisServer\""};
  static const mcp_sample none = {.size = MCP_SAMPLE_INIT,
                                  .prompt = "x",
                                  .max_tokens = 1,
                                  .more = "\"includeContext\":\"none\""};
  static const struct {
    const char *revision;
    const char *capabilities;
    const mcp_sample *sample;
    int rc;
  } cases[] = {
      {"2025-11-25", "{'sampling':{}}", &context, MCP_ERR_CAPABILITY},
      {"2025-11-25", "{'sampling':{}}", &none, MCP_PENDING},
      {"2025-11-25", "{'sampling':{'context':{}}}", &context, MCP_PENDING},
      {"2025-06-18", "{'sampling':{}}", &context, MCP_PENDING},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    bench b;
    begin(&b, NULL);
    b.sample = cases[i].sample;
    wire_initialize(&b.wire, cases[i].revision, cases[i].capabilities);
    wire_send(&b.wire, LEGACY_CALL("1", "sample"));
    rig_turn(&b.rig);
    assert_int_equal(b.rc, cases[i].rc);
    end(&b);
  }
}

static void shows_the_model_tools_without_boolean_properties(void **state) {
  const mcp_sample sample = {
      .size = MCP_SAMPLE_INIT,
      .prompt = "x",
      .max_tokens = 1,
      .tools = "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\","
               "\"properties\":{\"a\":true}}},{\"name\":\"u\"}]"};
  bench b;
  (void)state;
  begin(&b, NULL);
  b.sample = &sample;
  wire_initialize(&b.wire, "2025-11-25", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "sample"),
           "{$J,'id':1,'method':'sampling/createMessage','params':{"
           "'messages':[{'role':'user','content':{'type':'text','text':'x'}}],"
           "'maxTokens':1,'tools':[{'name':'t','inputSchema':{"
           "'type':'object','properties':{'a':{}}}},{'name':'u'}]}}");
  end(&b);
}

/* --- forms and samples by revision -------------------------------------- */

#define PLAIN_FORM                                                             \
  "{\"type\":\"object\",\"properties\":{\"c\":{\"type\":\"string\","           \
  "\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},{\"const\":\"g\","           \
  "\"title\":\"Green\"}],\"default\":\"r\"},\"n\":{\"type\":\"integer\","      \
  "\"default\":3}},\"additionalProperties\":false}"
#define MULTI_FORM                                                             \
  "{\"type\":\"object\",\"properties\":{\"m\":{\"type\":\"array\",\"items\":"  \
  "{\"type\":\"string\",\"enum\":[\"a\"]}}}}"

static void shapes_forms_for_the_revision(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  b.form = MCP_SCHEMA_TEXT(PLAIN_FORM);
  wire_initialize(&b.wire, "2025-06-18", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "form"),
           "{$J,'id':1,'method':'elicitation/create','params':{"
           "'message':'Fill in','requestedSchema':{'type':'object',"
           "'properties':{'c':{'type':'string','enum':['r','g'],"
           "'enumNames':['Red','Green']},'n':{'type':'integer'}}}}}");
  exchange(&b.wire,
           "{$J,'id':1,'result':{'action':'accept','content':{'c':'g'}}}",
           LEGACY_TEXT("1", "filled in"));
  char *sealed = ask_round(
      &b, CALL("1", "form", ""),
      ROUND("1",
            "'form':{'method':'elicitation/create','params':{'mode':'form',"
            "'message':'Fill in','requestedSchema':{'type':'object',"
            "'properties':{'c':{'type':'string','oneOf':[{'const':'r',"
            "'title':'Red'},{'const':'g','title':'Green'}],'default':'r'},"
            "'n':{'type':'integer','default':3}}}}}"));
  free(sealed);
  b.form = MCP_SCHEMA_TEXT(MULTI_FORM);
  exchange(&b.wire, LEGACY_CALL("1", "form"),
           ERROR("1", "-32603", "form: 2025-06-18 has no choice of several"));
  assert_int_equal(b.rc, MCP_ERR_UNSUPPORTED);
  wire_send(&b.wire, CALL("1", "form", ""));
  rig_turn(&b.rig);
  free(take_state(&b.wire));
  end(&b);
}

static void refuses_forms_that_are_none(void **state) {
  static const char *const forms[] = {
      "[]", "{", "{\"type\":\"string\"}",
      "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\"}}}",
      ("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
       "\"minimum\":1,\"default\":0}}}")};
  (void)state;
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
    bench b;
    begin(&b, NULL);
    const mcp_schema form = {.text = forms[i]};
    b.form = &form;
    wire_send(&b.wire, CALL("1", "form", ""));
    rig_turn(&b.rig);
    assert_int_equal(b.rc, MCP_ERR_INVALID);
    assert_non_null(strstr(b.wire.text.bytes, "\"message\":\"form: "));
    end(&b);
  }
}

static void asserts_formats_of_answers(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  b.form = MCP_OBJECT(MCP_STRING("e", NULL, .more = "\"format\":\"email\""));
  wire_initialize(&b.wire, "2025-06-18", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "form"),
           "{$J,'id':1,'method':'elicitation/create','params':{"
           "'message':'Fill in','requestedSchema':{'type':'object',"
           "'properties':{'e':{'type':'string','format':'email'}},"
           "'required':['e']}}}");
  exchange(&b.wire,
           "{$J,'id':1,'result':{'action':'accept','content':{'e':'me'}}}",
           ERROR("1", "-32602",
                 "the answer to \\\"form\\\" is malformed: /e: the string "
                 "\\\"me\\\" is not of the format \\\"email\\\""));
  end(&b);
}

/* Of this form the client sees neither the pattern nor that there may be no
 * other members. */
static void judges_answers_by_what_was_shown(void **state) {
  static const char *const revisions[] = {"2025-06-18", "2025-11-25"};
  (void)state;
  plain_regex_provide();
  for (int i = 0; i < 2; i++) {
    bench b;
    begin(&b, NULL);
    b.form = MCP_OBJECT(
        MCP_STRING("s", NULL, .more = "\"pattern\":\"^a\",\"maxLength\":3"));
    wire_initialize(&b.wire, revisions[i], CAPS);
    wire_send(&b.wire, LEGACY_CALL("1", "form"));
    rig_turn(&b.rig);
    assert_null(strstr(b.wire.text.bytes, "pattern"));
    assert_null(strstr(b.wire.text.bytes, "additionalProperties"));
    wire_forget(&b.wire);
    exchange(&b.wire,
             "{$J,'id':1,'result':{'action':'accept','content':{'s':'b',"
             "'more':1}}}",
             LEGACY_TEXT("1", "filled in"));
    wire_send(&b.wire, LEGACY_CALL("2", "form"));
    rig_turn(&b.rig);
    wire_forget(&b.wire);
    exchange(&b.wire,
             "{$J,'id':2,'result':{'action':'accept','content':{'s':'bcde'}}}",
             ERROR("2", "-32602",
                   "the answer to \\\"form\\\" is malformed: /s: the string "
                   "\\\"bcde\\\" has 4 characters, the maximum is 3"));
    end(&b);
  }
}

#define BLOCKS                                                                 \
  "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"       \
  "{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\",\"content\":"  \
  "{\"type\":\"text\",\"text\":\"c\"}}]"

static void shapes_samples_for_the_revision(void **state) {
  const mcp_sample sample = {.size = MCP_SAMPLE_INIT,
                             .messages = BLOCKS,
                             .system_prompt = "Be brief",
                             .max_tokens = 9,
                             .more = "\"temperature\":0.5"};
  bench b;
  (void)state;
  begin(&b, NULL);
  b.sample = &sample;
  wire_initialize(&b.wire, "2024-11-05", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "sample"),
           "{$J,'id':1,'method':'sampling/createMessage','params':{"
           "'messages':[{'role':'user','content':{'type':'text','text':'a'}},"
           "{'role':'user','content':{'type':'text','text':'b'}},"
           "{'role':'assistant','content':{'type':'text','text':'c'}}],"
           "'systemPrompt':'Be brief','maxTokens':9,'temperature':0.5}}");
  exchange(&b.wire,
           "{$J,'id':1,'result':{'role':'assistant','model':'gpt','content':{"
           "'type':'text','text':'x'},'stopReason':'endTurn'}}",
           LEGACY_TEXT("1", "gpt"));
  char *sealed = ask_round(
      &b, CALL("1", "sample", ""),
      ROUND("1", "'model':{'method':'sampling/createMessage','params':{"
                 "'messages':[{'role':'user','content':[{'type':'text',"
                 "'text':'a'},{'type':'text','text':'b'}]},{"
                 "'role':'assistant','content':{'type':'text','text':'c'}}],"
                 "'systemPrompt':'Be brief','maxTokens':9,"
                 "'temperature':0.5}}"));
  free(sealed);
  end(&b);
}

static void refuses_samples_that_are_none(void **state) {
  static const mcp_sample samples[] = {
      {.size = 0},
      {.size = MCP_SAMPLE_INIT, .prompt = "x"},
      {.size = MCP_SAMPLE_INIT, .max_tokens = 1},
      {.size = MCP_SAMPLE_INIT, .prompt = "\xff", .max_tokens = 1},
      {.size = MCP_SAMPLE_INIT, .messages = "{}", .max_tokens = 1},
      {.size = MCP_SAMPLE_INIT, .messages = "[", .max_tokens = 1},
      {.size = MCP_SAMPLE_INIT, .prompt = "x", .max_tokens = 1, .more = "x"},
      {.size = MCP_SAMPLE_INIT, .prompt = "x", .max_tokens = 1, .tools = "{}"},
      {.size = MCP_SAMPLE_INIT,
       .prompt = "x",
       .max_tokens = 1,
       .tool_choice = "any"},
      /* Contents that no revision has for a model. */
      {.size = MCP_SAMPLE_INIT,
       .max_tokens = 1,
       .messages = "[{\"role\":\"user\",\"content\":{\"type\":\"video\"}}]"},
      {.size = MCP_SAMPLE_INIT,
       .max_tokens = 1,
       .messages = "[{\"role\":\"user\",\"content\":[{\"type\":"
                   "\"resource_link\",\"uri\":\"a:b\",\"name\":\"b\"}]}]"},
      {.size = MCP_SAMPLE_INIT,
       .max_tokens = 1,
       .messages = "[{\"role\":\"user\",\"content\":{}}]"},
      /* A tool use without its result. */
      {.size = MCP_SAMPLE_INIT,
       .max_tokens = 1,
       .messages = "[{\"role\":\"assistant\",\"content\":{\"type\":"
                   "\"tool_use\",\"id\":\"a\",\"name\":\"t\","
                   "\"input\":{}}}]"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
    bench b;
    begin(&b, NULL);
    b.sample = &samples[i];
    wire_send(&b.wire, CALL("1", "sample", ""));
    rig_turn(&b.rig);
    assert_int_equal(b.rc, MCP_ERR_INVALID);
    assert_non_null(strstr(b.wire.text.bytes, "-32603"));
    end(&b);
  }
}

static void refuses_malformed_samples_and_roots(void **state) {
  static const char *const samples[] = {
      "{'model':{}}", "{'model':{'role':'user'}}",
      "{'model':{'role':'user','content':'x','model':'m'}}",
      "{'model':{'role':'user','content':{}}}"};
  static const char *const roots[] = {"{'roots':{}}", "{'roots':{'roots':{}}}",
                                      "{'roots':{'roots':[{}]}}"};
  const mcp_sample sample = {.size = MCP_SAMPLE_INIT,
                             .prompt = "x",
                             .max_tokens = 1,
                             .tools = "[]",
                             .tool_choice = "auto"};
  bench b;
  (void)state;
  begin(&b, NULL);
  b.sample = &sample;
  for (size_t i = 0; i < 4; i++) {
    char message[300];
    snprintf(message, sizeof(message),
             CALL("1", "sample", "'inputResponses':%s,"), samples[i]);
    wire_send(&b.wire, message);
    rig_turn(&b.rig);
    assert_non_null(strstr(b.wire.text.bytes, "-32602"));
    wire_forget(&b.wire);
  }
  for (size_t i = 0; i < 3; i++) {
    char message[300];
    snprintf(message, sizeof(message),
             CALL("1", "roots", "'inputResponses':%s,"), roots[i]);
    wire_send(&b.wire, message);
    rig_turn(&b.rig);
    assert_non_null(strstr(b.wire.text.bytes, "-32602"));
    wire_forget(&b.wire);
  }
  end(&b);
}

/* --- other methods, other threads --------------------------------------- */

static int on_prompt(mcp_call *call, void *userdata) {
  return on_greet(call, userdata);
}

static void prompts_and_resources_ask_too(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .handler = on_prompt,
                             .userdata = &b};
  assert_int_equal(mcp_server_add_prompt(b.rig.server, &prompt), 0);
  wire_send(&b.wire, "{$J,'id':1,'method':'prompts/get','params':{'name':'p',"
                     "$M" CAPS "}}");
  rig_turn(&b.rig);
  free(take_state(&b.wire));
  wire_expect(&b.wire, __FILE__, __LINE__,
              ROUND("1", "'who':" WHO("'mode':'form',")));
  end(&b);
}

static void a_blocking_handler_asks_too(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "slow",
                         .is_blocking = 1,
                         .handler = on_greet,
                         .userdata = &b};
  assert_int_equal(mcp_server_add_tool(b.rig.server, &tool), 0);
  wire_initialize(&b.wire, "2025-06-18", CAPS);
  exchange(&b.wire, LEGACY_CALL("1", "slow"), "");
  rig_work(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':1,'result':" ADA "}", "");
  rig_work(&b.rig);
  expect(&b.wire, LEGACY_TEXT("1", "Hello, Ada"));
  end(&b);
}

/* --- memory ------------------------------------------------------------- */

static int rounds(const mcp_allocator *allocator, void *userdata) {
  bench b;
  const char *revision = userdata;
  memset(&b, 0, sizeof(b));
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "three",
                         .handler = on_three,
                         .userdata = &b};
  int rc = rig_init(&b.rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_tool(b.rig.server, &tool);
  if (rc == 0) {
    rc = wire_connect(&b.wire, &b.rig, NULL);
  }
  if (rc == 0 && revision != NULL) {
    wire_initialize(&b.wire, revision, CAPS);
    wire_send(&b.wire, LEGACY_CALL("1", "three"));
    rig_turn(&b.rig);
    wire_send(&b.wire, "{$J,'id':3,'result':{'roots':[]}}");
    wire_send(&b.wire, "{$J,'id':2,'result':{'role':'assistant','model':'m',"
                       "'content':{'type':'text','text':'Hi'}}}");
    wire_send(&b.wire, "{$J,'id':1,'result':" ADA "}");
    rig_turn(&b.rig);
  } else if (rc == 0) {
    wire_send(&b.wire, CALL("1", "three", ""));
    rig_turn(&b.rig);
    if (strstr(b.wire.text.bytes, "requestState") != NULL) {
      char *sealed = take_state(&b.wire);
      send_retry(&b, "three", sealed,
                 "{'who':" ADA ",'words':{'role':'assistant','model':'m',"
                 "'content':{'type':'text','text':'Hi'}}}");
    }
  }
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  rig_turn(&b.rig);
  wire_deinit(&b.wire);
  rig_deinit(&b.rig);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(rounds, NULL) > 50);
  assert_true(failing_alloc_rerun(rounds, (char[]){"2025-11-25"}) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asks_and_is_answered),
      cmocka_unit_test(hands_over_declined_and_cancelled),
      cmocka_unit_test(asks_again_for_what_is_missing),
      cmocka_unit_test(takes_answers_without_a_state),
      cmocka_unit_test(refuses_malformed_answers),
      cmocka_unit_test(asks_several_in_one_round),
      cmocka_unit_test(asks_for_the_rest_when_some_is_answered),
      cmocka_unit_test(keeps_its_state_from_round_to_round),
      cmocka_unit_test(a_state_stays_until_another_is_set),
      cmocka_unit_test(only_three_methods_can_ask),
      cmocka_unit_test(makes_an_id_for_a_url),
      cmocka_unit_test(offers_tools_to_the_model),
      cmocka_unit_test(reports_handlers_that_do_not_wait_for_an_answer),
      cmocka_unit_test(reports_handlers_that_ask_and_defer),
      cmocka_unit_test(never_asks_what_the_revision_does_not_have),
      cmocka_unit_test(names_the_revision_where_nothing_is_declared_either),
      cmocka_unit_test(asks_for_context_where_the_client_declared_it),
      cmocka_unit_test(shows_the_model_tools_without_boolean_properties),
      cmocka_unit_test(refuses_an_altered_state),
      cmocka_unit_test(refuses_an_expired_state),
      cmocka_unit_test(refuses_the_state_of_another_request),
      cmocka_unit_test(refuses_the_state_of_another_principal),
      cmocka_unit_test(serves_a_replay),
      cmocka_unit_test(turns_its_keys),
      cmocka_unit_test(needs_the_platform_to_seal),
      cmocka_unit_test(limits_the_rounds),
      cmocka_unit_test(limits_the_state),
      cmocka_unit_test(says_what_a_handler_did_wrong),
      cmocka_unit_test(a_key_names_one_question),
      cmocka_unit_test(names_the_capability_that_is_missing),
      cmocka_unit_test(an_empty_elicitation_capability_is_the_form),
      cmocka_unit_test(asks_a_legacy_client_by_requests),
      cmocka_unit_test(asks_legacy_rounds),
      cmocka_unit_test(runs_again_when_all_answers_are_in),
      cmocka_unit_test(tells_when_a_legacy_client_fails_to_answer),
      cmocka_unit_test(limits_the_bytes_of_legacy_answers),
      cmocka_unit_test(a_handler_may_go_on_without_an_answer),
      cmocka_unit_test(takes_its_questions_back_when_it_is_cancelled),
      cmocka_unit_test(questions_end_with_their_connection),
      cmocka_unit_test(asks_by_url),
      cmocka_unit_test(shapes_forms_for_the_revision),
      cmocka_unit_test(refuses_forms_that_are_none),
      cmocka_unit_test(asserts_formats_of_answers),
      cmocka_unit_test(judges_answers_by_what_was_shown),
      cmocka_unit_test(shapes_samples_for_the_revision),
      cmocka_unit_test(refuses_samples_that_are_none),
      cmocka_unit_test(refuses_malformed_samples_and_roots),
      cmocka_unit_test(prompts_and_resources_ask_too),
      cmocka_unit_test(a_blocking_handler_asks_too),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_ask", tests, NULL, NULL);
}
