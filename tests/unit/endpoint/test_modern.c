/* SPDX-License-Identifier: MIT */
/* The modern era over HTTP (PROTOCOL 2.8, 3.5): each request alone, answered
 * with JSON or events, its headers held against its body. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include "support/revisions.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept[8];
  int kept_count;
  int cancelled;
  int rc; /* of the last reply to a kept call */
} bench;

static void on_cancelled(mcp_call *call, void *userdata) {
  (void)call;
  ((bench *)userdata)->cancelled++;
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  mcp_call_on_cancel(call, on_cancelled, b);
  return mcp_call_defer(call);
}

static int on_hello(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "hello");
}

static int on_tell(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static int on_fail(mcp_call *call, void *userdata) {
  return mcp_call_reply_error(call, *(int *)userdata, "no", NULL);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "asked");
}

static int add(bench *b, const char *name, mcp_call_cb handler,
               void *userdata) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = name,
                         .handler = handler,
                         .userdata = userdata};
  return mcp_server_add_tool(b->http.rig.server, &tool);
}

static void begin_with(bench *b, const mcp_server_options *server,
                       const mcp_http_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(http_rig_init(&b->http, server, options, NULL), 0);
  assert_int_equal(add(b, "keep", on_keep, b), 0);
  assert_int_equal(add(b, "hello", on_hello, NULL), 0);
}

static void begin(bench *b) {
  begin_with(b, NULL, NULL);
}

static void end(bench *b) {
  http_rig_deinit(&b->http);
}

/* Answers the kept calls. */
static void answer(bench *b) {
  for (int i = 0; i < b->kept_count; i++) {
    b->rc = mcp_call_reply_text(b->kept[i], "kept");
  }
  b->kept_count = 0;
  rig_turn(&b->http.rig);
}

/* --- answers ------------------------------------------------------------ */

static void answers_with_json(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, CALL("'a'", "hello"));
  came(&trip, JSON("200", RESULT_TEXT("'a'", "hello")));
  assert_null(trip_header(&trip, "Mcp-Session-Id"));
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  trip_deinit(&trip);
  end(&b);
}

static void turns_to_events_when_something_comes_first(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  mcp_server_enable_logging(b.http.rig.server);
  add(&b, "tell", on_tell, NULL);
  trip_send(&trip, &b.http,
            MODERN("tools/call", "Mcp-Name: tell\n",
                   "{$J,'id':1,'method':'tools/call','params':{'name':'tell',"
                   "'_meta':{'io.modelcontextprotocol/protocolVersion':"
                   "'" NEWEST_REVISION
                   "','io.modelcontextprotocol/clientCapabilities':"
                   "{},'io.modelcontextprotocol/logLevel':'info',"
                   "'progressToken':'t'}}}"));
  came(&trip, EVENTS(EVENT("{$J,'method':'notifications/progress','params':{"
                           "'progressToken':'t','progress':1,'total':2,"
                           "'message':'half'}}")
                         EVENT("{$J,'method':'notifications/message','params':{"
                               "'level':'warning','data':'careful'}}")
                             EVENT(RESULT_TEXT("1", "told")) "END"));
  assert_string_equal(trip_header(&trip, "X-Accel-Buffering"), "no");
  assert_string_equal(trip_header(&trip, "Cache-Control"),
                      "no-cache, no-transform");
  trip_deinit(&trip);
  end(&b);
}

#define TELL_WITH(accept)                                                      \
  "POST /mcp\nHost: localhost\nContent-Type: application/json\n" accept        \
  "MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: tools/call\n"        \
  "Mcp-Name: tell\n\n{$J,'id':1,'method':'tools/call','params':{"              \
  "'name':'tell','_meta':{'io.modelcontextprotocol/protocolVersion':"          \
  "'" NEWEST_REVISION "','io.modelcontextprotocol/clientCapabilities':{},"     \
  "'progressToken':'t'}}}"

static void keeps_to_what_the_client_accepts(void **state) {
  bench b;
  (void)state;
  begin(&b);
  add(&b, "tell", on_tell, NULL);
  ask(&b.http, TELL_WITH("Accept: application/json\n"),
      JSON("200", RESULT_TEXT("1", "told")));
  ask(&b.http, TELL_WITH("Accept: text/*\n"),
      EVENTS(EVENT("{$J,'method':'notifications/progress','params':{"
                   "'progressToken':'t','progress':1,'total':2,"
                   "'message':'half'}}")
                 EVENT(RESULT_TEXT("1", "told")) "END"));
  ask(&b.http, TELL_WITH("Accept: text/html\nAccept: image/png\n"),
      "406 text/plain; charset=utf-8\nanswers are application/json or "
      "text/event-stream: accept both\n");
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: tools/call\n"
      "Mcp-Name: hello\n\n{$J,'id':1,'method':'tools/call','params':{"
      "'name':'hello',$M{}}}",
      JSON("200", RESULT_TEXT("1", "hello")));
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "Accept: text/event-stream\n"
      "MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: tools/call\n"
      "Mcp-Name: hello\n\n{$J,'id':1,'method':'tools/call','params':{"
      "'name':'hello',$M{}}}",
      EVENTS(EVENT(RESULT_TEXT("1", "hello")) "END"));
  end(&b);
}

