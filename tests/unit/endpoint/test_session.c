/* SPDX-License-Identifier: MIT */
/* The legacy era over HTTP (PROTOCOL 3.4): sessions, their streams, and the
 * questions that the server asks on them. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"

#include "endpoint/endpoint.h"
#include "endpoint/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept[8];
  int kept_count;
  int cancelled;
  int rc;
} bench;

#define PING(id) "{$J,'id':" id ",'method':'ping'}"

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

static int on_where(mcp_call *call, void *userdata) {
  const char *principal = mcp_call_principal(call);
  (void)userdata;
  return mcp_call_reply_textf(call, "%s %s", mcp_call_revision(call),
                              principal != NULL ? principal : "nobody");
}

static int on_which(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_session_id(mcp_call_session(call)));
}

static int on_tell(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *content = mcp_json_get(answer, "content");
  return mcp_call_reply_text(call,
                             mcp_json_string(mcp_json_get(content, "name")));
}

static int add(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  return mcp_server_add_tool(b->http.rig.server, &tool);
}

static int begin_with_all(bench *b, const mcp_server_options *server,
                          const mcp_http_options *options,
                          const mcp_allocator *allocator) {
  memset(b, 0, sizeof(*b));
  int rc = http_rig_init(&b->http, server, options, allocator);
  if (rc != 0) {
    return rc;
  }
  mcp_server_enable_logging(b->http.rig.server);
  add(b, "keep", on_keep);
  add(b, "where", on_where);
  add(b, "which", on_which);
  add(b, "tell", on_tell);
  rc = add(b, "ask", on_ask);
  rig_turn(&b->http.rig);
  return rc;
}

static void begin_with(bench *b, const mcp_http_options *options) {
  assert_int_equal(begin_with_all(b, NULL, options, NULL), 0);
}

static void begin(bench *b) {
  begin_with(b, NULL);
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

/* --- requests of a session ---------------------------------------------- */

static void expect_at(bench *b, const char *method, const char *headers,
                      const char *body, int line, const char *expected) {
  http_trip trip = {0};
  session_send(&b->http, &trip, method, headers, body);
  trip_expect(&trip, __FILE__, line, expected);
  trip_deinit(&trip);
}

#define posted(b, body, expected)                                              \
  expect_at(b, "POST", "", body, __LINE__, expected)
#define sent(b, method, headers, body, expected)                               \
  expect_at(b, method, headers, body, __LINE__, expected)

/* --- the handshake ------------------------------------------------------ */

static void initialize_opens_a_session(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, INITIALIZE("2025-06-18", "{}"));
  came(&trip, JSON("200", "{$J,'id':0,'result':{'protocolVersion':'2025-06-18',"
                          "'capabilities':{'tools':{'listChanged':true},"
                          "'logging':{}},'serverInfo':{'name':'test',"
                          "'version':'1'}}}"));
  snprintf(b.http.session_id, sizeof(b.http.session_id), "%s",
           trip_header(&trip, "Mcp-Session-Id"));
  trip_deinit(&trip);
  posted(&b, INITIALIZED, "202");
  posted(&b, LEGACY_CALL("1", "where"),
         JSON("200", LEGACY_TEXT("1", "2025-06-18 nobody")));
  posted(&b, PING("'p'"), JSON("200", "{$J,'id':'p','result':{}}"));
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  end(&b);
}

static void a_handler_learns_the_id_of_its_session(void **state) {
  bench b;
  char expected[200];
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  snprintf(expected, sizeof(expected), JSON("200", LEGACY_TEXT("1", "%s")),
           b.http.session_id);
  posted(&b, LEGACY_CALL("1", "which"), expected);
  end(&b);
}

static void a_refused_initialize_opens_none(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, POST("", "{$J,'id':0,'method':'initialize'}"));
  assert_non_null(strstr(trip.answer.bytes, "200 application/json"));
  assert_non_null(strstr(trip.answer.bytes, "-32602"));
  assert_null(trip_header(&trip, "Mcp-Session-Id"));
  trip_deinit(&trip);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  ask(&b.http,
      POST("MCP-Protocol-Version: " NEWEST_REVISION "\n",
           "{$J,'id':0,'method':'initialize','params':{}}"),
      JSON("400", ERROR("0", "-32020",
                        "MCP-Protocol-Version names a revision that has no "
                        "initialize")));
  end(&b);
}

