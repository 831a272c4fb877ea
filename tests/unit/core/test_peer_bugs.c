/* SPDX-License-Identifier: MIT */
/* What other implementations got wrong, where no other test says that this one
 * does not. docs/TESTS.md lists the rest. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

#define INITIALIZE                                                             \
  "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"              \
  "'2025-06-18','capabilities':{},'clientInfo':{'name':'c','version':'1'}}}"
#define HELLO                                                                  \
  "{$J,'id':1,'result':{'protocolVersion':'2025-06-18','capabilities':"        \
  "{'tools':{'listChanged':true}},'serverInfo':{'name':'test',"                \
  "'version':'1'}}}"

static int on_hi(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "hi");
}

typedef struct bench {
  server_rig rig;
  rig_wire wire;
} bench;

static void begin(bench *b, const mcp_server_options *options,
                  const mcp_allocator *allocator) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT, .name = "hi", .handler = on_hi};
  assert_int_equal(rig_init(&b->rig, options, allocator), 0);
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- one message, one line ---------------------------------------------- */

static int on_pretty(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_set_meta(call, "com.example/note", "{\n  \"a\": 1\n}");
  return mcp_call_reply_structured(call, "{\r\n  \"list\": [\n1\n]\r\n}");
}

static int on_pretty_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, 7, "two\nlines", "{\n\t\"a\": [\n]\n}");
}

static int on_pretty_method(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_json(call, "{\n  \"done\": true\n}");
}

static void add_pretty(mcp_server *server) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "pretty",
                         .description = "two\nlines",
                         .input =
                             MCP_SCHEMA_TEXT("{\n  \"type\": \"object\"\n}\n"),
                         .meta = "{\n  \"com.example/x\": 1\n}",
                         .handler = on_pretty};
  const mcp_tool error = {
      .size = MCP_TOOL_INIT, .name = "error", .handler = on_pretty_error};
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "com.example/report",
                             .handler = on_pretty_method};
  assert_int_equal(mcp_server_add_tool(server, &tool), 0);
  assert_int_equal(mcp_server_add_tool(server, &error), 0);
  assert_int_equal(mcp_server_add_method(server, &method), 0);
}

/* The wire notes each message as one line: a break inside one adds another. */
static void expect_one_line(bench *b, const char *message, const char *part) {
  wire_forget(&b->wire);
  assert_int_equal(wire_send(&b->wire, message), 0);
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, part));
  assert_null(memchr(b->wire.text.bytes, '\n', b->wire.text.len - 1));
  assert_null(memchr(b->wire.text.bytes, '\r', b->wire.text.len));
  wire_forget(&b->wire);
}

static void pretty_printed_json_leaves_in_one_line(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL, NULL);
  add_pretty(b.rig.server);
  expect_one_line(&b, "{$J,'id':1,'method':'tools/list','params':{$M{}}}",
                  "two\\nlines");
  expect_one_line(&b,
                  "{$J,'id':2,'method':'tools/call','params':{'name':"
                  "'pretty',$M{}}}",
                  "{\"list\":[1]}");
  expect_one_line(&b,
                  "{$J,'id':3,'method':'tools/call','params':{'name':"
                  "'error',$M{}}}",
                  "\"code\":7,");
  expect_one_line(&b,
                  "{$J,'id':4,'method':'com.example/report','params':"
                  "{$M{}}}",
                  "\"done\":true");
  end(&b);
}

/* --- notifications ------------------------------------------------------ */

static void no_notification_is_answered(void **state) {
  static const char *const messages[] = {
      "{$J,'method':'notifications/initialized'}",
      "{$J,'method':'notifications/initialized','params':{}}",
      "{$J,'method':'notifications/cancelled','params':{'requestId':9}}",
      "{$J,'method':'notifications/cancelled','params':{}}",
      "{$J,'method':'notifications/cancelled'}",
      ("{$J,'method':'notifications/progress','params':{'progressToken':9,"
       "'progress':1}}"),
      "{$J,'method':'notifications/progress','params':{'progress':'x'}}",
      "{$J,'method':'notifications/roots/list_changed'}",
      "{$J,'method':'notifications/message','params':{}}",
      "{$J,'method':'no/such'}",
      "{$J,'method':'ping'}",
      "{$J,'method':'tools/call','params':{'name':'hi'}}",
      "{$J,'method':'tools/call','params':{'name':'hi',$M{}}}",
      "{$J,'method':'initialize','params':{}}",
  };
  bench b;
  (void)state;
  begin(&b, NULL, NULL);
  exchange(&b.wire, INITIALIZE, HELLO);
  for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
    exchange(&b.wire, messages[i], "");
  }
  exchange(&b.wire, "{$J,'id':2,'method':'ping'}", "{$J,'id':2,'result':{}}");
  end(&b);
}