static void answers_later(void **state) {
  bench b;
  http_trip trips[3] = {{0}};
  (void)state;
  begin(&b);
  for (int i = 0; i < 3; i++) {
    trip_send(&trips[i], &b.http, CALL("7", "keep"));
    came(&trips[i], "");
  }
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 3);
  answer(&b);
  for (int i = 0; i < 3; i++) {
    came(&trips[i], JSON("200", RESULT_TEXT("7", "kept")));
    trip_deinit(&trips[i]);
  }
  assert_int_equal(b.rc, 0);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  end(&b);
}

static void a_silent_call_turns_to_events(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .keepalive_ms = 500};
  bench b;
  http_trip trip = {0};
  (void)state;
  begin_with(&b, NULL, &options);
  trip_send(&trip, &b.http, CALL("1", "keep"));
  rig_pass(&b.http.rig, 499);
  came(&trip, "");
  rig_pass(&b.http.rig, 1);
  came(&trip, EVENTS(": \n\n"));
  rig_pass(&b.http.rig, 500);
  came(&trip, ": \n\n");
  answer(&b);
  came(&trip, EVENT(RESULT_TEXT("1", "kept")) "END");
  rig_pass(&b.http.rig, 5000);
  came(&trip, "");
  trip_deinit(&trip);
  end(&b);
}

static void silence_stays_json_for_who_reads_no_events(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http,
            "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
            "Accept: application/json\nMCP-Protocol-Version: " NEWEST_REVISION
            "\n"
            "Mcp-Method: tools/call\nMcp-Name: keep\n\n"
            "{$J,'id':1,'method':'tools/call','params':{'name':'keep',$M{}}}");
  rig_pass(&b.http.rig, 50000);
  came(&trip, "");
  answer(&b);
  came(&trip, JSON("200", RESULT_TEXT("1", "kept")));
  trip_deinit(&trip);
  end(&b);
}

static void going_away_cancels(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, CALL("1", "keep"));
  trip_gone(&trip);
  rig_turn(&b.http.rig);
  assert_int_equal(b.cancelled, 1);
  assert_true(mcp_call_is_cancelled(b.kept[0]));
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  answer(&b);
  assert_int_equal(b.rc, MCP_ERR_GONE);
  came(&trip, "");
  trip_deinit(&trip);
  end(&b);
}

static void going_away_during_events_cancels(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, CALL("1", "keep"));
  rig_pass(&b.http.rig, 10000);
  came(&trip, EVENTS(": \n\n"));
  trip_gone(&trip);
  rig_pass(&b.http.rig, 20000);
  assert_int_equal(b.cancelled, 1);
  answer(&b);
  came(&trip, "");
  trip_deinit(&trip);
  end(&b);
}

static void going_away_before_the_body_is_no_loss(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_begin(&trip, &b.http, CALL("1", "keep"));
  trip_gone(&trip);
  trip_deinit(&trip);
  end(&b);
}

/* --- statuses ----------------------------------------------------------- */

static void errors_have_their_statuses(void **state) {
  static int codes[] = {-32601, -32600, -32022, -32603, -32602, 7};
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      MODERN("no/such", "", "{$J,'id':1,'method':'no/such','params':{$M{}}}"),
      JSON("404", ERROR("1", "-32601", "unknown method: \\\"no/such\\\"")));
  ask(&b.http,
      MODERN("prompts/list", "",
             "{$J,'id':1,'method':'prompts/list','params':{$M{}}}"),
      JSON("404", ERROR("1", "-32601",
                        "this server does not offer: \\\"prompts/list\\\"")));
  ask(&b.http,
      MODERN("ping", "", "{$J,'id':1,'method':'ping','params':{$M{}}}"),
      JSON("404", ERROR("1", "-32601", "unknown method: \\\"ping\\\"")));
  ask(&b.http, CALL("'x'", "none"),
      JSON("200", ERROR("'x'", "-32602", "unknown tool \\\"none\\\"")));
  ask(&b.http, POST("", "{"),
      JSON("400", ERROR_ALONE("-32700", "unexpected end of data")));
  ask(&b.http, POST("", ""),
      JSON("400", ERROR_ALONE("-32700", "the body is empty")));
  for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
    char name[16];
    char request[600];
    char expected[200];
    snprintf(name, sizeof(name), "fail%zu", i);
    add(&b, name, on_fail, &codes[i]);
    snprintf(request, sizeof(request), CALL("3", "%s"), name, name);
    snprintf(expected, sizeof(expected), JSON("200", ERROR("3", "%d", "no")),
             codes[i]);
    ask(&b.http, request, expected);
  }
  end(&b);
}

static void bodies_have_limits(void **state) {
  const mcp_server_options options = {
      .size = MCP_SERVER_OPTIONS_INIT, .max_message = 400, .max_depth = 8};
  static const char *const bodies[] = {"{'a':[[[[[[[1]]]]]]]}",
                                       "{'a':[[[[[[[[1]]]]]]]]}"};
  bench b;
  char request[1000];
  (void)state;
  begin_with(&b, &options, NULL);
  for (int i = 0; i < 2; i++) {
    int used = snprintf(request, sizeof(request), POST("", ""));
    memset(request + used, ' ', 400 + (size_t)i);
    request[used + 400 + i] = '\0';
    ask(&b.http, request,
        i == 0 ? JSON("400", ERROR_ALONE("-32700", "input data is empty"))
               : JSON("413", ERROR_ALONE("-32700", "the message is longer than "
                                                   "400 bytes")));
    http_trip trip = {0};
    snprintf(request, sizeof(request), POST("", "%s"), bodies[i]);
    trip_send(&trip, &b.http, request);
    assert_non_null(strstr(trip.answer.bytes, "400 application/json"));
    assert_non_null(
        strstr(trip.answer.bytes, i == 0 ? "-32600" : "\"code\":-32700"));
    trip_deinit(&trip);
  }
  http_trip trip = {0};
  trip_begin(&trip, &b.http, POST("", ""));
  mcp_http_body(trip.exchange, NULL, 0);
  came(&trip, JSON("400", ERROR_ALONE("-32700", "the body is empty")));
  trip_deinit(&trip);
  end(&b);
}

