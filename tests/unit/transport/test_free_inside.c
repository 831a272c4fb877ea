/* SPDX-License-Identifier: MIT */
/* The server and the listener are freed inside each callback of theirs, over
 * each wire, by one client and by two that do the same at once.
 *
 * Every combination of wire, moment, deed and number of clients is one run of
 * the same conversation, which reaches all callbacks. The first argument
 * selects runs by a pattern with stars:
 *
 *     unit.transport.free_inside '*tcp*on_cancel*'
 */
#include "core/loop.h"
#include "support/server_rig.h"
#include "support/transport/raw_client.h"
#include "support/transport/recorder.h"

#include <fnmatch.h>
#include <mcp/http.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_NS UINT64_C(20000000000)

enum { MAX_CLIENTS = 2, MAX_KEPT = 16, DAY_MS = 24 * 3600 * 1000 };

/* ---- the dimensions ------------------------------------------------------ */

typedef enum wire_kind {
  TCP,
  UNIX,
  STREAM, /* mcp_transport_fd, traced, by mcp_server_connect */
  WS,
  SSE,
  SESSION,
  MODERN,
  ALONE,
  WIRES
} wire_kind;

static const struct {
  const char *name;
  raw_wire raw;
} wires[WIRES] = {
    {"tcp", RAW_LINES},     {"unix", RAW_LINES},  {"stream", RAW_LINES},
    {"websocket", RAW_WS},  {"sse", RAW_SSE},     {"session", RAW_SESSION},
    {"modern", RAW_MODERN}, {"alone", RAW_ALONE},
};

/* Callbacks. */
typedef enum place {
  IN_HANDLER,
  AFTER_REPLY,
  AFTER_PROGRESS,
  IN_SECOND_RUN, /* of a handler that asks */
  BEFORE_LATE_REPLY,
  AFTER_LATE_REPLY,
  IN_PROMPT,
  IN_COMPLETION,
  IN_RESOURCE,
  IN_METHOD,
  IN_NOTIFICATION,
  IN_REQUEST_HOOK,
  IN_REPLY_HOOK,
  IN_REPORT,
  IN_OPENED,
  IN_ROOTS,
  IN_AUTHORIZE,
  IN_TRACE_RECEIVED,
  IN_TRACE_SENT,
  IN_APPEND,
  IN_REPLAY,
  IN_FORGET,
  IN_CANCEL,
  IN_LAST_CANCEL,
  IN_CLOSED,
  IN_CONNECTION_CLOSED,
  IN_DRAINED,
  PLACES
} place;

/* What ends the calls that are never answered. */
typedef enum ending {
  BY_CANCEL,
  BY_HANGING_UP,
  BY_DELETE,
  BY_AGE,
  BY_DRAINING_LISTENER,
  BY_DRAINING_SERVER,
  BY_FREEING_LISTENER,
  BY_FREEING_SERVER
} ending;

typedef struct moment {
  const char *name;
  place place;
  ending ending;
  int is_late; /* not before calls are in flight */
} moment;

