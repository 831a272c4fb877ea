/* SPDX-License-Identifier: MIT */
/* A server of ours on an ordered wire that speaks the mcp-core dialect. The
 * tests whose names end in a line of its checklists say so in front. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/revisions.h"
#include "support/server_rig.h"
#include "support/tool_schemas.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADD_5 "{'content':[{'type':'text','text':'5'}]}"
#define RESULT(id, result) "{$J,'id':" id ",'result':" result "}"
#define FAULT(id, code, text)                                                  \
  "{$J,'id':" id ",'error':{'code':" code ",'message':'" text "'}}"
#define ADD_ARGUMENTS "'arguments':{'a':2,'b':3}"

typedef struct scene {
  server_rig rig;
  rig_wire wire;
  mcp_call *kept[8];
  size_t kept_count;
} scene;

/* --- tools -------------------------------------------------------------- */

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  int rc = mcp_call_defer(call);
  if (rc == 0) {
    s->kept[s->kept_count++] = call;
  }
  return rc;
}

static int on_shapes(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_set_meta(call, "example.org/a", "[1,null]");
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_logf(call, MCP_LOG_ERROR, "unseen");
  return mcp_call_reply_structured(call, "{\"sum\":5}");
}

static int on_empty(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "no such file: %s", "a.txt");
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, 409, "it is taken", "{\"by\":[true]}");
}

static int on_nowhere(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Sure?",
                               .form = MCP_OBJECT(MCP_BOOLEAN("yes", "yes"))};
  (void)userdata;
  return mcp_call_ask_elicit(call, "sure", &question, &answer);
}

static int on_number(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "7");
}

static int on_where(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_revision(call));
}

static void add_tool(scene *s, const char *name, mcp_call_cb handler,
                     const mcp_schema *input) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = name,
                         .input = input,
                         .handler = handler,
                         .userdata = s};
  mcp_server_add_tool(s->rig.server, &tool);
}

static int begin_with(scene *s, uint32_t eras, const mcp_allocator *allocator) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .eras = eras};
  memset(s, 0, sizeof(*s));
  int rc = rig_init(&s->rig, &options, allocator);
  if (rc != 0) {
    return rc;
  }
  add_tool(s, "add", on_add,
           MCP_OBJECT(MCP_NUMBER("a", "first"), MCP_NUMBER("b", "second")));
  add_tool(s, "keep", on_keep, NULL);
  add_tool(s, "shapes", on_shapes, NULL);
  add_tool(s, "empty", on_empty, NULL);
  add_tool(s, "fail", on_fail, NULL);
  add_tool(s, "error", on_error, NULL);
  add_tool(s, "ask", on_nowhere, NULL);
  add_tool(s, "number", on_number, NULL);
  add_tool(s, "where", on_where, NULL);
  s->rig.dialect = MCP_DIALECT_MCP_CORE;
  return wire_connect(&s->wire, &s->rig, NULL);
}

static void begin(scene *s) {
  assert_int_equal(begin_with(s, 0, NULL), 0);
}

static void end(scene *s) {
  wire_deinit(&s->wire);
  rig_deinit(&s->rig);
}

/* --- the three forms ---------------------------------------------------- */

static void a_request_of_each_form_is_answered_in_its_form(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'name':'add'," ADD_ARGUMENTS "}", ADD_5);
  exchange(&s.wire, "{'id':1,'name':'add'," ADD_ARGUMENTS "}",
           RESULT("1", ADD_5));
  exchange(&s.wire,
           "{$J,'id':'r-7','method':'tools/call','params':{'name':'add'," //
           ADD_ARGUMENTS "}}",
           RESULT("'r-7'", ADD_5));
  end(&s);
}

static void members_that_are_not_the_dialects_are_dropped(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'shapes','jsonrpc':'2.0','more':[]}",
           RESULT("1", "{'content':[{'type':'text','text':'{\\'sum\\':5}'}],"
                       "'structuredContent':{'sum':5},"
                       "'_meta':{'example.org/a':[1,null]}}"));
  exchange(&s.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'shapes',"
           "'_meta':{'progressToken':1,'io.modelcontextprotocol/logLevel':"
           "'debug'},'requestState':'x'}}",
           RESULT("2", "{'content':[{'type':'text','text':'{\\'sum\\':5}'}],"
                       "'structuredContent':{'sum':5},"
                       "'_meta':{'example.org/a':[1,null]}}"));
  end(&s);
}