static void malformed_claims_are_400(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      MODERN("tools/list", "",
             "{$J,'id':4,'method':'tools/list','params':{'_meta':{"
             "'io.modelcontextprotocol/protocolVersion':'" NEWEST_REVISION
             "'}}}"),
      JSON("400", ERROR("4", "-32602",
                        "params._meta[\\\"io.modelcontextprotocol/"
                        "clientCapabilities\\\"] must be an object")));
  ask(&b.http,
      POST("", "{$J,'id':4,'method':'tools/list','params':{'_meta':{"
               "'io.modelcontextprotocol/protocolVersion':7}}}"),
      JSON("400", ERROR("4", "-32602",
                        "params._meta[\\\"io.modelcontextprotocol/"
                        "protocolVersion\\\"] must be a string")));
  ask(&b.http, MODERN("tools/list", "", "{$J,'id':5,'method':'tools/list'}"),
      JSON("400", ERROR("5", "-32602",
                        "params._meta must have \\\"io.modelcontextprotocol/"
                        "protocolVersion\\\" and \\\"io.modelcontextprotocol/"
                        "clientCapabilities\\\"")));
  ask(&b.http,
      POST("", "{$J,'method':'notifications/x','params':{'_meta':{"
               "'io.modelcontextprotocol/protocolVersion':7}}}"),
      JSON("400",
           ERROR_ALONE("-32602", "params._meta[\\\"io.modelcontextprotocol/"
                                 "protocolVersion\\\"] must be a string")));
  end(&b);
}

#define VERSIONS                                                               \
  "[" MODERN_NAMES_1 ",'2025-11-25','2025-06-18','2025-03-26','2024-11-05']"

static void names_the_versions_it_serves(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      POST("MCP-Protocol-Version: 2031-01-01\nMcp-Method: tools/list\n",
           "{$J,'id':1,'method':'tools/list','params':{'_meta':{"
           "'io.modelcontextprotocol/protocolVersion':'2031-01-01',"
           "'io.modelcontextprotocol/clientCapabilities':{}}}}"),
      JSON("400", "{$J,'id':1,'error':{'code':-32022,'message':'protocol "
                  "version \\\"2031-01-01\\\" is not served here','data':{"
                  "'supported':" VERSIONS ",'requested':'2031-01-01'}}}"));
  /* Whatever its headers are, it is to learn that. */
  ask(&b.http,
      POST("MCP-Protocol-Version: 2031-01-01\nMcp-Method: tools/call\n",
           "{$J,'id':1,'method':'tools/call','params':{'name':'hello','_meta':{"
           "'io.modelcontextprotocol/protocolVersion':'2031-01-01',"
           "'io.modelcontextprotocol/clientCapabilities':{}}}}"),
      JSON("400", "{$J,'id':1,'error':{'code':-32022,'message':'protocol "
                  "version \\\"2031-01-01\\\" is not served here','data':{"
                  "'supported':" VERSIONS ",'requested':'2031-01-01'}}}"));
  end(&b);
}

/* The header says what the body does not. */
static void half_modern_messages_are_400(void **state) {
  static const char missing[] =
      JSON("400", ERROR("1", "-32602",
                        "params._meta must have \\\"io.modelcontextprotocol/"
                        "protocolVersion\\\" and \\\"io.modelcontextprotocol/"
                        "clientCapabilities\\\""));
  static const char no_response[] =
      JSON("400", ERROR_ALONE("-32600", "a response, where none is awaited: "
                                        "answers to inputRequests come in "
                                        "params.inputResponses"));
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, MODERN("ping", "", "{$J,'id':1,'method':'ping'}"), missing);
  ask(&b.http,
      POST("MCP-Protocol-Version: 2031-01-01\n", "{$J,'id':1,'method':'ping'}"),
      missing);
  ask(&b.http, MODERN("x", "", "{$J,'id':1,'result':{}}"), no_response);
  ask(&b.http, MODERN("x", "", "{$J,'id':1,'error':{'code':1,'message':'x'}}"),
      no_response);
  ask(&b.http, MODERN("ping", "", "[{$J,'id':1,'method':'ping'}]"),
      JSON("400", ERROR_ALONE("-32600", "MCP-Protocol-Version names a revision "
                                        "that has no batches")));
  ask(&b.http, MODERN("x", "", "{$J,'method':'notifications/x'}"), "202");
  end(&b);
}

