/* SPDX-License-Identifier: MIT */
/* What a client can make the server report, and how much of it. */
#include "server/part.h"

#include "support/cm.h"
#include "support/server_rig.h"
#include <string.h>

enum { MAX_REPORTS = 5, MAX_UNREADABLE = 8 };

#define PING "{$J,'id':1,'method':'ping'}"
#define STRAY "{$J,'id':9,'result':{}}"

typedef struct bench {
  server_rig rig;
  rig_wire wire;
} bench;

static void begin(bench *b, uint32_t max_unreadable) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_reports = MAX_REPORTS,
                                      .max_unreadable = max_unreadable};
  const mcp_connection_options peer = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                       .peer = "mallory"};
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, &options, NULL), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, &peer), 0);
}

static void end(bench *b) {
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

static void send_many(bench *b, const char *message, int count) {
  for (int i = 0; i < count; i++) {
    wire_send(&b->wire, message);
    rig_turn(&b->rig);
  }
  wire_forget(&b->wire);
}

static int count_reports(const bench *b, const char *text) {
  int count = 0;
  const char *at = b->rig.reports.bytes;
  while (at != NULL && (at = strstr(at, text)) != NULL) {
    at += strlen(text);
    count++;
  }
  return count;
}

static void reports_of_one_connection_are_limited(void **state) {
  bench b;
  (void)state;
  begin(&b, 0);
  send_many(&b, STRAY, MAX_REPORTS);
  assert_int_equal(count_reports(&b, "to no request"), MAX_REPORTS);
  send_many(&b, STRAY, 1000);
  assert_int_equal(count_reports(&b, "to no request"), MAX_REPORTS);
  rig_pass(&b.rig, 1000);
  assert_int_equal(count_reports(&b, "mallory: 1000 more reports"), 1);
  assert_int_equal(count_reports(&b, "to no request"), MAX_REPORTS);
  send_many(&b, STRAY, 1);
  assert_int_equal(count_reports(&b, "to no request"), MAX_REPORTS + 1);
  end(&b);
}

/* Forty connections report no more than three would. */
static void reports_of_all_connections_are_limited(void **state) {
  enum { WIRES = 40 };
  static rig_wire wires[WIRES];
  bench b;
  (void)state;
  begin(&b, 0);
  for (int i = 0; i < WIRES; i++) {
    assert_int_equal(wire_connect(&wires[i], &b.rig, NULL), 0);
    for (int k = 0; k < MAX_REPORTS; k++) {
      wire_send(&wires[i], STRAY);
    }
    rig_turn(&b.rig);
  }
  assert_int_equal(count_reports(&b, "to no request"), 3 * MAX_REPORTS);
  rig_pass(&b.rig, 1000);
  assert_int_equal(count_reports(&b, "185 more reports"), 1);
  for (int i = 0; i < WIRES; i++) {
    wire_deinit(&wires[i]);
  }
  end(&b);
}

static void a_loop_that_leaves_reports_its_last_count(void **state) {
  enum { WIRES = 4 }; /* one past what all may report */
  static rig_wire wires[WIRES];
  bench b;
  (void)state;
  begin(&b, 0);
  for (int i = 0; i < WIRES; i++) {
    assert_int_equal(wire_connect(&wires[i], &b.rig, NULL), 0);
    for (int k = 0; k < MAX_REPORTS; k++) {
      wire_send(&wires[i], STRAY);
    }
    rig_turn(&b.rig);
  }
  mcpi_server_leave_loop(b.rig.server, b.rig.loop);
  assert_int_equal(count_reports(&b, "5 more reports"), 1);
  for (int i = 0; i < WIRES; i++) {
    wire_deinit(&wires[i]);
  }
  end(&b);
}

static int on_kept(mcp_call *call, void *userdata) {
  *(mcp_call **)userdata = call;
  return mcp_call_defer(call);
}

#define KEEP(id)                                                               \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'keep',$M{}}}"

/* Off HTTP, where each connection may have calls within its own limit. */
static void max_total_calls_limits_all_connections(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_total_calls = 2};
  mcp_call *call = NULL;
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "keep",
                         .handler = on_kept,
                         .userdata = &call};
  mcp_call *kept[2];
  bench b = {0};
  rig_wire other = {0};
  (void)state;
  assert_int_equal(rig_init(&b.rig, &options, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b.rig.server, &tool), 0);
  assert_int_equal(wire_connect(&b.wire, &b.rig, NULL), 0);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  exchange(&b.wire, KEEP("1"), "");
  kept[0] = call;
  exchange(&other, KEEP("1"), ""); /* at the limit */
  kept[1] = call;
  exchange(&b.wire, KEEP("2"),
           "{$J,'id':2,'error':{'code':-32603,'message':'too many requests at "
           "once: all clients together may have 2 in flight (max_total_calls): "
           "try again later'}}");
  assert_int_equal(count_reports(&b, "(max_total_calls)"), 1);
  mcp_call_drop(kept[0]);
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, KEEP("3"), "");
  mcp_call_drop(kept[1]);
  mcp_call_drop(call);
  rig_turn(&b.rig);
  wire_deinit(&other);
  end(&b);
}

