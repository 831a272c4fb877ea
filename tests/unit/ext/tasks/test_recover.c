/* SPDX-License-Identifier: MIT */
/* Tasks that outlive their server: the store stays, and another server begins
 * with it. */
#include "store/memory_tasks.h"
#include "support/server_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPS                                                                   \
  "{'elicitation':{},'extensions':{'io.modelcontextprotocol/tasks':{}}}"
#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name              \
  "','arguments':{'depth':3},$M" CAPS "}}"
#define ID "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde"

static mcp_task_store memory; /* the test releases it */
static mcp_task_store given;  /* the same, for servers */
static mcp_tasks_options options;
static int wanted;
static char asked_for[200];

static int on_resume(mcp_server *server, const char *tool,
                     const mcp_json *arguments, const mcp_json *state,
                     void *userdata) {
  assert_non_null(server);
  assert_ptr_equal(userdata, &wanted);
  snprintf(asked_for, sizeof(asked_for), "%s %d %s", tool,
           (int)mcp_json_int(mcp_json_get(arguments, "depth")),
           state != NULL ? mcp_json_string(state) : "-");
  return wanted;
}

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

/* Notes how far it has come, and is interrupted; then it says what it noted. */
static int on_note(mcp_call *call, void *userdata) {
  const mcp_json *noted = mcp_call_state(call);
  if (noted != NULL) {
    return mcp_call_reply_text(call, mcp_json_string(noted));
  }
  int rc = mcp_call_set_state(call, "\"half\"");
  return rc != 0 ? rc : server_bench_keep(call, userdata);
}

static mcp_call *many[200];
static int many_count;

static int on_keep_many(mcp_call *call, void *userdata) {
  (void)userdata;
  many[many_count++] = call;
  return mcp_call_defer(call);
}

static const mcp_schema any_object = {.size = sizeof(mcp_schema),
                                      .text = "{\"type\":\"object\"}"};

static void add(server_bench *b, const char *name, mcp_call_cb handler) {
  assert_int_equal(mcp_server_add_tool(b->rig.server,
                                       &(mcp_tool){.size = sizeof(mcp_tool),
                                                   .name = name,
                                                   .input = &any_object,
                                                   .task = MCP_TASK_OPTIONAL,
                                                   .handler = handler,
                                                   .userdata = b},
                                       NULL),
                   0);
}

static int set_up(void **state) {
  static const uint64_t seed[2] = {1, 2};
  int rc = server_bench_set_up(state);
  assert_int_equal(
      mcpi_memory_tasks_make(&memory, mcp_allocator_default(), seed, 100000),
      0);
  given = memory;
  given.release = NULL;
  options = (mcp_tasks_options){
      .size = sizeof(options), .store = &given, .userdata = &wanted};
  return rc;
}

static int tear_down(void **state) {
  int rc = server_bench_tear_down(state);
  memory.release(memory.userdata);
  return rc;
}
#define RECOVER_TEST(name) TEST_WITH(name, set_up, tear_down)

/* The handlers are interrupted, as when the process ends. */
static void end_server(server_bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_drop(b->kept[i]);
  }
  while (many_count > 0) {
    mcp_call_drop(many[--many_count]);
  }
}

/* A server with the tasks of the store. */
static void begin_server(server_bench *b) {
  end_server(b);
  server_bench_restart(b, NULL);
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL), 0);
  add(b, "later", server_bench_keep);
  add(b, "asks", on_ask);
  add(b, "notes", on_note);
  add(b, "many", on_keep_many);
  rig_turn(&b->rig);
}

/* Ends a server while a handler runs, and begins another. */
static void begin_again(server_bench *b, const char *call) {
  begin_server(b);
  wire_send(&b->wire, call);
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, ID));
  wire_forget(&b->wire);
  begin_server(b);
}

static void expect_shown(server_bench *b, const char *expected) {
  wire_send(&b->wire, "{$J,'id':9,'method':'tasks/get','params':{'taskId':"
                      "'" ID "',$M" CAPS "}}");
  rig_turn(&b->rig);
  if (strstr(b->wire.text.bytes, expected) == NULL) {
    fail_msg("%s", b->wire.text.bytes);
  }
  wire_forget(&b->wire);
}

RECOVER_TEST(a_task_of_an_earlier_process_fails) {
  server_bench *b = *state;
  begin_again(b, CALL("1", "later"));
  expect_shown(b, "\"status\":\"failed\",\"statusMessage\":\"the server was "
                  "restarted before the task had ended\"");
  assert_int_equal(b->kept_count, 0);
}

RECOVER_TEST(a_program_may_let_its_tasks_go_on) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 1;
  begin_again(b, CALL("1", "later"));
  assert_string_equal(asked_for, "later 3 -");
  assert_int_equal(b->kept_count, 1);
  assert_string_equal(mcp_call_task_id(b->kept[0]), ID);
  assert_int_equal(mcp_call_int(b->kept[0], "depth"), 3);
  expect_shown(b, "\"status\":\"working\"");
  mcp_call_reply_text(b->kept[0], "done");
  expect_shown(b, "\"status\":\"completed\"");
}

RECOVER_TEST(a_program_may_let_its_tasks_fail) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 0;
  begin_again(b, CALL("1", "later"));
  assert_string_equal(asked_for, "later 3 -");
  expect_shown(b, "\"status\":\"failed\"");
}

