/* SPDX-License-Identifier: MIT */
/* HTTP+SSE (PROTOCOL 3.3): a stream of events that is a session, and the POSTs
 * that speak in it. */
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
  char traced[4000];
} bench;

#define PING(id) "{$J,'id':" id ",'method':'ping'}"
#define PONG(id) "{$J,'id':" id ",'result':{}}"
#define MESSAGE(data) "event: message\ndata: " data "\n\n"
#define GET "GET /sse\nHost: localhost\nAccept: text/event-stream\n"
#define SILENCE ": \n\n"

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

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  return rc != 0 ? rc
                 : mcp_call_reply_text(
                       call, mcp_json_string(mcp_json_get(
                                 mcp_json_get(answer, "content"), "name")));
}

static int on_tell(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static int add(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  return mcp_server_add_tool(b->http.rig.server, &tool);
}

static int begin_with(bench *b, const mcp_http_options *given,
                      const mcp_server_options *server,
                      const mcp_allocator *allocator) {
  mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT};
  options = given != NULL ? *given : options;
  options.wires =
      options.wires != 0 ? options.wires : MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
  memset(b, 0, sizeof(*b));
  int rc = http_rig_init(&b->http, server, &options, allocator);
  if (rc == 0) {
    mcp_server_enable_logging(b->http.rig.server);
    add(b, "keep", on_keep);
    add(b, "where", on_where);
    add(b, "tell", on_tell);
    rc = add(b, "ask", on_ask);
    rig_turn(&b->http.rig);
  }
  return rc;
}

static void begin(bench *b) {
  assert_int_equal(begin_with(b, NULL, NULL, NULL), 0);
}

static void end(bench *b) {
  http_rig_deinit(&b->http);
}

static void answer(bench *b) {
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_reply_text(b->kept[i], "kept");
  }
  b->kept_count = 0;
  rig_turn(&b->http.rig);
}

static size_t connection_count(const bench *b) {
  return mcp_server_connection_count(b->http.rig.server);
}

/* --- a session ----------------------------------------------------------- */

typedef struct session {
  bench *b;
  http_trip get;
  char where[200];
} session;

/* The event that tells where to post; "" when another came. */
static void read_endpoint(session *s) {
  static const char before[] = "200 text/event-stream\nevent: endpoint\ndata: ";
  const char *bytes = s->get.answer.bytes;
  if (strncmp(bytes, before, sizeof(before) - 1) == 0) {
    bytes += sizeof(before) - 1;
    snprintf(s->where, sizeof(s->where), "%.*s", (int)strcspn(bytes, "\n"),
             bytes);
    assert_memory_equal(bytes + strlen(s->where), "\n\n", 2);
  }
  trip_forget(&s->get);
}

static void open_as(session *s, bench *b, const char *principal) {
  *s = (session){.b = b, .get.principal = principal};
  b->http.rig.seed = (uint8_t)(b->http.rig.seed + 40); /* each has its own id */
  trip_send(&s->get, &b->http, GET "\n");
  read_endpoint(s);
}

static void post_as(const session *s, http_trip *trip, const char *principal,
                    const char *body) {
  char request[4000];
  trip->principal = principal;
  snprintf(request, sizeof(request),
           "POST %s\nHost: localhost\nContent-Type: application/json\n\n%s",
           s->where, body);
  trip_send(trip, &s->b->http, request);
}

static void post_at(const session *s, const char *body, int line,
                    const char *expected) {
  http_trip trip = {0};
  post_as(s, &trip, NULL, body);
  trip_expect(&trip, __FILE__, line, expected);
  trip_deinit(&trip);
}

#define posted(s, body, expected) post_at(s, body, __LINE__, expected)
/* What the post is answered with comes as events. */
#define told(s, body, events)                                                  \
  do {                                                                         \
    posted(s, body, "202");                                                    \
    came(&(s)->get, events);                                                   \
  } while (0)

