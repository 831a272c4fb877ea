/* SPDX-License-Identifier: MIT */
/* An endpoint that speaks the mcp-core dialect. The tests whose names begin
 * with one of its checklists are its lines. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include "support/tool_schemas.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
  http_rig http;
  mcp_call *kept;
  char trace[1024];
} scene;

#define HEAD "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
#define PLAIN(body) HEAD "\n" body
/* Events alone, and events or JSON. */
#define STREAM(body) HEAD "Accept: text/event-stream\n\n" body
#define EITHER(body) HEAD "Accept: application/json, text/event-stream\n\n" body
#define ENVELOPE(id, name)                                                     \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define TEXT(text) "{'content':[{'type':'text','text':'" text "'}]}"
#define RESULT(id, result) "{$J,'id':" id ",'result':" result "}"
#define FRAGMENT(result) "event: result\ndata: " result "\n\n"
#define COMPLETE(id, result)                                                   \
  "event: complete\ndata: " RESULT(id, result) "\n\nEND"
#define BROKEN(id, code, text)                                                 \
  "event: error\ndata: " ERROR(id, code, text) "\n\nEND"

/* --- tools -------------------------------------------------------------- */

static int on_hello(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "hello");
}

static int on_count(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_flush(call); /* nothing yet */
  mcp_call_add_text(call, "one");
  mcp_call_flush(call);
  mcp_call_flush(call); /* nothing new */
  mcp_call_progress(call, 1, 2, "unseen");
  mcp_call_add_text(call, "two");
  mcp_call_add_text(call, "three");
  mcp_call_flush(call);
  return mcp_call_reply_text(call, "four");
}

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  int rc = mcp_call_defer(call);
  s->kept = rc == 0 ? call : NULL;
  return rc;
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "no disk");
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, (int)mcp_call_int(call, "code"), "it is so",
                              NULL);
}

static int on_break(mcp_call *call, void *userdata) {
  (void)userdata;
  (void)call;
  return MCP_ERR_IO;
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  return mcp_call_ask_roots(call, "r", &answer);
}

static void add_tool(scene *s, const char *name, mcp_call_cb handler,
                     const mcp_schema *input) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = name,
                         .input = input,
                         .handler = handler,
                         .userdata = s};
  mcp_server_add_tool(s->http.rig.server, &tool);
}

static int begin_with(scene *s, uint32_t eras, mcp_http_options *options,
                      const mcp_allocator *allocator) {
  const mcp_server_options server = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = eras};
  memset(s, 0, sizeof(*s));
  options->size = MCP_HTTP_OPTIONS_INIT;
  options->dialect = MCP_DIALECT_MCP_CORE;
  int rc = http_rig_init(&s->http, &server, options, allocator);
  if (rc == 0) {
    add_tool(s, "hello", on_hello, MCP_SCHEMA_TYPE("object"));
    add_tool(s, "count", on_count, NULL);
    add_tool(s, "keep", on_keep, NULL);
    add_tool(s, "fail", on_fail, NULL);
    add_tool(s, "error", on_error, MCP_OBJECT(MCP_INTEGER("code", "code")));
    add_tool(s, "break", on_break, NULL);
    add_tool(s, "ask", on_ask, NULL);
  }
  return rc;
}

static void begin(scene *s) {
  mcp_http_options options = {0};
  assert_int_equal(begin_with(s, 0, &options, NULL), 0);
}

static void end(scene *s) {
  http_rig_deinit(&s->http);
}

/* --- JSON --------------------------------------------------------------- */

static void each_form_has_an_answer_of_its_form(void **state) {
  (void)state;
  scene s;
  begin(&s);
  ask(&s.http, PLAIN(ENVELOPE("'r-7'", "hello")),
      JSON("200", RESULT("'r-7'", TEXT("hello"))));
  ask(&s.http, PLAIN("{'id':1,'name':'hello','arguments':{}}"),
      JSON("200", RESULT("1", TEXT("hello"))));
  ask(&s.http, PLAIN("{'name':'hello'}"), JSON("200", TEXT("hello")));
  ask(&s.http, PLAIN("{'name':'ping'}"), JSON("200", "{'ok':true}"));
  end(&s);
}

