/* SPDX-License-Identifier: MIT */
/* A client is freed inside each callback of its own, over each wire; alone, and
 * with the server that it speaks with, which is on the same loop. The first
 * argument selects runs by a pattern with stars. */
#include "support/libmcp/certs.h"
#include "support/libmcp/custom_transport.h"
#include "support/libmcp/recorder.h"

#include <fnmatch.h>
#include <mcp/http.h>
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define LIMIT_NS UINT64_C(20000000000)

/* ---- the dimensions ------------------------------------------------------ */

typedef enum wire_kind {
  LEGACY,
  MODERN,
  SSE,
  WS,
  TCP,
  CHILD,
  CUSTOM, /* a transport of the program's */
  TLS_MODERN,
  TLS_WS,
  PLAIN, /* mcp_transport_post */
  CORE_POST,
  CORE_TCP,
  CORE_WS,
  WIRES
} wire_kind;

static const char *const wires[WIRES] = {
    "legacy",    "modern",   "sse",           "websocket",     "tcp",
    "child",     "custom",   "tls",           "tls websocket", "plain post",
    "core post", "core tcp", "core websocket"};

typedef enum place {
  IN_CONNECTED,
  IN_OPEN, /* of a listen */
  IN_PROGRESS,
  IN_LOG,
  IN_DONE,
  IN_FAILED,
  IN_ELICIT,
  AFTER_ANSWER, /* in on_elicit */
  IN_ROOTS,
  IN_LIST_CHANGED,
  IN_TRACE_SENT,
  IN_TRACE_RECEIVED,
  IN_LATE_TRACE_SENT, /* when calls are in flight */
  IN_LATE_TRACE_RECEIVED,
  IN_POST,
  IN_KEPT_DONE, /* of a call in flight, at the end */
  IN_LISTEN_DONE,
  IN_CLOSED,
  IN_STDERR,
  IN_EXIT,
  IN_START, /* of the program's transport, as what follows */
  IN_CLOSE,
  IN_RELEASE,
  PLACES
} place;

static const char *const places[PLACES] = {"connected",
                                           "listen opened",
                                           "progress",
                                           "log",
                                           "completion",
                                           "failure",
                                           "elicit",
                                           "elicit, answered",
                                           "roots",
                                           "list changed",
                                           "trace sent",
                                           "trace received",
                                           "late trace sent",
                                           "late trace received",
                                           "post",
                                           "completion at the end",
                                           "listen's end",
                                           "closed",
                                           "stderr",
                                           "exit",
                                           "transport's start",
                                           "transport's close",
                                           "transport's release"};

typedef enum ending { BY_CLOSE, BY_FREE, BY_SERVER, ENDINGS } ending;

static const char *const endings[ENDINGS] = {"close", "free", "server's end"};

typedef enum deed {
  FREES_CLIENT,
  FREES_CLIENT_AND_SERVER,
  FREES_SERVER_AND_CLIENT,
  FREES_SERVER,
  CLOSES_AND_FREES,
  FREES_LOOP,
  DEEDS
} deed;

static const char *const deeds[DEEDS] = {
    "frees client",     "frees client, server",     "frees server, client",
    "frees the server", "closes, frees the client", "frees the loop"};

typedef struct plan {
  char name[128];
  wire_kind wire;
  place place;
  ending ending;
  deed deed;
} plan;

typedef struct bench {
  const plan *plan;
  mcp_loop *loop;
  mcp_server *server;
  mcp_http_listener *http;
  mcp_socket_listener *sockets;
  mcp_client *client;
  mcp_call *kept;
  int has_connected;
  int done_count;
  int is_changed;
  int is_open;
  int is_late;
  int is_done;
} bench;

static bench b; /* of the run */

static int is_core(wire_kind wire) {
  return wire >= CORE_POST;
}

/* Calls of tools are all that there is, or nearly. */
static int is_simple(wire_kind wire) {
  return wire == PLAIN || is_core(wire);
}

static int is_tls(wire_kind wire) {
  return wire == TLS_MODERN || wire == TLS_WS;
}