#define OPENING(revision, capabilities)                                        \
  "{$J,'id':0,'method':'initialize','params':{'protocolVersion':'" revision    \
  "','capabilities':" capabilities                                             \
  ",'clientInfo':{'name':'c','version':'2'}}}"

static void open_session(session *s, bench *b, const char *opening) {
  open_as(s, b, NULL);
  posted(s, opening, "202");
  trip_forget(&s->get);
  told(s, INITIALIZED, "");
}

/* --- the stream ---------------------------------------------------------- */

static void a_stream_tells_where_to_post(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_as(&s, &b, NULL);
  assert_int_equal(strlen(s.where),
                   strlen("/messages?sessionId=") + MCPI_HTTP_SESSION_ID_LEN);
  assert_memory_equal(s.where, "/messages?sessionId=A", 21);
  assert_string_equal(trip_header(&s.get, "Cache-Control"),
                      "no-cache, no-transform");
  assert_int_equal(connection_count(&b), 1);
  trip_deinit(&s.get);
  rig_turn(&b.http.rig);
  assert_int_equal(connection_count(&b), 0);
  end(&b);
}

static void a_session_of_2024(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_as(&s, &b, NULL);
  told(&s, OPENING("2024-11-05", "{}"),
       MESSAGE("{$J,'id':0,'result':{'protocolVersion':'2024-11-05',"
               "'capabilities':{'tools':{'listChanged':true},'logging':{}},"
               "'serverInfo':{'name':'test','version':'1'}}}"));
  told(&s, INITIALIZED, "");
  told(&s, LEGACY_CALL("1", "where"),
       MESSAGE(LEGACY_TEXT("1", "2024-11-05 nobody")));
  told(&s, PING("'p'"), MESSAGE(PONG("'p'")));
  told(&s, LEGACY_CALL("2", "tell"),
       MESSAGE("{$J,'method':'notifications/message','params':{'level':"
               "'warning','data':'careful'}}")
           MESSAGE(LEGACY_TEXT("2", "told")));
  add(&b, "more", on_where);
  came(&s.get, MESSAGE("{$J,'method':'notifications/tools/list_changed'}"));
  trip_deinit(&s.get);
  end(&b);
}

static void every_revision_is_served(void **state) {
  static const char *const openings[] = {OPENING("2025-03-26", "{}"),
                                         OPENING("2025-06-18", "{}"),
                                         OPENING("2025-11-25", "{}")};
  static const char *const texts[] = {
      MESSAGE(LEGACY_TEXT("1", "2025-03-26 nobody")),
      MESSAGE(LEGACY_TEXT("1", "2025-06-18 nobody")),
      MESSAGE(LEGACY_TEXT("1", "2025-11-25 nobody"))};
  bench b;
  session s;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < 3; i++) {
    open_session(&s, &b, openings[i]);
    told(&s, LEGACY_CALL("1", "where"), texts[i]);
    told(&s, "{$J,'id':2,'method':'tools/call','params':{'name':'where',$M{}}}",
         MESSAGE(RESULT_TEXT("2", NEWEST_REVISION " nobody")));
    trip_deinit(&s.get);
  }
  end(&b);
}

static void batches_where_the_revision_has_them(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2025-03-26", "{}"));
  told(&s, "[" PING("1") "," INITIALIZED "," PING("2") "]",
       MESSAGE(PONG("1")) MESSAGE(PONG("2")));
  trip_deinit(&s.get);
  open_session(&s, &b, OPENING("2025-06-18", "{}"));
  posted(&s, "[" PING("1") "]",
         JSON("400", ERROR_ALONE("-32600", "a batch, where none is allowed")));
  came(&s.get, "");
  trip_deinit(&s.get);
  end(&b);
}

