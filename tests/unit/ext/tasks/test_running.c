/* SPDX-License-Identifier: MIT */
/* Tasks of 2026-07-28, from the call of a tool to its result. */
#include "support/server_bench.h"
#include <mcp/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPS                                                                   \
  "{'elicitation':{},'extensions':{'io.modelcontextprotocol/tasks':{}}}"
#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M" CAPS  \
  "}}"
#define TIMES                                                                  \
  "'createdAt':'1970-01-01T00:16:40.000Z','lastUpdatedAt':'1970-01-01T00:16:"  \
  "40.000Z',"

static char task_id[64];

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "hello");
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "no luck");
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, -32603, "broken", NULL);
}

static const char *name_in(const mcp_json *answer) {
  return mcp_json_string(mcp_json_get(mcp_json_get(answer, "content"), "name"));
}

static int on_ask_two(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Which?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *first;
  const mcp_json *second;
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "a", &question, &first);
  int rc2 = mcp_call_ask_elicit(call, "b", &question, &second);
  if (rc != 0 || rc2 != 0) {
    return rc != 0 ? rc : rc2;
  }
  return mcp_call_reply_textf(call, "%s and %s", name_in(first),
                              name_in(second));
}

static int on_make(mcp_call *call, void *userdata) {
  int rc = mcp_call_make_task(call);
  return rc != 0 ? rc : server_bench_keep(call, userdata);
}

static int on_make_deferred(mcp_call *call, void *userdata) {
  int rc = server_bench_keep(call, userdata);
  return rc != 0 ? rc : mcp_call_make_task(call);
}

static int made;

static int on_make_early(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_reply_text(call, "early");
  made = mcp_call_make_task(call);
  return rc;
}

static void add(server_bench *b, const char *name, int support,
                mcp_call_cb handler) {
  assert_int_equal(mcp_server_add_tool(b->rig.server,
                                       &(mcp_tool){.size = sizeof(mcp_tool),
                                                   .name = name,
                                                   .task = support,
                                                   .handler = handler,
                                                   .userdata = b},
                                       NULL),
                   0);
}

static void set_up_with(server_bench *b, const mcp_tasks_options *options) {
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, options, NULL), 0);
  add(b, "later", MCP_TASK_OPTIONAL, server_bench_keep);
  add(b, "must", MCP_TASK_REQUIRED, server_bench_keep);
  add(b, "asks", MCP_TASK_OPTIONAL, on_ask);
  add(b, "asks2", MCP_TASK_OPTIONAL, on_ask_two);
  add(b, "makes", MCP_TASK_FORBIDDEN, on_make);
  add(b, "fails", MCP_TASK_OPTIONAL, on_fail);
  add(b, "errs", MCP_TASK_OPTIONAL, on_error);
}

static void set_up(server_bench *b) {
  set_up_with(b, NULL);
}

/* Takes the id out of the answer to a call. */
static void take_id(rig_wire *wire) {
  static const char name[] = "\"taskId\":\"";
  const char *id = strstr(wire->text.bytes, name);
  assert_non_null(id);
  id += strlen(name);
  snprintf(task_id, sizeof(task_id), "%.*s", (int)strcspn(id, "\""), id);
  wire_forget(wire);
}

/* Sends a call, and takes the id out of its answer. */
static void begin_task(server_bench *b, const char *call) {
  b->rig.seed++; /* its next random bytes */
  wire_send(&b->wire, call);
  rig_turn(&b->rig);
  take_id(&b->wire);
}

/* Sends a request about the task, and asserts its answer. Each %s in `more` and
 * in `expected` is the task's id; both have marks. */
static void expect_about(server_bench *b, char *message, char *expected) {
  exchange(&b->wire, message, expected);
  free(message);
  free(expected);
}

static char *about(const char *method, const char *more) {
  char *message;
  assert_true(asprintf(&message,
                       "{$J,'id':9,'method':'%s','params':{'taskId':'%s'%s,"
                       "$M" CAPS "}}",
                       method, task_id, more) > 0);
  return message;
}