static void messages_with_no_place_are_400(void **state) {
  const mcp_server_options modern = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = MCP_ERA_MODERN};
  bench b;
  (void)state;
  begin_with(&b, &modern, NULL);
  ask(&b.http, POST("", "[]"),
      JSON("400", ERROR_ALONE("-32600", "an empty batch")));
  ask(&b.http, POST("", "[{$J,'id':1,'method':'ping'}]"),
      JSON("400", ERROR_ALONE("-32600", "this message has no place here")));
  ask(&b.http, POST("", "[{$J,'id':1,'method':'tools/list','params':{$M{}}}]"),
      JSON("400",
           ERROR_ALONE("-32600", "a message that may not be in a batch")));
  ask(&b.http, POST("", "[7]"),
      JSON("400", ERROR_ALONE("-32600", "a message is a JSON object")));
  ask(&b.http, POST("", "{$J,'id':1,'result':{}}"),
      JSON("400", ERROR_ALONE("-32600", "this message has no place here")));
  ask(&b.http, POST("", "{$J,'id':1,'error':{'code':1,'message':'x'}}"),
      JSON("400", ERROR_ALONE("-32600", "this message has no place here")));
  ask(&b.http, POST("", "{$J,'id':1,'method':7}"),
      JSON("400", ERROR("1", "-32600", "\\\"method\\\" is not a string")));
  ask(&b.http, POST("", "{'id':1,'method':'x'}"),
      JSON("400", ERROR("1", "-32600", "\\\"jsonrpc\\\" is not \\\"2.0\\\"")));
  end(&b);
}

static void the_modern_era_alone_says_so(void **state) {
  const mcp_server_options modern = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = MCP_ERA_MODERN};
  bench b;
  http_trip trip = {0};
  (void)state;
  begin_with(&b, &modern, NULL);
  ask(&b.http,
      POST("", "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
               "'2025-06-18','capabilities':{},'clientInfo':{'name':'c',"
               "'version':'1'}}}"),
      JSON("400",
           "{$J,'id':1,'error':{'code':-32022,'message':'protocol "
           "version \\\"2025-06-18\\\" is not served here','data':{"
           "'supported':[" MODERN_NAMES_1 "],'requested':'2025-06-18'}}}"));
  ask(&b.http, POST("", "{$J,'id':1,'method':'tools/list'}"),
      JSON("400",
           "{$J,'id':1,'error':{'code':-32022,'message':'the request "
           "names no protocol version','data':{'supported':[" MODERN_NAMES_1
           "],'requested':''}}}"));
  ask(&b.http,
      POST("MCP-Protocol-Version: " NEWEST_REVISION "\n",
           "{$J,'id':1,'method':'tools/list'}"),
      JSON("400", ERROR("1", "-32602",
                        "params._meta must have \\\"io.modelcontextprotocol/"
                        "protocolVersion\\\" and \\\"io.modelcontextprotocol/"
                        "clientCapabilities\\\"")));
  ask(&b.http, POST("", "{$J,'method':'notifications/initialized'}"), "202");
  trip_send(&trip, &b.http,
            "GET /mcp\nHost: localhost\nAccept: text/event-stream\n\n");
  came(&trip,
       "405 text/plain; charset=utf-8\nthis method is not served here\n");
  assert_string_equal(trip_header(&trip, "Allow"), "POST, OPTIONS");
  trip_deinit(&trip);
  ask(&b.http, "DELETE /mcp\nHost: localhost\nMcp-Session-Id: x\n\n",
      "405 text/plain; charset=utf-8\nthis method is not served here\n");
  /* A session's id is of no interest here. */
  trip_send(&trip, &b.http,
            MODERN("tools/call",
                   "Mcp-Name: hello\nMcp-Session-Id: x\nLast-Event-ID: 1\n",
                   "{$J,'id':1,'method':'tools/call','params':{'name':'hello',"
                   "$M{}}}"));
  came(&trip, JSON("200", RESULT_TEXT("1", "hello")));
  assert_null(trip_header(&trip, "Mcp-Session-Id"));
  trip_deinit(&trip);
  end(&b);
}

static void an_undeclared_capability_is_400(void **state) {
  bench b;
  (void)state;
  begin(&b);
  add(&b, "ask", on_ask, NULL);
  ask(&b.http, CALL("1", "ask"),
      JSON("400", "{$J,'id':1,'error':{'code':-32021,'message':'the client "
                  "has not declared the capability elicitation.form','data':{"
                  "'requiredCapabilities':{'elicitation':{'form':{}}}}}}"));
  end(&b);
}

static void notifications_are_accepted(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      MODERN("notifications/x", "",
             "{$J,'method':'notifications/x','params':{$M{}}}"),
      "202");
  ask(&b.http, POST("", "{$J,'method':'notifications/x','params':{$M{}}}"),
      "202");
  ask(&b.http,
      POST("MCP-Protocol-Version: 2025-06-18\n",
           "{$J,'method':'notifications/x','params':{$M{}}}"),
      JSON("400", ERROR_ALONE("-32020", "the header MCP-Protocol-Version does "
                                        "not say what the body does")));
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  end(&b);
}

/* --- headers against the body ------------------------------------------- */

#define LIST "{$J,'id':1,'method':'tools/list','params':{$M{}}}"
#define MISMATCH(text) JSON("400", ERROR("1", "-32020", "the header " text))