static const moment moments[] = {
    {"handler", IN_HANDLER, BY_HANGING_UP, 0},
    {"handler after its reply", AFTER_REPLY, BY_HANGING_UP, 0},
    {"handler after progress", AFTER_PROGRESS, BY_HANGING_UP, 0},
    {"second run", IN_SECOND_RUN, BY_HANGING_UP, 0},
    {"post before the reply", BEFORE_LATE_REPLY, BY_HANGING_UP, 0},
    {"post after the reply", AFTER_LATE_REPLY, BY_HANGING_UP, 0},
    {"prompt", IN_PROMPT, BY_HANGING_UP, 0},
    {"completion", IN_COMPLETION, BY_HANGING_UP, 0},
    {"resource", IN_RESOURCE, BY_HANGING_UP, 0},
    {"method", IN_METHOD, BY_HANGING_UP, 0},
    {"notification", IN_NOTIFICATION, BY_HANGING_UP, 0},
    {"request hook", IN_REQUEST_HOOK, BY_HANGING_UP, 1},
    {"reply hook", IN_REPLY_HOOK, BY_HANGING_UP, 1},
    {"report", IN_REPORT, BY_HANGING_UP, 0},
    {"session opened", IN_OPENED, BY_HANGING_UP, 0},
    {"roots", IN_ROOTS, BY_HANGING_UP, 0},
    {"authorize, first", IN_AUTHORIZE, BY_HANGING_UP, 0},
    {"authorize", IN_AUTHORIZE, BY_HANGING_UP, 1},
    {"trace of the first message", IN_TRACE_RECEIVED, BY_HANGING_UP, 0},
    {"trace of the first answer", IN_TRACE_SENT, BY_HANGING_UP, 0},
    {"trace of what came", IN_TRACE_RECEIVED, BY_HANGING_UP, 1},
    {"trace of what is sent", IN_TRACE_SENT, BY_HANGING_UP, 1},
    {"append, first", IN_APPEND, BY_HANGING_UP, 0},
    {"append", IN_APPEND, BY_HANGING_UP, 1},
    {"replay", IN_REPLAY, BY_HANGING_UP, 0},
    {"forget at DELETE", IN_FORGET, BY_DELETE, 0},
    {"forget at age", IN_FORGET, BY_AGE, 0},
    {"forget at free of listener", IN_FORGET, BY_FREEING_LISTENER, 0},
    {"cancel at cancel", IN_CANCEL, BY_CANCEL, 0},
    {"cancel at hang-up", IN_CANCEL, BY_HANGING_UP, 0},
    {"cancel at DELETE", IN_CANCEL, BY_DELETE, 0},
    {"cancel at age", IN_CANCEL, BY_AGE, 0},
    {"cancel at drain of listener", IN_CANCEL, BY_DRAINING_LISTENER, 0},
    {"cancel at drain of server", IN_CANCEL, BY_DRAINING_SERVER, 0},
    {"cancel at free of listener", IN_CANCEL, BY_FREEING_LISTENER, 0},
    {"cancel at free of server", IN_CANCEL, BY_FREEING_SERVER, 0},
    {"last cancel at hang-up", IN_LAST_CANCEL, BY_HANGING_UP, 0},
    {"last cancel at free of server", IN_LAST_CANCEL, BY_FREEING_SERVER, 0},
    {"session closed at hang-up", IN_CLOSED, BY_HANGING_UP, 0},
    {"session closed at DELETE", IN_CLOSED, BY_DELETE, 0},
    {"session closed at age", IN_CLOSED, BY_AGE, 0},
    {"session closed at drain", IN_CLOSED, BY_DRAINING_SERVER, 0},
    {"session closed at free of listener", IN_CLOSED, BY_FREEING_LISTENER, 0},
    {"session closed at free of server", IN_CLOSED, BY_FREEING_SERVER, 0},
    {"connection closed", IN_CONNECTION_CLOSED, BY_HANGING_UP, 0},
    {"connection closed by drain", IN_CONNECTION_CLOSED, BY_DRAINING_SERVER, 0},
    {"connection closed by free", IN_CONNECTION_CLOSED, BY_FREEING_SERVER, 0},
    {"reply hook of a listen at drain", IN_REPLY_HOOK, BY_DRAINING_SERVER, 2},
    {"trace at drain", IN_TRACE_SENT, BY_DRAINING_SERVER, 2},
    {"drained", IN_DRAINED, BY_DRAINING_LISTENER, 0},
};

enum { MOMENTS = sizeof(moments) / sizeof(moments[0]) };

/* What is freed there. */
typedef enum deed {
  FREES_SERVER,
  FREES_LISTENER,
  FREES_BOTH,
  FREES_BOTH_BACKWARDS,
  DRAINS_AND_FREES,
  FREES_AGAIN, /* each time that the callback comes */
  FREES_LOOP,
  DEEDS
} deed;

static const char *const deeds[DEEDS] = {
    "frees the server",       "frees the listener",
    "frees listener, server", "frees server, listener",
    "drains, frees both",     "frees both again and again",
    "frees the loop",
};

/* ---- a run --------------------------------------------------------------- */

typedef struct owned {
  mcp_server *server;           /* NULL: freed */
  mcp_http_listener *http;      /* NULL: freed, or another wire */
  mcp_socket_listener *sockets; /* likewise */
} owned;

typedef struct bench {
  wire_kind wire;
  const moment *moment;
  deed deed;
  int client_count;
  mcp_loop *loop;
  mcp_server *server;
  mcp_http_listener *http;
  mcp_socket_listener *sockets;
  owned first; /* the same, never forgotten */
  raw_client clients[MAX_CLIENTS];
  mcp_call *kept[MAX_KEPT];
  size_t kept_count;
  size_t cancelled_count;
  int is_late; /* 1: calls are in flight; 2: the end has begun */
  int is_done;
} bench;

/* What is beside the loop's clock: tests of age let a day pass. */
static int64_t skipped_ms;
static void (*real_clock)(void *userdata, int64_t *now_ms, int64_t *wall_ms);

static void skipping_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  real_clock(userdata, now_ms, wall_ms);
  if (now_ms != NULL) {
    *now_ms += skipped_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms += skipped_ms;
  }
}

/* The pointers are forgotten afterwards, as most programs do, so that a free
 * inside a free is one of the same object. */