static void questions_are_asked_and_answered(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2025-11-25", "{'elicitation':{}}"));
  posted(&s, LEGACY_CALL("1", "ask"), "202");
  assert_non_null(strstr(s.get.answer.bytes, "elicitation/create"));
  trip_forget(&s.get);
  told(&s, "{$J,'id':1,'result':{'action':'accept','content':{'name':'Ada'}}}",
       MESSAGE(LEGACY_TEXT("1", "Ada")));
  trip_deinit(&s.get);
  end(&b);
}

static void sessions_are_apart(void **state) {
  bench b;
  session one;
  session two;
  (void)state;
  begin(&b);
  open_session(&one, &b, OPENING("2024-11-05", "{}"));
  open_session(&two, &b, OPENING("2025-06-18", "{}"));
  assert_string_not_equal(one.where, two.where);
  told(&one, LEGACY_CALL("1", "where"),
       MESSAGE(LEGACY_TEXT("1", "2024-11-05 nobody")));
  told(&two, LEGACY_CALL("1", "where"),
       MESSAGE(LEGACY_TEXT("1", "2025-06-18 nobody")));
  trip_deinit(&one.get);
  rig_turn(&b.http.rig);
  told(&two, PING("2"), MESSAGE(PONG("2")));
  trip_deinit(&two.get);
  end(&b);
}

static void streamable_http_is_beside_it(void **state) {
  bench b;
  (void)state;
  begin(&b);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  ask(&b.http, CALL("1", "where"),
      JSON("200", RESULT_TEXT("1", NEWEST_REVISION " nobody")));
  end(&b);
}

/* --- what is refused ----------------------------------------------------- */

#define POST_AT(target, headers, body)                                         \
  "POST " target "\nHost: localhost\n" headers "\n" body
#define TYPED "Content-Type: application/json\n"

static void posts_to_nobody(void **state) {
  static const char missing[] =
      JSON("400", ERROR("1", "-32600",
                        "sessionId is missing: the event endpoint of the "
                        "stream of events says where to post"));
  static const char unknown[] =
      JSON("404", ERROR("1", "-32600",
                        "no such session: open a new stream of events"));
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, POST_AT("/messages", TYPED, PING("1")), missing);
  ask(&b.http, POST_AT("/messages?", TYPED, PING("1")), missing);
  ask(&b.http, POST_AT("/messages?xsessionId=A&b", TYPED, PING("1")), missing);
  ask(&b.http, POST_AT("/messages?sessionId=", TYPED, PING("1")), unknown);
  ask(&b.http, POST_AT("/messages?a=b&sessionId=A&c", TYPED, PING("1")),
      unknown);
  end(&b);
}

static void an_id_is_whole(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  size_t len = strlen(s.where);
  strcpy(s.where + len, "&more=1");
  told(&s, PING("1"), MESSAGE(PONG("1")));
  strcpy(s.where + len, "A");
  posted(&s, PING("1"),
         JSON("404", ERROR("1", "-32600",
                           "no such session: open a new stream of events")));
  s.where[len - 1] = '\0';
  posted(&s, PING("1"),
         JSON("404", ERROR("1", "-32600",
                           "no such session: open a new stream of events")));
  trip_deinit(&s.get);
  end(&b);
}

static void methods_and_types(void **state) {
  static const char no_method[] =
      "405 text/plain; charset=utf-8\nthis method is not served here\n";
  bench b;
  session s;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  trip_send(&trip, &b.http, POST_AT("/sse", TYPED, PING("1")));
  came(&trip, no_method);
  assert_string_equal(trip_header(&trip, "Allow"), "GET, OPTIONS");
  trip_deinit(&trip);
  trip_send(&trip, &b.http, "GET /messages\nHost: localhost\n\n");
  came(&trip, no_method);
  assert_string_equal(trip_header(&trip, "Allow"), "POST, OPTIONS");
  trip_deinit(&trip);
  ask(&b.http, "DELETE /sse\nHost: localhost\n\n", no_method);
  ask(&b.http, "GET /sse\nHost: localhost\nAccept: application/json\n\n",
      "406 text/plain; charset=utf-8\nGET gives text/event-stream: accept "
      "it\n");
  ask(&b.http, POST_AT("/messages?sessionId=A", "", PING("1")),
      "415 text/plain; charset=utf-8\nContent-Type: application/json is what "
      "is read here\n");
  ask(&b.http,
      POST_AT("/messages?sessionId=A", TYPED "Accept: text/html\n", PING("1")),
      JSON("404", ERROR("1", "-32600",
                        "no such session: open a new stream of events")));
  posted(&s, "[]", JSON("400", ERROR_ALONE("-32600", "an empty batch")));
  posted(&s, "{", JSON("400", ERROR_ALONE("-32700", "unexpected end of data")));
  posted(&s, "", JSON("400", ERROR_ALONE("-32700", "the body is empty")));
  came(&s.get, "");
  trip_deinit(&s.get);
  end(&b);
}