/* The table of the mock server, and what has no line in it. */
static void each_status_says_what_became_of_it(void **state) {
  (void)state;
  static const char *const bare[][2] = {
      {"{'name':'nope'}", JSON("404", "{'error':'unknown tool \\'nope\\''}")},
      {"{", JSON("400", "{'error':'unexpected end of data'}")},
      {"", JSON("400", "{'error':'the body is empty'}")},
      {"{}", JSON("400", "{'error':'name is required'}")},
      {"{'name':7}",
       JSON("400", "{'error':'name must be a string that is not empty'}")},
      {"{'name':'break'}", JSON("500", "{'error':'internal error'}")},
      {"{'name':'error','arguments':{'code':409}}",
       JSON("409", "{'error':'it is so'}")},
      {"{'name':'error','arguments':{'code':7}}",
       JSON("500", "{'error':'it is so'}")},
      {"{'name':'error','arguments':{'code':-32602}}",
       JSON("400", "{'error':'it is so'}")},
      {"{'name':'fail'}",
       JSON("200", "{'content':[{'type':'text','text':'no disk'}],"
                   "'isError':true}")},
      {"{'id':null,'name':'hello'}",
       JSON("400", "{'error':'id must be an integer, or a string that is not "
                   "empty'}")},
      {"{'name':'hello','arguments':{'a':1,'a':2}}",
       JSON("400", "{'error':'a member of \\'arguments\\' occurs twice'}")},
  };
  char request[512];
  scene s;
  begin(&s);
  for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
    snprintf(request, sizeof(request), PLAIN("%s"), bare[i][0]);
    ask(&s.http, request, bare[i][1]);
  }
  end(&s);
}

static void what_a_legacy_server_cannot_say_is_not_missed(void **state) {
  (void)state;
  const uint32_t eras[] = {MCP_ERA_LEGACY, MCP_ERA_MODERN};
  for (size_t i = 0; i < 2; i++) {
    mcp_http_options options = {0};
    scene s;
    assert_int_equal(begin_with(&s, eras[i], &options, NULL), 0);
    ask(&s.http, PLAIN(ENVELOPE("1", "hello")),
        JSON("200", RESULT("1", TEXT("hello"))));
    ask(&s.http, PLAIN(ENVELOPE("1", "nope")),
        JSON("404", ERROR("1", "-32602", "unknown tool \\'nope\\'")));
    ask(&s.http, PLAIN("{'name':'hello'}"), JSON("200", TEXT("hello")));
    end(&s);
  }
}

static void a_tool_that_asks_cannot(void **state) {
  (void)state;
  scene s;
  begin(&s);
  ask(&s.http, PLAIN("{'name':'ask'}"),
      JSON("500", "{'error':'the client has not declared the capability "
                  "roots'}"));
  end(&s);
}

static void methods_and_paths_are_the_endpoints(void **state) {
  (void)state;
  http_trip trip = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http, "GET /mcp\nHost: localhost\n\n");
  came(&trip, JSON("405", "{'error':'Only POST is supported'}"));
  assert_string_equal(trip_header(&trip, "Allow"), "POST, OPTIONS");
  trip_deinit(&trip);
  ask(&s.http, "DELETE /mcp\nHost: localhost\n\n",
      JSON("405", "{'error':'Only POST is supported'}"));
  ask(&s.http, "PUT /mcp\nHost: localhost\n\n",
      JSON("405", "{'error':'Only POST is supported'}"));
  ask(&s.http, "POST /else\nHost: localhost\n\n{}",
      JSON("404", "{'error':'there is nothing here'}"));
  ask(&s.http, "GET /health\nHost: localhost\n\n",
      "200 text/plain; charset=utf-8\nok\n");
  ask(&s.http, "POST /mcp\nHost: evil.example\n\n{}",
      JSON("403", "{'error':'the host \\'evil.example\\' is not served here "
                  "(allowed_hosts)'}"));
  ask(&s.http, "POST /mcp\nHost: localhost\nOrigin: http://\xff.example\n\n{}",
      JSON("403", "{'error':'pages of \\'http://?.example\\' may not use this "
                  "server (allowed_origins)'}"));
  ask(&s.http, "POST /mcp\nHost: localhost\nContent-Type: text/plain\n\n{}",
      JSON("415", "{'error':'Content-Type: application/json is what is read "
                  "here'}"));
  end(&s);
}