static int is_modern(wire_kind wire) {
  return wire == MODERN || wire == TLS_MODERN;
}

static int is_websocket(wire_kind wire) {
  return wire == WS || wire == TLS_WS || wire == CORE_WS;
}

static int is_tcp(wire_kind wire) {
  return wire == TCP || wire == CUSTOM || wire == CORE_TCP;
}

static void free_client(void) {
  mcp_client_free(b.client);
  b.client = NULL;
}

static void free_server(void) {
  mcp_http_listener_free(b.http);
  b.http = NULL;
  mcp_socket_listener_free(b.sockets);
  b.sockets = NULL;
  mcp_server_free(b.server);
  b.server = NULL;
}

static void do_deed(void) {
  switch (b.plan->deed) {
  case FREES_CLIENT:
    free_client();
    break;
  case FREES_CLIENT_AND_SERVER:
    free_client();
    free_server();
    break;
  case FREES_SERVER_AND_CLIENT:
    free_server();
    free_client();
    break;
  case FREES_SERVER:
    free_server();
    break;
  case CLOSES_AND_FREES:
    mcp_client_close(b.client);
    free_client();
    break;
  default:
    mcp_loop_free(b.loop); /* is refused */
    break;
  }
}

static void at(place where) {
  if (where == b.plan->place && !b.is_done) {
    b.is_done = 1;
    do_deed();
  }
}

/* ---- the server ---------------------------------------------------------- */

static int on_plain(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "plain");
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  mcp_call_reply_text(call, "told");
  return 0;
}

static int on_fail(mcp_call *call, void *userdata) {
  mcp_call_reply_error(call, -5, "no", NULL);
  return 0;
}

static int on_keep(mcp_call *call, void *userdata) {
  b.kept = call;
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  if (rc == 0) {
    rc = mcp_call_ask_roots(call, "roots", &answer);
  }
  if (rc == 0) {
    mcp_call_reply_text(call, "answered");
  }
  return rc;
}

static void add_tool(const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = name, .handler = handler};
  assert_int_equal(mcp_server_add_tool(b.server, &tool, NULL), 0);
}

static void make_server(void) {
  mcp_error err = {0};
  uint32_t dialect = is_core(b.plan->wire) ? MCP_DIALECT_MCP_CORE : 0;
  const mcp_http_options http = {
      .size = sizeof(mcp_http_options),
      .legacy = b.plan->wire == PLAIN ? MCP_HTTP_PLAIN : MCP_HTTP_SESSIONS,
      .wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET |
               (dialect == 0 ? MCP_HTTP_SSE : 0),
      .dialect = dialect};
  const mcp_http_listen_options options = {
      .size = sizeof(mcp_http_listen_options),
      .address = "127.0.0.1:0",
      .http = &http,
      .tls_cert = is_tls(b.plan->wire) ? in_folder("server.crt") : NULL,
      .tls_key = is_tls(b.plan->wire) ? in_folder("server.key") : NULL};
  const mcp_socket_listen_options sockets = {
      .size = sizeof(mcp_socket_listen_options),
      .address = "127.0.0.1:0",
      .dialect = dialect};
  b.server = mcp_server_new("test", "1", NULL, NULL);
  assert_non_null(b.server);
  mcp_server_enable_logging(b.server);
  add_tool("plain", on_plain);
  add_tool("tell", on_tell);
  add_tool("fail", on_fail);
  add_tool("keep", on_keep);
  add_tool("ask", on_ask);
  if (is_tcp(b.plan->wire)) {
    b.sockets = mcp_server_listen_socket(b.server, b.loop, &sockets, &err);
  } else {
    b.http = mcp_server_listen_http(b.server, b.loop, &options, &err);
  }
  assert_string_equal(err.message, "");
}

/* ---- the client's callbacks ---------------------------------------------- */

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  b.has_connected = 1;
  at(IN_CONNECTED);
  assert_int_equal(outcome->error->code, outcome->status);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  b.done_count++;
  at(outcome->status == 0 ? IN_DONE : IN_FAILED);
  assert_int_equal(outcome->error->code, outcome->status);
}