static void a_result_has_an_item_and_an_object_or_none(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'empty'}",
           RESULT("1", "{'content':[{'type':'text','text':''}]}"));
  exchange(&s.wire, "{'id':2,'name':'number'}",
           RESULT("2", "{'content':[{'type':'text','text':'7'}]}"));
  end(&s);
}

static void failures_are_told_as_what_they_are(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'fail'}",
           RESULT("1", "{'content':[{'type':'text','text':'no such file: "
                       "a.txt'}],'isError':true}"));
  exchange(&s.wire, "{'id':2,'name':'error'}",
           "{$J,'id':2,'error':{'code':409,'message':'it is taken',"
           "'data':{'by':[true]}}}");
  exchange(&s.wire, "{'id':3,'name':'nope'}",
           FAULT("3", "-32602", "unknown tool \\'nope\\'"));
  exchange(&s.wire, "{'name':'nope'}",
           FAULT("'unknown'", "-32602", "unknown tool \\'nope\\'"));
  end(&s);
}

static void a_tool_that_asks_cannot(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'ask'}",
           "{$J,'id':1,'error':{'code':-32021,'message':'the client has not "
           "declared "
           "the capability elicitation.form','data':{'requiredCapabilities':{"
           "'elicitation':{'form':{}}}}}}");
  end(&s);
}

static void ping_is_answered_unless_it_is_a_tools_name(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'name':'ping'}", "{'ok':true}");
  exchange(&s.wire, "{'name':'ping','arguments':{}}",
           FAULT("'unknown'", "-32602", "unknown tool \\'ping\\'"));
  exchange(&s.wire, "{'id':1,'name':'ping'}",
           FAULT("1", "-32602", "unknown tool \\'ping\\'"));
  end(&s);
}

/* --- what is no request ------------------------------------------------- */

static void what_is_wrong_is_named(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"[]", "'unknown'", "a request must be an object"},
      {"7", "'unknown'", "a request must be an object"},
      {"{}", "'unknown'", "name is required"},
      {"{'name':''}", "'unknown'", "name must be a string that is not empty"},
      {"{'name':7}", "'unknown'", "name must be a string that is not empty"},
      {"{'id':1,'name':'a','arguments':null}", "1",
       "arguments must be an object"},
      {"{'id':null,'name':'add'}", "'unknown'",
       "id must be an integer, or a string that is not empty"},
      {"{'id':1.5,'name':'add'}", "'unknown'",
       "id must be an integer, or a string that is not empty"},
      {"{'id':'','name':'add'}", "'unknown'",
       "id must be an integer, or a string that is not empty"},
      {"{$J,'method':'tools/call','params':{'name':'add'}}", "'unknown'",
       "id is required"},
      {"{'id':1,'method':'tools/call','params':{'name':'add'}}", "1",
       "jsonrpc is required"},
      {"{'jsonrpc':2,'id':1,'method':'tools/call'}", "1",
       "jsonrpc must be \\'2.0\\'"},
      {"{$J,'id':1,'params':{}}", "1", "method is required"},
      {"{$J,'id':1,'method':'tools/call'}", "1", "params is required"},
      {"{$J,'id':1,'method':'tools/call','params':[]}", "1",
       "params must be an object"},
      {"{$J,'id':'b','method':'tools/call','params':{}}", "'b'",
       "params.name is required"},
      {"{$J,'id':1,'method':'tools/call','params':{'name':'a','arguments':[]}}",
       "1", "params.arguments must be an object"},
      {"{'id':1,'name':'a','name':'b'}", "1", "name is there twice"},
      {"{$J,'id':1,'method':'tools/call','params':{'name':'a','name':'b'}}",
       "1", "name is there twice"},
  };
  char expected[512];
  scene s;
  begin(&s);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(expected, sizeof(expected), FAULT("%s", "-32600", "%s"),
             cases[i][1], cases[i][2]);
    exchange(&s.wire, cases[i][0], expected);
  }
  exchange(&s.wire, "{$J,'id':1,'method':'tools/list'}",
           FAULT("1", "-32601",
                 "the mcp-core dialect has tools/call alone, not "
                 "\\'tools/list\\'"));
  end(&s);
}

