/* SPDX-License-Identifier: MIT */
/* Tasks in a store that completes when the test says. */
#include "store/memory_tasks.h"
#include "support/server_bench.h"
#include <mcp/tasks.h>
#include <stdio.h>
#include <string.h>

#define CAPS "{'extensions':{'io.modelcontextprotocol/tasks':{}}}"
#define ID "ABCDEFGHIJKLMNOPQRSTUVWXYZabcde"
#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M" CAPS  \
  "}}"
#define ABOUT(id, method)                                                      \
  "{$J,'id':" id ",'method':'tasks/" method "','params':{'taskId':'" ID        \
  "',$M" CAPS "}}"
#define TASK(status)                                                           \
  "'taskId':'" ID "','status':'" status                                        \
  "','createdAt':'1970-01-01T00:16:40.000Z','lastUpdatedAt':"                  \
  "'1970-01-01T00:16:40.000Z','ttlMs':3600000,'pollIntervalMs':1000"
#define CREATED(id)                                                            \
  "{$J,'id':" id ",'result':{'resultType':'task'," TASK("working") ",$I}}"

/* ---- the store ------------------------------------------------------ */

typedef struct pending_call pending_call;
struct pending_call {
  void (*run)(const pending_call *p);
  mcp_loop *loop;
  char id[65];
  char owner[16];
  char data[2000];
  mcp_task_record record;
  mcp_task_done_cb done;
  mcp_task_found_cb found;
  void *argument;
};

enum { MAX_PENDING = 8 };

static struct {
  mcp_task_store inner;
  int is_late;
  int fails; /* the code of each call; 0: the inner store answers */
  pending_call calls[MAX_PENDING];
  size_t count;
} late;

static pending_call *late_keep(mcp_loop *loop, const char *id, void *argument) {
  assert_true(late.count < MAX_PENDING);
  pending_call *p = &late.calls[late.count++];
  memset(p, 0, sizeof(*p));
  p->loop = loop;
  snprintf(p->id, sizeof(p->id), "%s", id);
  p->argument = argument;
  return p;
}

static void late_keep_record(pending_call *p, const mcp_task_record *record,
                             mcp_task_done_cb done) {
  assert_true(record->data_len < sizeof(p->data));
  p->record = *record;
  memcpy(p->data, record->data, record->data_len);
  snprintf(p->owner, sizeof(p->owner), "%s", record->owner);
  p->done = done;
}

/* The record of a call whose place may have changed. */
static mcp_task_record record_of(const pending_call *p) {
  mcp_task_record record = p->record;
  record.id = p->id;
  record.owner = p->owner;
  record.data = p->data;
  return record;
}

static void run_create(const pending_call *p) {
  const mcp_task_record record = record_of(p);
  late.inner.create(late.inner.userdata, p->loop, &record, p->done,
                    p->argument);
}

static void run_update(const pending_call *p) {
  const mcp_task_record record = record_of(p);
  late.inner.update(late.inner.userdata, p->loop, &record, p->done,
                    p->argument);
}

static void run_load(const pending_call *p) {
  late.inner.load(late.inner.userdata, p->loop, p->id, p->found, p->argument);
}

/* Completes the first call that is kept. */
static void late_complete(void) {
  assert_true(late.count > 0);
  const pending_call first = late.calls[0];
  late.count--;
  memmove(late.calls, late.calls + 1, late.count * sizeof(late.calls[0]));
  if (late.fails == 0) {
    first.run(&first);
  } else if (first.done != NULL) {
    first.done(first.argument, late.fails);
  } else {
    first.found(first.argument, late.fails, NULL, 0);
  }
}

static void late_complete_all(void) {
  while (late.count > 0) {
    late_complete();
  }
}

static void late_add(pending_call *p, void (*run)(const pending_call *p)) {
  p->run = run;
  if (!late.is_late) {
    late_complete_all();
  }
}

static void late_create(void *userdata, mcp_loop *loop,
                        const mcp_task_record *record, mcp_task_done_cb done,
                        void *argument) {
  (void)userdata;
  pending_call *p = late_keep(loop, record->id, argument);
  late_keep_record(p, record, done);
  late_add(p, run_create);
}

static void late_update(void *userdata, mcp_loop *loop,
                        const mcp_task_record *record, mcp_task_done_cb done,
                        void *argument) {
  (void)userdata;
  pending_call *p = late_keep(loop, record->id, argument);
  late_keep_record(p, record, done);
  late_add(p, run_update);
}

static void late_load(void *userdata, mcp_loop *loop, const char *id,
                      mcp_task_found_cb found, void *argument) {
  (void)userdata;
  pending_call *p = late_keep(loop, id, argument);
  p->found = found;
  late_add(p, run_load);
}

/* The first loop asks at once; nothing is there yet. */
static void late_list(void *userdata, mcp_loop *loop,
                      const mcp_task_record *after, size_t max,
                      mcp_task_found_cb found, void *argument) {
  (void)userdata;
  late.inner.list_unfinished(late.inner.userdata, loop, after, max, found,
                             argument);
}

static void late_release(void *userdata) {
  (void)userdata;
  assert_int_equal(late.count, 0);
  late.inner.release(late.inner.userdata);
}

static int on_make_and_reply(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_make_task(call);
  return rc != 0 ? rc : mcp_call_reply_text(call, "done");
}

