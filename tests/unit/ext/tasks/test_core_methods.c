/* SPDX-License-Identifier: MIT */
/* Tasks of 2025-11-25, from the call of a tool to its result. */
#include "support/server_bench.h"
#include <mcp/tasks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name              \
  "','task':{'ttl':5000}}}"
#define ID "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde"
#define ABOUT(id, method)                                                      \
  "{$J,'id':" id ",'method':'tasks/" method "','params':{'taskId':'" ID "'}}"
#define TASK(status)                                                           \
  "'taskId':'" ID "','status':'" status                                        \
  "','createdAt':'1970-01-01T00:16:40.000Z','lastUpdatedAt':"                  \
  "'1970-01-01T00:16:40.000Z','ttl':5000,'pollInterval':1000"
#define CREATED(id)                                                            \
  "{$J,'id':" id ",'result':{'task':{" TASK("working") "},'_meta':{" RELATED   \
                                                       "}}}"
#define RELATED "'io.modelcontextprotocol/related-task':{'taskId':'" ID "'}"
#define NOTIFIED(status)                                                       \
  "{$J,'method':'notifications/tasks/status','params':{" TASK(status) "}}"
#define RESULT(id, text)                                                       \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text          \
  "'}],'_meta':{" RELATED "}}}"

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  if (rc == MCP_ERR_UNANSWERED) {
    return mcp_call_reply_text(call, "nobody");
  }
  return rc != 0
             ? rc
             : mcp_call_reply_textf(
                   call, "%s",
                   mcp_json_string(mcp_json_pointer(answer, "/content/name")));
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, -5, "broken", "{\"why\":1}");
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "no luck");
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

static void set_up(server_bench *b) {
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, NULL, NULL), 0);
  add(b, "later", MCP_TASK_OPTIONAL, server_bench_keep);
  add(b, "must", MCP_TASK_REQUIRED, server_bench_keep);
  add(b, "never", MCP_TASK_FORBIDDEN, server_bench_keep);
  add(b, "asks", MCP_TASK_OPTIONAL, on_ask);
  add(b, "errs", MCP_TASK_OPTIONAL, on_error);
  add(b, "fails", MCP_TASK_OPTIONAL, on_fail);
  wire_initialize(&b->wire, "2025-11-25", "{'elicitation':{}}");
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

/* ---- tasks/get and tasks/result ------------------------------------- */

BENCH_TEST(a_result_waits_for_the_end_of_its_task) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), CREATED("1"));
  exchange(&b->wire, ABOUT("2", "get"),
           "{$J,'id':2,'result':{" TASK("working") "}}");
  exchange(&b->wire, ABOUT("3", "result"), "");
  exchange(&b->wire, ABOUT("4", "result"), "");
  mcp_call_reply_text(b->kept[0], "done");
  expect(&b->wire, NOTIFIED("completed") "\n" RESULT("3", "done") "\n" RESULT(
                       "4", "done"));
  exchange(&b->wire, ABOUT("5", "result"), RESULT("5", "done"));
  exchange(&b->wire, ABOUT("6", "get"),
           "{$J,'id':6,'result':{" TASK("completed") "}}");
}

BENCH_TEST(a_client_may_stop_waiting) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), CREATED("1"));
  exchange(&b->wire, ABOUT("2", "result"), "");
  exchange(&b->wire, CANCEL("2"), "");
  mcp_call_reply_text(b->kept[0], "done");
  expect(&b->wire, NOTIFIED("completed"));
}

BENCH_TEST(a_failed_tool_and_an_error_fail_the_task) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "fails"), CREATED("1") "\n" NOTIFIED("failed"));
  exchange(&b->wire, ABOUT("2", "result"),
           "{$J,'id':2,'result':{'content':[{'type':'text','text':'no luck'}],"
           "'isError':true,'_meta':{" RELATED "}}}");
}