static void the_version_and_method_are_mirrored(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, POST("Mcp-Method: tools/list\n", LIST),
      MISMATCH("MCP-Protocol-Version is missing"));
  ask(&b.http,
      POST("MCP-Protocol-Version: 2025-11-25\nMcp-Method: tools/list\n", LIST),
      MISMATCH("MCP-Protocol-Version does not say what the body does"));
  ask(&b.http, POST("MCP-Protocol-Version: " NEWEST_REVISION "\n", LIST),
      MISMATCH("Mcp-Method is missing"));
  ask(&b.http, MODERN("Tools/list", "", LIST),
      MISMATCH("Mcp-Method does not say what the body does"));
  ask(&b.http, MODERN("=?base64?dG9vbHMvbGlzdA==?=", "", LIST),
      MISMATCH("Mcp-Method does not say what the body does"));
  ask(&b.http, MODERN("tools/list", "mcp-method: tools/list\n", LIST),
      MISMATCH("mcp-method came twice"));
  end(&b);
}

#define NAMED(header, name)                                                    \
  MODERN("tools/call", header,                                                 \
         "{$J,'id':1,'method':'tools/call','params':{'name':" name ",$M{}}}")

static void names_are_mirrored(void **state) {
  static const char ok[] = JSON("200", RESULT_TEXT("1", "hello"));
  static const char other[] =
      MISMATCH("Mcp-Name does not say what the body does");
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, NAMED("", "'hello'"), MISMATCH("Mcp-Name is missing"));
  ask(&b.http, NAMED("Mcp-Name: Hello\n", "'hello'"), other);
  ask(&b.http, NAMED("Mcp-Name:\n", "'hello'"), other);
  ask(&b.http, NAMED("mcp-NAME: hello\n", "'hello'"), ok);
  ask(&b.http, NAMED("Mcp-Name: \t hello \t\n", "'hello'"), ok);
  ask(&b.http, NAMED("Mcp-Name: =?base64?aGVsbG8=?=\n", "'hello'"), ok);
  ask(&b.http, NAMED("Mcp-Name: =?base64?aGVsbG8?=\n", "'hello'"),
      MISMATCH("Mcp-Name has a malformed value"));
  ask(&b.http, NAMED("Mcp-Name: =?BASE64?aGVsbG8=?=\n", "'hello'"), other);
  ask(&b.http, NAMED("Mcp-Name: hello\nMcp-Name: hello\n", "'hello'"),
      MISMATCH("Mcp-Name came twice"));
  /* What the body lacks is its own mistake. */
  ask(&b.http, NAMED("", "7"),
      JSON("200",
           ERROR("1", "-32602", "params.name must be a string, not a number")));
  end(&b);
}

static void prompts_and_resources_are_named_too(void **state) {
  bench b;
  (void)state;
  begin(&b);
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "a:b", .name = "a", .text = "x"};
  const mcp_prompt prompt = {
      .size = MCP_PROMPT_INIT, .name = "p", .handler = on_hello};
  mcp_server_add_resource(b.http.rig.server, &resource);
  mcp_server_add_prompt(b.http.rig.server, &prompt);
  ask(&b.http,
      MODERN("resources/read", "Mcp-Name: =?base64?YTpi?=\n",
             "{$J,'id':1,'method':'resources/read','params':{"
             "'uri':'a:b',$M{}}}"),
      JSON("200", "{$J,'id':1,'result':{'contents':[{'uri':'a:b',"
                  "'text':'x'}],'resultType':'complete','ttlMs':0,"
                  "'cacheScope':'private',$I}}"));
  ask(&b.http,
      MODERN("resources/read", "Mcp-Name: a:\n",
             "{$J,'id':1,'method':'resources/read','params':{"
             "'uri':'a:b',$M{}}}"),
      MISMATCH("Mcp-Name does not say what the body does"));
  ask(&b.http,
      MODERN("prompts/get", "",
             "{$J,'id':1,'method':'prompts/get','params':{'name':'p',$M{}}}"),
      MISMATCH("Mcp-Name is missing"));
  end(&b);
}

static const char annotated[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
    "\"in\":{\"type\":\"object\",\"properties\":{"
    "\"count\":{\"type\":\"integer\",\"x-mcp-header\":\"Count\"}}}}}";

static int add_annotated(bench *b, const char *schema) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "where",
                         .input = MCP_SCHEMA_TEXT(schema),
                         .handler = on_hello};
  return mcp_server_add_tool(b->http.rig.server, &tool);
}

#define WHERE(headers, arguments)                                              \
  MODERN("tools/call", "Mcp-Name: where\n" headers,                            \
         "{$J,'id':1,'method':'tools/call','params':{'name':'where',"          \
         "'arguments':" arguments ",$M{}}}")

/* Of the message only its beginning is looked at. */
static void is_mismatch(bench *b, const char *request) {
  http_trip trip = {0};
  trip_send(&trip, &b->http, request);
  assert_non_null(strstr(trip.answer.bytes, "400 application/json"));
  assert_non_null(strstr(trip.answer.bytes, "\"code\":-32020"));
  assert_non_null(strstr(trip.answer.bytes, "\"id\":1"));
  trip_deinit(&trip);
}

