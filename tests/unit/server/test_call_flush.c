/* SPDX-License-Identifier: MIT */
/* mcp_call_flush on MCP's own wires, where what is shown is progress; its
 * events in the mcp-core dialect are in wires/mcp_core/test_http.c. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <string.h>

#define META(more)                                                             \
  "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"           \
  "'io.modelcontextprotocol/clientCapabilities':{}" more "}"
#define CALL_WITH(id, name, meta)                                              \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'," meta "}}"
#define TOKEN ",'progressToken':'t'"
#define PROGRESS(more)                                                         \
  "{$J,'method':'notifications/progress','params':{'progressToken':'t'," more  \
  "}}"
#define ITEM(text) "{'type':'text','text':'" text "'}"

typedef struct scene {
  http_rig http;
  rig_wire wire;
  mcp_call *kept;
} scene;

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  int rc = mcp_call_defer(call);
  s->kept = rc == 0 ? call : NULL;
  return rc;
}

static int on_count(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "one ");
  mcp_call_flush(call);
  mcp_call_add_text(call, "two ");
  mcp_call_add_image(call, "x", 1, "image/png");
  mcp_call_add_text(call, "three");
  mcp_call_flush(call);
  mcp_call_add_image(call, "y", 1, "image/png");
  mcp_call_flush(call);
  return mcp_call_reply(call);
}

static int on_prompt(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "p");
  assert_int_equal(mcp_call_flush(call), MCP_ERR_INVALID);
  return mcp_call_reply(call);
}

static int begin_with(scene *s, const mcp_allocator *allocator) {
  const mcp_tool keep = {
      .size = MCP_TOOL_INIT, .name = "keep", .handler = on_keep, .userdata = s};
  const mcp_tool count = {
      .size = MCP_TOOL_INIT, .name = "count", .handler = on_count};
  const mcp_prompt prompt = {
      .size = MCP_PROMPT_INIT, .name = "p", .handler = on_prompt};
  memset(s, 0, sizeof(*s));
  int rc = http_rig_init(&s->http, NULL, NULL, allocator);
  if (rc == 0) {
    mcp_server_add_tool(s->http.rig.server, &keep);
    mcp_server_add_tool(s->http.rig.server, &count);
    mcp_server_add_prompt(s->http.rig.server, &prompt);
    rc = wire_connect(&s->wire, &s->http.rig, NULL);
  }
  return rc;
}

static void begin(scene *s) {
  assert_int_equal(begin_with(s, NULL), 0);
}

static void end(scene *s) {
  wire_deinit(&s->wire);
  http_rig_deinit(&s->http);
}

#define COUNTED                                                                \
  "'content':[" ITEM("one ") "," ITEM(                                         \
      "two ") ",{'type':'image','data':"                                       \
              "'eA==','mimeType':'image/png'}," ITEM(                          \
                  "three") ",{'type':'image','data':"                          \
                           "'eQ==','mimeType':'image/png'}]"

static void it_is_progress_for_who_wants_that(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, CALL_WITH("1", "count", META(TOKEN)),
           PROGRESS("'progress':1,'message':'one '") "\n"      //
           PROGRESS("'progress':2,'message':'two three'") "\n" //
           PROGRESS("'progress':3") "\n{$J,'id':1,'result':{" COUNTED ",$C}}");
  end(&s);
}

static void it_waits_for_the_reply_where_nobody_asked(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, CALL_WITH("1", "count", META("")),
           "{$J,'id':1,'result':{" COUNTED ",$C}}");
  end(&s);
}

static void it_is_progress_in_a_legacy_session(void **state) {
  (void)state;
  scene s;
  begin(&s);
  wire_initialize(&s.wire, "2025-06-18", "{}");
  exchange(&s.wire, CALL_WITH("1", "count", "'_meta':{'progressToken':'t'}"),
           PROGRESS("'progress':1,'message':'one '") "\n"      //
           PROGRESS("'progress':2,'message':'two three'") "\n" //
           PROGRESS("'progress':3") "\n{$J,'id':1,'result':{" COUNTED "}}");
  end(&s);
}

static void progress_has_no_message_in_2024(void **state) {
  (void)state;
  scene s;
  begin(&s);
  wire_initialize(&s.wire, "2024-11-05", "{}");
  exchange(&s.wire, CALL_WITH("1", "count", "'_meta':{'progressToken':'t'}"),
           PROGRESS("'progress':1") "\n" PROGRESS("'progress':2") "\n" //
           PROGRESS("'progress':3") "\n{$J,'id':1,'result':{" COUNTED "}}");
  end(&s);
}

static void it_is_progress_over_http(void **state) {
  (void)state;
  http_trip trip = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http,
            MODERN("tools/call", "Mcp-Name: count\n",
                   CALL_WITH("1", "count", META(TOKEN))));
  came(&trip,
       EVENTS(EVENT(PROGRESS("'progress':1,'message':'one '"))
                  EVENT(PROGRESS("'progress':2,'message':'two three'"))
                      EVENT(PROGRESS("'progress':3"))
                          EVENT("{$J,'id':1,'result':{" COUNTED ",$C}}")) "EN"
                                                                          "D");
  trip_deinit(&trip);
  end(&s);
}

static void who_reports_progress_is_not_talked_over(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, CALL_WITH("1", "keep", META(TOKEN)), "");
  assert_int_equal(mcp_call_progress(s.kept, 0.5, 1, NULL), 0);
  assert_int_equal(mcp_call_add_text(s.kept, "a"), 0);
  assert_int_equal(mcp_call_flush(s.kept), 0);
  expect(&s.wire, PROGRESS("'progress':0.5,'total':1"));
  assert_int_equal(mcp_call_reply(s.kept), 0);
  expect(&s.wire, "{$J,'id':1,'result':{'content':[" ITEM("a") "],$C}}");
  end(&s);
}

static void progress_goes_on_from_what_was_shown(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, CALL_WITH("1", "keep", META(TOKEN)), "");
  mcp_call_add_text(s.kept, "a");
  assert_int_equal(mcp_call_flush(s.kept), 0);
  assert_int_equal(mcp_call_progress(s.kept, 1, 0, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_progress(s.kept, 2, 0, NULL), 0);
  expect(&s.wire, PROGRESS("'progress':1,'message':'a'") "\n" //
         PROGRESS("'progress':2"));
  assert_int_equal(mcp_call_reply(s.kept), 0);
  wire_forget(&s.wire);
  end(&s);
}

static void only_a_tools_open_reply_is_flushed(void **state) {
  (void)state;
  scene s;
  begin(&s);
  assert_int_equal(mcp_call_flush(NULL), MCP_ERR_INVALID);
  exchange(
      &s.wire,
      "{$J,'id':1,'method':'prompts/get','params':{'name':'p'," META("") "}}",
      "{$J,'id':1,'result':{'messages':[{'role':'user','content':" ITEM(
          "p") "}],$C}}");
  exchange(&s.wire, CALL_WITH("2", "keep", META(TOKEN)), "");
  mcp_call *call = s.kept;
  mcp_call_add_text(call, "a");
  exchange(&s.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':2,"
           "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28'}}}",
           "");
  assert_int_equal(mcp_call_flush(call), MCP_ERR_GONE);
  assert_int_equal(mcp_call_reply(call), MCP_ERR_GONE);
  end(&s);
}

static int talk(const mcp_allocator *allocator, void *userdata) {
  (void)userdata;
  scene s;
  int rc = begin_with(&s, allocator);
  rc = rc != 0 ? rc : wire_send(&s.wire, CALL_WITH("1", "count", META(TOKEN)));
  if (rc == 0) {
    rig_turn(&s.http.rig);
    rc = s.wire.text.len > 0 && strstr(s.wire.text.bytes, "result") != NULL &&
                 strstr(s.wire.text.bytes, "\"progress\":3") != NULL
             ? 0
             : MCP_ERR_NOMEM;
  }
  wire_deinit(&s.wire);
  http_rig_deinit(&s.http);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_NOMEM : rc;
}

static void it_bears_every_failure_of_memory(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(talk, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_progress_for_who_wants_that),
      cmocka_unit_test(it_waits_for_the_reply_where_nobody_asked),
      cmocka_unit_test(it_is_progress_in_a_legacy_session),
      cmocka_unit_test(progress_has_no_message_in_2024),
      cmocka_unit_test(it_is_progress_over_http),
      cmocka_unit_test(who_reports_progress_is_not_talked_over),
      cmocka_unit_test(progress_goes_on_from_what_was_shown),
      cmocka_unit_test(only_a_tools_open_reply_is_flushed),
      cmocka_unit_test(it_bears_every_failure_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