static void arguments_are_looked_at_as_ever(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'add','arguments':{'a':1}}",
           RESULT("1", "{'content':[{'type':'text','text':'Invalid arguments "
                       "for the tool \\'add\\':\\n- /: missing the required "
                       "member \\'b\\''}],'isError':true}"));
  exchange(&s.wire, "{'id':2,'name':'add','arguments':{'a':1,'a':2}}",
           FAULT("2", "-32600", "a member of \\'arguments\\' occurs twice"));
  end(&s);
}

/* --- order -------------------------------------------------------------- */

static void answer(scene *s, size_t which) {
  assert_int_equal(mcp_call_reply_textf(s->kept[which], "%zu", which), 0);
}

#define TEXT(text) "{'content':[{'type':'text','text':'" text "'}]}"

static void bare_requests_are_answered_in_their_order(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'name':'keep'}", "");
  exchange(&s.wire, "{'name':'keep','arguments':{}}", "");
  exchange(&s.wire, "{'name':'add'," ADD_ARGUMENTS "}", "");
  exchange(&s.wire, "{'name':'ping'}", "");
  exchange(&s.wire, "{not json", "");
  answer(&s, 1);
  expect(&s.wire, "");
  answer(&s, 0);
  expect(&s.wire, TEXT("0") "\n" TEXT("1") "\n" ADD_5 "\n{'ok':true}\n" //
         FAULT("'unknown'", "-32700",
               "unexpected character, expected a string for object key"));
  end(&s);
}

static void requests_with_ids_overtake_one_another_alone(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'keep'}", "");
  exchange(&s.wire, "{'id':2,'name':'add'," ADD_ARGUMENTS "}",
           RESULT("2", ADD_5));
  exchange(&s.wire, "{'name':'add'," ADD_ARGUMENTS "}", "");
  exchange(&s.wire, "{'id':3,'name':'add'," ADD_ARGUMENTS "}", "");
  answer(&s, 0);
  expect(&s.wire, RESULT("1", TEXT("0")) "\n" ADD_5 "\n" //
         RESULT("3", ADD_5));
  end(&s);
}

static void two_requests_may_have_one_id(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':'x','name':'keep'}", "");
  exchange(&s.wire, "{'id':'x','name':'keep'}", "");
  answer(&s, 1);
  expect(&s.wire, RESULT("'x'", TEXT("1")));
  answer(&s, 0);
  expect(&s.wire, RESULT("'x'", TEXT("0")));
  end(&s);
}

static void whoever_waits_at_the_end_is_told_so(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'name':'keep'}", "");
  exchange(&s.wire, "{'id':1,'name':'add'," ADD_ARGUMENTS "}", "");
  mcp_connection_close(s.wire.connection, 0);
  expect(&s.wire, FAULT("'unknown'", "-32603",
                        "the server is shutting down") "\n" RESULT("1", ADD_5));
  assert_int_equal(mcp_call_reply_text(s.kept[0], "late"), MCP_ERR_GONE);
  end(&s);
}

/* --- eras --------------------------------------------------------------- */

static void a_server_of_either_era_alone_is_served(void **state) {
  (void)state;
  const uint32_t eras[] = {MCP_ERA_LEGACY, MCP_ERA_MODERN};
  for (size_t i = 0; i < 2; i++) {
    scene s;
    assert_int_equal(begin_with(&s, eras[i], NULL), 0);
    exchange(&s.wire, "{'id':1,'name':'add'," ADD_ARGUMENTS "}",
             RESULT("1", ADD_5));
    exchange(&s.wire, "{'name':'shapes'}",
             "{'content':[{'type':'text','text':'{\\'sum\\':5}'}],"
             "'structuredContent':{'sum':5},'_meta':{'example.org/a':[1,"
             "null]}}");
    end(&s);
  }
}

static void calls_are_of_the_newest_revision_of_the_era(void **state) {
  (void)state;
  static const struct {
    uint32_t eras;
    const char *answer;
  } cases[] = {{MCP_ERA_LEGACY, TEXT("2025-11-25")},
               {MCP_ERA_MODERN, TEXT(NEWEST_REVISION)},
               {MCP_ERA_BOTH, TEXT(NEWEST_REVISION)}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    scene s;
    assert_int_equal(begin_with(&s, cases[i].eras, NULL), 0);
    exchange(&s.wire, "{'name':'where'}", cases[i].answer);
    end(&s);
  }
}

/* --- the checklist: shared requirements --------------------------------- */