static void initialize_may_be_as_long_as_any_message(void **state) {
  enum { LEN = 1024 * 1024 };
  static const char body[] =
      "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
      "'2025-06-18','capabilities':{},'clientInfo':{'name':'c','version':'";
  bench b;
  http_trip trip = {0};
  char *request = malloc(LEN + 1000);
  char *expanded = rig_expand(body);
  (void)state;
  begin(&b);
  int used = snprintf(request, LEN + 1000, POST("", "%s"), expanded);
  memset(request + used, 'x', LEN);
  memcpy(request + used + LEN, "'}}}", 5);
  trip_send(&trip, &b.http, request);
  assert_memory_equal(trip.answer.bytes, "200", 3);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  trip_deinit(&trip);
  free(expanded);
  free(request);
  end(&b);
}

static void an_id_begins_with_its_home(void **state) {
  static const struct {
    size_t home;
    char first;
  } rows[] = {{0, 'A'}, {1, 'B'}, {26, 'a'}, {52, '0'}, {63, '_'}};
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    b.http.http->home = rows[i].home;
    session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
    assert_int_equal(b.http.session_id[0], rows[i].first);
    assert_int_equal(mcpi_http_session_home(b.http.session_id), rows[i].home);
  }
  assert_int_equal(mcpi_http_session_home(""), MCPI_HTTP_MAX_HOMES);
  assert_int_equal(mcpi_http_session_home("=A"), MCPI_HTTP_MAX_HOMES);
  end(&b);
}

static void a_second_initialize_is_refused(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  posted(&b,
         "{$J,'id':5,'method':'initialize','params':{'protocolVersion':"
         "'2025-06-18','capabilities':{},'clientInfo':{'name':'c',"
         "'version':'2'}}}",
         JSON("400",
              ERROR("5", "-32600", "this connection is initialized already")));
  posted(&b, PING("1"), JSON("200", "{$J,'id':1,'result':{}}"));
  end(&b);
}

/* --- finding the session ------------------------------------------------ */

#define MISSING_TEXT "Mcp-Session-Id is missing: send initialize first"
#define UNKNOWN_TEXT "no such session: send initialize anew"
#define MISSING JSON("400", ERROR_ALONE("-32600", MISSING_TEXT))
#define MISSING_FOR(id) JSON("400", ERROR(id, "-32600", MISSING_TEXT))
#define UNKNOWN JSON("404", ERROR_ALONE("-32600", UNKNOWN_TEXT))
#define UNKNOWN_FOR(id) JSON("404", ERROR(id, "-32600", UNKNOWN_TEXT))

static void a_session_must_be_named(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  ask(&b.http, POST("", PING("1")), MISSING_FOR("1"));
  ask(&b.http, POST("", INITIALIZED), MISSING);
  ask(&b.http, POST("", "{$J,'id':1,'result':{}}"), MISSING);
  ask(&b.http, "GET /mcp\n" HTTP_JSON "\n", MISSING);
  ask(&b.http, "DELETE /mcp\n" HTTP_JSON "\n", MISSING);
  ask(&b.http, POST("Mcp-Session-Id: x\n", PING("1")), UNKNOWN_FOR("1"));
  ask(&b.http, POST("Mcp-Session-Id:\n", PING("1")), UNKNOWN_FOR("1"));
  ask(&b.http, "GET /mcp\n" HTTP_JSON "Mcp-Session-Id: x\n\n", UNKNOWN);
  ask(&b.http, "DELETE /mcp\n" HTTP_JSON "Mcp-Session-Id: x\n\n", UNKNOWN);
  end(&b);
}

/* initialize would not help its client. */
static void names_what_a_request_of_the_modern_era_lacks(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, POST("", "{$J,'id':1,'method':'server/discover'}"),
      JSON("400", ERROR("1", "-32602",
                        "params._meta lacks "
                        "\\\"io.modelcontextprotocol/protocolVersion\\\" and "
                        "\\\"io.modelcontextprotocol/clientCapabilities\\\"")));
  ask(&b.http,
      POST("", "{$J,'id':1,'method':'subscriptions/listen','params':{'_meta':{"
               "'io.modelcontextprotocol/clientCapabilities':{}}}}"),
      JSON("400", ERROR("1", "-32602",
                        "params._meta lacks "
                        "\\\"io.modelcontextprotocol/protocolVersion\\\"")));
  end(&b);
}

static void a_session_belongs_to_its_principal(void **state) {
  bench b;
  http_trip trip = {.principal = "ann"};
  (void)state;
  begin(&b);
  session_initialize(&b.http, INITIALIZE("2025-06-18", "{}"), "ann");
  session_post(&b.http, &trip, LEGACY_CALL("1", "where"));
  came(&trip, JSON("200", LEGACY_TEXT("1", "2025-06-18 ann")));
  trip_deinit(&trip);
  posted(&b, PING("1"), UNKNOWN_FOR("1"));
  trip.principal = "bob";
  session_post(&b.http, &trip, PING("1"));
  came(&trip, UNKNOWN_FOR("1"));
  trip_deinit(&trip);
  trip.principal = "bob";
  session_send(&b.http, &trip, "DELETE", "", "");
  came(&trip, UNKNOWN);
  trip_deinit(&trip);
  end(&b);
}