static void wires_that_are_not_served(void **state) {
  static const char nothing[] =
      "404 text/plain; charset=utf-8\nthere is nothing here\n";
  const mcp_http_options alone = {.size = MCP_HTTP_OPTIONS_INIT,
                                  .wires = MCP_HTTP_SSE};
  const mcp_http_options without = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .wires = MCP_HTTP_STREAMABLE};
  bench b;
  session s;
  (void)state;
  assert_int_equal(begin_with(&b, &alone, NULL, NULL), 0);
  ask(&b.http, CALL("1", "where"), nothing);
  assert_non_null(strstr(b.http.rig.reports.bytes,
                         "the path \"/mcp\" is not served here (HTTP+SSE is at "
                         "/sse)"));
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  trip_deinit(&s.get);
  end(&b);
  assert_int_equal(begin_with(&b, &without, NULL, NULL), 0);
  ask(&b.http, GET "\n", nothing);
  ask(&b.http, POST_AT("/messages?sessionId=A", TYPED, PING("1")), nothing);
  end(&b);
}

static void paths_are_the_programs(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .sse_path = "/old",
                                    .messages_path = "/old/in"};
  static const struct {
    mcp_http_options options;
    const char *complaint;
  } rows[] = {
      {{.size = MCP_HTTP_OPTIONS_INIT, .sse_path = "sse"},
       "sse_path: \"sse\" must begin with a slash"},
      {{.size = MCP_HTTP_OPTIONS_INIT, .path = "/health"},
       "path: \"/health\" is the path of something else"},
      {{.size = MCP_HTTP_OPTIONS_INIT, .messages_path = ""},
       "messages_path: \"\" must begin with a slash"},
      {{.size = MCP_HTTP_OPTIONS_INIT,
        .wires = MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE,
        .path = "/sse"},
       "sse_path: \"/sse\" is the path of something else"},
      {{.size = MCP_HTTP_OPTIONS_INIT,
        .wires = MCP_HTTP_SSE,
        .messages_path = "/health"},
       "messages_path: \"/health\" is the path of something else"},
      {{.size = MCP_HTTP_OPTIONS_INIT, .wires = 256},
       "wires: 256 has a bit that names no wire; use MCP_HTTP_STREAMABLE, "
       "MCP_HTTP_SSE and MCP_HTTP_WEBSOCKET"},
  };
  bench b;
  http_trip trip = {0};
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  trip_send(&trip, &b.http,
            "GET /old?x=1\nHost: localhost\nAccept: text/event-stream\n\n");
  assert_non_null(strstr(trip.answer.bytes, "data: /old/in?sessionId=A"));
  trip_deinit(&trip);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_error err;
    assert_null(mcp_http_new(b.http.rig.server, b.http.rig.loop,
                             &rows[i].options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_string_equal(err.message, rows[i].complaint);
  }
  end(&b);
}