static void arguments_are_mirrored(void **state) {
  static const char ok[] = JSON("200", RESULT_TEXT("1", "hello"));
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(add_annotated(&b, annotated), 0);
  ask(&b.http, WHERE("", "{}"), ok);
  ask(&b.http, WHERE("", "{'region':null}"),
      JSON("200", "{$J,'id':1,'result':{'content':[{'type':'text','text':"
                  "'Invalid arguments for the tool \\\"where\\\":\\n- "
                  "/region: expected a string, got null'}],"
                  "'isError':true,$C}}"));
  ask(&b.http, WHERE("Mcp-Param-Region: eu\n", "{'region':'eu'}"), ok);
  ask(&b.http,
      WHERE("mcp-param-region: =?base64?w6Q=?=\nMcp-Param-Count: 42.0\n",
            "{'region':'\xc3\xa4','in':{'count':42}}"),
      ok);
  ask(&b.http, WHERE("Mcp-Param-Other: x\n", "{}"), ok);
  is_mismatch(&b, WHERE("", "{'region':'eu'}"));
  is_mismatch(&b, WHERE("Mcp-Param-Region: us\n", "{'region':'eu'}"));
  is_mismatch(&b, WHERE("Mcp-Param-Region: eu\n", "{}"));
  is_mismatch(&b, WHERE("Mcp-Param-Region: eu\nMcp-Param-Region: eu\n",
                        "{'region':'eu'}"));
  is_mismatch(&b,
              WHERE("Mcp-Param-Region: =?base64?!!?=\n", "{'region':'eu'}"));
  is_mismatch(&b, WHERE("Mcp-Param-Count: 41\n", "{'in':{'count':42}}"));
  end(&b);
}

static void a_tool_annotated_wrongly_is_refused(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(
      add_annotated(&b, "{\"type\":\"object\",\"properties\":{\"a\":{"
                        "\"type\":\"number\",\"x-mcp-header\":\"A\"}}}"),
      MCP_ERR_SCHEMA);
  const mcp_error *err = mcp_server_error(b.http.rig.server);
  assert_non_null(err);
  assert_non_null(strstr(err->message, "tool \"where\": input: "));
  assert_non_null(strstr(err->message, "x-mcp-header"));
  end(&b);
}

/* --- subscriptions ------------------------------------------------------ */

#define LISTEN(id)                                                             \
  MODERN("subscriptions/listen", "",                                           \
         "{$J,'id':" id ",'method':'subscriptions/listen','params':{"          \
         "'notifications':{'toolsListChanged':true},$M{}}}")
#define SUBSCRIPTION(id) "'_meta':{'io.modelcontextprotocol/subscriptionId':" id
#define ACKNOWLEDGED(id)                                                       \
  EVENTS(EVENT(                                                                \
      "{$J,'method':'notifications/subscriptions/acknowledged',"               \
      "'params':{'notifications':{'toolsListChanged':true}," SUBSCRIPTION(     \
          id) "}}}"))

static void a_listen_that_does_not_accept_events_is_refused(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "Accept: application/json\nMCP-Protocol-Version: " NEWEST_REVISION "\n"
      "Mcp-Method: subscriptions/listen\n\n"
      "{$J,'id':'s','method':'subscriptions/listen','params':{"
      "'notifications':{'toolsListChanged':true},$M{}}}",
      JSON("406", ERROR("'s'", "-32600",
                        "subscriptions/listen is answered with "
                        "text/event-stream: accept it")));
  end(&b);
}

static void a_listen_of_an_unknown_version_learns_the_known_ones(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "Accept: application/json\nMCP-Protocol-Version: 2031-01-01\n"
      "Mcp-Method: subscriptions/listen\n\n"
      "{$J,'id':1,'method':'subscriptions/listen','params':{"
      "'notifications':{'toolsListChanged':true},'_meta':{"
      "'io.modelcontextprotocol/protocolVersion':'2031-01-01',"
      "'io.modelcontextprotocol/clientCapabilities':{}}}}",
      JSON("400", "{$J,'id':1,'error':{'code':-32022,'message':'protocol "
                  "version \\\"2031-01-01\\\" is not served here','data':{"
                  "'supported':" VERSIONS ",'requested':'2031-01-01'}}}"));
  end(&b);
}

static void listens_over_events(void **state) {
  bench b;
  http_trip trip = {0};
  http_trip other = {0};
  (void)state;
  begin(&b);
  rig_turn(&b.http.rig); /* tools were added */
  trip_send(&trip, &b.http, LISTEN("'s'"));
  came(&trip, ACKNOWLEDGED("'s'"));
  trip_send(&other, &b.http, LISTEN("'t'"));
  came(&other, ACKNOWLEDGED("'t'"));
  add(&b, "more", on_hello, NULL);
  came(&trip, EVENT("{$J,'method':'notifications/tools/list_changed',"
                    "'params':{" SUBSCRIPTION("'s'") "}}}"));
  came(&other, EVENT("{$J,'method':'notifications/tools/list_changed',"
                     "'params':{" SUBSCRIPTION("'t'") "}}}"));
  rig_pass(&b.http.rig, 10000);
  came(&trip, ": \n\n");
  trip_gone(&other);
  trip_forget(&other);
  mcp_server_remove_tool(b.http.rig.server, "more");
  came(&other, "");
  trip_forget(&trip);
  mcp_server_drain(b.http.rig.server, 1000);
  came(&trip, EVENT("{$J,'id':'s','result':{'resultType':'complete',"
                    "'_meta':{'io.modelcontextprotocol/serverInfo':{"
                    "'name':'test','version':'1'},"
                    "'io.modelcontextprotocol/subscriptionId':'s'}}}") "END");
  trip_deinit(&trip);
  trip_deinit(&other);
  end(&b);
}

/* --- questions ---------------------------------------------------------- */