static void the_version_header_must_be_a_legacy_one(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  sent(&b, "POST", "MCP-Protocol-Version: 2025-06-18\n", PING("1"),
       JSON("200", "{$J,'id':1,'result':{}}"));
  sent(&b, "POST", "MCP-Protocol-Version: 1999-01-01\n", PING("1"),
       JSON("400", ERROR("1", "-32600",
                         "MCP-Protocol-Version: \\\"1999-01-01\\\" is "
                         "not served in sessions")));
  sent(&b, "GET", "MCP-Protocol-Version: 1999-01-01\n", "",
       JSON("400",
            ERROR_ALONE("-32600", "MCP-Protocol-Version: \\\"1999-01-01\\\" is "
                                  "not served in sessions")));
  end(&b);
}

static void both_eras_are_served_at_once(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  ask(&b.http, CALL("1", "where"),
      JSON("200", RESULT_TEXT("1", NEWEST_REVISION " nobody")));
  posted(&b, LEGACY_CALL("1", "where"),
         JSON("200", LEGACY_TEXT("1", "2025-11-25 nobody")));
  /* By the envelope it is a modern request, session or not. */
  sent(&b, "POST",
       "MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: tools/call\n"
       "Mcp-Name: where\n",
       "{$J,'id':1,'method':'tools/call','params':{'name':'where',$M{}}}",
       JSON("200", RESULT_TEXT("1", NEWEST_REVISION " nobody")));
  end(&b);
}

static void the_legacy_era_alone_says_so(void **state) {
  const mcp_server_options legacy = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = MCP_ERA_LEGACY};
  bench b;
  (void)state;
  assert_int_equal(begin_with_all(&b, &legacy, NULL, NULL), 0);
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  ask(&b.http, CALL("1", "where"),
      JSON("400",
           "{$J,'id':1,'error':{'code':-32022,'message':'protocol version "
           "\\\"" NEWEST_REVISION
           "\\\" is not served here','data':{'supported':["
           "'2025-11-25','2025-06-18','2025-03-26','2024-11-05'],"
           "'requested':'" NEWEST_REVISION "'}}}"));
  end(&b);
}

static void there_is_room_for_so_many(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .max_sessions = 2};
  bench b;
  (void)state;
  begin_with(&b, &options);
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  ask(&b.http, INITIALIZE("2025-11-25", "{}"),
      JSON("503", ERROR("0", "-32603", ALL_IN_USE("2"))));
  sent(&b, "DELETE", "", "", "204");
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  end(&b);
}

/* --- messages ----------------------------------------------------------- */

static void notifications_and_responses_are_accepted(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  posted(&b, "{$J,'method':'notifications/whatever'}", "202");
  posted(&b, "{$J,'id':77,'result':{}}", "202");
  posted(&b, "{$J,'id':77,'error':{'code':1,'message':'x'}}", "202");
  posted(&b, "{", JSON("400", ERROR_ALONE("-32700", "unexpected end of data")));
  posted(&b, "{$J}",
         JSON("400",
              ERROR_ALONE("-32600", "neither a \\\"method\\\" nor a "
                                    "\\\"result\\\" nor an \\\"error\\\"")));
  end(&b);
}

static void errors_travel_with_200(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  posted(&b, "{$J,'id':1,'method':'no/such'}",
         JSON("200", ERROR("1", "-32601", "unknown method: \\\"no/such\\\"")));
  posted(&b, LEGACY_CALL("2", "none"),
         JSON("200", ERROR("2", "-32602", "unknown tool \\\"none\\\"")));
  posted(&b, "{$J,'method':'tools/list','id':3,'params':[]}",
         JSON("400", ERROR("3", "-32600", "\\\"params\\\" is not an object")));
  end(&b);
}

#define BATCH                                                                  \
  "[{$J,'id':1,'method':'ping'},{$J,'method':'notifications/x'},"              \
  "{$J,'id':2,'method':'ping'}]"
#define NO_BATCH                                                               \
  JSON("400", ERROR_ALONE("-32600", "a batch, where none is allowed"))