static int on_request(const mcp_http_request *request, const char **principal,
                      const char **reason, const char **challenge,
                      void *userdata) {
  (void)request;
  (void)principal;
  (void)userdata;
  *reason = "who are you?";
  *challenge = "Bearer";
  return 401;
}

static void the_program_guards_it_as_ever(void **state) {
  (void)state;
  mcp_http_options options = {.on_request = on_request};
  http_trip trip = {0};
  scene s;
  assert_int_equal(begin_with(&s, 0, &options, NULL), 0);
  trip_send(&trip, &s.http, PLAIN("{'name':'hello'}"));
  came(&trip, JSON("401", "{'error':'who are you?'}"));
  assert_string_equal(trip_header(&trip, "WWW-Authenticate"), "Bearer");
  trip_deinit(&trip);
  end(&s);
}

static void rates_and_numbers_are_bounded_as_ever(void **state) {
  (void)state;
  mcp_http_options options = {.max_rate = 1};
  mcp_http_options few = {.max_calls = 1};
  http_trip trip = {0};
  scene s;
  assert_int_equal(begin_with(&s, 0, &options, NULL), 0);
  ask(&s.http, PLAIN("{'name':'hello'}"), JSON("200", TEXT("hello")));
  ask(&s.http, PLAIN("{'name':'hello'}"),
      JSON("429", "{'error':'too many requests'}"));
  end(&s);
  assert_int_equal(begin_with(&s, 0, &few, NULL), 0);
  trip_send(&trip, &s.http, PLAIN(ENVELOPE("1", "keep")));
  ask(&s.http, PLAIN(ENVELOPE("2", "hello")),
      JSON("503", ERROR("2", "-32603", ALL_TAKEN("1"))));
  mcp_call_reply_text(s.kept, "late");
  came(&trip, JSON("200", RESULT("1", TEXT("late"))));
  trip_deinit(&trip);
  end(&s);
}

/* --- events ------------------------------------------------------------- */

#define COUNTED                                                                \
  "{'content':[{'type':'text','text':'one'},{'type':'text','text':'two'},{"    \
  "'type':'text','text':'three'},{'type':'text','text':'four'}]}"
#define COUNTED_EVENTS                                                         \
  FRAGMENT(TEXT("one"))                                                        \
  FRAGMENT("{'content':[{'type':'text','text':'two'},{'type':'text','text':"   \
           "'three'}]}")                                                       \
  COMPLETE("'r-7'", COUNTED)

static void what_is_flushed_is_an_event(void **state) {
  (void)state;
  scene s;
  begin(&s);
  ask(&s.http, EITHER(ENVELOPE("'r-7'", "count")), EVENTS(COUNTED_EVENTS));
  ask(&s.http, STREAM(ENVELOPE("'r-7'", "count")), EVENTS(COUNTED_EVENTS));
  end(&s);
}

static void who_asks_for_no_events_gets_none(void **state) {
  (void)state;
  scene s;
  begin(&s);
  ask(&s.http, PLAIN(ENVELOPE("1", "count")),
      JSON("200", RESULT("1", COUNTED)));
  ask(&s.http, HEAD "Accept: */*\n\n" ENVELOPE("1", "count"),
      JSON("200", RESULT("1", COUNTED)));
  ask(&s.http, STREAM("{'name':'count'}"), JSON("200", COUNTED));
  ask(&s.http, EITHER(ENVELOPE("1", "hello")),
      JSON("200", RESULT("1", TEXT("hello"))));
  ask(&s.http, EITHER(ENVELOPE("1", "nope")),
      JSON("404", ERROR("1", "-32602", "unknown tool \\'nope\\'")));
  end(&s);
}