static void the_guard_stands_before_both(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  ask(&b.http, "GET /sse\nHost: evil.example\n\n",
      JSON("403", ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not "
                                        "served here (allowed_hosts)")));
  ask(&b.http,
      "POST /messages?sessionId=A\nHost: localhost\nOrigin: "
      "https://evil.example\n" TYPED "\n" PING("1"),
      JSON("403",
           ERROR_ALONE("-32600", "pages of \\\"https://evil.example\\\" may "
                                 "not use this server (allowed_origins)")));
  trip_send(&trip, &b.http,
            "GET /sse\nHost: localhost\nOrigin: http://localhost:3000\n\n");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Origin"),
                      "http://localhost:3000");
  trip_deinit(&trip);
  trip_send(&trip, &b.http,
            "OPTIONS /messages\nHost: localhost\nOrigin: "
            "http://localhost:3000\n\n");
  came(&trip, "204");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Methods"),
                      "POST");
  trip_deinit(&trip);
  trip_send(&trip, &b.http, "OPTIONS /sse\nHost: localhost\n\n");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Methods"),
                      "GET");
  trip_deinit(&trip);
  end(&b);
}

static int on_request(const mcp_http_request *request, const char **principal,
                      const char **reason, const char **challenge,
                      void *userdata) {
  (void)principal;
  (void)reason;
  (void)challenge;
  (void)userdata;
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcmp(request->headers[i].name, "Deny") == 0) {
      return 401;
    }
  }
  return 0;
}

static void a_session_is_its_principals(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .on_request = on_request};
  bench b;
  session s;
  http_trip trip = {0};
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  ask(&b.http, GET "Deny: 1\n\n", "401 text/plain; charset=utf-8");
  open_as(&s, &b, "alice");
  post_as(&s, &trip, "bob", PING("1"));
  came(&trip, JSON("404", ERROR("1", "-32600",
                                "no such session: open a new "
                                "stream of events")));
  trip_deinit(&trip);
  post_as(&s, &trip, NULL, PING("1"));
  came(&trip, JSON("404", ERROR("1", "-32600",
                                "no such session: open a new "
                                "stream of events")));
  trip_deinit(&trip);
  post_as(&s, &trip, "alice", LEGACY_CALL("1", "where"));
  came(&trip, "202");
  trip_forget(&s.get);
  trip_deinit(&trip);
  post_as(&s, &trip, "alice",
          "{$J,'id':2,'method':'tools/call','params':{'name':'where',$M{}}}");
  came(&s.get, MESSAGE(RESULT_TEXT("2", NEWEST_REVISION " alice")));
  trip_deinit(&trip);
  trip_deinit(&s.get);
  end(&b);
}

/* --- limits -------------------------------------------------------------- */

static void sessions_have_a_limit(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .max_sessions = 2};
  static const char too_many[] =
      JSON("503", ERROR_ALONE("-32603", ALL_IN_USE("2")));
  bench b;
  session s;
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  session_open(&b.http, INITIALIZE("2025-06-18", "{}"));
  open_as(&s, &b, NULL);
  ask(&b.http, GET "\n", too_many);
  ask(&b.http, INITIALIZE("2025-06-18", "{}"),
      JSON("503", ERROR("0", "-32603", ALL_IN_USE("2"))));
  trip_gone(&s.get);
  trip_deinit(&s.get);
  rig_turn(&b.http.rig);
  open_as(&s, &b, NULL);
  trip_deinit(&s.get);
  end(&b);
}

static void calls_have_a_limit(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .max_calls = 1};
  bench b;
  session s;
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  posted(&s, LEGACY_CALL("1", "keep"), "202");
  posted(&s, PING("2"), JSON("503", ERROR("2", "-32603", ALL_TAKEN("1"))));
  posted(&s, INITIALIZED, "202");
  answer(&b);
  came(&s.get, MESSAGE(LEGACY_TEXT("1", "kept")));
  trip_deinit(&s.get);
  end(&b);
}