static void batches_are_2025_03_26_s(void **state) {
  bench b;
  http_trip trip = {0};
  char request[2000];
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-03-26", "{}"));
  posted(&b, BATCH,
         JSON("200", "[{$J,'id':1,'result':{}},{$J,'id':2,'result':{}}]"));
  posted(
      &b, "[" LEGACY_CALL("1", "tell") "]",
      EVENTS(KEPT_EVENT("1-1", "{$J,'method':'notifications/message','params':{"
                               "'level':'warning','data':'careful'}}")
                 KEPT_EVENT("1-2", LEGACY_TEXT("1", "told")) "END"));
  posted(&b, "[" PING("1") "," LEGACY_CALL("2", "tell") "]",
         EVENTS(KEPT_EVENT("2-1", "[{$J,'id':1,'result':{}}]") KEPT_EVENT(
             "2-2", "{$J,'method':'notifications/message','params':{"
                    "'level':'warning','data':'careful'}}")
                    KEPT_EVENT("2-3", LEGACY_TEXT("2", "told")) "END"));
  posted(&b, "[{$J,'method':'notifications/x'}]", "202");
  posted(&b, "[{$J,'id':4,'result':{}},{$J,'id':5,'result':{}}]", "202");
  posted(&b, "[]", JSON("400", ERROR_ALONE("-32600", "an empty batch")));
  posted(&b, "[7]",
         JSON("400", ERROR_ALONE("-32600", "a message is a JSON object")));
  posted(&b, "[{$J,'id':1,'method':'initialize','params':{}}]",
         JSON("400",
              ERROR_ALONE("-32600", "a message that may not be in a batch")));
  snprintf(request, sizeof(request),
           "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
           "Accept: application/json\nMcp-Session-Id: %s\n\n%s",
           b.http.session_id, BATCH);
  trip_send(&trip, &b.http, request);
  came(&trip, JSON("200", "[{$J,'id':1,'result':{}},{$J,'id':2,'result':{}}]"));
  trip_deinit(&trip);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  posted(&b, BATCH, NO_BATCH);
  session_open(&b.http, INITIALIZE("2025-11-25", "{}"));
  posted(&b, BATCH, NO_BATCH);
  end(&b);
}

static void a_batch_may_be_answered_later(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-03-26", "{}"));
  session_post(&b.http, &trip,
               "[" LEGACY_CALL("1", "keep") "," PING("2") "," LEGACY_CALL(
                   "3", "keep") "]");
  came(&trip, EVENTS(KEPT_EVENT("1-1", "[{$J,'id':2,'result':{}}]")));
  mcp_call_reply_text(b.kept[1], "kept");
  came(&trip, KEPT_EVENT("1-2", LEGACY_TEXT("3", "kept")));
  mcp_call_reply_text(b.kept[0], "kept");
  came(&trip, KEPT_EVENT("1-3", LEGACY_TEXT("1", "kept")) "END");
  trip_deinit(&trip);
  end(&b);
}

/* A tool's answer of half a megabyte. */
static int on_much(mcp_call *call, void *userdata) {
  enum { LEN = 512 * 1024 };
  char *text = calloc(1, LEN + 1);
  (void)userdata;
  memset(text, 'x', LEN);
  int rc = mcp_call_reply_text(call, text);
  free(text);
  return rc;
}

/* So many calls of it in a batch. */
static char *much(bench *b, int count, const char *accept) {
  static const char call[] = LEGACY_CALL("%d", "much");
  char *request = malloc(1000 + (size_t)count * 100);
  size_t len = (size_t)sprintf(request,
                               "POST /mcp\nHost: localhost\n"
                               "Content-Type: application/json\nAccept: %s\n"
                               "Mcp-Session-Id: %s\n\n[",
                               accept, b->http.session_id);
  for (int i = 0; i < count; i++) {
    len += (size_t)sprintf(request + len, call, i);
    request[len++] = i + 1 < count ? ',' : ']';
  }
  request[len] = '\0';
  return request;
}

static void answers_to_a_batch_are_bounded(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .replay_bytes = 4 * 1024 * 1024};
  bench b;
  http_trip trip = {0};
  (void)state;
  begin_with(&b, &options);
  add(&b, "much", on_much);
  session_open(&b.http, INITIALIZE("2025-03-26", "{}"));
  char *request = much(&b, 40, "application/json");
  ask(&b.http, request,
      JSON("500",
           ERROR_ALONE("-32603", "the answers to the batch are longer than "
                                 "16777216 bytes: send less at once, or accept "
                                 "text/event-stream")));
  free(request);
  request = much(&b, 30, "application/json");
  trip_send(&trip, &b.http, request);
  assert_memory_equal(trip.answer.bytes, "200 application/json\n[{", 23);
  trip_deinit(&trip);
  free(request);
  request = much(&b, 4, "application/json, text/event-stream");
  trip_send(&trip, &b.http, request);
  assert_memory_equal(trip.answer.bytes, "200 text/event-stream\nid: 1-1\n",
                      strlen("200 text/event-stream\nid: 1-1\n"));
  assert_non_null(strstr(trip.answer.bytes, "\nid: 1-4\n"));
  assert_null(strstr(trip.answer.bytes, "\nid: 1-5\n"));
  trip_deinit(&trip);
  free(request);
  b.http.http->waiting->max = 1024 * 1024; /* with all that waits elsewhere */
  request = much(&b, 3, "application/json");
  ask(&b.http, request, "ABORT");
  free(request);
  b.http.http->waiting->max = 4 * 1024 * 1024; /* half is for the others */
  request = much(&b, 5, "application/json");
  ask(&b.http, request, "ABORT");
  free(request);
  assert_int_equal(mcpi_quota_used(b.http.http->waiting), 0);
  end(&b);
}