BENCH_TEST(an_error_is_the_answer_to_tasks_result) {
  server_bench *b = *state;
  set_up(b);
  wire_send(&b->wire, CALL("1", "errs"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"statusMessage\":\"broken\""));
  wire_forget(&b->wire);
  exchange(&b->wire, ABOUT("2", "result"),
           "{$J,'id':2,'error':{'code':-5,'message':'broken','data':{'why':1}}"
           "}");
}

BENCH_TEST(the_end_of_the_server_ends_what_waits) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), CREATED("1"));
  exchange(&b->wire, ABOUT("2", "result"), "");
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  mcp_call_drop(b->kept[0]);
  wire_forget(&b->wire);
}

/* ---- tasks/cancel --------------------------------------------------- */

BENCH_TEST(a_task_is_cancelled_once) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), CREATED("1"));
  exchange(&b->wire, ABOUT("2", "result"), "");
  exchange(&b->wire, ABOUT("3", "cancel"),
           "{$J,'id':3,'result':{" TASK("cancelled") "}}\n" ERROR(
               "2", "-32603", "the task was cancelled"));
  assert_true(mcp_call_is_cancelled(b->kept[0]));
  mcp_call_drop(b->kept[0]);
  exchange(&b->wire, ABOUT("4", "cancel"),
           ERROR("4", "-32602", "the task \\'" ID "\\' has ended"));
  exchange(&b->wire, ABOUT("5", "get"),
           "{$J,'id':5,'result':{" TASK("cancelled") "}}");
}

/* ---- questions ------------------------------------------------------ */

#define ASKED(id)                                                              \
  "{$J,'id':" id ",'method':'elicitation/create','params':{'mode':'form',"     \
  "'message':'Who?','requestedSchema':{'type':'object','properties':{'name':{" \
  "'type':'string'}},'required':['name']},'_meta':{" RELATED "}}}"
#define ANSWERED(id)                                                           \
  "{$J,'id':" id ",'result':{'action':'accept','content':{'name':'Ada'}}}"

BENCH_TEST(a_task_asks_while_its_result_is_waited_for) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "asks"),
           CREATED("1") "\n" NOTIFIED("input_required"));
  exchange(&b->wire, ABOUT("2", "get"),
           "{$J,'id':2,'result':{" TASK("input_required") "}}");
  exchange(&b->wire, ABOUT("3", "result"), ASKED("1"));
  exchange(&b->wire, ABOUT("4", "result"), "");
  exchange(
      &b->wire, ANSWERED("1"),
      NOTIFIED("completed") "\n" RESULT("4", "Ada") "\n" RESULT("3", "Ada"));
}

BENCH_TEST(another_one_that_waits_asks_when_the_first_has_left) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "asks"),
           CREATED("1") "\n" NOTIFIED("input_required"));
  exchange(&b->wire, ABOUT("3", "result"), ASKED("1"));
  exchange(&b->wire, ABOUT("4", "result"), "");
  exchange(&b->wire, CANCEL("3"),
           "{$J,'method':'notifications/cancelled','params':{'requestId':1,"
           "'reason':'the call that asked was cancelled'}}\n" ASKED("2"));
  exchange(&b->wire, ANSWERED("2"),
           NOTIFIED("completed") "\n" RESULT("4", "Ada"));
}

BENCH_TEST(a_question_may_get_no_answer) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "asks"),
           CREATED("1") "\n" NOTIFIED("input_required"));
  exchange(&b->wire, ABOUT("3", "result"), ASKED("1"));
  exchange(&b->wire,
           "{$J,'id':1,'error':{'code':-1,'message':'the user is asleep'}}",
           NOTIFIED("completed") "\n" RESULT("3", "nobody"));
}

/* ---- which calls ---------------------------------------------------- */

BENCH_TEST(tools_say_whether_they_can_be_tasks) {
  server_bench *b = *state;
  set_up(b);
  exchange(
      &b->wire, CALL("1", "never"),
      ERROR("1", "-32601", "the tool \\'never\\' cannot be called as a task"));
  exchange(
      &b->wire, LEGACY_CALL("2", "must"),
      ERROR("2", "-32601", "the tool \\'must\\' can only be called as a task"));
  exchange(&b->wire, LEGACY_CALL("3", "later"), "");
  mcp_call_reply_text(b->kept[0], "done");
  expect(&b->wire, LEGACY_TEXT("3", "done"));
}

