/* SPDX-License-Identifier: MIT */
/* Ends in good order: no new work, a little time for the old, then the end. */
#include "support/cm.h"
#include "support/server_rig.h"
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  mcp_call *kept[4];
  int kept_count;
  int cancelled;
  int rc;
} bench;

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"
#define TEXT(id, text)                                                         \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}],$"  \
  "C}}"

static void on_cancelled(mcp_call *call, void *userdata) {
  (void)call;
  ((bench *)userdata)->cancelled++;
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  mcp_call_on_cancel(call, on_cancelled, b);
  return mcp_call_defer(call);
}

static int on_echo(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "echo");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  bench *b = userdata;
  b->rc = mcp_call_ask_roots(call, "roots", &answer);
  return b->rc != 0 ? b->rc : mcp_call_reply_text(call, "rooted");
}

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void begin(bench *b, const mcp_connection_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, NULL, NULL), 0);
  add_tool(b, "keep", on_keep);
  add_tool(b, "echo", on_echo);
  add_tool(b, "ask", on_ask);
  assert_int_equal(wire_connect(&b->wire, &b->rig, options), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_drop(b->kept[i]);
  }
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

static void waits_for_the_calls_in_flight(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("2", "keep"), "");
  mcp_connection_close(b.wire.connection, 1000);
  exchange(&b.wire, CALL("3", "echo"),
           "{$J,'id':3,'error':{'code':-32603,"
           "'message':'the server is shutting down'}}");
  mcp_call_reply_text(b.kept[0], "first");
  expect(&b.wire, TEXT("1", "first"));
  rig_pass(&b.rig, 999);
  assert_false(b.wire.is_closed);
  mcp_call_reply_text(b.kept[1], "second");
  expect(&b.wire, TEXT("2", "second"));
  assert_true(b.wire.is_closed);
  assert_int_equal(b.wire.close_count, 1);
  assert_int_equal(b.cancelled, 0);
  b.kept_count = 0;
  end(&b);
}

static void cancels_what_takes_too_long(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_connection_close(b.wire.connection, 1000);
  rig_pass(&b.rig, 1000);
  assert_int_equal(b.cancelled, 1);
  assert_true(b.wire.is_closed);
  assert_int_equal(mcp_call_reply_text(b.kept[0], "late"), MCP_ERR_GONE);
  expect(&b.wire, "");
  b.kept_count = 0;
  end(&b);
}

static void may_only_be_hurried(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_connection_close(b.wire.connection, 1000);
  mcp_connection_close(b.wire.connection, 5000);
  mcp_connection_close(b.wire.connection, 100);
  rig_pass(&b.rig, 99);
  assert_false(b.wire.is_closed);
  rig_pass(&b.rig, 1);
  assert_true(b.wire.is_closed);
  end(&b);
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_connection_close(b.wire.connection, 1000);
  mcp_connection_close(b.wire.connection, 0);
  rig_turn(&b.rig);
  assert_true(b.wire.is_closed);
  mcp_connection_close(NULL, 0);
  end(&b);
}

static void closes_at_once_with_nothing_in_flight(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':1}}",
           "");
  mcp_connection_close(b.wire.connection, 1000);
  rig_turn(&b.rig);
  assert_true(b.wire.is_closed);
  end(&b);
}

static void a_cancelled_call_is_not_waited_for(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_connection_close(b.wire.connection, 1000);
  exchange(&b.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':1}}",
           "");
  assert_true(b.wire.is_closed);
  end(&b);
}

static void drains_all_and_takes_no_more(void **state) {
  bench b;
  rig_wire idle;
  rig_wire more;
  (void)state;
  begin(&b, NULL);
  assert_int_equal(wire_connect(&idle, &b.rig, NULL), 0);
  exchange(&b.wire, CALL("1", "keep"), "");
  assert_int_equal(mcp_server_connection_count(b.rig.server), 2);
  mcp_server_drain(b.rig.server, 500);
  rig_turn(&b.rig);
  assert_true(idle.is_closed);
  assert_false(b.wire.is_closed);
  assert_int_equal(mcp_server_connection_count(b.rig.server), 1);
  assert_int_equal(wire_connect(&more, &b.rig, NULL), MCP_ERR_CLOSED);
  rig_turn(&b.rig);
  assert_true(more.is_closed);
  rig_pass(&b.rig, 500);
  assert_true(b.wire.is_closed);
  assert_int_equal(mcp_server_connection_count(b.rig.server), 0);
  wire_deinit(&idle);
  wire_deinit(&more);
  end(&b);
}

/* --- the end of input --------------------------------------------------- */

static void answers_all_that_came_before_the_end(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_send(&b.wire, CALL("1", "echo"));
  wire_send(&b.wire, CALL("2", "keep"));
  wire_send(&b.wire, CALL("3", "echo"));
  rig_turn(&b.rig);
  b.wire.server_end->on_end(b.wire.server_end);
  expect(&b.wire, TEXT("1", "echo") "\n" TEXT("3", "echo"));
  rig_pass(&b.rig, 999);
  assert_false(b.wire.is_closed);
  mcp_call_reply_text(b.kept[0], "kept");
  expect(&b.wire, TEXT("2", "kept"));
  assert_true(b.wire.is_closed);
  b.kept_count = 0;
  end(&b);
}

static void waits_at_the_end_as_long_as_it_is_told(void **state) {
  const mcp_connection_options options = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                          .drain_ms = 50};
  bench b;
  (void)state;
  begin(&b, &options);
  exchange(&b.wire, CALL("1", "keep"), "");
  b.wire.server_end->on_end(b.wire.server_end);
  rig_pass(&b.rig, 49);
  assert_false(b.wire.is_closed);
  rig_pass(&b.rig, 1);
  assert_true(b.wire.is_closed);
  end(&b);
}

static void questions_have_no_answer_after_the_end(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", "{'roots':{}}");
  wire_send(&b.wire,
            "{$J,'id':1,'method':'tools/call','params':{'name':'ask'}}");
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  b.wire.server_end->on_end(b.wire.server_end);
  expect(&b.wire,
         "{$J,'id':1,'error':{'code':-32603,'message':'question \\\"roots\\\" "
         "was not answered: the client has ended its sending'}}");
  assert_int_equal(b.rc, MCP_ERR_UNANSWERED);
  assert_true(b.wire.is_closed);
  end(&b);
}

static void on_cancelled_free(mcp_call *call, void *userdata) {
  bench *b = userdata;
  on_cancelled(call, userdata);
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
}

static void the_server_may_be_freed_while_it_drains(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("2", "keep"), "");
  mcp_call_on_cancel(b.kept[0], on_cancelled_free, &b);
  mcp_server_drain(b.rig.server, 10);
  rig_pass(&b.rig, 10);
  assert_int_equal(b.cancelled, 2);
  assert_true(b.wire.is_closed);
  assert_int_equal(b.wire.close_count, 1);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_for_the_calls_in_flight),
      cmocka_unit_test(cancels_what_takes_too_long),
      cmocka_unit_test(may_only_be_hurried),
      cmocka_unit_test(closes_at_once_with_nothing_in_flight),
      cmocka_unit_test(a_cancelled_call_is_not_waited_for),
      cmocka_unit_test(drains_all_and_takes_no_more),
      cmocka_unit_test(answers_all_that_came_before_the_end),
      cmocka_unit_test(waits_at_the_end_as_long_as_it_is_told),
      cmocka_unit_test(questions_have_no_answer_after_the_end),
      cmocka_unit_test(the_server_may_be_freed_while_it_drains),
  };
  return cmocka_run_group_tests_name("server_drain", tests, NULL, NULL);
}