RECOVER_TEST(a_task_that_asks_waits_on) {
  server_bench *b = *state;
  begin_again(b, CALL("1", "asks"));
  expect_shown(b, "\"status\":\"input_required\"");
  exchange(&b->wire,
           "{$J,'id':3,'method':'tasks/update','params':{'taskId':'" ID
           "','inputResponses':{'who':{'action':'accept','content':{'name':"
           "'Ada'}}},$M" CAPS "}}",
           "{$J,'id':3,'result':{$C}}");
  expect_shown(b, "\"status\":\"completed\"");
}

RECOVER_TEST(what_a_handler_noted_comes_back) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 1;
  begin_again(b, CALL("1", "notes"));
  assert_string_equal(asked_for, "notes 3 half");
  expect_shown(b, "\"text\":\"half\"");
}

RECOVER_TEST(a_tool_that_is_gone_fails_its_task) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 1;
  begin_server(b);
  wire_send(&b->wire, CALL("1", "later"));
  rig_turn(&b->rig);
  wire_forget(&b->wire);
  end_server(b);
  server_bench_restart(b, NULL);
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL), 0);
  add(b, "asks", on_ask);
  rig_turn(&b->rig);
  expect_shown(b, "\"code\":-32602,\"message\":\"unknown tool \\\"later\\\"\"");
}

static void note_count(void *argument, int status,
                       const mcp_task_record *records, size_t count) {
  (void)records;
  assert_int_equal(status, 0);
  *(size_t *)argument = count;
}

static size_t count_unfinished(server_bench *b) {
  size_t count = SIZE_MAX;
  memory.list_unfinished(memory.userdata, b->rig.loop, NULL, 1000, note_count,
                         &count);
  return count;
}

RECOVER_TEST(many_tasks_are_found) {
  server_bench *b = *state;
  begin_server(b);
  for (int i = 0; i < 150; i++) {
    b->rig.seed++;
    wire_send(&b->wire, CALL("1", "many"));
    rig_turn(&b->rig);
  }
  wire_forget(&b->wire);
  assert_int_equal(count_unfinished(b), 150);
  begin_server(b);
  assert_int_equal(count_unfinished(b), 0);
}

/* --- records that no server has written ------------------------------ */

#define DATA(ttl)                                                              \
  "{\"revision\":\"2026-07-28\",\"status\":\"working\",\"updated\":1,"         \
  "\"ttl\":" ttl                                                               \
  ",\"poll\":1,\"params\":{\"name\":\"later\",\"arguments\":{\"depth\":3}}}"

static void note_status(void *argument, int status) {
  *(int *)argument = status;
}

static void store_working(server_bench *b, const char *id, int64_t created_ms,
                          const char *data) {
  int status = -1;
  const mcp_task_record record = {.id = id,
                                  .owner = "",
                                  .version = 1,
                                  .created_ms = created_ms,
                                  .expires_ms = INT64_MAX,
                                  .data = data,
                                  .data_len = strlen(data)};
  memory.create(memory.userdata, b->rig.loop, &record, note_status, &status);
  assert_int_equal(status, 0);
}

/* More of them than a page has: the next page must begin after the last one. */
RECOVER_TEST(ids_that_are_too_long_are_reported_and_left) {
  server_bench *b = *state;
  char id[80];
  for (int i = 0; i < 64; i++) {
    snprintf(id, sizeof(id), "%065d%02d", 0, i);
    store_working(b, id, 1, DATA("60000"));
  }
  store_working(b, ID, 2, DATA("60000"));
  begin_server(b);
  assert_non_null(strstr(b->rig.reports.bytes, "cannot be ended"));
  expect_shown(b, "\"status\":\"failed\"");
  assert_int_equal(count_unfinished(b), 64);
}

RECOVER_TEST(a_time_limit_that_is_too_long_has_no_end) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 1;
  store_working(b, ID, 1, DATA("9223372036854775807"));
  begin_server(b);
  assert_int_equal(b->kept_count, 1);
  assert_false(mcp_call_is_cancelled(b->kept[0]));
  mcp_call_reply_text(b->kept[0], "done");
  expect_shown(b, "\"status\":\"completed\"");
}

RECOVER_TEST(a_time_before_1970_is_over) {
  server_bench *b = *state;
  options.on_resume = on_resume;
  wanted = 1;
  store_working(b, ID, INT64_MIN, DATA("0"));
  begin_server(b);
  assert_int_equal(b->kept_count, 1);
  assert_true(mcp_call_is_cancelled(b->kept[0]));
  mcp_call_drop(b->kept[0]);
}

/* --- the store -------------------------------------------------------- */

static int release_count;

static void count_release(void *userdata) {
  (void)userdata;
  release_count++;
}

RECOVER_TEST(a_store_is_taken_also_on_failure) {
  server_bench *b = *state;
  given.release = count_release;
  release_count = 0;
  assert_int_equal(mcp_server_enable_tasks(NULL, &options, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(release_count, 1);
  given.load = NULL;
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(release_count, 2);
  given.load = memory.load;
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL), 0);
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL),
                   MCP_ERR_EXISTS);
  assert_int_equal(release_count, 3);
  server_bench_restart(b, NULL);
  assert_int_equal(release_count, 4);
}