static void a_reader_that_is_slow_is_spared_fragments(void **state) {
  (void)state;
  http_trip trip = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http, STREAM(ENVELOPE("1", "keep")));
  mcp_call_add_text(s.kept, "a");
  mcp_call_flush(s.kept);
  trip.queued = 2 * 1024 * 1024;
  mcp_call_add_text(s.kept, "b");
  mcp_call_flush(s.kept);
  mcp_call_reply(s.kept);
  came(&trip, EVENTS(FRAGMENT(TEXT("a")) COMPLETE(
                  "1", "{'content':[{'type':'text','text':'a'},{'type':'text',"
                       "'text':'b'}]}")));
  trip_deinit(&trip);
  end(&s);
}

static void a_client_that_goes_cancels_its_call(void **state) {
  (void)state;
  http_trip trip = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http, STREAM(ENVELOPE("1", "keep")));
  mcp_call_add_text(s.kept, "a");
  mcp_call_flush(s.kept);
  trip_gone(&trip);
  rig_turn(&s.http.rig);
  assert_true(mcp_call_is_cancelled(s.kept));
  assert_int_equal(mcp_call_add_text(s.kept, "b"), 0);
  assert_int_equal(mcp_call_flush(s.kept), MCP_ERR_GONE);
  assert_int_equal(mcp_call_reply(s.kept), MCP_ERR_GONE);
  trip_deinit(&trip);
  end(&s);
}

static void a_server_that_ends_says_so(void **state) {
  (void)state;
  http_trip json = {0};
  http_trip events = {0};
  scene s;
  begin(&s);
  trip_send(&json, &s.http, PLAIN(ENVELOPE("1", "keep")));
  mcp_call *first = s.kept;
  trip_send(&events, &s.http, STREAM(ENVELOPE("2", "keep")));
  mcp_server_drain(s.http.rig.server, 0);
  came(&json, JSON("503", ERROR("1", "-32603", "the server is shutting down")));
  came(&events, EVENTS(BROKEN("2", "-32603", "the server is shutting down")));
  ask(&s.http, PLAIN(ENVELOPE("3", "hello")),
      JSON("503", "{'error':'the server is shutting down'}"));
  mcp_call_drop(first);
  mcp_call_drop(s.kept);
  trip_deinit(&json);
  trip_deinit(&events);
  end(&s);
}

static void options_that_do_not_fit_are_named(void **state) {
  (void)state;
  const mcp_http_options strange = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .dialect = 9};
  const mcp_http_options slow = {.size = MCP_HTTP_OPTIONS_INIT,
                                 .dialect = MCP_DIALECT_MCP_CORE,
                                 .keepalive_ms = 30000};
  mcp_error err;
  scene s;
  begin(&s);
  assert_null(mcp_http_new(s.http.rig.server, s.http.rig.loop, &strange, &err));
  assert_string_equal(
      err.message, "dialect: 9 is not a dialect; use a value of MCP_DIALECT_*");
  assert_null(mcp_http_new(s.http.rig.server, s.http.rig.loop, &slow, &err));
  assert_string_equal(err.message, "keepalive_ms: 30000, where the mcp-core "
                                   "dialect wants less than 30000");
  end(&s);
}

/* --- the checklists ----------------------------------------------------- */

static void sse_responses_set_the_type_and_disable_buffering(void **state) {
  (void)state;
  http_trip trip = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http, STREAM(ENVELOPE("1", "hello")));
  assert_string_equal(trip_header(&trip, "Content-Type"), "text/event-stream");
  assert_string_equal(trip_header(&trip, "X-Accel-Buffering"), "no");
  assert_string_equal(trip_header(&trip, "Cache-Control"),
                      "no-cache, no-transform");
  trip_deinit(&trip);
  end(&s);
}