static void messages_come_before_the_answer(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  posted(
      &b, LEGACY_CALL("1", "tell"),
      EVENTS(KEPT_EVENT("1-1", "{$J,'method':'notifications/message','params':{"
                               "'level':'warning','data':'careful'}}")
                 KEPT_EVENT("1-2", LEGACY_TEXT("1", "told")) "END"));
  end(&b);
}

/* --- questions ---------------------------------------------------------- */

#define QUESTION(id)                                                           \
  "{$J,'id':" id ",'method':'elicitation/create','params':{"                   \
  "'message':'Who?','requestedSchema':{'type':'object','properties':{"         \
  "'name':{'type':'string','description':'yours'}},'required':['name']}}}"

static void asks_on_the_stream_of_the_request(void **state) {
  bench b;
  http_trip trip = {0};
  http_trip get = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{'elicitation':{}}"));
  session_send(&b.http, &get, "GET", "", "");
  came(&get, EVENTS(""));
  session_post(&b.http, &trip, LEGACY_CALL("1", "ask"));
  came(&trip, EVENTS(KEPT_EVENT("1-1", QUESTION("1"))));
  posted(&b,
         "{$J,'id':1,'result':{'action':'accept','content':{'name':'Ann'}}}",
         "202");
  came(&trip, KEPT_EVENT("1-2", LEGACY_TEXT("1", "Ann")) "END");
  came(&get, "");
  trip_deinit(&trip);
  trip_deinit(&get);
  end(&b);
}

static void draining_waits_for_answers_to_questions(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{'elicitation':{}}"));
  session_post(&b.http, &trip, LEGACY_CALL("1", "ask"));
  trip_forget(&trip);
  mcp_server_drain(b.http.rig.server, 1000);
  posted(&b, PING("2"),
         JSON("503", ERROR("2", "-32603", "the server is shutting down")));
  posted(&b,
         "{$J,'id':1,'result':{'action':'accept','content':{'name':'Ann'}}}",
         "202");
  came(&trip, KEPT_EVENT("1-2", LEGACY_TEXT("1", "Ann")) "END");
  trip_deinit(&trip);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  end(&b);
}

/* --- the stream of a session -------------------------------------------- */

static void what_belongs_to_no_request_goes_to_the_get(void **state) {
  bench b;
  http_trip get = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  came(&get, EVENTS(""));
  assert_string_equal(trip_header(&get, "Mcp-Session-Id"), b.http.session_id);
  add(&b, "more", on_where);
  came(&get,
       KEPT_EVENT("0-1", "{$J,'method':'notifications/tools/list_changed'}"));
  rig_pass(&b.http.rig, 10000);
  came(&get, ": \n\n");
  sent(&b, "GET", "", "",
       JSON("409",
            ERROR_ALONE("-32600", "this session has a stream open already")));
  trip_gone(&get);
  trip_deinit(&get);
  session_send(&b.http, &get, "GET", "", "");
  came(&get, EVENTS(""));
  sent(&b, "DELETE", "", "", "204");
  came(&get, "END");
  trip_deinit(&get);
  end(&b);
}

static void a_get_needs_events(void **state) {
  bench b;
  http_trip trip = {0};
  char request[500];
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  snprintf(request, sizeof(request),
           "GET /mcp\nHost: localhost\nAccept: application/json\n"
           "Mcp-Session-Id: %s\n\n",
           b.http.session_id);
  trip_send(&trip, &b.http, request);
  came(&trip, "406 text/plain; charset=utf-8\nGET gives text/event-stream: "
              "accept it\n");
  trip_deinit(&trip);
  end(&b);
}

/* --- the end of a session ----------------------------------------------- */

static void delete_ends_it(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  sent(&b, "DELETE", "", "", "204");
  assert_int_equal(b.cancelled, 1);
  assert_true(trip.is_over);
  answer(&b);
  assert_int_equal(b.rc, MCP_ERR_GONE);
  posted(&b, PING("1"), UNKNOWN_FOR("1"));
  sent(&b, "DELETE", "", "", UNKNOWN);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  trip_deinit(&trip);
  end(&b);
}