static char *shown(const char *status, const char *rest) {
  char *text;
  assert_true(asprintf(&text,
                       "{$J,'id':9,'result':{'taskId':'%s','status':'%s'," TIMES
                       "'ttlMs':3600000,'pollIntervalMs':1000%s,$C}}",
                       task_id, status, rest) > 0);
  return text;
}

static void expect_status(server_bench *b, const char *status,
                          const char *rest) {
  expect_about(b, about("tasks/get", ""), shown(status, rest));
}

static void expect_message(server_bench *b, const char *status,
                           const char *message, const char *rest) {
  char *more;
  assert_true(asprintf(&more, "%s','statusMessage':'%s", status, message) > 0);
  expect_status(b, more, rest);
  free(more);
}

#define DONE "{$J,'id':9,'result':{$C}}"

#define TEXT_RESULT(text)                                                      \
  ",'result':{'content':[{'type':'text','text':'" text "'}],$C}"
#define QUESTION(key, message)                                                 \
  "'" key "':{'method':'elicitation/create','params':{'mode':'form',"          \
  "'message':'" message "','requestedSchema':{'type':'object','properties':{"  \
  "'name':{'type':'string'}},'required':['name']}}}"
#define ANSWER(key, name)                                                      \
  "'" key "':{'action':'accept','content':{'name':'" name "'}}"

static void update(server_bench *b, const char *answers) {
  char *more;
  assert_true(asprintf(&more, ",'inputResponses':{%s}", answers) > 0);
  expect_about(b, about("tasks/update", more), strdup(DONE));
  free(more);
}

static void cancel(server_bench *b) {
  expect_about(b, about("tasks/cancel", ""), strdup(DONE));
}

/* ---- from the call to the result ------------------------------------ */

BENCH_TEST(a_call_is_answered_with_the_id_of_a_task) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"),
           "{$J,'id':1,'result':{'resultType':'task','taskId':"
           "'ABCDEFGHIJKLMNOPQRSTUVWXYZabcde','status':'working'," TIMES
           "'ttlMs':3600000,'pollIntervalMs':1000,$I}}");
  assert_string_equal(mcp_call_task_id(b->kept[0]),
                      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
}

BENCH_TEST(a_reply_ends_a_task_and_stays) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "later"));
  expect_status(b, "working", "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect_status(b, "completed", TEXT_RESULT("done"));
  rig_pass(&b->rig, 1000);
  expect_status(b, "completed", TEXT_RESULT("done"));
}

BENCH_TEST(progress_is_the_status_message) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "later"));
  assert_int_equal(mcp_call_progress(b->kept[0], 1, 3, "reading"), 0);
  expect_message(b, "working", "reading (1 of 3)", "");
  assert_int_equal(mcp_call_progress(b->kept[0], 2, 3, NULL), 0);
  expect_message(b, "working", "2 of 3", "");
  assert_int_equal(mcp_call_progress(b->kept[0], 2.5, 0, NULL), 0);
  expect_message(b, "working", "2.5", "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect_message(b, "completed", "2.5", TEXT_RESULT("done"));
}

BENCH_TEST(a_failed_tool_completes_its_task_and_an_error_fails_it) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "fails"));
  expect_status(b, "completed",
                ",'result':{'content':[{'type':'text','text':'no luck'}],"
                "'isError':true,$C}");
  begin_task(b, CALL("1", "errs"));
  expect_message(b, "failed", "broken",
                 ",'error':{'code':-32603,'message':'broken'}");
}

/* ---- clients without tasks ------------------------------------------ */

BENCH_TEST(a_client_without_tasks_waits_for_the_reply) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, MODERN_CALL("1", "later"), "");
  assert_null(mcp_call_task_id(b->kept[0]));
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect(&b->wire, RESULT_TEXT("1", "done"));
}

#define LACKS                                                                  \
  "'error':{'code':-32021,'message':'the client has not declared the "         \
  "capability extensions.io.modelcontextprotocol/tasks','data':{"              \
  "'requiredCapabilities':{'extensions':{'io.modelcontextprotocol/tasks':{}}}" \
  "}}}"