static void shared_json_payloads_validate(void **state) {
  (void)state;
  static const struct {
    const char *request;
    int schema;
  } cases[] = {
      {"{'id':1,'name':'add'," ADD_ARGUMENTS "}", TOOL_RESPONSE},
      {"{'id':1,'name':'shapes'}", TOOL_RESPONSE},
      {"{'id':1,'name':'empty'}", TOOL_RESPONSE},
      {"{'id':1,'name':'number'}", TOOL_RESPONSE},
      {"{'id':'a','name':'fail'}", TOOL_RESPONSE},
      {"{'id':1,'name':'error'}", TOOL_ERROR},
      {"{'id':1,'name':'ask'}", TOOL_ERROR},
      {"{'id':1,'name':'nope'}", TOOL_ERROR},
      {"{'name':'nope'}", TOOL_ERROR},
      {"{'id':null}", TOOL_ERROR},
      {"{", TOOL_ERROR},
  };
  scene s;
  begin(&s);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(wire_send(&s.wire, cases[i].request), 0);
    rig_turn(&s.rig);
    assert_true(s.wire.text.len > 0);
    assert_true(tool_schema_accepts(cases[i].schema, s.wire.text.bytes,
                                    strlen(s.wire.text.bytes)));
    wire_forget(&s.wire);
  }
  end(&s);
}

static void shared_all_responses_echo_the_originating_id(void **state) {
  (void)state;
  static const char *const ids[] = {
      "0", "-1", "7", "12345678901234567890123456789", "'a'", "'\\u00e9'"};
  char request[256];
  char expected[256];
  scene s;
  begin(&s);
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
    const char *shown = i == 5 ? "'\xc3\xa9'" : ids[i];
    snprintf(request, sizeof(request), "{'id':%s,'name':'add',%s}", ids[i],
             ADD_ARGUMENTS);
    snprintf(expected, sizeof(expected), RESULT("%s", "%s"), shown, ADD_5);
    exchange(&s.wire, request, expected);
  }
  end(&s);
}

static void shared_error_message_provides_actionable_feedback(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'id':1,'name':'ad'}",
           FAULT("1", "-32602", "unknown tool \\'ad\\'"));
  exchange(&s.wire, "{$J,'id':2,'method':'tools/call','params':{}}",
           FAULT("2", "-32600", "params.name is required"));
  end(&s);
}

/* --- limits ------------------------------------------------------------- */

static void too_many_that_wait_end_the_channel(void **state) {
  (void)state;
  scene s;
  begin(&s);
  exchange(&s.wire, "{'name':'keep'}", "");
  for (int i = 1; i < 16 * 1024; i++) {
    assert_int_equal(wire_send(&s.wire, "{'name':'ping'}"), 0);
  }
  rig_turn(&s.rig);
  assert_int_equal(s.wire.is_closed, 0);
  assert_int_equal(wire_send(&s.wire, "{'name':'ping'}"), 0);
  rig_turn(&s.rig);
  assert_int_equal(s.wire.is_closed, 1);
  assert_non_null(
      strstr(s.rig.reports.bytes, "too many requests wait for their answers"));
  assert_int_equal(mcp_call_reply_text(s.kept[0], "late"), MCP_ERR_GONE);
  end(&s);
}

static void answers_that_wait_are_bounded(void **state) {
  (void)state;
  enum { PIECE = 1024 * 1024 };
  char *big = malloc(PIECE + 1);
  scene s;
  begin(&s);
  memset(big, 'x', PIECE);
  big[PIECE] = '\0';
  exchange(&s.wire, "{'name':'keep'}", "");
  for (int i = 1; i <= 64; i++) {
    wire_send(&s.wire, "{'name':'keep'}");
    rig_turn(&s.rig);
    int rc = mcp_call_reply_text(s.kept[1], big);
    s.kept_count = 1;
    assert_int_equal(rc, i < 64 ? 0 : MCP_ERR_GONE);
  }
  rig_turn(&s.rig);
  assert_int_equal(s.wire.is_closed, 1);
  assert_int_equal(mcp_call_reply_text(s.kept[0], "late"), MCP_ERR_GONE);
  free(big);
  end(&s);
}

/* --- memory ------------------------------------------------------------- */