static void sse_streams_end_with_a_terminal_marker(void **state) {
  (void)state;
  scene s;
  begin(&s);
  ask(&s.http, STREAM(ENVELOPE("1", "hello")),
      EVENTS(COMPLETE("1", TEXT("hello"))));
  ask(&s.http, STREAM(ENVELOPE("1", "nope")),
      EVENTS(BROKEN("1", "-32602", "unknown tool \\'nope\\'")));
  ask(&s.http, STREAM(ENVELOPE("1", "break")),
      EVENTS(BROKEN("1", "-32603", "internal error")));
  end(&s);
}

static void sse_heartbeats_are_emitted_periodically(void **state) {
  (void)state;
  http_trip trip = {0};
  http_trip plain = {0};
  scene s;
  begin(&s);
  trip_send(&trip, &s.http, EITHER(ENVELOPE("1", "keep")));
  mcp_call *first = s.kept;
  trip_send(&plain, &s.http, PLAIN(ENVELOPE("2", "keep")));
  rig_pass(&s.http.rig, 10000);
  rig_pass(&s.http.rig, 10000);
  came(&trip, EVENTS(": heartbeat\n\n: heartbeat\n\n"));
  mcp_call_reply_text(first, "done");
  came(&trip, COMPLETE("1", TEXT("done")));
  mcp_call_reply_text(s.kept, "too");
  came(&plain, JSON("200", RESULT("2", TEXT("too"))));
  trip_deinit(&trip);
  trip_deinit(&plain);
  end(&s);
}

static void on_trace(int is_sent, const char *peer, const char *session,
                     const char *text, size_t len, void *userdata) {
  scene *s = userdata;
  size_t used = strlen(s->trace);
  (void)peer;
  (void)session;
  snprintf(s->trace + used, sizeof(s->trace) - used, "%c%.*s\n",
           is_sent ? '>' : '<', (int)len, text);
}

static void shared_secrets_are_redacted_before_logging(void **state) {
  (void)state;
  scene s;
  mcp_http_options options = {.on_trace = on_trace, .userdata = &s};
  assert_int_equal(begin_with(&s, 0, &options, NULL), 0);
  ask(&s.http, EITHER("{'id':1,'name':'hello','arguments':{'token':'abc'}}"),
      JSON("200", RESULT("1", TEXT("hello"))));
  ask(&s.http, STREAM("{'id':2,'name':'hello'}"),
      EVENTS(COMPLETE("2", TEXT("hello"))));
  assert_string_equal(
      s.trace,
      "<{\"id\":1,\"name\":\"hello\",\"arguments\":{\"token\":"
      "\"[redacted]\"}}\n"
      ">{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
      "\"text\",\"text\":\"hello\"}]}}\n"
      "<{\"id\":2,\"name\":\"hello\"}\n"
      ">{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":"
      "\"text\",\"text\":\"hello\"}]}}\n");
  end(&s);
}

static void shared_json_payloads_validate(void **state) {
  (void)state;
  static const struct {
    const char *request;
    int schema;
  } cases[] = {
      {PLAIN(ENVELOPE("1", "hello")), TOOL_RESPONSE},
      {PLAIN(ENVELOPE("1", "count")), TOOL_RESPONSE},
      {PLAIN(ENVELOPE("1", "fail")), TOOL_RESPONSE},
      {PLAIN(ENVELOPE("'a'", "nope")), TOOL_ERROR},
      {PLAIN(ENVELOPE("1", "break")), TOOL_ERROR},
      {PLAIN(ENVELOPE("1", "ask")), TOOL_ERROR},
      {PLAIN("{$J,'id':1,'method':'tools/list'}"), TOOL_ERROR},
  };
  scene s;
  begin(&s);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    http_trip trip = {0};
    trip_send(&trip, &s.http, cases[i].request);
    const char *body = strchr(trip.answer.bytes, '\n') + 1;
    assert_true(tool_schema_accepts(cases[i].schema, body, strlen(body)));
    trip_deinit(&trip);
  }
  end(&s);
}