BENCH_TEST(what_needs_tasks_is_refused_to_a_client_without) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, MODERN_CALL("1", "must"), "{$J,'id':1," LACKS);
  exchange(&b->wire,
           "{$J,'id':2,'method':'tasks/get','params':{'taskId':'x',$M{}}}",
           "{$J,'id':2," LACKS);
  exchange(&b->wire, "{$J,'id':3,'method':'tasks/cancel','params':{$M{}}}",
           "{$J,'id':3," LACKS);
}

/* ---- questions ------------------------------------------------------ */

BENCH_TEST(an_answer_lets_the_task_go_on) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "asks"));
  expect_status(b, "input_required",
                ",'inputRequests':{" QUESTION("who", "Who?") "}");
  update(b, ANSWER("who", "x"));
  expect_status(b, "completed", TEXT_RESULT("hello"));
}

BENCH_TEST(answers_may_come_one_by_one) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "asks2"));
  expect_status(b, "input_required",
                ",'inputRequests':{" QUESTION("a", "Which?") "," QUESTION(
                    "b", "Which?") "}");
  update(b, ANSWER("b", "two"));
  expect_status(b, "input_required",
                ",'inputRequests':{" QUESTION("a", "Which?") "}");
  update(b, ANSWER("b", "three") "," ANSWER("nobody", "asked"));
  update(b, ANSWER("a", "one"));
  expect_status(b, "completed", TEXT_RESULT("one and two"));
  update(b, ANSWER("a", "late"));
  expect_status(b, "completed", TEXT_RESULT("one and two"));
}

BENCH_TEST(answers_must_be_objects) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "asks"));
  wire_send(&b->wire, "{$J,'id':2,'method':'tasks/update','params':{'taskId':"
                      "'x','inputResponses':{'who':1},$M" CAPS "}}");
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"code\":-32602"));
  wire_forget(&b->wire);
}

/* ---- cancelling ----------------------------------------------------- */

BENCH_TEST(a_cancelled_task_stays_cancelled) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "later"));
  cancel(b);
  assert_true(mcp_call_is_cancelled(b->kept[0]));
  expect_status(b, "cancelled", "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "late"), MCP_ERR_GONE);
  expect_status(b, "cancelled", "");
}

BENCH_TEST(an_ended_task_is_not_cancelled) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "fails"));
  cancel(b);
  expect_status(b, "completed",
                ",'result':{'content':[{'type':'text','text':'no luck'}],"
                "'isError':true,$C}");
}

BENCH_TEST(a_task_that_asks_can_be_cancelled) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "asks"));
  cancel(b);
  update(b, ANSWER("who", "x"));
  expect_status(b, "cancelled", "");
}

BENCH_TEST(the_end_of_its_request_or_client_does_not_end_a_task) {
  server_bench *b = *state;
  rig_wire other;
  set_up(b);
  assert_int_equal(wire_connect(&other, &b->rig, NULL), 0);
  b->rig.seed++;
  exchange(&other, CALL("1", "later"),
           "{$J,'id':1,'result':{'resultType':'task','taskId':"
           "'BCDEFGHIJKLMNOPQRSTUVWXYZabcdef','status':'working'," TIMES
           "'ttlMs':3600000,'pollIntervalMs':1000,$I}}");
  exchange(&other, CANCEL("1"), "");
  wire_deinit(&other);
  rig_turn(&b->rig);
  assert_false(mcp_call_is_cancelled(b->kept[0]));
  snprintf(task_id, sizeof(task_id), "BCDEFGHIJKLMNOPQRSTUVWXYZabcdef");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect_status(b, "completed", TEXT_RESULT("done"));
}

#define UNKNOWN(id)                                                            \
  "{$J,'id':9,'error':{'code':-32602,'message':'unknown task \\'" id "\\''}}"

static void expect_unknown(server_bench *b) {
  char *expected;
  assert_true(asprintf(&expected, UNKNOWN("%s"), task_id) > 0);
  expect_about(b, about("tasks/get", ""), expected);
}

BENCH_TEST(a_task_ends_with_its_time) {
  server_bench *b = *state;
  const mcp_tasks_options options = {.size = sizeof(options), .ttl_ms = 5000};
  set_up_with(b, &options);
  begin_task(b, CALL("1", "later"));
  rig_pass(&b->rig, 4999);
  assert_false(mcp_call_is_cancelled(b->kept[0]));
  rig_pass(&b->rig, 1);
  assert_true(mcp_call_is_cancelled(b->kept[0]));
  mcp_call_drop(b->kept[0]);
  expect_unknown(b);
}