static void asks_by_input_required(void **state) {
  bench b;
  http_trip trip = {0};
  char request[2000];
  (void)state;
  begin(&b);
  add(&b, "ask", on_ask, NULL);
  trip_send(&trip, &b.http,
            MODERN("tools/call", "Mcp-Name: ask\n",
                   "{$J,'id':1,'method':'tools/call','params':{'name':'ask',"
                   "$M{'elicitation':{}}}}"));
  assert_non_null(strstr(trip.answer.bytes, "200 application/json"));
  assert_non_null(strstr(trip.answer.bytes, "\"input_required\""));
  const char *sealed = strstr(trip.answer.bytes, "\"requestState\":\"");
  assert_non_null(sealed);
  sealed += strlen("\"requestState\":\"");
  snprintf(request, sizeof(request),
           MODERN("tools/call", "Mcp-Name: ask\n",
                  "{$J,'id':2,'method':'tools/call','params':{'name':'ask',"
                  "'requestState':'%.*s','inputResponses':{'name':{"
                  "'action':'accept','content':{'name':'x'}}},"
                  "$M{'elicitation':{}}}}"),
           (int)strcspn(sealed, "\""), sealed);
  ask(&b.http, request, JSON("200", RESULT_TEXT("2", "asked")));
  trip_deinit(&trip);
  end(&b);
}

/* --- the end ------------------------------------------------------------ */

static void draining_lets_calls_end(void **state) {
  bench b;
  http_trip trips[2] = {{0}};
  (void)state;
  begin(&b);
  trip_send(&trips[0], &b.http, CALL("1", "keep"));
  trip_send(&trips[1], &b.http, CALL("2", "keep"));
  mcp_server_drain(b.http.rig.server, 1000);
  ask(&b.http, CALL("1", "hello"),
      "503 text/plain; charset=utf-8\nthe server is shutting down\n");
  mcp_call_reply_text(b.kept[0], "kept");
  came(&trips[0], JSON("200", RESULT_TEXT("1", "kept")));
  rig_pass(&b.http.rig, 1000);
  came(&trips[1],
       JSON("503", ERROR("2", "-32603", "the server is shutting down")));
  assert_int_equal(b.cancelled, 1);
  mcp_call_reply_text(b.kept[1], "kept");
  trip_deinit(&trips[0]);
  trip_deinit(&trips[1]);
  end(&b);
}

static void who_does_not_read_is_given_up(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  rig_turn(&b.http.rig);
  trip_send(&trip, &b.http, LISTEN("1"));
  trip_forget(&trip);
  trip.queued = 16 * 1024 * 1024;
  add(&b, "more", on_hello, NULL);
  rig_turn(&b.http.rig);
  assert_false(trip.is_over);
  trip_forget(&trip);
  trip.queued++;
  add(&b, "most", on_hello, NULL);
  came(&trip, "ABORT");
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  trip_deinit(&trip);
  end(&b);
}

static void go_away(http_trip *trip, void *userdata) {
  (void)userdata;
  trip_gone(trip);
}

/* The HTTP server may find that while it is written to. */
static void who_is_found_gone_is_cancelled(void **state) {
  bench b;
  http_trip trips[3] = {{0}};
  (void)state;
  begin(&b);
  rig_turn(&b.http.rig);
  for (int i = 0; i < 3; i++) {
    trip_send(&trips[i], &b.http, LISTEN("1"));
    trip_forget(&trips[i]);
  }
  trips[0].on_answer = go_away;
  trips[1].on_answer = go_away;
  add(&b, "more", on_hello, NULL);
  came(&trips[2], EVENT("{$J,'method':'notifications/tools/list_changed',"
                        "'params':{" SUBSCRIPTION("1") "}}}"));
  assert_true(trips[0].is_over && trips[1].is_over);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  for (int i = 0; i < 3; i++) {
    trip_deinit(&trips[i]);
  }
  end(&b);
}

static void there_is_room_for_so_many_calls(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .max_calls = 2};
  bench b;
  http_trip trips[2] = {{0}};
  (void)state;
  begin_with(&b, NULL, &options);
  trip_send(&trips[0], &b.http, CALL("1", "keep"));
  trip_send(&trips[1], &b.http, CALL("2", "keep"));
  trip_gone(&trips[1]); /* its handler has not let go */
  ask(&b.http, CALL("3", "hello"),
      JSON("503", ERROR("3", "-32603", ALL_TAKEN("2"))));
  answer(&b);
  ask(&b.http, CALL("3", "hello"), JSON("200", RESULT_TEXT("3", "hello")));
  trip_deinit(&trips[0]);
  trip_deinit(&trips[1]);
  end(&b);
}

static void a_request_may_drain_between_head_and_body(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_begin(&trip, &b.http, CALL("1", "hello"));
  mcp_server_drain(b.http.rig.server, 1000);
  trip_body(&trip);
  came(&trip, "503 text/plain; charset=utf-8\nthe server is shutting down\n");
  trip_deinit(&trip);
  end(&b);
}