/* --- memory ------------------------------------------------------------- */

static void a_steady_stream_asks_for_no_memory(void **state) {
  (void)state;
  mcp_http_options options = {0};
  failing_alloc alloc;
  size_t before = 0;
  scene s;
  failing_alloc_init(&alloc);
  assert_int_equal(begin_with(&s, 0, &options, &alloc.allocator), 0);
  for (int i = 0; i < 40; i++) {
    before = i == 20 ? atomic_load(&alloc.calls) : before;
    ask(&s.http, PLAIN(ENVELOPE("'r-7'", "hello")),
        JSON("200", RESULT("'r-7'", TEXT("hello"))));
    ask(&s.http, PLAIN("{'name':'hello'}"), JSON("200", TEXT("hello")));
  }
  assert_int_equal(atomic_load(&alloc.calls), before);
  end(&s);
}

static int talk(const mcp_allocator *allocator, void *userdata) {
  static const char *const requests[] = {
      PLAIN(ENVELOPE("1", "hello")), STREAM(ENVELOPE("2", "count")),
      PLAIN("{'name':'nope'}"), PLAIN("{'name':'ping'}"), PLAIN("{")};
  mcp_http_options options = {0};
  const uint32_t *eras = userdata;
  int lost = 0;
  scene s;
  int rc = begin_with(&s, *eras, &options, allocator);
  for (size_t i = 0; rc == 0 && i < 5; i++) {
    http_trip trip = {0};
    trip_send(&trip, &s.http, requests[i]);
    assert_true(trip.is_over);
    lost |= i < 2 && strncmp(trip.answer.bytes, "200", 3) != 0;
    lost |= strstr(trip.answer.bytes, "ABORT") != NULL;
    lost |= strstr(trip.answer.bytes, "out of memory") != NULL;
    trip_deinit(&trip);
  }
  http_rig_deinit(&s.http);
  return rc == 0 && lost ? MCP_ERR_NOMEM : rc;
}

static void it_bears_every_failure_of_memory(void **state) {
  (void)state;
  uint32_t eras[] = {0, MCP_ERA_LEGACY};
  assert_true(failing_alloc_rerun(talk, &eras[0]) > 10);
  assert_true(failing_alloc_rerun(talk, &eras[1]) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_form_has_an_answer_of_its_form),
      cmocka_unit_test(each_status_says_what_became_of_it),
      cmocka_unit_test(what_a_legacy_server_cannot_say_is_not_missed),
      cmocka_unit_test(a_tool_that_asks_cannot),
      cmocka_unit_test(methods_and_paths_are_the_endpoints),
      cmocka_unit_test(the_program_guards_it_as_ever),
      cmocka_unit_test(rates_and_numbers_are_bounded_as_ever),
      cmocka_unit_test(what_is_flushed_is_an_event),
      cmocka_unit_test(who_asks_for_no_events_gets_none),
      cmocka_unit_test(a_reader_that_is_slow_is_spared_fragments),
      cmocka_unit_test(a_client_that_goes_cancels_its_call),
      cmocka_unit_test(a_server_that_ends_says_so),
      cmocka_unit_test(options_that_do_not_fit_are_named),
      cmocka_unit_test(sse_responses_set_the_type_and_disable_buffering),
      cmocka_unit_test(sse_streams_end_with_a_terminal_marker),
      cmocka_unit_test(sse_heartbeats_are_emitted_periodically),
      cmocka_unit_test(shared_secrets_are_redacted_before_logging),
      cmocka_unit_test(shared_json_payloads_validate),
      cmocka_unit_test(a_steady_stream_asks_for_no_memory),
      cmocka_unit_test(it_bears_every_failure_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