static void free_server(bench *b) {
  mcp_server_free(b->server);
  b->server = NULL;
}

static void free_listener(bench *b) {
  mcp_http_listener_free(b->http);
  b->http = NULL;
  mcp_socket_listener_free(b->sockets);
  b->sockets = NULL;
}

static void do_deed(bench *b) {
  switch (b->deed) {
  case FREES_SERVER:
    free_server(b);
    break;
  case FREES_LISTENER:
    free_listener(b);
    break;
  case FREES_BOTH:
    free_listener(b);
    free_server(b);
    break;
  case FREES_BOTH_BACKWARDS:
    free_server(b);
    free_listener(b);
    break;
  case DRAINS_AND_FREES:
    mcp_server_drain(b->server, 1000);
    free_listener(b);
    free_server(b);
    break;
  case FREES_AGAIN: /* as a program that forgets nothing */
    mcp_server_free(b->first.server);
    mcp_http_listener_free(b->first.http);
    mcp_socket_listener_free(b->first.sockets);
    b->server = NULL;
    b->http = NULL;
    b->sockets = NULL;
    break;
  default:
    mcp_loop_free(b->loop); /* is refused: the loop is running */
    break;
  }
}

static void at(bench *b, place where) {
  if (where == b->moment->place && b->is_late >= b->moment->is_late &&
      (!b->is_done || b->deed == FREES_AGAIN)) {
    b->is_done = 1;
    do_deed(b);
  }
}

/* ---- callbacks ----------------------------------------------------------- */

static int on_plain(mcp_call *call, void *userdata) {
  at(userdata, IN_HANDLER);
  int rc = mcp_call_reply_text(call, "plain");
  at(userdata, AFTER_REPLY);
  return rc == MCP_ERR_GONE ? 0 : rc;
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_progress(call, 1, 2, "half");
  at(userdata, AFTER_PROGRESS);
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  mcp_call_reply_text(call, "told");
  return 0;
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  int rc = mcp_call_ask_roots(call, "r", &answer);
  if (rc == 0) {
    at(userdata, IN_SECOND_RUN);
    mcp_call_reply_text(call, "answered");
  }
  return rc;
}

static void on_cancel(mcp_call *call, void *userdata) {
  bench *b = userdata;
  (void)call;
  at(b, IN_CANCEL);
  b->cancelled_count++;
  if (b->cancelled_count == b->kept_count) {
    at(b, IN_LAST_CANCEL);
  }
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  assert_true(b->kept_count < MAX_KEPT);
  b->kept[b->kept_count++] = call;
  mcp_call_on_cancel(call, on_cancel, b);
  mcp_call_progress(call, 1, 2, "kept");
  return mcp_call_defer(call);
}

typedef struct late {
  bench *b;
  mcp_call *call;
} late;

static void reply_late(void *argument) {
  late work = *(late *)argument;
  free(argument);
  at(work.b, BEFORE_LATE_REPLY);
  mcp_call_reply_text(work.call, "late");
  at(work.b, AFTER_LATE_REPLY);
}

static int on_later(mcp_call *call, void *userdata) {
  late *work = malloc(sizeof(*work));
  assert_non_null(work);
  *work = (late){userdata, call};
  mcp_call_defer(call);
  assert_int_equal(mcp_loop_post(work->b->loop, reply_late, work), 0);
  return 0;
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)call;
  (void)userdata;
  return MCP_ERR_IO; /* which is reported */
}

static int on_prompt(mcp_call *call, void *userdata) {
  at(userdata, IN_PROMPT);
  mcp_call_add_text(call, "prompted");
  mcp_call_reply(call);
  return 0;
}

static int on_complete(mcp_call *call, void *userdata) {
  at(userdata, IN_COMPLETION);
  mcp_call_reply(call);
  return 0;
}

static int on_resource(mcp_call *call, void *userdata) {
  at(userdata, IN_RESOURCE);
  mcp_call_reply_text(call, "read");
  return 0;
}

static int on_method(mcp_call *call, void *userdata) {
  at(userdata, IN_METHOD);
  mcp_call_reply_json(call, "{\"done\":1}");
  return 0;
}

static int on_note(mcp_call *call, void *userdata) {
  (void)call;
  at(userdata, IN_NOTIFICATION);
  return 0;
}

static int on_request(mcp_call *call, void *userdata) {
  (void)call;
  at(userdata, IN_REQUEST_HOOK);
  return 0;
}

static void on_reply(mcp_call *call, const char *reply, size_t len,
                     void *userdata) {
  (void)call;
  at(userdata, IN_REPLY_HOOK);
  assert_true(len > 0 && reply[0] == '{');
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  (void)server;
  at(userdata, IN_REPORT);
  assert_true(err->code < 0);
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  (void)server;
  at(userdata, IN_OPENED);
  assert_non_null(mcp_session_revision(session));
}