static void idle_ones_end(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_idle_ms = 1000,
                                    .keepalive_ms = 100000};
  bench b;
  http_trip get = {0};
  char first[64];
  (void)state;
  begin_with(&b, &options);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  memcpy(first, b.http.session_id, sizeof(first));
  rig_pass(&b.http.rig, 600);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  rig_pass(&b.http.rig, 399);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 2);
  rig_pass(&b.http.rig, 1);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  rig_pass(&b.http.rig, 5000); /* who listens is there */
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 1);
  posted(&b, PING("1"), JSON("200", "{$J,'id':1,'result':{}}"));
  trip_gone(&get);
  rig_pass(&b.http.rig, 1000);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  posted(&b, PING("1"), UNKNOWN_FOR("1"));
  memcpy(b.http.session_id, first, sizeof(first));
  posted(&b, PING("1"), UNKNOWN_FOR("1"));
  trip_deinit(&get);
  end(&b);
}

static void a_call_that_runs_keeps_it(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_idle_ms = 1000,
                                    .keepalive_ms = 100000};
  bench b;
  http_trip trip = {0};
  (void)state;
  begin_with(&b, &options);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  rig_pass(&b.http.rig, 5000);
  answer(&b);
  came(&trip, JSON("200", LEGACY_TEXT("1", "kept")));
  trip_deinit(&trip);
  end(&b);
}

static void old_ones_end(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_idle_ms = 1000,
                                    .session_max_ms = 3000,
                                    .keepalive_ms = 100000};
  bench b;
  http_trip get = {0};
  (void)state;
  begin_with(&b, &options);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  came(&get, EVENTS(""));
  rig_pass(&b.http.rig, 1000);
  rig_pass(&b.http.rig, 1000);
  came(&get, "");
  rig_pass(&b.http.rig, 1000);
  came(&get, "END");
  posted(&b, PING("1"), UNKNOWN_FOR("1"));
  trip_deinit(&get);
  end(&b);
}

/* Long before anybody asks whether it is idle. */
static void busy_ones_grow_old(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_max_ms = 3000};
  bench b;
  http_trip get = {0};
  (void)state;
  begin_with(&b, &options);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  came(&get, EVENTS(""));
  rig_pass(&b.http.rig, 2999);
  came(&get, "");
  rig_pass(&b.http.rig, 1);
  came(&get, "END");
  trip_deinit(&get);
  end(&b);
}

/* --- calls and their clients -------------------------------------------- */

static void a_cancelled_call_ends_its_stream(void **state) {
  bench b;
  http_trip trips[2] = {{0}};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b.http, &trips[0], LEGACY_CALL("1", "keep"));
  session_post(&b.http, &trips[1], LEGACY_CALL("2", "keep"));
  rig_pass(&b.http.rig, 10000);
  trip_forget(&trips[1]);
  posted(&b, "{$J,'method':'notifications/cancelled','params':{'requestId':2}}",
         "202");
  came(&trips[1], "END");
  assert_int_equal(b.cancelled, 1);
  trip_forget(&trips[0]);
  answer(&b);
  came(&trips[0], KEPT_EVENT("1-1", LEGACY_TEXT("1", "kept")) "END");
  trip_deinit(&trips[0]);
  trip_deinit(&trips[1]);
  end(&b);
}

static void going_away_does_not_cancel(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  trip_gone(&trip);
  rig_turn(&b.http.rig);
  assert_int_equal(b.cancelled, 0);
  assert_false(mcp_call_is_cancelled(b.kept[0]));
  answer(&b);
  trip_deinit(&trip);
  end(&b);
}

static void the_endpoint_may_go_first(void **state) {
  bench b;
  http_trip trip = {0};
  http_trip get = {0};
  http_trip modern = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  trip_send(&modern, &b.http, CALL("1", "keep"));
  trip_forget(&get);
  mcp_http_free(b.http.http);
  b.http.http = NULL;
  came(&get, "ABORT");
  came(&trip, "ABORT");
  came(&modern, "ABORT");
  assert_int_equal(b.cancelled, 2);
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  answer(&b);
  assert_int_equal(b.rc, MCP_ERR_GONE);
  trip_deinit(&trip);
  trip_deinit(&get);
  trip_deinit(&modern);
  end(&b);
}

static void the_server_may_go_first(void **state) {
  bench b;
  http_trip trip = {0};
  http_trip get = {0};
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_send(&b.http, &get, "GET", "", "");
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  trip_forget(&get);
  mcp_server_free(b.http.rig.server);
  b.http.rig.server = NULL;
  came(&get, "END");
  came(&trip, JSON("503", ERROR("1", "-32603", "the server is shutting down")));
  posted(&b, PING("1"),
         "503 text/plain; charset=utf-8\nthe server is shutting down\n");
  answer(&b);
  trip_deinit(&trip);
  trip_deinit(&get);
  end(&b);
}

