/* SPDX-License-Identifier: MIT */
/* An endpoint that speaks the mcp-core dialect: whether what it sends is valid,
 * its options, and its costs. Its answers are in tests/wire/mcp_core/http.txt.
 * A test whose name begins with one of the dialect's checklists is a line of
 * it. */
#include "support/http_bench.h"
#include "support/tool_schemas.h"
#include <string.h>

#define HEAD "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
#define PLAIN(body) HEAD "\n" body

static int on_fail(mcp_call *call, void *userdata) {
  return mcp_call_reply_failure(call, "no disk");
}

static int on_break(mcp_call *call, void *userdata) {
  return MCP_ERR_IO;
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  return mcp_call_ask_roots(call, "r", &answer);
}

static int set_up(void **state) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .dialect = MCP_DIALECT_MCP_CORE};
  int rc = http_bench_set_up(state);
  http_bench_restart(*state, &options);
  return rc;
}

#define CORE_TEST(name) TEST_WITH(name, set_up, http_bench_tear_down)

CORE_TEST(shared_json_payloads_validate) {
  static const struct {
    const char *request;
    int schema;
  } cases[] = {
      {PLAIN(LEGACY_CALL("1", "hello")), TOOL_RESPONSE},
      {PLAIN(LEGACY_CALL("1", "fail")), TOOL_RESPONSE},
      {PLAIN(LEGACY_CALL("'a'", "nope")), TOOL_ERROR},
      {PLAIN(LEGACY_CALL("1", "break")), TOOL_ERROR},
      {PLAIN(LEGACY_CALL("1", "ask")), TOOL_ERROR},
      {PLAIN("{$J,'id':1,'method':'tools/list'}"), TOOL_ERROR},
  };
  http_bench *b = *state;
  http_bench_add_tool(b, "fail", on_fail, NULL);
  http_bench_add_tool(b, "break", on_break, NULL);
  http_bench_add_tool(b, "ask", on_ask, NULL);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    http_trip *trip = &b->trips[0];
    trip_send(trip, &b->http, cases[i].request);
    const char *body = strchr(trip->answer.bytes, '\n') + 1;
    assert_true(tool_schema_accepts(cases[i].schema, body, strlen(body)));
    trip_deinit(trip);
  }
}

CORE_TEST(options_that_do_not_fit_are_named) {
  const mcp_http_options strange = {.size = sizeof(mcp_http_options),
                                    .dialect = 9};
  const mcp_http_options slow = {.size = sizeof(mcp_http_options),
                                 .dialect = MCP_DIALECT_MCP_CORE,
                                 .keepalive_ms = 30000};
  http_bench *b = *state;
  mcp_server *server = b->http.rig.server;
  mcp_error err;
  assert_null(mcp_http_new(server, b->http.rig.loop, &strange, &err));
  assert_string_equal(
      err.message, "dialect: 9 is not a dialect; use a value of MCP_DIALECT_*");
  assert_null(mcp_http_new(server, b->http.rig.loop, &slow, &err));
  assert_string_equal(err.message, "keepalive_ms: 30000, where the mcp-core "
                                   "dialect wants less than 30000");
}

CORE_TEST(bytes_that_are_no_text_are_refused_as_question_marks) {
  http_bench *b = *state;
  ask(&b->http, HEAD "Origin: http://\xff.example\n\n{}",
      JSON("403", "{'error':'pages of \\'http://?.example\\' may not use this "
                  "server (allowed_origins)'}"));
}

CORE_TEST(a_steady_stream_of_calls_needs_no_memory) {
  http_bench *b = *state;
  size_t before = 0;
  for (int i = 0; i < 40; i++) {
    before = i == 20 ? atomic_load(&b->alloc.calls) : before;
    ask(&b->http, PLAIN(LEGACY_CALL("'r-7'", "hello")),
        JSON("200", LEGACY_TEXT("'r-7'", "hello")));
    ask(&b->http, PLAIN("{'name':'hello'}"),
        JSON("200", "{'content':[{'type':'text','text':'hello'}]}"));
  }
  assert_int_equal(atomic_load(&b->alloc.calls), before);
}