static void set_up(server_bench *b) {
  static const uint64_t seed[2] = {1, 2};
  memset(&late, 0, sizeof(late));
  assert_int_equal(
      mcpi_memory_tasks_make(&late.inner, &b->alloc.allocator, seed, 100000),
      0);
  mcp_task_store store = late.inner;
  store.create = late_create;
  store.update = late_update;
  store.load = late_load;
  store.list_unfinished = late_list;
  store.release = late_release;
  const mcp_tasks_options options = {.size = sizeof(options), .store = &store};
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &options, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->rig.server,
                                       &(mcp_tool){.size = sizeof(mcp_tool),
                                                   .name = "later",
                                                   .task = MCP_TASK_OPTIONAL,
                                                   .handler = server_bench_keep,
                                                   .userdata = b},
                                       NULL),
                   0);
  server_bench_add_tool(b, "makes", on_make_and_reply);
  rig_turn(&b->rig);
  late.is_late = 1;
}

/* Lets everything complete, and asserts what tasks/get says. */
static void expect_get(server_bench *b, const char *expected) {
  late_complete_all();
  rig_turn(&b->rig);
  wire_forget(&b->wire);
  late.is_late = 0;
  exchange(&b->wire, ABOUT("9", "get"), expected);
}

#define UNKNOWN(id)                                                            \
  "{$J,'id':" id ",'error':{'code':-32602,'message':'unknown task \\'" ID      \
  "\\''}}"
#define GOT(status) "{$J,'id':9,'result':{" TASK(status) ",$C}}"

/* ---- creating ------------------------------------------------------- */

BENCH_TEST(the_handler_runs_when_its_task_is_stored) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), "");
  assert_int_equal(b->kept_count, 0);
  late_complete();
  expect(&b->wire, CREATED("1"));
  assert_int_equal(b->kept_count, 1);
  mcp_call_drop(b->kept[0]);
  late_complete_all();
}

BENCH_TEST(a_request_that_is_cancelled_meanwhile_cancels_its_task) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), "");
  exchange(&b->wire, CANCEL("1"), "");
  expect_get(b, GOT("cancelled"));
  assert_int_equal(b->kept_count, 0);
}

BENCH_TEST(a_client_that_leaves_meanwhile_cancels_its_task) {
  server_bench *b = *state;
  rig_wire other;
  set_up(b);
  assert_int_equal(wire_connect(&other, &b->rig, NULL), 0);
  exchange(&other, CALL("1", "later"), "");
  wire_deinit(&other);
  rig_turn(&b->rig);
  expect_get(b, GOT("cancelled"));
  assert_int_equal(b->kept_count, 0);
}

BENCH_TEST(a_task_that_cannot_be_created_is_refused) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), "");
  late.fails = MCP_ERR_IO;
  late_complete();
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "the task could not be stored"));
  late.fails = 0;
  expect_get(b, UNKNOWN("9"));
  assert_int_equal(b->kept_count, 0);
}

BENCH_TEST(the_end_of_the_server_waits_for_the_store) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "later"), "");
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  late_complete_all();
  rig_turn(&b->rig);
  assert_int_equal(b->kept_count, 0);
  wire_forget(&b->wire);
}

BENCH_TEST(a_handler_may_reply_before_its_task_is_stored) {
  server_bench *b = *state;
  set_up(b);
  exchange(&b->wire, CALL("1", "makes"), RESULT_TEXT("1", "done"));
  expect_get(b, GOT("cancelled"));
}

/* ---- afterwards ----------------------------------------------------- */

static void begin_task(server_bench *b) {
  late.is_late = 0;
  exchange(&b->wire, CALL("1", "later"), CREATED("1"));
  late.is_late = 1;
}

BENCH_TEST(a_cancel_that_is_stored_first_wins) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b);
  exchange(&b->wire, ABOUT("2", "cancel"), "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  late_complete(); /* both have loaded the first version */
  late_complete();
  expect_get(b, GOT("cancelled"));
}

BENCH_TEST(a_reply_that_is_stored_first_wins) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  exchange(&b->wire, ABOUT("2", "cancel"), "");
  late_complete();
  late_complete();
  expect_get(b, "{$J,'id':9,'result':{" TASK(
                    "completed") ",'result':{'content':[{'type':'text','text':"
                                 "'done'}],$C},$C}}");
}

BENCH_TEST(the_server_ends_while_a_request_is_in_the_store) {
  server_bench *b = *state;
  set_up(b);
  begin_task(b);
  exchange(&b->wire, ABOUT("2", "get"), "");
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  late_complete_all();
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

/* ---- tasks/result --------------------------------------------------- */

BENCH_TEST(a_client_leaves_while_its_result_is_loaded) {
  server_bench *b = *state;
  rig_wire other;
  set_up(b);
  begin_task(b);
  assert_int_equal(wire_connect(&other, &b->rig, NULL), 0);
  wire_initialize(&other, "2025-11-25", "{}");
  rig_turn(&b->rig);
  wire_forget(&other);
  exchange(&other,
           "{$J,'id':2,'method':'tasks/result','params':{'taskId':'" ID "'}}",
           "");
  exchange(&other,
           "{$J,'id':3,'method':'tasks/result','params':{'taskId':'" ID "'}}",
           "");
  exchange(&other, CANCEL("2"), "");
  wire_deinit(&other);
  rig_turn(&b->rig);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "done"), 0);
  late_complete_all();
}