static void on_kept_done(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  at(IN_KEPT_DONE);
  assert_int_equal(outcome->error->code, outcome->status);
}

static void on_listen_done(mcp_client *client, const mcp_outcome *outcome,
                           void *userdata) {
  at(IN_LISTEN_DONE);
  assert_int_equal(outcome->error->code, outcome->status);
}

static void on_open(mcp_client *client, const mcp_json *granted,
                    void *userdata) {
  b.is_open = 1;
  at(IN_OPEN);
  assert_int_equal(mcp_json_type(granted), MCP_JSON_OBJECT);
}

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  at(IN_PROGRESS);
  assert_string_equal(message, "half");
}

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  at(IN_LOG);
  assert_string_equal(mcp_json_string(data), "careful");
}

static void on_elicit(mcp_question *question, void *userdata) {
  at(IN_ELICIT);
  mcp_question_accept(question, "{\"name\":\"Ann\"}", NULL);
  at(AFTER_ANSWER);
}

static void on_roots(mcp_question *question, void *userdata) {
  at(IN_ROOTS);
  mcp_question_answer(question, "{\"roots\":[]}", NULL);
}

static void on_list_changed(mcp_client *client, const char *list,
                            void *userdata) {
  b.is_changed = 1;
  at(IN_LIST_CHANGED);
  assert_string_equal(list, "tools");
}

static void on_trace(mcp_client *client, const mcp_traced_message *message,
                     void *userdata) {
  assert_ptr_equal(client, b.client);
  at(message->is_sent ? IN_TRACE_SENT : IN_TRACE_RECEIVED);
  if (b.is_late) {
    at(message->is_sent ? IN_LATE_TRACE_SENT : IN_LATE_TRACE_RECEIVED);
  }
  assert_true(message->len > 0 && message->text[0] != '\0');
}

static void on_closed(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  at(IN_CLOSED);
  assert_true(err->code <= 0);
}

static void on_stderr(mcp_transport *transport, const char *bytes, size_t len,
                      void *userdata) {
  assert_non_null(transport);
  at(IN_STDERR);
  assert_true(len > 0 && bytes[0] == 'o');
}

static void on_child_exit(mcp_transport *transport, int64_t status, int signal,
                          void *userdata) {
  assert_non_null(transport);
  at(IN_EXIT);
  assert_int_equal(status, 3);
}

static void on_post(void *argument) {
  at(IN_POST);
}

/* ---- the conversation ---------------------------------------------------- */

static int is_traced(void) {
  return b.plan->place >= IN_TRACE_SENT &&
         b.plan->place <= IN_LATE_TRACE_RECEIVED;
}

static void make_client(void) {
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = is_modern(b.plan->wire) ? MCP_POLICY_MODERN : MCP_POLICY_LEGACY,
      .log_level = is_simple(b.plan->wire) ? 0 : MCP_LOG_DEBUG,
      .on_elicit = on_elicit,
      .on_roots = on_roots,
      .on_log = on_log,
      .on_list_changed = on_list_changed,
      .on_trace = is_traced() ? on_trace : NULL,
      .on_closed = on_closed};
  b.client = mcp_client_new(b.loop, "test", "1", &options, NULL);
  assert_non_null(b.client);
}

/* A child that is not a server: it writes a complaint, and ends. */
static void connect_child(void) {
  static const char *const argv[] = {"/bin/sh", "-c", "echo oops >&2; exit 3",
                                     NULL};
  const mcp_process_options options = {.size = sizeof(mcp_process_options),
                                       .argv = argv,
                                       .on_stderr = on_stderr,
                                       .on_exit = on_child_exit};
  assert_int_equal(
      mcp_client_connect_command(b.client, &options, on_connected, NULL, NULL),
      0);
}

static void on_transport(custom_function function, void *userdata) {
  static const place places_of[CUSTOM_FUNCTIONS] = {
      [CUSTOM_START] = IN_START,
      [CUSTOM_CLOSE] = IN_CLOSE,
      [CUSTOM_RELEASE] = IN_RELEASE,
  };
  if (places_of[function] != 0) {
    at(places_of[function]);
  }
}