BENCH_TEST(an_older_client_has_no_tasks) {
  server_bench *b = *state;
  server_bench_restart(b, NULL);
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, NULL, NULL), 0);
  add(b, "later", MCP_TASK_OPTIONAL, server_bench_keep);
  wire_initialize(&b->wire, "2025-06-18", "{}");
  rig_turn(&b->rig);
  assert_null(strstr(b->wire.text.bytes, "tasks"));
  wire_forget(&b->wire);
  exchange(&b->wire, CALL("1", "later"), "");
  mcp_call_reply_text(b->kept[0], "done");
  expect(&b->wire, LEGACY_TEXT("1", "done"));
  exchange(&b->wire, ABOUT("2", "get"),
           ERROR("2", "-32601", "unknown method: \\'tasks/get\\'"));
}

/* ---- tasks/list ----------------------------------------------------- */

BENCH_TEST(only_a_principal_lists_its_tasks) {
  server_bench *b = *state;
  static rig_wire alice;
  const mcp_connection_options options = {.size = sizeof(options),
                                          .principal = "alice"};
  set_up(b);
  exchange(&b->wire, "{$J,'id':1,'method':'tasks/list'}",
           ERROR("1", "-32601",
                 "this server lists tasks only to clients that it can tell "
                 "apart (authorization)"));
  assert_int_equal(wire_connect(&alice, &b->rig, &options), 0);
  wire_send(&alice,
            "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
            "'2025-11-25','capabilities':{},'clientInfo':{'name':'a',"
            "'version':'1'}}}");
  rig_turn(&b->rig);
  assert_non_null(strstr(alice.text.bytes, "\"tasks\":{\"list\":{}"));
  wire_forget(&alice);
  exchange(&alice, "{$J,'id':1,'method':'tasks/list'}",
           "{$J,'id':1,'result':{'tasks':[]}}");
  exchange(&alice, CALL("2", "later"), CREATED("2"));
  exchange(&alice, "{$J,'id':3,'method':'tasks/list'}",
           "{$J,'id':3,'result':{'tasks':[{" TASK("working") "}]}}");
  exchange(&alice, "{$J,'id':4,'method':'tasks/list','params':{'cursor':'x'}}",
           ERROR("4", "-32602", "unknown cursor"));
  mcp_call_reply_text(b->kept[0], "done");
  expect(&alice, NOTIFIED("completed"));
  wire_deinit(&alice);
  rig_turn(&b->rig);
}

BENCH_TEST(a_list_has_pages) {
  server_bench *b = *state;
  static rig_wire alice;
  const mcp_connection_options options = {.size = sizeof(options),
                                          .principal = "alice"};
  char message[200];
  const char *cursor;
  set_up(b);
  assert_int_equal(wire_connect(&alice, &b->rig, &options), 0);
  wire_initialize(&alice, "2025-11-25", "{}");
  for (int i = 0; i < 51; i++) {
    b->rig.seed++;
    wire_send(&alice, CALL("2", "fails"));
    rig_turn(&b->rig);
  }
  wire_forget(&alice);
  wire_send(&alice, "{$J,'id':3,'method':'tasks/list'}");
  rig_turn(&b->rig);
  cursor = strstr(alice.text.bytes, "\"nextCursor\":\"");
  assert_non_null(cursor);
  cursor += strlen("\"nextCursor\":\"");
  snprintf(message, sizeof(message),
           "{$J,'id':4,'method':'tasks/list','params':{'cursor':'%.*s'}}",
           (int)strcspn(cursor, "\""), cursor);
  wire_forget(&alice);
  wire_send(&alice, message);
  rig_turn(&b->rig);
  assert_non_null(strstr(alice.text.bytes, "\"taskId\""));
  assert_null(strstr(alice.text.bytes, "nextCursor"));
  wire_forget(&alice);
  wire_deinit(&alice);
  rig_turn(&b->rig);
}