static void initialize_may_be_as_long_as_any_message(void **state) {
  enum { LEN = 1024 * 1024 };
  bench b;
  session s;
  http_trip trip = {0};
  char *request = calloc(1, LEN + 1000);
  char *opening = rig_expand(OPENING("2024-11-05", "{}"));
  (void)state;
  begin(&b);
  open_as(&s, &b, NULL);
  int used = snprintf(request, LEN + 1000,
                      "POST %s\nHost: localhost\nContent-Type: "
                      "application/json\n\n%s",
                      s.where, opening);
  memset(request + used, ' ', LEN);
  trip_send(&trip, &b.http, request);
  assert_memory_equal(trip.answer.bytes, "202", 3);
  trip_deinit(&trip);
  trip_deinit(&s.get);
  free(request);
  free(opening);
  end(&b);
}

static void silence_is_broken(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  rig_pass(&b.http.rig, 9999);
  came(&s.get, "");
  rig_pass(&b.http.rig, 1);
  came(&s.get, SILENCE);
  rig_pass(&b.http.rig, 5000);
  told(&s, PING("1"), MESSAGE(PONG("1")));
  rig_pass(&b.http.rig, 9999);
  came(&s.get, "");
  rig_pass(&b.http.rig, 1);
  came(&s.get, SILENCE);
  trip_deinit(&s.get);
  end(&b);
}

static void a_session_has_its_age(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_max_ms = 15000};
  bench b;
  session s;
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  rig_pass(&b.http.rig, 10000);
  came(&s.get, SILENCE);
  rig_pass(&b.http.rig, 4999);
  came(&s.get, "");
  rig_pass(&b.http.rig, 1);
  came(&s.get, "END");
  trip_deinit(&s.get);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  rig_pass(&b.http.rig, 9000);
  told(&s, PING("1"), MESSAGE(PONG("1")));
  rig_pass(&b.http.rig, 6000);
  posted(&s, PING("2"),
         JSON("404", ERROR("2", "-32600",
                           "no such session: open a new stream of events")));
  came(&s.get, "END");
  trip_deinit(&s.get);
  end(&b);
}

static void a_stream_without_a_session_ends_early(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .initialized_ms = 5000};
  bench b;
  session silent;
  session half;
  session begun;
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  open_as(&silent, &b, NULL);
  open_as(&half, &b, NULL);
  posted(&half, OPENING("2024-11-05", "{}"), "202");
  trip_forget(&half.get);
  open_session(&begun, &b, OPENING("2024-11-05", "{}"));
  rig_pass(&b.http.rig, 4999);
  assert_int_equal(connection_count(&b), 3);
  rig_pass(&b.http.rig, 1);
  came(&silent.get, "END");
  came(&half.get, "END");
  assert_int_equal(connection_count(&b), 1);
  told(&begun, PING("1"), MESSAGE(PONG("1")));
  trip_deinit(&silent.get);
  trip_deinit(&half.get);
  trip_deinit(&begun.get);
  end(&b);
}

/* Each message moves the next comment, and not the end. */
static void a_busy_session_has_its_age_too(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .session_max_ms = 15000};
  bench b;
  session s;
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  for (int i = 0; i < 14; i++) {
    rig_pass(&b.http.rig, 1000);
    told(&s, PING("1"), MESSAGE(PONG("1")));
  }
  rig_pass(&b.http.rig, 1000);
  came(&s.get, "END");
  assert_int_equal(connection_count(&b), 0);
  trip_deinit(&s.get);
  end(&b);
}

static void who_does_not_read_is_given_up(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  s.get.queued = 2 * 1024 * 1024; /* what it can do without is dropped */
  told(&s, LEGACY_CALL("1", "tell"), MESSAGE(LEGACY_TEXT("1", "told")));
  s.get.queued = 16 * 1024 * 1024 + 1;
  told(&s, LEGACY_CALL("2", "where"), "ABORT");
  assert_int_equal(connection_count(&b), 0);
  posted(&s, PING("3"),
         JSON("404", ERROR("3", "-32600",
                           "no such session: open a new stream of events")));
  trip_deinit(&s.get);
  end(&b);
}