/* A client that is freed in the transport's start is not connected. */
static void connect_custom(void) {
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int port = 0;
  sscanf(mcp_socket_listener_url(b.sockets), "tcp://127.0.0.1:%d", &port);
  to.sin_port = htons((uint16_t)port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
  mcp_transport *inner = mcp_transport_fd(b.loop, fd, fd, NULL, NULL);
  int rc =
      mcp_client_connect(b.client, custom_transport(inner, on_transport, NULL),
                         on_connected, NULL, NULL);
  assert_true(rc == 0 || b.is_done);
}

static void connect_plain(const char *url) {
  mcp_transport *transport = mcp_transport_post(b.loop, url, NULL, NULL);
  assert_int_equal(
      mcp_client_connect(b.client, transport, on_connected, NULL, NULL), 0);
}

static void put_url(char *url, size_t size) {
  wire_kind wire = b.plan->wire;
  int port = 0;
  if (is_tcp(wire)) {
    snprintf(url, size, "%s", mcp_socket_listener_url(b.sockets));
    return;
  }
  sscanf(strchr(mcp_http_listener_url(b.http), ':'), "://127.0.0.1:%d/", &port);
  snprintf(url, size, "%s%s://127.0.0.1:%d%s",
           is_websocket(wire) ? "ws"
           : wire == SSE      ? "sse+http"
                              : "http",
           is_tls(wire) ? "s" : "", port, wire == SSE ? "/sse" : "/mcp");
}

static void connect_client(void) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options),
      .ca_file = is_tls(b.plan->wire) ? in_folder("server.crt") : NULL,
      .dialect = is_core(b.plan->wire) ? MCP_DIALECT_MCP_CORE : 0};
  char url[128];
  if (b.plan->wire == CHILD) {
    connect_child();
    return;
  }
  put_url(url, sizeof(url));
  if (b.plan->wire == CUSTOM) {
    connect_custom();
  } else if (b.plan->wire == PLAIN) {
    connect_plain(url);
  } else {
    assert_int_equal(mcp_client_connect_url(b.client, url, &options,
                                            on_connected, NULL, NULL),
                     0);
  }
}

/* Until the condition holds, or the deed is done. */
#define AWAIT(condition)                                                       \
  for (uint64_t started_ = uv_hrtime(); !(condition) && !b.is_done;) {         \
    assert_true(uv_hrtime() - started_ < LIMIT_NS);                            \
    mcp_loop_wait(b.loop, 100);                                                \
  }

static void call(const char *name) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_progress};
  int before = b.done_count;
  if (b.is_done) {
    return;
  }
  assert_int_equal(
      mcp_client_call_tool(b.client, name, NULL, &options, on_done, NULL, NULL),
      0);
  AWAIT(b.done_count > before);
}

static void open_listen(void) {
  const mcp_listen_filter filter = {
      .size = sizeof(mcp_listen_filter), .tools = 1, .once = 1};
  assert_int_equal(mcp_client_listen(b.client, &filter, NULL, on_open,
                                     on_listen_done, NULL, NULL),
                   0);
  AWAIT(b.is_open);
}

static void converse(void) {
  AWAIT(b.has_connected);
  if (!b.is_done && is_modern(b.plan->wire)) {
    open_listen();
  }
  if (!b.is_done) {
    mcp_client_call_tool(b.client, "keep", NULL, NULL, on_kept_done, NULL,
                         NULL);
    AWAIT(b.kept != NULL);
    b.is_late = 1;
  }
  call("plain");
  call("tell");
  if (!is_simple(b.plan->wire)) {
    call("ask");
  }
  call("fail");
  if (!b.is_done) {
    mcp_loop_post(b.loop, on_post, NULL);
    mcp_server_remove_tool(b.server, "plain");
  }
  if (is_simple(b.plan->wire)) {
    mcp_loop_step(b.loop);
  } else {
    AWAIT(b.is_changed);
  }
}

