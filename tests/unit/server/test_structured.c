/* SPDX-License-Identifier: MIT */
/* Structured results that a builder writes. What the client gets of them, with
 * each allocation failing in turn too, is in tests/wire/server/results.txt. */
#include "support/server_bench.h"
#include <string.h>

#define SUM_TEXT(id, sum)                                                      \
  "{$J,'id':" id                                                               \
  ",'result':{'content':[{'type':'text','text':'{\\'sum\\':" sum               \
  "}'}],'structuredContent':{'sum':" sum "},$C}}"

static void add_tool(server_bench *b, const mcp_schema *output,
                     mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .output = output,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

static int write_sum(mcp_builder *builder, double sum) {
  mcp_builder_object(builder, NULL);
  mcp_builder_number(builder, "sum", sum);
  return mcp_builder_end(builder);
}

/* Asserts that the last answer is an error which says this, and that the
 * server reports the same. */
static void expect_failure(server_bench *b, const char *text) {
  rig_turn(&b->rig);
  assert_non_null(b->wire.text.bytes);
  assert_non_null(strstr(b->wire.text.bytes, "-32603"));
  assert_non_null(strstr(b->wire.text.bytes, text));
  wire_forget(&b->wire);
  assert_non_null(strstr(b->rig.reports.bytes, text));
  rig_text_clear(&b->rig.reports);
}

/* --- the call's builder -------------------------------------------------- */

static int on_sum(mcp_call *call, void *userdata) {
  assert_int_equal(write_sum(mcp_call_structured(call), 3), 0);
  return mcp_call_reply(call);
}

BENCH_TEST(the_builder_writes_the_result) {
  server_bench *b = *state;
  add_tool(b, MCP_OBJECT(MCP_NUMBER("sum", "of it")), on_sum);
  exchange(&b->wire, MODERN_CALL("1", "t"), SUM_TEXT("1", "3"));
  exchange(&b->wire, MODERN_CALL("2", "t"), SUM_TEXT("2", "3"));
}

BENCH_TEST(a_steady_stream_of_results_needs_no_memory) {
  server_bench *b = *state;
  add_tool(b, NULL, on_sum);
  for (int i = 0; i < 3; i++) {
    exchange(&b->wire, MODERN_CALL("1", "t"), SUM_TEXT("1", "3"));
  }
  size_t before = atomic_load(&b->alloc.calls);
  for (int i = 0; i < 100; i++) {
    wire_send(&b->wire, MODERN_CALL("1", "t"));
    rig_turn(&b->rig);
    wire_forget(&b->wire);
  }
  assert_int_equal(atomic_load(&b->alloc.calls) - before, 0);
}

static int on_twice(mcp_call *call, void *userdata) {
  mcp_builder *first = mcp_call_structured(call);
  mcp_builder_end(first); /* fails: there is nothing to end */
  mcp_builder *second = mcp_call_structured(call);
  assert_ptr_equal(first, second);
  write_sum(second, 4);
  return mcp_call_reply(call);
}

BENCH_TEST(a_second_call_begins_again) {
  server_bench *b = *state;
  add_tool(b, NULL, on_twice);
  exchange(&b->wire, MODERN_CALL("1", "t"), SUM_TEXT("1", "4"));
}

static int on_failing(mcp_call *call, void *userdata) {
  write_sum(mcp_call_structured(call), 3);
  return mcp_call_reply_failure(call, "no sum");
}

BENCH_TEST(a_failure_has_no_structured_result) {
  server_bench *b = *state;
  add_tool(b, MCP_OBJECT(MCP_NUMBER("sum", "of it")), on_failing);
  exchange(&b->wire, MODERN_CALL("1", "t"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'no sum'}],"
           "'isError':true,$C}}");
}

BENCH_TEST(another_thread_may_build) {
  server_bench *b = *state;
  add_tool(b, NULL, server_bench_keep);
  exchange(&b->wire, MODERN_CALL("1", "t"), "");
  b->is_elsewhere = 1;
  assert_int_equal(write_sum(mcp_call_structured(b->kept[0]), 5), 0);
  assert_int_equal(mcp_call_reply(b->kept[0]), 0);
  b->is_elsewhere = 0;
  expect(&b->wire, SUM_TEXT("1", "5"));
}

/* --- failures of the call's builder -------------------------------------- */

