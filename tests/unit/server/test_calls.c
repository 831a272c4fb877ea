/* SPDX-License-Identifier: MIT */
/* Calls on other threads, and that a steady stream of calls asks for no memory.
 * What else becomes of a call is in tests/wire/server/calls.txt. */
#include "support/server_bench.h"
#include <stdio.h>
#include <string.h>

static int on_text(mcp_call *call, void *userdata) {
  return mcp_call_reply_textf(call, "%s", mcp_call_string(call, "name"));
}

static int on_structured(mcp_call *call, void *userdata) {
  return mcp_call_reply_structured(call, "{\"sum\":3}");
}

static int on_error(mcp_call *call, void *userdata) {
  return mcp_call_reply_error(call, 5, "no", "{\"why\":1}");
}

static int on_failure(mcp_call *call, void *userdata) {
  return mcp_call_reply_failure(call, "it failed: %d", 3);
}

static void add_tool(server_bench *b, const char *name,
                     const mcp_schema *output, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool),
      .name = name,
      .input = MCP_OBJECT(MCP_STRING("name", "Whose", .optional = 1,
                                     .more = "\"maxLength\":20")),
      .output = output,
      .handler = handler,
      .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

/* ---- other threads ------------------------------------------------------ */

BENCH_TEST(a_posted_reply_that_breaks_its_schema_is_reported) {
  server_bench *b = *state;
  add_tool(b, "strict", MCP_OBJECT(MCP_NUMBER("n", "a number")),
           server_bench_keep);
  exchange(&b->wire, MODERN_CALL("1", "strict"), "");
  b->is_elsewhere = 1;
  assert_int_equal(mcp_call_reply_structured(b->kept[0], "{\"n\":\"x\"}"), 0);
  b->is_elsewhere = 0;
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "-32603"));
  assert_non_null(strstr(b->rig.reports.bytes, "strict: the reply failed: "));
}

BENCH_TEST(a_posted_reply_to_a_client_that_has_gone_is_not) {
  server_bench *b = *state;
  add_tool(b, "strict", MCP_OBJECT(MCP_NUMBER("n", "a number")),
           server_bench_keep);
  exchange(&b->wire, MODERN_CALL("2", "strict"), "");
  b->is_elsewhere = 1;
  assert_int_equal(mcp_call_reply_structured(b->kept[0], "{\"n\":1}"), 0);
  b->is_elsewhere = 0;
  mcp_connection_close(b->wire.connection, 0);
  expect(&b->wire, "");
  assert_int_equal(b->rig.reports.len, 0);
}

/* ---- texts with a length ------------------------------------------------- */

BENCH_TEST(texts_with_a_length_may_contain_nul_and_are_not_formatted) {
  server_bench *b = *state;
  add_tool(b, "keep", NULL, server_bench_keep);
  wire_send(&b->wire, MODERN_CALL("1", "keep"));
  wire_send(&b->wire, MODERN_CALL("2", "keep"));
  rig_turn(&b->rig);
  assert_int_equal(mcp_call_reply_text_n(b->kept[0], "a\0%d", 4), 0);
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"text\":\"a\\u0000%d\""));
  assert_null(strstr(b->wire.text.bytes, "isError"));
  wire_forget(&b->wire);
  assert_int_equal(mcp_call_reply_failure_n(b->kept[1], NULL, 4),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_failure_n(b->kept[1], "\xff", 1),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_failure_n(b->kept[1], "b\0%n", 4), 0);
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"text\":\"b\\u0000%n\""));
  assert_non_null(strstr(b->wire.text.bytes, "\"isError\":true"));
}

static int reply_twice(mcp_call *call, void *userdata) {
  int rc = mcp_call_reply_text(call, "first");
  assert_int_equal(mcp_call_reply_failure_n(call, NULL, 6), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_failure_n(call, "second", 6),
                   MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_failure_after_the_reply_is_reported_with_its_text) {
  server_bench *b = *state;
  add_tool(b, "twice", NULL, reply_twice);
  wire_send(&b->wire, MODERN_CALL("1", "twice"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "first"));
  assert_non_null(strstr(b->rig.reports.bytes, "mcp_call_reply_failure_n"));
  assert_non_null(strstr(b->rig.reports.bytes, "second"));
}

static int read_with_nul(mcp_call *call, void *userdata) {
  if (strcmp(mcp_call_uri(call), "x:fail") == 0) {
    return mcp_call_reply_failure_n(call, "c\0c", 3);
  }
  assert_int_equal(mcp_call_add_resource_text_n(call, NULL, "text/x", NULL, 3),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_call_add_resource_text_n(call, "x:other", "text/x", "d\0d", 3), 0);
  return mcp_call_reply(call);
}

BENCH_TEST(resources_have_texts_with_a_length_too) {
  server_bench *b = *state;
  const mcp_resource_template tpl = {.size = sizeof(tpl),
                                     .uri_template = "x:{name}",
                                     .name = "x",
                                     .handler = read_with_nul};
  assert_int_equal(mcp_server_add_resource_template(b->rig.server, &tpl, NULL),
                   0);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  wire_send(&b->wire,
            "{$J,'id':1,'method':'resources/read','params':{'uri':'x:a'}}");
  wire_send(&b->wire,
            "{$J,'id':2,'method':'resources/read','params':{'uri':'x:fail'}}");
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes,
                         "\"uri\":\"x:other\",\"mimeType\":\"text/x\","
                         "\"text\":\"d\\u0000d\""));
  assert_non_null(strstr(b->wire.text.bytes, "\"message\":\"c\\u0000c\""));
}

/* ---- memory ------------------------------------------------------------- */

/* One call of each kind, in both eras. */
static void run_all(server_bench *b) {
  static const char *const names[] = {"text",    "structured", "error",
                                      "failure", "keep",       "no-such"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char message[400];
    snprintf(message, sizeof(message),
             "{$J,'id':%zu,'method':'tools/call','params':{'name':'%s',"
             "'arguments':{'name':'Ada'}}}",
             i, names[i]);
    wire_send(&b->wire, message);
    snprintf(message, sizeof(message),
             "{$J,'id':'m%zu','method':'tools/call','params':{'name':'%s',"
             "'arguments':{'name':'Ada'},$M{}}}",
             i, names[i]);
    wire_send(&b->wire, message);
  }
  rig_turn(&b->rig);
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_reply_text(b->kept[i], "kept");
  }
  b->kept_count = 0;
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

BENCH_TEST(a_steady_stream_of_calls_needs_no_memory) {
  server_bench *b = *state;
  add_tool(b, "text", NULL, on_text);
  add_tool(b, "structured", MCP_OBJECT(MCP_NUMBER("sum", "of it")),
           on_structured);
  add_tool(b, "error", NULL, on_error);
  add_tool(b, "failure", NULL, on_failure);
  add_tool(b, "keep", NULL, server_bench_keep);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  for (int i = 0; i < 10; i++) {
    run_all(b);
  }
  size_t before = atomic_load(&b->alloc.calls);
  for (int i = 0; i < 100; i++) {
    run_all(b);
  }
  assert_int_equal(atomic_load(&b->alloc.calls) - before, 0);
}