static void on_closed(mcp_server *server, mcp_session *session,
                      void *userdata) {
  (void)server;
  at(userdata, IN_CLOSED);
  assert_non_null(mcp_session_revision(session));
}

static void on_roots(mcp_session *session, const mcp_json *roots,
                     void *userdata) {
  at(userdata, IN_ROOTS);
  assert_non_null(mcp_session_revision(session));
  assert_int_equal(mcp_json_type(roots), MCP_JSON_ARRAY);
}

static void on_connection_closed(mcp_connection *connection,
                                 const mcp_error *err, void *userdata) {
  (void)connection;
  (void)err;
  at(userdata, IN_CONNECTION_CLOSED);
}

static int on_authorize(const mcp_http_request *request, const char **principal,
                        const char **reason, const char **challenge,
                        void *userdata) {
  (void)reason;
  (void)challenge;
  at(userdata, IN_AUTHORIZE);
  assert_non_null(request->target);
  *principal = "somebody";
  return 0;
}

static void on_peer_trace(int is_sent, const char *peer, const char *session,
                          const char *text, size_t len, void *userdata) {
  (void)peer;
  (void)session;
  at(userdata, is_sent ? IN_TRACE_SENT : IN_TRACE_RECEIVED);
  assert_true(len > 0 && text[0] != '\0');
}

static void on_trace(int is_sent, const char *text, size_t len,
                     void *userdata) {
  on_peer_trace(is_sent, NULL, NULL, text, len, userdata);
}

static void on_drained(void *userdata) {
  bench *b = userdata;
  at(b, IN_DRAINED);
}

/* A store that keeps nothing. */
static int on_append(void *userdata, const char *session, uint64_t stream,
                     uint64_t seq, const char *data, size_t len,
                     mcp_event_done_cb done, void *argument) {
  (void)stream;
  (void)seq;
  (void)done;
  (void)argument;
  at(userdata, IN_APPEND);
  assert_int_equal(strlen(session), 32);
  assert_true(len == 0 || data[0] != '\0');
  return 0;
}

static int on_replay(void *userdata, const char *session, uint64_t stream,
                     uint64_t after, mcp_event_each_cb each,
                     mcp_event_done_cb done, void *argument) {
  (void)stream;
  (void)after;
  (void)each;
  (void)done;
  (void)argument;
  at(userdata, IN_REPLAY);
  assert_int_equal(strlen(session), 32);
  return 0;
}

static void on_forget(void *userdata, const char *session) {
  at(userdata, IN_FORGET);
  assert_int_equal(strlen(session), 32);
}

/* ---- the server ---------------------------------------------------------- */

static char folder[] = "/tmp/free-inside-XXXXXX";

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->server, &tool), 0);
}

static void add_all(bench *b) {
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "m",
                             .handler = on_method,
                             .userdata = b};
  const mcp_method note = {.size = MCP_METHOD_INIT,
                           .name = "n",
                           .handler = on_note,
                           .userdata = b,
                           .is_notification = 1};
  const mcp_prompt_argument argument = {.name = "a"};
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_prompt,
                             .complete = on_complete,
                             .userdata = b};
  const mcp_resource resource = {.size = MCP_RESOURCE_INIT,
                                 .uri = "a:1",
                                 .name = "a",
                                 .handler = on_resource,
                                 .userdata = b};
  add_tool(b, "plain", on_plain);
  add_tool(b, "tell", on_tell);
  add_tool(b, "ask", on_ask);
  add_tool(b, "keep", on_keep);
  add_tool(b, "later", on_later);
  add_tool(b, "fail", on_fail);
  assert_int_equal(mcp_server_add_method(b->server, &method), 0);
  assert_int_equal(mcp_server_add_method(b->server, &note), 0);
  assert_int_equal(mcp_server_add_prompt(b->server, &prompt), 0);
  assert_int_equal(mcp_server_add_resource(b->server, &resource), 0);
  mcp_server_on_roots(b->server, on_roots, b);
  mcp_server_enable_logging(b->server);
}

static void make_server(bench *b) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .userdata = b,
                                      .on_report = on_report,
                                      .on_session_opened = on_opened,
                                      .on_session_closed = on_closed,
                                      .on_request = on_request,
                                      .on_reply = on_reply};
  b->server = mcp_server_new("test", "1");
  assert_non_null(b->server);
  assert_int_equal(mcp_server_configure(b->server, &options, NULL), 0);
  add_all(b);
}