static void a_steady_stream_asks_for_no_memory(void **state) {
  (void)state;
  failing_alloc alloc;
  size_t before = 0;
  scene s;
  failing_alloc_init(&alloc);
  assert_int_equal(begin_with(&s, 0, &alloc.allocator), 0);
  for (int i = 0; i < 40; i++) {
    before = i == 20 ? atomic_load(&alloc.calls) : before;
    exchange(&s.wire, "{'name':'add'," ADD_ARGUMENTS "}", ADD_5);
    exchange(&s.wire, "{'id':1,'name':'nope'}",
             FAULT("1", "-32602", "unknown tool \\'nope\\'"));
  }
  assert_int_equal(atomic_load(&alloc.calls), before);
  end(&s);
}

/* What many requests at once took is not kept for as long as it stays open. */
static void an_idle_connection_has_little(void **state) {
  (void)state;
  enum { ID = 1000 };
  failing_alloc alloc;
  char id[ID + 1];
  char request[ID + 100];
  scene s;
  memset(id, 'x', ID);
  id[ID] = '\0';
  failing_alloc_init(&alloc);
  assert_int_equal(begin_with(&s, 0, &alloc.allocator), 0);
  wire_send(&s.wire, "{'name':'keep'}");
  snprintf(request, sizeof(request), "{'id':'%s','name':'empty'}", id);
  for (int i = 0; i < 100; i++) {
    wire_send(&s.wire, request);
    rig_turn(&s.rig);
  }
  mcp_call_reply_text(s.kept[0], "kept");
  rig_turn(&s.rig);
  size_t open_bytes = atomic_load(&alloc.live_bytes);
  s.wire.end->close(s.wire.end);
  rig_turn(&s.rig);
  assert_true(open_bytes - atomic_load(&alloc.live_bytes) < 32 * 1024);
  wire_forget(&s.wire);
  end(&s);
}

static int talk(const mcp_allocator *allocator, void *userdata) {
  static const char *const messages[] = {
      "{'name':'add'," ADD_ARGUMENTS "}",
      "{'id':1,'name':'shapes'}",
      "{'id':2,'name':'nope'}",
      "{'name':'ping'}",
      "{",
  };
  scene s;
  const uint32_t *eras = userdata;
  int rc = begin_with(&s, *eras, allocator);
  for (size_t i = 0; rc == 0 && i < 5; i++) {
    rc = wire_send(&s.wire, messages[i]);
    rig_turn(&s.rig);
    rc = rc == MCP_ERR_CLOSED ? MCP_ERR_NOMEM : rc;
  }
  if (rc == 0 && s.wire.connection == NULL) {
    rc = MCP_ERR_NOMEM; /* it could not be answered */
  }
  wire_deinit(&s.wire);
  rig_deinit(&s.rig);
  return rc;
}

static void it_bears_every_failure_of_memory(void **state) {
  (void)state;
  uint32_t eras[] = {0, MCP_ERA_LEGACY};
  assert_true(failing_alloc_rerun(talk, &eras[0]) > 10);
  assert_true(failing_alloc_rerun(talk, &eras[1]) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_of_each_form_is_answered_in_its_form),
      cmocka_unit_test(members_that_are_not_the_dialects_are_dropped),
      cmocka_unit_test(a_result_has_an_item_and_an_object_or_none),
      cmocka_unit_test(failures_are_told_as_what_they_are),
      cmocka_unit_test(a_tool_that_asks_cannot),
      cmocka_unit_test(ping_is_answered_unless_it_is_a_tools_name),
      cmocka_unit_test(what_is_wrong_is_named),
      cmocka_unit_test(arguments_are_looked_at_as_ever),
      cmocka_unit_test(bare_requests_are_answered_in_their_order),
      cmocka_unit_test(requests_with_ids_overtake_one_another_alone),
      cmocka_unit_test(two_requests_may_have_one_id),
      cmocka_unit_test(whoever_waits_at_the_end_is_told_so),
      cmocka_unit_test(a_server_of_either_era_alone_is_served),
      cmocka_unit_test(calls_are_of_the_newest_revision_of_the_era),
      cmocka_unit_test(shared_json_payloads_validate),
      cmocka_unit_test(shared_all_responses_echo_the_originating_id),
      cmocka_unit_test(shared_error_message_provides_actionable_feedback),
      cmocka_unit_test(too_many_that_wait_end_the_channel),
      cmocka_unit_test(answers_that_wait_are_bounded),
      cmocka_unit_test(a_steady_stream_asks_for_no_memory),
      cmocka_unit_test(an_idle_connection_has_little),
      cmocka_unit_test(it_bears_every_failure_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