/* ---- whose task it is ----------------------------------------------- */

BENCH_TEST(a_task_is_unknown_to_other_principals) {
  server_bench *b = *state;
  rig_wire alice;
  const mcp_connection_options options = {
      .size = sizeof(mcp_connection_options), .principal = "alice"};
  set_up(b);
  assert_int_equal(wire_connect(&alice, &b->rig, &options), 0);
  wire_send(&alice, CALL("1", "fails"));
  rig_turn(&b->rig);
  snprintf(task_id, sizeof(task_id), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde");
  assert_non_null(strstr(alice.text.bytes, task_id));
  wire_forget(&alice);
  expect_unknown(b);
  char *message = about("tasks/get", "");
  wire_send(&alice, message);
  rig_turn(&b->rig);
  assert_non_null(strstr(alice.text.bytes, "completed"));
  free(message);
  wire_forget(&alice);
  wire_deinit(&alice);
  rig_turn(&b->rig);
}

BENCH_TEST(an_id_that_no_task_can_have_is_unknown) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire,
           "{$J,'id':1,'method':'tasks/get','params':{'taskId':"
           "'a\\u0000b',$M" CAPS "}}",
           "{$J,'id':1,'error':{'code':-32602,'message':'unknown task "
           "\\'\\''}}");
}

/* ---- mcp_call_make_task --------------------------------------------- */

BENCH_TEST(a_handler_makes_a_task_of_its_call) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "makes"));
  assert_string_equal(mcp_call_task_id(b->kept[0]), task_id);
  expect_status(b, "working", "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect_status(b, "completed", TEXT_RESULT("done"));
}

BENCH_TEST(a_client_without_tasks_waits_for_a_handler_that_makes_one) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, MODERN_CALL("1", "makes"), "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect(&b->wire, RESULT_TEXT("1", "done"));
}

BENCH_TEST(another_thread_makes_a_task) {
  server_bench *b = *state;
  set_up(b);
  add(b, "plain", MCP_TASK_FORBIDDEN, server_bench_keep);
  exchange(&b->wire, CALL("1", "plain"), "");
  b->is_elsewhere = 1;
  assert_int_equal(mcp_call_make_task(b->kept[0]), 0);
  b->is_elsewhere = 0;
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"resultType\":\"task\""));
  wire_forget(&b->wire);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
}

static void on_trace_reply(mcp_transport *transport,
                           const mcp_traced_message *message, void *userdata) {
  server_bench *b = userdata;
  (void)transport;
  if (message->is_sent && b->kept_count > 0 && made == 0) {
    made = 1 + mcp_call_reply_text(b->kept[0], "early");
  }
}

/* The trace runs while the server sends the id. */
BENCH_TEST(a_trace_of_the_new_task_may_reply) {
  server_bench *b = *state;
  static rig_wire traced; /* a failed test leaves it as it is */
  made = 0;
  set_up(b);
  assert_int_equal(wire_begin(&traced, &b->rig), 0);
  mcp_transport *end = mcp_transport_trace(b->rig.loop, traced.server_end,
                                           on_trace_reply, b, NULL);
  assert_int_equal(
      mcp_server_connect(b->rig.server, b->rig.loop, end, NULL, NULL, NULL), 0);
  add(b, "defers", MCP_TASK_FORBIDDEN, on_make_deferred);
  wire_send(&traced, CALL("1", "defers"));
  rig_turn(&b->rig);
  assert_int_equal(made, 1);
  take_id(&traced);
  expect_status(b, "completed", TEXT_RESULT("early"));
  wire_deinit(&traced);
}

BENCH_TEST(only_a_call_without_a_reply_becomes_a_task) {
  server_bench *b = *state;
  add(b, "early", MCP_TASK_FORBIDDEN, on_make_early);
  exchange(&b->wire, CALL("1", "early"), RESULT_TEXT("1", "early"));
  assert_int_equal(made, MCP_ERR_INVALID);
  set_up(b);
  exchange(&b->wire, CALL("1", "early"), RESULT_TEXT("1", "early"));
  assert_int_equal(made, MCP_ERR_INVALID);
  assert_int_equal(mcp_call_make_task(NULL), MCP_ERR_INVALID);
}