static int is_traced(const bench *b) {
  return b->moment->place == IN_TRACE_RECEIVED ||
         b->moment->place == IN_TRACE_SENT;
}

static int is_stored(const bench *b) {
  return b->moment->place == IN_APPEND || b->moment->place == IN_REPLAY ||
         b->moment->place == IN_FORGET;
}

static void listen_http(bench *b, const char *address) {
  mcp_error err = {0};
  const mcp_event_store store = {.size = MCP_EVENT_STORE_INIT,
                                 .append = on_append,
                                 .replay = on_replay,
                                 .forget = on_forget,
                                 .userdata = b};
  const mcp_http_options http = {
      .size = MCP_HTTP_OPTIONS_INIT,
      .legacy = b->wire == ALONE ? MCP_HTTP_STATELESS : MCP_HTTP_SESSIONS,
      .wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE,
      .on_request = on_authorize,
      .userdata = b,
      .events = is_stored(b) ? &store : NULL,
      .on_trace = is_traced(b) ? on_peer_trace : NULL};
  const mcp_http_listen_options options = {
      .size = MCP_HTTP_LISTEN_OPTIONS_INIT, .address = address, .http = &http};
  b->http = mcp_server_listen_http(b->server, b->loop, &options, &err);
  assert_string_equal(err.message, "");
}

static void listen_sockets(bench *b, const char *address) {
  mcp_error err = {0};
  const mcp_socket_listen_options options = {
      .size = MCP_SOCKET_LISTEN_OPTIONS_INIT,
      .address = address,
      .on_trace = is_traced(b) ? on_peer_trace : NULL,
      .userdata = b};
  b->sockets = mcp_server_listen_socket(b->server, b->loop, &options, &err);
  assert_string_equal(err.message, "");
}

/* A client of its own stream. */
static void connect_stream(bench *b, raw_client *client) {
  const mcp_connection_options options = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                          .on_closed = on_connection_closed,
                                          .userdata = b};
  int fds[2];
  make_socketpair(fds);
  mcp_transport *transport =
      mcp_transport_fd(b->loop, fds[0], fds[0], NULL, NULL);
  assert_non_null(transport);
  transport = mcp_transport_trace(b->loop, transport, on_trace, b);
  assert_int_equal(
      mcp_server_connect(b->server, b->loop, transport, &options, NULL, NULL),
      0);
  raw_begin_fd(client, fds[1]);
}

static void listen_and_connect(bench *b) {
  static char address[sizeof(folder) + 32];
  static char tcp[64];
  static unsigned count; /* a run that failed leaves its socket behind */
  snprintf(address, sizeof(address), "unix:%s/%u", folder, count++);
  if (b->wire == TCP) {
    listen_sockets(b, "127.0.0.1:0");
    snprintf(tcp, sizeof(tcp), "%s", mcp_socket_listener_url(b->sockets));
  } else if (b->wire == UNIX) {
    listen_sockets(b, address);
  } else if (b->wire != STREAM) {
    listen_http(b, address);
  }
  for (int i = 0; i < b->client_count; i++) {
    if (b->wire == STREAM) {
      connect_stream(b, &b->clients[i]);
    } else {
      raw_begin(&b->clients[i], wires[b->wire].raw,
                b->wire == TCP ? tcp : address);
    }
  }
}

/* ---- the conversation ---------------------------------------------------- */

enum { LEGACY = 1, NEW = 2 };

/* Said by every client before any of them waits. */
typedef struct step {
  int eras; /* in which it is said */
  const char *method;
  const char *name;
  const char *message; /* with marks; NULL: a GET of the session's stream */
  const char *answer;  /* a part of it, which is waited for; NULL: nothing is */
  int is_late;         /* bench.is_late from there on */
} step;

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name              \
  "','_meta':{'progressToken':" id "}}}"
#define NEW_CALL(id, name)                                                     \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"

#define COMPLETED                                                              \
  "'ref':{'type':'ref/prompt','name':'p'},'argument':{'name':'a','value':''}"

