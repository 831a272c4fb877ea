/* SPDX-License-Identifier: MIT */
/* Arguments and results of tools as structures (mcp/fields.h). */
#include "support/fat_structures.h"
#include "support/server_bench.h"
#include <stdio.h>
#include <string.h>

#define ITEM(FIELD) FIELD(STRING, name, "N")
MCP_DEFINE_STRUCT(item, ITEM);

#define ARGS(FIELD)                                                            \
  FIELD(STRING, text, "T")                                                     \
  FIELD(INTEGER_OR(2), count, "C")                                             \
  FIELD(OPTIONAL_STRUCTS(item), items, "I")
MCP_DEFINE_STRUCT(args, ARGS);

#define RESULT(FIELD)                                                          \
  FIELD(STRING, text, "T")                                                     \
  FIELD(INTEGER, total, "S")
MCP_DEFINE_STRUCT(result, RESULT);

#define CALL(id, arguments)                                                    \
  "{$J,'id':" id                                                               \
  ",'method':'tools/call','params':{'name':'t','arguments':" arguments         \
  ",$M{}}}"

static int on_work(mcp_call *call, const struct args *args, void *userdata) {
  const struct result result = {
      .text = args->text, .total = args->count * (int64_t)args->items_count};
  return result_reply(call, &result);
}
MCP_STRUCT_HANDLER(on_work, args);

static void add_tool(server_bench *b, const mcp_schema *input,
                     mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .input = input,
                         .output = result_schema(),
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

#define DONE(id, text, total)                                                  \
  "{$J,'id':" id                                                               \
  ",'result':{'content':[{'type':'text','text':'{\\'text\\':\\'" text          \
  "\\',\\'total\\':" total "}'}],'structuredContent':{'text':'" text           \
  "','total':" total "},$C}}"

BENCH_TEST(a_handler_gets_and_replies_with_structures) {
  server_bench *b = *state;
  add_tool(b, args_schema(), on_work_handler);
  exchange(&b->wire,
           CALL("1", "{'text':'a','items':[{'name':'x'},{'name':'y'}]}"),
           DONE("1", "a", "4"));
  exchange(&b->wire, CALL("2", "{'text':'b','count':3,'items':[{'name':'x'}]}"),
           DONE("2", "b", "3"));
}

BENCH_TEST(arguments_that_do_not_fit_are_a_failed_result) {
  server_bench *b = *state;
  add_tool(b, MCP_SCHEMA_TYPE("object"), on_work_handler);
  exchange(&b->wire, CALL("1", "{'text':'a','items':[{}]}"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'/items/0: "
           "the member \\'name\\' is missing'}],'isError':true,$C}}");
  exchange(&b->wire, CALL("2", "{'text':'a\\u0000'}"),
           "{$J,'id':2,'result':{'content':[{'type':'text','text':'/text: the "
           "string must not contain NUL (\\\\u0000)'}],'isError':true,$C}}");
}

static int on_wide(mcp_call *call, const struct wide *wide, void *userdata) {
  return mcp_call_reply_text(call, "");
}
MCP_STRUCT_HANDLER(on_wide, wide);

#define TEN "{},{},{},{},{},{},{},{},{},{}"

BENCH_TEST(arguments_that_are_too_large_are_a_failed_result) {
  server_bench *b = *state;
  char expected[300];
  snprintf(expected, sizeof(expected),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'/all: the "
           "structure would have at least %zu bytes, but the limit is "
           "67108864'}],'isError':true,$C}}",
           wide_size(70));
  add_tool(b, MCP_SCHEMA_TYPE("object"), on_wide_handler);
  exchange(&b->wire,
           CALL("1", "{'all':[" TEN "," TEN "," TEN "," TEN "," TEN "," TEN
                     "," TEN "]}"),
           expected);
}

static int on_none(mcp_call *call, const struct args *args, void *userdata) {
  const struct result result = {.text = NULL};
  assert_int_equal(result_reply(call, &result), MCP_ERR_INVALID);
  return result_reply(call, &result);
}
MCP_STRUCT_HANDLER(on_none, args);

BENCH_TEST(a_result_that_cannot_be_written_is_an_error) {
  server_bench *b = *state;
  add_tool(b, args_schema(), on_none_handler);
  exchange(&b->wire, CALL("1", "{'text':'a'}"),
           "{$J,'id':1,'error':{'code':-32603,'message':'the structured "
           "result: /text: the required string is NULL'}}");
}

static int on_text_instead(mcp_call *call, const struct args *args,
                           void *userdata) {
  const struct result result = {.text = NULL};
  assert_int_equal(result_reply(call, &result), MCP_ERR_INVALID);
  return mcp_call_reply_text(call, args->text);
}
MCP_STRUCT_HANDLER(on_text_instead, args);

BENCH_TEST(a_handler_replies_with_a_text_instead_of_a_bad_structure) {
  server_bench *b = *state;
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .input = args_schema(),
                         .handler = on_text_instead_handler};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
  exchange(&b->wire, CALL("1", "{'text':'a'}"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'a'}],$C}}");
}

static int on_twice(mcp_call *call, void *userdata) {
  const struct args *first = NULL;
  const struct args *second = NULL;
  assert_int_equal(args_get(call, &first), 0);
  assert_int_equal(args_get(call, &second), 0);
  assert_ptr_not_equal(first, second);
  assert_string_equal(first->text, second->text);
  assert_int_equal(args_get(call, NULL), MCP_ERR_INVALID);
  assert_int_equal(args_get(NULL, &first), MCP_ERR_INVALID);
  return mcp_call_reply_text(call, first->text);
}

BENCH_TEST(a_call_keeps_each_structure_that_it_has_made) {
  server_bench *b = *state;
  add_tool(b, args_schema(), on_twice);
  wire_send(&b->wire, CALL("1", "{'text':'a'}"));
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}