/* --- tolerance ---------------------------------------------------------- */

static void popular_clients_are_not_refused(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL, NULL);
  /* Members that no schema knows, at every level. */
  exchange(&b.wire,
           "{'x':1,$J,'id':1,'method':'initialize','params':{'x':1,"
           "'protocolVersion':'2025-06-18','capabilities':{'x':{},'roots':"
           "{'x':1},'experimental':{}},'clientInfo':{'name':'c','version':"
           "'1','x':[]}}}",
           HELLO);
  /* No `initialized`; ids as strings; no params, or empty ones. */
  exchange(&b.wire, "{$J,'id':'a','method':'ping'}",
           "{$J,'id':'a','result':{}}");
  exchange(&b.wire, "{$J,'id':'','method':'ping','params':{}}",
           "{$J,'id':'','result':{}}");
  exchange(&b.wire,
           "{$J,'id':'b','method':'tools/call','params':{'name':'hi','x':1,"
           "'_meta':{'x':1}},'x':{}}",
           "{$J,'id':'b','result':{'content':[{'type':'text','text':'hi'}]}}");
  exchange(&b.wire,
           "{$J,'id':'c','method':'tools/call','params':{'name':'hi',"
           "'arguments':{}}}",
           "{$J,'id':'c','result':{'content':[{'type':'text','text':'hi'}]}}");
  wire_send(&b.wire, "{$J,'id':'d','method':'tools/list'}");
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "\"id\":\"d\",\"result\""));
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'method':'notifications/initialized'}", "");
  end(&b);
}

/* --- what must not grow ------------------------------------------------- */

/* What is asked for on the way is given back: as much is live afterwards as
 * was after the first rounds. */
static void expect_no_growth(bench *b, failing_alloc *alloc,
                             void (*round)(bench *b)) {
  size_t live = 0;
  for (int i = 0; i < 200; i++) {
    round(b);
    if (i == 20) {
      live = alloc->live_bytes;
    }
  }
  assert_int_equal(alloc->live_bytes, live);
}

static void initialize_again(bench *b) {
  exchange(&b->wire, INITIALIZE,
           "{$J,'id':1,'error':{'code':-32600,'message':'this connection is "
           "initialized already'}}");
}

static void initialize_again_and_again_takes_no_memory(void **state) {
  failing_alloc alloc;
  bench b;
  (void)state;
  failing_alloc_init(&alloc);
  begin(&b, NULL, &alloc.allocator);
  exchange(&b.wire, INITIALIZE, HELLO);
  expect_no_growth(&b, &alloc, initialize_again);
  end(&b);
}

static void come_and_go(bench *b) {
  rig_wire wire;
  assert_int_equal(wire_connect(&wire, &b->rig, NULL), 0);
  exchange(&wire, INITIALIZE, HELLO);
  wire_deinit(&wire);
  rig_turn(&b->rig);
}

static void clients_that_come_and_go_leave_nothing(void **state) {
  failing_alloc alloc;
  bench b;
  (void)state;
  failing_alloc_init(&alloc);
  begin(&b, NULL, &alloc.allocator);
  expect_no_growth(&b, &alloc, come_and_go);
  assert_int_equal(mcp_server_connection_count(b.rig.server), 1);
  end(&b);
}

static void count_session(mcp_server *server, mcp_session *session,
                          void *userdata) {
  int *count = userdata;
  (void)server;
  (void)session;
  ++*count;
}

static void call_modern(bench *b) {
  exchange(&b->wire,
           "{$J,'id':1,'method':'tools/call','params':{'name':'hi',$M{}}}",
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'hi'}],$C}}");
}

static void modern_clients_open_no_session(void **state) {
  int count = 0;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .userdata = &count,
                                      .on_session_opened = count_session};
  failing_alloc alloc;
  bench b;
  (void)state;
  failing_alloc_init(&alloc);
  begin(&b, &options, &alloc.allocator);
  expect_no_growth(&b, &alloc, call_modern);
  assert_int_equal(count, 0);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pretty_printed_json_leaves_in_one_line),
      cmocka_unit_test(no_notification_is_answered),
      cmocka_unit_test(popular_clients_are_not_refused),
      cmocka_unit_test(initialize_again_and_again_takes_no_memory),
      cmocka_unit_test(clients_that_come_and_go_leave_nothing),
      cmocka_unit_test(modern_clients_open_no_session),
  };
  return cmocka_run_group_tests_name("peer_bugs", tests, NULL, NULL);
}