static const step steps[] = {
    {LEGACY, "initialize", NULL,
     "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
     "'2025-11-25','capabilities':{'roots':{}},'clientInfo':{'name':'c',"
     "'version':'1'}}}",
     "serverInfo", 0},
    {LEGACY, NULL, NULL, NULL, "\r\n\r\n", 0},
    {LEGACY, "notifications/initialized", NULL,
     "{$J,'method':'notifications/initialized'}", "roots/list", 0},
    {LEGACY, NULL, NULL, "{$J,'id':1,'result':{'roots':[]}}", NULL, 0},
    {LEGACY, "tools/call", "keep", CALL("20", "keep"), "kept", 1},
    {NEW, "tools/call", "keep", NEW_CALL("21", "keep"), NULL, 1},
    {NEW, "subscriptions/listen", NULL,
     "{$J,'id':'L','method':'subscriptions/listen','params':{"
     "'notifications':{'toolsListChanged':true},$M{}}}",
     "acknowledged", 1},
    {LEGACY, "tools/call", "plain", CALL("2", "plain"), "plain", 1},
    {NEW, "tools/call", "plain", NEW_CALL("3", "plain"), "plain", 1},
    {LEGACY, "tools/call", "tell", CALL("4", "tell"), "told", 1},
    {NEW, "tools/call", "tell", NEW_CALL("5", "tell"), "told", 1},
    {LEGACY, "tools/call", "later", CALL("6", "later"), "late", 1},
    {NEW, "tools/call", "later", NEW_CALL("7", "later"), "late", 1},
    {LEGACY, "tools/call", "ask", CALL("8", "ask"), "roots/list", 1},
    {LEGACY, NULL, NULL, "{$J,'id':2,'result':{'roots':[]}}", "answered", 1},
    {LEGACY, "tools/call", "fail", CALL("9", "fail"), "internal error", 1},
    {NEW, "tools/call", "fail", NEW_CALL("10", "fail"), "internal error", 1},
    {LEGACY, "prompts/get", "p",
     "{$J,'id':11,'method':'prompts/get','params':{'name':'p'}}", "prompted",
     1},
    {NEW, "prompts/get", "p",
     "{$J,'id':12,'method':'prompts/get','params':{'name':'p',$M{}}}",
     "prompted", 1},
    {LEGACY, "completion/complete", NULL,
     "{$J,'id':13,'method':'completion/complete','params':{" COMPLETED "}}",
     "values", 1},
    {NEW, "completion/complete", NULL,
     "{$J,'id':14,'method':'completion/complete','params':{" COMPLETED
     ",$M{}}}",
     "values", 1},
    {LEGACY, "resources/read", "a:1",
     "{$J,'id':15,'method':'resources/read','params':{'uri':'a:1'}}", "read",
     1},
    {NEW, "resources/read", "a:1",
     "{$J,'id':16,'method':'resources/read','params':{'uri':'a:1',$M{}}}",
     "read", 1},
    {LEGACY, "m", NULL, "{$J,'id':17,'method':'m','params':{}}", "done", 1},
    {NEW, "m", NULL, "{$J,'id':18,'method':'m','params':{$M{}}}", "done", 1},
    {LEGACY, "n", NULL, "{$J,'method':'n'}", NULL, 1},
    {NEW, "n", NULL, "{$J,'method':'n','params':{$M{}}}", NULL, 1},
};

/* Over HTTP a request is of one era, on the other wires of any. */
static int eras_of(wire_kind wire) {
  switch (wire) {
  case SESSION:
  case ALONE:
    return LEGACY;
  case MODERN:
    return NEW;
  default:
    return LEGACY | NEW;
  }
}

/* 1: clients must see the answer; 0: the wire has no way for it. */
static int is_answered(const bench *b, const step *s) {
  if (b->wire == ALONE) {
    return s->method != NULL && strcmp(s->answer, "roots/list") != 0 &&
           strcmp(s->answer, "kept") != 0;
  }
  return 1;
}

static int is_said(const bench *b, const step *s) {
  if ((s->eras & eras_of(b->wire)) == 0) {
    return 0;
  }
  if (s->message == NULL) {
    return b->wire == SESSION;
  }
  return s->method != NULL || b->wire != ALONE;
}

static void look(bench *b) {
  for (int i = 0; i < b->client_count; i++) {
    raw_read(&b->clients[i]);
  }
}

/* Until nothing happens any more. */
static void settle(bench *b) {
  for (int i = 0; i < 6; i++) {
    assert_int_equal(mcp_loop_step(b->loop), 0);
    look(b);
  }
}

static void await_moment(bench *b) {
  uint64_t started = uv_hrtime();
  while (!b->is_done && uv_hrtime() - started < LIMIT_NS) {
    mcp_loop_wait(b->loop, 1);
    look(b);
  }
}

static void await_answer(bench *b, const char *answer) {
  for (int i = 0; i < b->client_count; i++) {
    raw_client *client = &b->clients[i];
    uint64_t started = uv_hrtime();
    while (!b->is_done && !raw_has(client, answer)) {
      if (uv_hrtime() - started > LIMIT_NS) {
        fail_msg("no \"%s\" in \"%s\"", answer,
                 client->len > 0 ? client->text : "");
      }
      mcp_loop_wait(b->loop, 1);
      look(b);
    }
  }
}