static int on_bad_string(mcp_call *call, void *userdata) {
  mcp_builder_string(mcp_call_structured(call), NULL, "\xff");
  int rc = mcp_call_reply(call);
  assert_int_equal(rc, MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_failure_of_the_builder_fails_the_reply) {
  server_bench *b = *state;
  add_tool(b, NULL, on_bad_string);
  wire_send(&b->wire, MODERN_CALL("1", "t"));
  expect_failure(b, "structured result: ");
}

static int on_returned_error(mcp_call *call, void *userdata) {
  return mcp_builder_json(mcp_call_structured(call), NULL, "[1,");
}

BENCH_TEST(an_error_of_the_builder_may_be_returned) {
  server_bench *b = *state;
  add_tool(b, NULL, on_returned_error);
  wire_send(&b->wire, MODERN_CALL("1", "t"));
  expect_failure(b, "structured result: ");
}

static int on_other_error(mcp_call *call, void *userdata) {
  mcp_builder_end(mcp_call_structured(call));
  return mcp_call_reply_error(call, 5, "other", NULL);
}

BENCH_TEST(an_error_reply_does_not_look_at_the_builder) {
  server_bench *b = *state;
  add_tool(b, NULL, on_other_error);
  exchange(&b->wire, MODERN_CALL("1", "t"), ERROR("1", "5", "other"));
}

static int on_open_object(mcp_call *call, void *userdata) {
  mcp_builder_object(mcp_call_structured(call), NULL);
  int rc = mcp_call_reply(call);
  assert_int_equal(rc, MCP_ERR_INVALID);
  return rc;
}

static int on_no_value(mcp_call *call, void *userdata) {
  mcp_call_structured(call);
  int rc = mcp_call_reply(call);
  assert_int_equal(rc, MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_value_that_is_not_whole_does_not_leave) {
  server_bench *b = *state;
  add_tool(b, NULL, on_open_object);
  wire_send(&b->wire, MODERN_CALL("1", "t"));
  expect_failure(b, "structured result: ");
  assert_int_equal(mcp_server_remove_tool(b->rig.server, "t"), 0);
  add_tool(b, NULL, on_no_value);
  wire_send(&b->wire, MODERN_CALL("2", "t"));
  expect_failure(b, "structured result: ");
}

/* The message around it needs two levels. */
static int on_levels(mcp_call *call, int levels) {
  mcp_builder *builder = mcp_call_structured(call);
  for (int i = 0; i < levels; i++) {
    assert_int_equal(mcp_builder_array(builder, NULL), 0);
  }
  for (int i = 0; i < levels; i++) {
    assert_int_equal(mcp_builder_end(builder), 0);
  }
  return mcp_call_reply(call);
}

static int on_deep(mcp_call *call, void *userdata) {
  assert_int_equal(on_levels(call, 126), 0);
  return 0;
}

static int on_too_deep(mcp_call *call, void *userdata) {
  assert_int_equal(on_levels(call, 127), MCP_ERR_LIMIT);
  return 0;
}

BENCH_TEST(a_result_is_as_deep_as_its_message_may_be) {
  static const mcp_schema any = {.size = sizeof(mcp_schema), .text = "{}"};
  const mcp_schema *const schemas[] = {NULL, &any};
  server_bench *b = *state;
  for (size_t i = 0; i < 2; i++) {
    add_tool(b, schemas[i], on_deep);
    wire_send(&b->wire, MODERN_CALL("1", "t"));
    rig_turn(&b->rig);
    assert_non_null(strstr(b->wire.text.bytes, "structuredContent"));
    wire_forget(&b->wire);
    assert_int_equal(mcp_server_remove_tool(b->rig.server, "t"), 0);
    add_tool(b, schemas[i], on_too_deep);
    wire_send(&b->wire, MODERN_CALL("2", "t"));
    rig_turn(&b->rig);
    assert_non_null(strstr(b->wire.text.bytes,
                           "structured result: JSON of depth 127, limit 126"));
    wire_forget(&b->wire);
    assert_int_equal(mcp_server_remove_tool(b->rig.server, "t"), 0);
  }
}

static int on_replied(mcp_call *call, void *userdata) {
  assert_int_equal(mcp_call_reply_text(call, "x"), 0);
  assert_null(mcp_call_structured(call));
  assert_int_equal(mcp_call_reply_builder(call, NULL), MCP_ERR_INVALID);
  return 0;
}

BENCH_TEST(after_the_reply_there_is_no_builder) {
  server_bench *b = *state;
  add_tool(b, NULL, on_replied);
  exchange(&b->wire, MODERN_CALL("1", "t"), RESULT_TEXT("1", "x"));
}

static int on_prompt(mcp_call *call, void *userdata) {
  assert_null(mcp_call_structured(call));
  assert_int_equal(mcp_call_reply_builder(call, NULL), MCP_ERR_INVALID);
  return mcp_call_reply_text(call, "x");
}

BENCH_TEST(a_prompt_has_no_structured_result) {
  server_bench *b = *state;
  const mcp_prompt prompt = {
      .size = sizeof(mcp_prompt), .name = "p", .handler = on_prompt};
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt, NULL), 0);
  wire_send(&b->wire, "{$J,'id':1,'method':'prompts/get','params':{'name':'p',"
                      "$M{}}}");
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"messages\""));
  wire_forget(&b->wire);
}

/* --- a builder of the program's ------------------------------------------ */

static int on_given(mcp_call *call, void *userdata) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  write_sum(builder, 6);
  assert_int_equal(mcp_call_reply_builder(call, builder), 0);
  mcp_builder_clear(builder); /* it is still the program's */
  assert_int_equal(write_sum(builder, 7), 0);
  mcp_builder_free(builder);
  return 0;
}

BENCH_TEST(a_builder_of_the_programs_is_copied) {
  server_bench *b = *state;
  add_tool(b, MCP_OBJECT(MCP_NUMBER("sum", "of it")), on_given);
  exchange(&b->wire, MODERN_CALL("1", "t"), SUM_TEXT("1", "6"));
}

static int on_bad_builders(mcp_call *call, void *userdata) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_int_equal(mcp_call_reply_builder(call, NULL), MCP_ERR_NOMEM);
  assert_int_equal(mcp_call_reply_builder(call, builder), MCP_ERR_INVALID);
  mcp_builder_array(builder, NULL);
  assert_int_equal(mcp_call_reply_builder(call, builder), MCP_ERR_INVALID);
  assert_int_equal(mcp_builder_json(builder, NULL, "x"), MCP_ERR_PARSE);
  assert_int_equal(mcp_call_reply_builder(call, builder), MCP_ERR_PARSE);
  mcp_builder_free(builder);
  return MCP_ERR_PARSE;
}

BENCH_TEST(a_builder_that_has_failed_is_no_reply) {
  server_bench *b = *state;
  add_tool(b, NULL, on_bad_builders);
  wire_send(&b->wire, MODERN_CALL("1", "t"));
  expect_failure(b, "structured result: ");
}