/* ---- notifications -------------------------------------------------- */

#define SHOWN(status, rest)                                                    \
  "{$J,'method':'notifications/tasks','params':{'taskId':"                     \
  "'BCDEFGHIJKLMNOPQRSTUVWXYZabcdef','status':'" status "'," TIMES             \
  "'ttlMs':3600000,'pollIntervalMs':1000" rest                                 \
  ",'_meta':{'io.modelcontextprotocol/subscriptionId':5}}}"
#define LISTEN(id, capabilities)                                               \
  "{$J,'id':" id ",'method':'subscriptions/listen','params':{"                 \
  "'notifications':{'taskIds':['BCDEFGHIJKLMNOPQRSTUVWXYZabcdef']},"           \
  "$M" capabilities "}}"

BENCH_TEST(a_client_that_listens_is_shown_each_change) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "later"));
  exchange(&b->wire, LISTEN("5", CAPS),
           "{$J,'method':'notifications/subscriptions/acknowledged','params':{"
           "'notifications':{'taskIds':['BCDEFGHIJKLMNOPQRSTUVWXYZabcdef']},"
           "'_meta':{'io.modelcontextprotocol/subscriptionId':5}}}");
  assert_int_equal(mcp_call_progress(b->kept[0], 1, 3, "reading"), 0);
  expect(&b->wire, SHOWN("working','statusMessage':'reading (1 of 3)", ""));
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect(&b->wire, SHOWN("completed','statusMessage':'reading (1 of 3)",
                         TEXT_RESULT("done")));
  begin_task(b, CALL("2", "fails"));
  expect(&b->wire, "");
}

BENCH_TEST(listening_to_tasks_takes_the_extension) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, LISTEN("5", "{}"), "{$J,'id':5," LACKS);
}

/* ---- limits --------------------------------------------------------- */

BENCH_TEST(only_so_many_tasks_run) {
  server_bench *b = *state;
  const mcp_tasks_options options = {.size = sizeof(options), .max_tasks = 1};
  set_up_with(b, &options);
  begin_task(b, CALL("1", "later"));
  exchange(&b->wire, CALL("1", "later"),
           ERROR("1", "-32603",
                 "too many tasks are running: the server allows 1, and each "
                 "client a share of them; try again when one has ended"));
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  begin_task(b, CALL("1", "later"));
  assert_int_equal(mcp_call_reply_text(b->kept[1], "done"), 0);
}

BENCH_TEST(a_result_that_does_not_fit_fails_the_task) {
  server_bench *b = *state;
  const mcp_tasks_options options = {.size = sizeof(options),
                                     .max_bytes = 2000};
  char text[4000];
  set_up_with(b, &options);
  begin_task(b, CALL("1", "later"));
  memset(text, 'x', sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
  assert_int_equal(mcp_call_reply_text(b->kept[0], text), 0);
  expect_message(b, "failed", "the result of the task could not be stored",
                 ",'error':{'code':-32603,'message':'the result of the task "
                 "could not be stored'}");
}

BENCH_TEST(a_task_that_cannot_be_stored_is_refused) {
  server_bench *b = *state;
  const mcp_tasks_options options = {.size = sizeof(options), .max_bytes = 10};
  set_up_with(b, &options);
  wire_send(&b->wire, CALL("1", "later"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "the task could not be stored"));
  assert_int_equal(b->kept_count, 0);
  wire_forget(&b->wire);
  exchange(&b->wire, CALL("2", "makes"), "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  expect(&b->wire, RESULT_TEXT("2", "done"));
}

/* ---- the end of the server ------------------------------------------ */

BENCH_TEST(the_end_of_the_server_cancels_what_runs) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b, CALL("1", "later"));
  begin_task(b, CALL("2", "asks"));
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  assert_true(mcp_call_is_cancelled(b->kept[0]));
  mcp_call_drop(b->kept[0]);
  wire_forget(&b->wire);
}