static void say(bench *b, const step *s) {
  char *message = s->message != NULL ? rig_expand(s->message) : NULL;
  for (int i = 0; i < b->client_count; i++) {
    if (message != NULL) {
      raw_send(&b->clients[i], s->method, s->name, message);
    } else {
      raw_request(&b->clients[i], "GET", "");
    }
  }
  free(message);
  if (s->answer != NULL && is_answered(b, s)) {
    await_answer(b, s->answer);
  } else {
    settle(b);
  }
}

static void converse(bench *b) {
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !b->is_done; i++) {
    if (is_said(b, &steps[i])) {
      say(b, &steps[i]);
      b->is_late = steps[i].is_late;
    }
  }
}

/* ---- the end ------------------------------------------------------------- */

static void hang_up(bench *b) {
  for (int i = 0; i < b->client_count; i++) {
    raw_hang_up(&b->clients[i]);
  }
}

static void cancel(bench *b) {
  static const step legacy = {LEGACY,
                              "notifications/cancelled",
                              NULL,
                              "{$J,'method':'notifications/cancelled',"
                              "'params':{'requestId':20}}",
                              NULL,
                              1};
  static const step modern = {NEW,
                              "notifications/cancelled",
                              NULL,
                              "{$J,'method':'notifications/cancelled',"
                              "'params':{'requestId':21,$M{}}}",
                              NULL,
                              1};
  if ((eras_of(b->wire) & LEGACY) != 0) {
    say(b, &legacy);
  }
  if ((eras_of(b->wire) & NEW) != 0) {
    say(b, &modern);
  }
}

static void replay(bench *b) {
  for (int i = 0; i < b->client_count && b->wire == SESSION; i++) {
    raw_request(&b->clients[i], "GET", "Last-Event-ID: 0-1\r\n");
  }
  settle(b);
}

static void delete_sessions(bench *b) {
  for (int i = 0; i < b->client_count && b->wire == SESSION; i++) {
    raw_request(&b->clients[i], "DELETE", "");
  }
  settle(b);
}

/* A WebSocket then waits for the far side to close it too. */
static void let_a_day_pass(bench *b) {
  skipped_ms += DAY_MS;
  mcpi_loop_run_timers(b->loop);
  if (b->wire == WS) {
    hang_up(b);
  }
}

/* Until the calls that are kept are cancelled: then nobody is waited for but
 * the clients. */
static void drain_server(bench *b) {
  uint64_t started = uv_hrtime();
  mcp_server_drain(b->server, 1);
  while (!b->is_done && b->cancelled_count < b->kept_count &&
         uv_hrtime() - started < LIMIT_NS) {
    mcp_loop_wait(b->loop, 1);
  }
  hang_up(b);
}

static void drain_listener(bench *b) {
  mcp_http_listener_drain(b->http, on_drained, b);
  mcp_socket_listener_drain(b->sockets, on_drained, b);
  drain_server(b);
}

static void end_calls(bench *b) {
  switch (b->moment->ending) {
  case BY_CANCEL:
    cancel(b);
    break;
  case BY_DELETE:
    delete_sessions(b);
    break;
  case BY_AGE:
    let_a_day_pass(b);
    break;
  case BY_DRAINING_LISTENER:
    drain_listener(b);
    break;
  case BY_DRAINING_SERVER:
    drain_server(b);
    break;
  case BY_FREEING_LISTENER:
    free_listener(b);
    break;
  case BY_FREEING_SERVER:
    free_server(b);
    break;
  default:
    hang_up(b);
    break;
  }
  await_moment(b);
}

/* A client that comes when the server is gone and its listener is not, or when
 * both are. */
static void come_late(bench *b) {
  raw_client newcomer = {0};
  if (b->wire != STREAM) {
    raw_begin(&newcomer, wires[b->wire].raw, b->clients[0].address);
    raw_send(&newcomer, steps[0].method, NULL, "{}");
    settle(b);
    raw_deinit(&newcomer);
  }
}

static void free_all(bench *b) {
  free_listener(b);
  free_server(b);
  settle(b);
  for (size_t i = 0; i < b->kept_count; i++) {
    mcp_call_drop(b->kept[i]);
  }
  loop_end(b->loop);
  for (int i = 0; i < b->client_count; i++) {
    raw_deinit(&b->clients[i]);
  }
}

/* ---- all runs ------------------------------------------------------------ */

typedef struct plan {
  char name[160];
  wire_kind wire;
  const moment *moment;
  deed deed;
  int client_count;
} plan;