static void a_connection_of_rubbish_ends(void **state) {
  bench b;
  (void)state;
  begin(&b, MAX_UNREADABLE);
  send_many(&b, "rubbish", MAX_UNREADABLE / 2);
  send_many(&b, "{'id':1}", MAX_UNREADABLE / 2);
  assert_false(b.wire.is_closed);
  send_many(&b, "rubbish", 1);
  assert_true(b.wire.is_closed);
  assert_int_equal(count_reports(&b, "mallory: 4 more reports"), 1);
  assert_int_equal(count_reports(&b, "mallory: closed: more than 8 messages in "
                                     "a row could not be read; the last: "),
                   1);
  end(&b);
}

static void a_good_message_begins_the_count_anew(void **state) {
  bench b;
  (void)state;
  begin(&b, MAX_UNREADABLE);
  for (int i = 0; i < 10; i++) {
    send_many(&b, "rubbish", MAX_UNREADABLE);
    send_many(&b, PING, 1);
  }
  assert_false(b.wire.is_closed);
  end(&b);
}

/* As many elements as would close the connection one by one. */
static void a_batch_of_unreadable_elements_counts_once(void **state) {
  bench b;
  (void)state;
  begin(&b, 2);
  wire_initialize(&b.wire, "2025-03-26", "{}");
  send_many(&b, "[{},{},{}]", 1);
  assert_int_equal(b.wire.is_closed, 0);
  send_many(&b, "[{},{},{}]", 1);
  assert_int_equal(b.wire.is_closed, 0);
  send_many(&b, "[{},{},{}]", 1);
  assert_int_equal(b.wire.is_closed, 1);
  end(&b);
}

static void a_hundred_unreadable_messages_are_the_default(void **state) {
  bench b;
  (void)state;
  begin(&b, 0);
  send_many(&b, "rubbish", 100);
  assert_false(b.wire.is_closed);
  send_many(&b, "rubbish", 1);
  assert_true(b.wire.is_closed);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports_of_one_connection_are_limited),
      cmocka_unit_test(reports_of_all_connections_are_limited),
      cmocka_unit_test(a_loop_that_leaves_reports_its_last_count),
      cmocka_unit_test(max_total_calls_limits_all_connections),
      cmocka_unit_test(a_connection_of_rubbish_ends),
      cmocka_unit_test(a_good_message_begins_the_count_anew),
      cmocka_unit_test(a_batch_of_unreadable_elements_counts_once),
      cmocka_unit_test(a_hundred_unreadable_messages_are_the_default),
  };
  return cmocka_run_group_tests_name("server_reports", tests, NULL, NULL);
}