/* --- frees in callbacks ------------------------------------------------- */

typedef struct axe {
  bench *b;
  http_trip *trip;
  int what;
  int after; /* pieces of the answer */
} axe;

static void fell(const axe *a) {
  if (a->what == 0) {
    mcp_http_free(a->b->http.http);
    a->b->http.http = NULL;
  } else if (a->what == 1) {
    mcp_server_free(a->b->http.rig.server);
    a->b->http.rig.server = NULL;
  } else if (a->what == 2) {
    trip_gone(a->trip);
  } else {
    mcp_server_free(a->b->http.rig.server);
    a->b->http.rig.server = NULL;
    mcp_http_free(a->b->http.http);
    a->b->http.http = NULL;
  }
}

static int on_fell(mcp_call *call, void *userdata) {
  fell(userdata);
  return mcp_call_reply_text(call, "down");
}

static int on_tell_and_fell(mcp_call *call, void *userdata) {
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "1");
  fell(userdata);
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "2");
  return mcp_call_reply_text(call, "down");
}

static void on_cancel_free(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->cancelled++;
  mcp_http_free(b->http.http);
  mcp_call_drop(call);
}

static int on_wait(mcp_call *call, void *userdata) {
  mcp_call_on_cancel(call, on_cancel_free, userdata);
  return mcp_call_defer(call);
}

/* It ends the calls, and each of these frees it once more. */
static void callbacks_of_a_free_may_free_again(void **state) {
  bench b;
  http_trip trips[3] = {0};
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "wait",
                         .handler = on_wait,
                         .userdata = &b};
  (void)state;
  begin(&b);
  assert_int_equal(mcp_server_add_tool(b.http.rig.server, &tool), 0);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b.http, &trips[0], LEGACY_CALL("1", "wait"));
  trip_send(&trips[1], &b.http, CALL("1", "wait"));
  trip_send(&trips[2], &b.http, CALL("1", "wait"));
  mcp_http_free(b.http.http);
  b.http.http = NULL;
  assert_int_equal(b.cancelled, 3);
  for (size_t i = 0; i < 3; i++) {
    came(&trips[i], "ABORT");
    trip_deinit(&trips[i]);
  }
  end(&b);
}

static void handlers_may_free_everything(void **state) {
  static const mcp_call_cb handlers[] = {on_fell, on_tell_and_fell};
  (void)state;
  for (int what = 0; what < 4; what++) {
    for (int i = 0; i < 4; i++) {
      bench b;
      http_trip trip = {0};
      axe a = {&b, &trip, what, 0};
      begin(&b);
      const mcp_tool tool = {.size = MCP_TOOL_INIT,
                             .name = "fell",
                             .handler = handlers[i / 2],
                             .userdata = &a};
      mcp_server_add_tool(b.http.rig.server, &tool);
      session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
      if (i % 2 == 0) {
        session_post(&b.http, &trip, LEGACY_CALL("1", "fell"));
      } else {
        trip_send(&trip, &b.http, CALL("1", "fell"));
      }
      assert_true(trip.is_over);
      trip_deinit(&trip);
      end(&b);
    }
  }
}

static void fell_late(http_trip *trip, void *userdata) {
  axe *a = userdata;
  (void)trip;
  if (a->after-- == 0) {
    fell(a);
  }
}

/* The HTTP server may find at any byte that its client has gone, and so may
 * whoever it tells. */
static void answers_may_free_everything(void **state) {
  static const char *const revisions[] = {INITIALIZE("2025-06-18", "{}"),
                                          INITIALIZE("2025-11-25", "{}")};
  (void)state;
  for (int i = 0; i < 4 * 5 * 6; i++) {
    bench b;
    http_trip trip = {0};
    axe a = {&b, &trip, i % 4, i / 4 % 5};
    int way = i / 20;
    begin(&b);
    session_open(&b.http, revisions[way % 2]);
    trip.on_answer = fell_late;
    trip.userdata = &a;
    if (way / 2 == 0) {
      session_post(&b.http, &trip, LEGACY_CALL("1", "tell"));
    } else if (way / 2 == 1) {
      session_send(&b.http, &trip, "GET", "", "");
      if (b.http.rig.server != NULL) {
        add(&b, "more", on_where);
      }
      rig_pass(&b.http.rig, 10000);
    } else {
      session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
      rig_pass(&b.http.rig, 10000);
      rig_pass(&b.http.rig, 10000);
    }
    answer(&b);
    trip.on_answer = NULL;
    trip_deinit(&trip);
    end(&b);
  }
}