static void who_reads_slowly_misses_progress(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http,
            MODERN("tools/call", "Mcp-Name: keep\n",
                   "{$J,'id':1,'method':'tools/call','params':{'name':'keep',"
                   "'_meta':{'io.modelcontextprotocol/protocolVersion':"
                   "'" NEWEST_REVISION
                   "','io.modelcontextprotocol/clientCapabilities':"
                   "{},'progressToken':'t'}}}"));
  mcp_call_progress(b.kept[0], 1, 0, NULL);
  trip_forget(&trip);
  trip.queued = 2 * 1024 * 1024;
  mcp_call_progress(b.kept[0], 2, 0, NULL);
  came(&trip, "");
  trip.queued = 0;
  mcp_call_progress(b.kept[0], 3, 0, NULL);
  came(&trip, EVENT("{$J,'method':'notifications/progress','params':{"
                    "'progressToken':'t','progress':3}}"));
  trip.queued = 2 * 1024 * 1024;
  answer(&b);
  came(&trip, EVENT(RESULT_TEXT("1", "kept")) "END");
  trip_deinit(&trip);
  end(&b);
}

/* --- memory ------------------------------------------------------------- */

static int on_step(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 1, 2, NULL);
  return mcp_call_reply_text(call, "done");
}

/* Requests of all kinds that a steady stream may have. */
static void run_all(bench *b) {
  static const char *const requests[] = {
      CALL("1", "hello"),
      MODERN("tools/call",
             "Mcp-Name: =?base64?aGVsbG8=?=\nOrigin: http://localhost\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'hello',"
             "$M{}}}"),
      CALL("1", "keep"),
      WHERE("Mcp-Param-Region: =?base64?w6Q=?=\n", "{'region':'\xc3\xa4'}"),
      MODERN("tools/call", "Mcp-Name: step\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'step',"
             "'_meta':{'io.modelcontextprotocol/protocolVersion':"
             "'" NEWEST_REVISION
             "','io.modelcontextprotocol/clientCapabilities':{},"
             "'progressToken':'t'}}}"),
      MODERN("tools/list", "", LIST),
  };
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    http_trip trip = {.principal = "ann"};
    trip_send(&trip, &b->http, requests[i]);
    answer(b);
    assert_true(trip.is_over);
    trip_deinit(&trip);
  }
}

static int init_all(bench *b, const mcp_allocator *allocator) {
  memset(b, 0, sizeof(*b));
  int rc = http_rig_init(&b->http, NULL, NULL, allocator);
  if (rc == 0) {
    mcp_server_enable_logging(b->http.rig.server);
    add(b, "step", on_step, NULL);
    add(b, "keep", on_keep, b);
    add(b, "hello", on_hello, NULL);
    rc = add_annotated(b, annotated);
  }
  return rc;
}

static void a_steady_stream_of_requests_needs_no_memory(void **state) {
  failing_alloc alloc;
  bench b;
  (void)state;
  failing_alloc_init(&alloc);
  assert_int_equal(init_all(&b, &alloc.allocator), 0);
  for (int i = 0; i < 10; i++) {
    run_all(&b);
  }
  size_t before = atomic_load(&alloc.calls);
  for (int i = 0; i < 100; i++) {
    run_all(&b);
  }
  assert_int_equal(atomic_load(&alloc.calls) - before, 0);
  end(&b);
  assert_int_equal(atomic_load(&alloc.live_blocks), 0);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  (void)userdata;
  int rc = init_all(&b, allocator);
  if (rc == 0) {
    http_trip trip = {0};
    run_all(&b);
    trip_send(&trip, &b.http, LISTEN("1"));
    trip_deinit(&trip);
  }
  if (b.http.http != NULL) {
    end(&b);
  }
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_with_json),
      cmocka_unit_test(turns_to_events_when_something_comes_first),
      cmocka_unit_test(keeps_to_what_the_client_accepts),
      cmocka_unit_test(answers_later),
      cmocka_unit_test(a_silent_call_turns_to_events),
      cmocka_unit_test(silence_stays_json_for_who_reads_no_events),
      cmocka_unit_test(going_away_cancels),
      cmocka_unit_test(going_away_during_events_cancels),
      cmocka_unit_test(going_away_before_the_body_is_no_loss),
      cmocka_unit_test(errors_have_their_statuses),
      cmocka_unit_test(bodies_have_limits),
      cmocka_unit_test(malformed_claims_are_400),
      cmocka_unit_test(names_the_versions_it_serves),
      cmocka_unit_test(half_modern_messages_are_400),
      cmocka_unit_test(messages_with_no_place_are_400),
      cmocka_unit_test(the_modern_era_alone_says_so),
      cmocka_unit_test(an_undeclared_capability_is_400),
      cmocka_unit_test(notifications_are_accepted),
      cmocka_unit_test(the_version_and_method_are_mirrored),
      cmocka_unit_test(names_are_mirrored),
      cmocka_unit_test(prompts_and_resources_are_named_too),
      cmocka_unit_test(arguments_are_mirrored),
      cmocka_unit_test(a_tool_annotated_wrongly_is_refused),
      cmocka_unit_test(a_listen_that_does_not_accept_events_is_refused),
      cmocka_unit_test(a_listen_of_an_unknown_version_learns_the_known_ones),
      cmocka_unit_test(listens_over_events),
      cmocka_unit_test(asks_by_input_required),
      cmocka_unit_test(draining_lets_calls_end),
      cmocka_unit_test(who_does_not_read_is_given_up),
      cmocka_unit_test(who_is_found_gone_is_cancelled),
      cmocka_unit_test(there_is_room_for_so_many_calls),
      cmocka_unit_test(a_request_may_drain_between_head_and_body),
      cmocka_unit_test(who_reads_slowly_misses_progress),
      cmocka_unit_test(a_steady_stream_of_requests_needs_no_memory),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_modern", tests, NULL, NULL);
}