/* --- the end ------------------------------------------------------------- */

static void its_stream_is_the_session(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  posted(&s, LEGACY_CALL("1", "keep"), "202");
  trip_gone(&s.get);
  rig_turn(&b.http.rig);
  assert_int_equal(b.cancelled, 1);
  assert_int_equal(connection_count(&b), 0);
  posted(&s, PING("1"),
         JSON("404", ERROR("1", "-32600",
                           "no such session: open a new stream of events")));
  answer(&b);
  trip_deinit(&s.get);
  end(&b);
}

/* A call's client may still answer what it is asked, and gets its answer. */
static void a_server_that_drains(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2025-11-25", "{'elicitation':{}}"));
  posted(&s, LEGACY_CALL("1", "ask"), "202");
  trip_forget(&s.get);
  mcp_server_drain(b.http.rig.server, 5000);
  ask(&b.http, GET "\n",
      "503 text/plain; charset=utf-8\nthe server is shutting down\n");
  told(&s, "{$J,'id':1,'result':{'action':'accept','content':{'name':'Ada'}}}",
       MESSAGE(LEGACY_TEXT("1", "Ada")) "END");
  trip_deinit(&s.get);
  end(&b);
}

static void the_endpoint_may_go_first(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  posted(&s, LEGACY_CALL("1", "keep"), "202");
  mcp_http_free(b.http.http);
  b.http.http = NULL;
  came(&s.get, "END");
  assert_int_equal(b.cancelled, 1);
  assert_int_equal(connection_count(&b), 0);
  answer(&b);
  trip_deinit(&s.get);
  end(&b);
}

static void the_server_may_go_first(void **state) {
  bench b;
  session s;
  (void)state;
  begin(&b);
  open_session(&s, &b, OPENING("2024-11-05", "{}"));
  posted(&s, LEGACY_CALL("1", "keep"), "202");
  mcp_server_free(b.http.rig.server);
  b.http.rig.server = NULL;
  came(&s.get, "END");
  answer(&b);
  trip_deinit(&s.get);
  end(&b);
}

typedef struct axe {
  bench *b;
  session *s;
  int what;
  int after; /* pieces of the answer */
} axe;

static void fell(const axe *a) {
  if (a->what == 0 || a->what == 3) {
    mcp_server_free(a->b->http.rig.server);
    a->b->http.rig.server = NULL;
  }
  if (a->what == 1 || a->what == 3) {
    mcp_http_free(a->b->http.http);
    a->b->http.http = NULL;
  }
  if (a->what == 2) {
    trip_gone(&a->s->get);
  }
}

static void fell_late(http_trip *trip, void *userdata) {
  axe *a = userdata;
  (void)trip;
  if (a->after-- == 0) {
    fell(a);
  }
}

static int on_fell(mcp_call *call, void *userdata) {
  fell(userdata);
  return mcp_call_reply_text(call, "down");
}

/* The HTTP server may find at any byte that its client has gone, and so may
 * whoever it tells. */
static void anything_may_be_freed_at_any_time(void **state) {
  static const char *const bodies[] = {LEGACY_CALL("1", "tell"),
                                       LEGACY_CALL("1", "fell"), PING("1")};
  (void)state;
  for (int i = 0; i < 4 * 5 * 3; i++) {
    bench b;
    session s = {.b = &b};
    axe a = {&b, &s, i % 4, i / 4 % 5};
    begin(&b);
    const mcp_tool tool = {.size = MCP_TOOL_INIT,
                           .name = "fell",
                           .handler = on_fell,
                           .userdata = &a};
    mcp_server_add_tool(b.http.rig.server, &tool);
    s.get.on_answer = fell_late;
    s.get.userdata = &a;
    trip_send(&s.get, &b.http, GET "\n");
    read_endpoint(&s);
    http_trip trip = {0};
    if (b.http.http != NULL && s.where[0] != '\0') {
      post_as(&s, &trip, NULL, bodies[i / 20]);
    }
    s.get.on_answer = NULL;
    trip_deinit(&trip);
    trip_deinit(&s.get);
    end(&b);
  }
}