/* Whether a wire has that callback. */
static int has_place(wire_kind wire, const moment *m) {
  switch (m->place) {
  case IN_APPEND:
  case IN_REPLAY:
  case IN_FORGET:
    return wire == SESSION;
  case IN_CONNECTION_CLOSED:
    return wire == STREAM;
  case IN_AUTHORIZE:
    return m->is_late ? wire >= SSE : wire >= WS;
  case IN_DRAINED:
    return wire != STREAM;
  case IN_SECOND_RUN:
  case IN_OPENED:
  case IN_ROOTS:
  case IN_CLOSED:
    return wire != MODERN && wire != ALONE;
  default:
    return 1;
  }
}

static int is_of_end(place where) {
  return where == IN_CANCEL || where == IN_LAST_CANCEL || where == IN_CLOSED;
}

/* Whether calls end so. A client that hangs up leaves its session behind, and
 * its calls where there are no sessions. */
static int has_ending(wire_kind wire, const moment *m) {
  switch (m->ending) {
  case BY_CANCEL:
    return wire != MODERN && wire != ALONE;
  case BY_HANGING_UP:
    return !is_of_end(m->place) || (wire != SESSION && wire != ALONE);
  case BY_DELETE:
    return wire == SESSION;
  case BY_AGE:
    return wire == WS || wire == SSE || wire == SESSION;
  case BY_DRAINING_LISTENER:
    return wire != STREAM;
  case BY_FREEING_LISTENER:
    return wire != STREAM && wire != ALONE;
  case BY_DRAINING_SERVER: /* only listens say something then */
    return m->is_late < 2 || (wire != SESSION && wire != ALONE);
  default:
    return 1;
  }
}

/* Two clients do all that one does, but the last of one is the last of all. */
static int has_deed(wire_kind wire, deed d, int clients) {
  if (d == FREES_LOOP) {
    return clients == 1;
  }
  return (wire != STREAM || d == FREES_SERVER || d == FREES_AGAIN) &&
         (clients > 1 || d <= FREES_BOTH);
}

static void run(void **state) {
  const plan *p = *state;
  bench b = {.wire = p->wire,
             .moment = p->moment,
             .deed = p->deed,
             .client_count = p->client_count};
  skipped_ms = 0;
  b.loop = loop_begin();
  real_clock = b.loop->platform.clock;
  b.loop->platform.clock = skipping_clock;
  make_server(&b);
  listen_and_connect(&b);
  b.first = (owned){b.server, b.http, b.sockets};
  settle(&b);
  converse(&b);
  b.is_late = 2;
  if (!b.is_done) {
    replay(&b);
  }
  if (!b.is_done) {
    end_calls(&b);
  }
  assert_true(b.is_done); /* else the callback was never reached */
  come_late(&b);
  hang_up(&b);
  settle(&b);
  free_all(&b);
}

/* What the program posts itself may come when everything is gone. */
static int is_callback(place where) {
  return where != BEFORE_LATE_REPLY && where != AFTER_LATE_REPLY;
}

static size_t make_plans(plan *plans, const char *pattern) {
  size_t count = 0;
  for (int w = 0; w < WIRES; w++) {
    for (int m = 0; m < MOMENTS; m++) {
      for (int d = 0; d < DEEDS; d++) {
        for (int n = 1; n <= MAX_CLIENTS; n++) {
          plan *p = &plans[count];
          *p = (plan){.wire = (wire_kind)w,
                      .moment = &moments[m],
                      .deed = (deed)d,
                      .client_count = n};
          snprintf(p->name, sizeof(p->name), "%s, %d: %s %s", wires[w].name, n,
                   moments[m].name, deeds[d]);
          count += has_place(p->wire, p->moment) &&
                   (d != FREES_AGAIN || is_callback(p->moment->place)) &&
                   has_ending(p->wire, p->moment) &&
                   has_deed(p->wire, p->deed, n) &&
                   fnmatch(pattern, p->name, 0) == 0;
        }
      }
    }
  }
  return count;
}

int main(int argc, char **argv) {
  enum { MAX_PLANS = WIRES * MOMENTS * DEEDS * MAX_CLIENTS + 1 };
  static plan plans[MAX_PLANS];
  static struct CMUnitTest tests[MAX_PLANS];
  const char *pattern = argc > 1 ? argv[1] : "*";
  if (argc > 2 && strcmp(argv[2], "list") == 0) {
    size_t count = make_plans(plans, pattern);
    for (size_t i = 0; i < count; i++) {
      printf("%s\n", plans[i].name);
    }
    return 0;
  }
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  size_t count = make_plans(plans, pattern);
  for (size_t i = 0; i < count; i++) {
    tests[i] = (struct CMUnitTest){
        .name = plans[i].name, .test_func = run, .initial_state = &plans[i]};
  }
  int failures =
      _cmocka_run_group_tests("free_inside", tests, count, NULL, NULL);
  rmdir(folder);
  return failures;
}
