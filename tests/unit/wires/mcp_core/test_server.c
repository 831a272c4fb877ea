/* SPDX-License-Identifier: MIT */
/* A server that speaks the mcp-core dialect: whether what it sends is valid,
 * its limits, and its costs. Its answers are in tests/wire/mcp_core/server.txt.
 * A test whose name begins with one of the dialect's checklists is a line of
 * it. */
#include "support/server_bench.h"
#include "support/tool_schemas.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_hello(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "hello");
}

static int on_shapes(mcp_call *call, void *userdata) {
  mcp_call_set_meta(call, "example.org/a", "[1,null]");
  return mcp_call_reply_structured(call, "{\"sum\":5}");
}

static int on_fail(mcp_call *call, void *userdata) {
  return mcp_call_reply_failure(call, "no such file: %s", "a.txt");
}

static int on_error(mcp_call *call, void *userdata) {
  return mcp_call_reply_error(call, 409, "it is taken", "{\"by\":[true]}");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  return mcp_call_ask_roots(call, "r", &answer);
}

static int set_up(void **state) {
  int rc = server_bench_set_up(state);
  server_bench *b = *state;
  b->dialect = MCP_DIALECT_MCP_CORE;
  server_bench_restart(b, NULL);
  server_bench_add_tool(b, "hello", on_hello);
  server_bench_add_tool(b, "keep", server_bench_keep);
  return rc;
}

#define CORE_TEST(name) TEST_WITH(name, set_up, server_bench_tear_down)

CORE_TEST(shared_json_payloads_validate) {
  static const struct {
    const char *request;
    int schema;
  } cases[] = {
      {"{'id':1,'name':'hello'}", TOOL_RESPONSE},
      {"{'id':1,'name':'shapes'}", TOOL_RESPONSE},
      {"{'id':'a','name':'fail'}", TOOL_RESPONSE},
      {"{'id':1,'name':'error'}", TOOL_ERROR},
      {"{'id':1,'name':'ask'}", TOOL_ERROR},
      {"{'id':1,'name':'nope'}", TOOL_ERROR},
      {"{'name':'nope'}", TOOL_ERROR},
      {"{'id':null}", TOOL_ERROR},
      {"{", TOOL_ERROR},
  };
  server_bench *b = *state;
  server_bench_add_tool(b, "shapes", on_shapes);
  server_bench_add_tool(b, "fail", on_fail);
  server_bench_add_tool(b, "error", on_error);
  server_bench_add_tool(b, "ask", on_ask);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    wire_send(&b->wire, cases[i].request);
    rig_turn(&b->rig);
    assert_true(b->wire.text.len > 0);
    assert_true(tool_schema_accepts(cases[i].schema, b->wire.text.bytes,
                                    strlen(b->wire.text.bytes)));
    wire_forget(&b->wire);
  }
}

/* ---- limits ------------------------------------------------------------- */

CORE_TEST(too_many_requests_that_wait_end_the_channel) {
  server_bench *b = *state;
  wire_send(&b->wire, "{'name':'keep'}");
  for (int i = 1; i < 16 * 1024; i++) {
    assert_int_equal(wire_send(&b->wire, "{'name':'ping'}"), 0);
  }
  rig_turn(&b->rig);
  assert_false(b->wire.is_closed);
  assert_int_equal(wire_send(&b->wire, "{'name':'ping'}"), 0);
  rig_turn(&b->rig);
  assert_true(b->wire.is_closed);
  assert_non_null(
      strstr(b->rig.reports.bytes, "too many requests wait for their answers"));
  assert_int_equal(mcp_call_reply_text(b->kept[0], "late"), MCP_ERR_GONE);
}

CORE_TEST(too_many_bytes_that_wait_end_the_channel) {
  enum { PIECE = 1024 * 1024 };
  server_bench *b = *state;
  char *big = calloc(1, PIECE + 1);
  memset(big, 'x', PIECE);
  wire_send(&b->wire, "{'name':'keep'}");
  for (int i = 1; i <= 64; i++) {
    wire_send(&b->wire, "{'name':'keep'}");
    rig_turn(&b->rig);
    int rc = mcp_call_reply_text(b->kept[1], big);
    b->kept_count = 1;
    assert_int_equal(rc, i < 64 ? 0 : MCP_ERR_GONE);
  }
  rig_turn(&b->rig);
  assert_true(b->wire.is_closed);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "late"), MCP_ERR_GONE);
  free(big);
}

/* ---- costs -------------------------------------------------------------- */

CORE_TEST(a_steady_stream_of_calls_needs_no_memory) {
  server_bench *b = *state;
  size_t before = 0;
  for (int i = 0; i < 40; i++) {
    before = i == 20 ? atomic_load(&b->alloc.calls) : before;
    exchange(&b->wire, "{'name':'hello'}",
             "{'content':[{'type':'text','text':'hello'}]}");
    exchange(&b->wire, "{'id':1,'name':'nope'}",
             ERROR("1", "-32602", "unknown tool \\'nope\\'"));
  }
  assert_int_equal(atomic_load(&b->alloc.calls), before);
}

/* The memory that many requests at once took is freed while it stays open. */
CORE_TEST(an_idle_connection_has_little) {
  enum { ID = 1000 };
  server_bench *b = *state;
  char id[ID + 1];
  char request[ID + 100];
  memset(id, 'x', ID);
  id[ID] = '\0';
  wire_send(&b->wire, "{'name':'keep'}");
  snprintf(request, sizeof(request), "{'id':'%s','name':'hello'}", id);
  for (int i = 0; i < 100; i++) {
    wire_send(&b->wire, request);
    rig_turn(&b->rig);
  }
  mcp_call_reply_text(b->kept[0], "kept");
  rig_turn(&b->rig);
  size_t open_bytes = atomic_load(&b->alloc.live_bytes);
  b->wire.end->close(b->wire.end);
  rig_turn(&b->rig);
  assert_true(open_bytes - atomic_load(&b->alloc.live_bytes) < 32 * 1024);
  wire_forget(&b->wire);
}