/* --- the trace ----------------------------------------------------------- */

static void on_trace(int is_sent, const char *peer, const char *name,
                     const char *text, size_t len, void *userdata) {
  bench *b = userdata;
  size_t used = strlen(b->traced);
  (void)text;
  snprintf(b->traced + used, sizeof(b->traced) - used, "%d %s %zu %d\n",
           is_sent, peer, strlen(name != NULL ? name : ""), len > 0);
}

static void a_trace_shows_both_ways(void **state) {
  bench b;
  session s;
  mcp_http_options options = {
      .size = MCP_HTTP_OPTIONS_INIT, .on_trace = on_trace, .userdata = &b};
  (void)state;
  assert_int_equal(begin_with(&b, &options, NULL, NULL), 0);
  open_as(&s, &b, NULL);
  told(&s, PING("1"), MESSAGE(PONG("1")));
  assert_string_equal(b.traced, "0 127.0.0.1:4711 8 1\n"
                                "1 127.0.0.1:4711 8 1\n");
  trip_deinit(&s.get);
  end(&b);
}

/* --- memory -------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  session s = {.b = &b};
  http_trip trip = {0};
  (void)userdata;
  int rc = begin_with(&b, NULL, NULL, allocator);
  if (rc != 0) {
    http_rig_deinit(&b.http);
    return MCP_ERR_NOMEM;
  }
  open_as(&s, &b, "alice");
  const char *const bodies[] = {
      OPENING("2025-03-26", "{}"), INITIALIZED, LEGACY_CALL("1", "tell"),
      "[" PING("2") "," PING("3") "]", LEGACY_CALL("4", "keep")};
  for (size_t i = 0; i < 5 && s.where[0] != '\0'; i++) {
    post_as(&s, &trip, "alice", bodies[i]);
    trip_deinit(&trip);
  }
  answer(&b);
  int is_whole = !s.get.is_over && b.http.rig.server != NULL &&
                 strstr(s.get.answer.bytes, "kept") != NULL;
  trip_deinit(&s.get);
  end(&b);
  return is_whole ? 0 : MCP_ERR_NOMEM;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stream_tells_where_to_post),
      cmocka_unit_test(a_session_of_2024),
      cmocka_unit_test(every_revision_is_served),
      cmocka_unit_test(batches_where_the_revision_has_them),
      cmocka_unit_test(questions_are_asked_and_answered),
      cmocka_unit_test(sessions_are_apart),
      cmocka_unit_test(streamable_http_is_beside_it),
      cmocka_unit_test(posts_to_nobody),
      cmocka_unit_test(an_id_is_whole),
      cmocka_unit_test(methods_and_types),
      cmocka_unit_test(wires_that_are_not_served),
      cmocka_unit_test(paths_are_the_programs),
      cmocka_unit_test(the_guard_stands_before_both),
      cmocka_unit_test(a_session_is_its_principals),
      cmocka_unit_test(sessions_have_a_limit),
      cmocka_unit_test(calls_have_a_limit),
      cmocka_unit_test(initialize_may_be_as_long_as_any_message),
      cmocka_unit_test(silence_is_broken),
      cmocka_unit_test(a_stream_without_a_session_ends_early),
      cmocka_unit_test(a_session_has_its_age),
      cmocka_unit_test(a_busy_session_has_its_age_too),
      cmocka_unit_test(who_does_not_read_is_given_up),
      cmocka_unit_test(its_stream_is_the_session),
      cmocka_unit_test(a_server_that_drains),
      cmocka_unit_test(the_endpoint_may_go_first),
      cmocka_unit_test(the_server_may_go_first),
      cmocka_unit_test(anything_may_be_freed_at_any_time),
      cmocka_unit_test(a_trace_shows_both_ways),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