static void the_end_of_a_session_may_free_everything(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_idle_ms = 1000,
                                    .session_max_ms = 1000};
  (void)state;
  for (int i = 0; i < 12; i++) {
    bench b;
    http_trip get = {0};
    http_trip trip = {0};
    axe a = {&b, &get, i % 4, 0};
    int way = i / 4;
    begin_with(&b, &options);
    session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
    session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
    session_send(&b.http, &get, "GET", "", "");
    get.on_answer = fell_late;
    get.userdata = &a;
    if (way == 0) {
      rig_pass(&b.http.rig, 1000);
    } else if (way == 1) {
      http_trip leaving = {0};
      session_send(&b.http, &leaving, "DELETE", "", "");
      assert_true(leaving.is_over);
      trip_deinit(&leaving);
    } else {
      mcp_server_drain(b.http.rig.server, 0);
    }
    assert_true(get.is_over);
    assert_true(trip.is_over);
    answer(&b);
    get.on_answer = NULL;
    trip_deinit(&get);
    trip_deinit(&trip);
    end(&b);
  }
}

/* --- memory ------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  http_trip trips[4] = {{0}};
  int rc = begin_with_all(&b, NULL, NULL, allocator);
  (void)userdata;
  if (rc != 0) {
    if (b.http.http != NULL) {
      end(&b);
    }
    return rc;
  }
  session_initialize(&b.http, INITIALIZE("2025-03-26", "{'elicitation':{}}"),
                     "ann");
  for (size_t i = 0; i < 4; i++) {
    trips[i].principal = "ann";
  }
  session_post(&b.http, &trips[0], INITIALIZED);
  trip_deinit(&trips[0]);
  trips[0].principal = "ann";
  session_send(&b.http, &trips[0], "GET", "", "");
  session_post(&b.http, &trips[1],
               "[" LEGACY_CALL("1", "tell") "," PING("2") "]");
  session_post(&b.http, &trips[2], LEGACY_CALL("3", "ask"));
  session_post(&b.http, &trips[3], LEGACY_CALL("4", "keep"));
  add(&b, "more", on_where);
  rig_pass(&b.http.rig, 10000);
  trip_deinit(&trips[3]);
  trip_send(&trips[3], &b.http, CALL("4", "keep"));
  rig_pass(&b.http.rig, 10000);
  answer(&b);
  for (size_t i = 0; i < 4; i++) {
    trip_deinit(&trips[i]);
  }
  end(&b);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initialize_opens_a_session),
      cmocka_unit_test(a_handler_learns_the_id_of_its_session),
      cmocka_unit_test(a_refused_initialize_opens_none),
      cmocka_unit_test(initialize_may_be_as_long_as_any_message),
      cmocka_unit_test(an_id_begins_with_its_home),
      cmocka_unit_test(a_second_initialize_is_refused),
      cmocka_unit_test(a_session_must_be_named),
      cmocka_unit_test(names_what_a_request_of_the_modern_era_lacks),
      cmocka_unit_test(a_session_belongs_to_its_principal),
      cmocka_unit_test(the_version_header_must_be_a_legacy_one),
      cmocka_unit_test(both_eras_are_served_at_once),
      cmocka_unit_test(the_legacy_era_alone_says_so),
      cmocka_unit_test(there_is_room_for_so_many),
      cmocka_unit_test(notifications_and_responses_are_accepted),
      cmocka_unit_test(errors_travel_with_200),
      cmocka_unit_test(batches_are_2025_03_26_s),
      cmocka_unit_test(a_batch_may_be_answered_later),
      cmocka_unit_test(answers_to_a_batch_are_bounded),
      cmocka_unit_test(messages_come_before_the_answer),
      cmocka_unit_test(asks_on_the_stream_of_the_request),
      cmocka_unit_test(draining_waits_for_answers_to_questions),
      cmocka_unit_test(what_belongs_to_no_request_goes_to_the_get),
      cmocka_unit_test(a_get_needs_events),
      cmocka_unit_test(delete_ends_it),
      cmocka_unit_test(idle_ones_end),
      cmocka_unit_test(a_call_that_runs_keeps_it),
      cmocka_unit_test(old_ones_end),
      cmocka_unit_test(busy_ones_grow_old),
      cmocka_unit_test(a_cancelled_call_ends_its_stream),
      cmocka_unit_test(going_away_does_not_cancel),
      cmocka_unit_test(the_endpoint_may_go_first),
      cmocka_unit_test(the_server_may_go_first),
      cmocka_unit_test(callbacks_of_a_free_may_free_again),
      cmocka_unit_test(handlers_may_free_everything),
      cmocka_unit_test(answers_may_free_everything),
      cmocka_unit_test(the_end_of_a_session_may_free_everything),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_session", tests, NULL, NULL);
}