/* ---- a run --------------------------------------------------------------- */

static void end(void) {
  if (b.plan->ending == BY_CLOSE) {
    mcp_client_close(b.client);
  } else if (b.plan->ending == BY_FREE) {
    free_client();
  } else {
    free_server();
  }
  AWAIT(0);
}

static void run(void **state) {
  memset(&b, 0, sizeof(b));
  b.plan = *state;
  b.loop = loop_begin();
  make_server();
  make_client();
  connect_client();
  if (b.plan->wire != CHILD) {
    converse();
    if (!b.is_done) {
      end();
    }
  }
  AWAIT(b.is_done);
  for (int i = 0; i < 6; i++) {
    mcp_loop_step(b.loop);
  }
  free_client();
  free_server();
  mcp_call_drop(b.kept);
  loop_end(b.loop);
}

/* ---- all runs ------------------------------------------------------------ */

static int has_place(wire_kind wire, place where) {
  if (wire == CHILD) {
    return where == IN_CONNECTED || where == IN_CLOSED || where == IN_STDERR ||
           where == IN_EXIT || where == IN_TRACE_SENT;
  }
  if (where == IN_OPEN || where == IN_LISTEN_DONE) {
    return is_modern(wire);
  }
  if (where >= IN_START) {
    return wire == CUSTOM;
  }
  if (is_simple(wire) && (where == IN_PROGRESS || where == IN_LOG ||
                          (where >= IN_ELICIT && where <= IN_LIST_CHANGED))) {
    return 0;
  }
  return where != IN_STDERR && where != IN_EXIT;
}

/* Only what comes at the end depends on what that is. */
static int has_ending(wire_kind wire, place where, ending how) {
  int is_last = where == IN_KEPT_DONE || where == IN_LISTEN_DONE ||
                where == IN_CLOSED || where == IN_CLOSE || where == IN_RELEASE;
  if (how == BY_CLOSE || (!is_last && how != BY_CLOSE)) {
    return how == BY_CLOSE;
  }
  if (where == IN_CLOSED) { /* a free tells nothing; HTTP has no end */
    return how == BY_SERVER &&
           (wire == SSE || is_websocket(wire) || is_tcp(wire));
  }
  if (where == IN_CLOSE) {
    return how == BY_FREE;
  }
  return how == BY_FREE || is_websocket(wire) || is_tcp(wire);
}

static size_t make_plans(plan *plans, const char *pattern) {
  size_t count = 0;
  for (int w = 0; w < WIRES; w++) {
    for (int p = 0; p < PLACES; p++) {
      for (int e = 0; e < ENDINGS; e++) {
        for (int d = 0; d < DEEDS; d++) {
          plan *to = &plans[count];
          *to = (plan){.wire = (wire_kind)w,
                       .place = (place)p,
                       .ending = (ending)e,
                       .deed = (deed)d};
          snprintf(to->name, sizeof(to->name), "%s: %s, by %s: %s", wires[w],
                   places[p], endings[e], deeds[d]);
          count += has_place(to->wire, to->place) &&
                   has_ending(to->wire, to->place, to->ending) &&
                   fnmatch(pattern, to->name, 0) == 0;
        }
      }
    }
  }
  return count;
}

int main(int argc, char **argv) {
  enum { MAX_PLANS = (int)WIRES * (int)PLACES * (int)ENDINGS * (int)DEEDS + 1 };
  static plan plans[MAX_PLANS];
  static struct CMUnitTest tests[MAX_PLANS];
  const char *pattern = argc > 1 ? argv[1] : "*";
  size_t count = make_plans(plans, pattern);
  for (size_t i = 0; i < count && argc > 2; i++) {
    printf("%s\n", plans[i].name);
  }
  if (argc > 2) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    tests[i] = (struct CMUnitTest){
        .name = plans[i].name, .test_func = run, .initial_state = &plans[i]};
  }
  return _cmocka_run_group_tests("free_inside", tests, count, make_all,
                                 remove_all);
}
