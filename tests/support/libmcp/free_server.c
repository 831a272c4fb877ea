/* SPDX-License-Identifier: MIT */
/* The server of a free bench: all its callbacks, and who listens for it. */
#include "support/libmcp/custom_transport.h"
#include "support/libmcp/free_bench.h"
#include "support/libmcp/recorder.h"
#include "support/server_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- callbacks ----------------------------------------------------------- */

static int on_plain(mcp_call *call, void *userdata) {
  free_at(userdata, IN_HANDLER);
  int rc = mcp_call_reply_text(call, "plain");
  free_at(userdata, AFTER_REPLY);
  return rc == MCP_ERR_GONE ? 0 : rc;
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_progress(call, 1, 2, "half");
  free_at(userdata, AFTER_PROGRESS);
  if (free_row(userdata)->dialect != 0) { /* elsewhere it is progress */
    mcp_call_add_text(call, "so far");
    mcp_call_flush(call);
    free_at(userdata, AFTER_FLUSH);
  }
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  mcp_call_reply_text(call, "told");
  return 0;
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  int rc = mcp_call_ask_roots(call, "r", &answer);
  if (rc == 0) {
    free_at(userdata, IN_SECOND_RUN);
    mcp_call_reply_text(call, "answered");
  }
  return rc;
}

static void on_cancel(mcp_call *call, void *userdata) {
  free_bench *b = userdata;
  free_at(b, IN_CANCEL);
  b->cancelled_count++;
  if (b->cancelled_count == b->kept_count) {
    free_at(b, IN_LAST_CANCEL);
  }
}

static int on_keep(mcp_call *call, void *userdata) {
  free_bench *b = userdata;
  assert_true(b->kept_count < FREE_MAX_KEPT);
  b->kept[b->kept_count++] = call;
  mcp_call_on_cancel(call, on_cancel, b);
  mcp_call_progress(call, 1, 2, "kept");
  return mcp_call_defer(call);
}

typedef struct late {
  free_bench *b;
  mcp_call *call;
} late;

static void reply_late(void *argument) {
  late work = *(late *)argument;
  free(argument);
  free_at(work.b, BEFORE_LATE_REPLY);
  mcp_call_reply_text(work.call, "late");
  free_at(work.b, AFTER_LATE_REPLY);
}

static int on_later(mcp_call *call, void *userdata) {
  late *work = malloc(sizeof(*work));
  assert_non_null(work);
  *work = (late){userdata, call};
  mcp_call_defer(call);
  assert_int_equal(mcp_loop_post(work->b->loop, reply_late, work), 0);
  return 0;
}

/* ---- handlers on other threads ------------------------------------------- */

void free_workers_init(free_bench *b) {
  b->workers = (free_workers){.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
}

void free_release_workers(free_bench *b) {
  pthread_mutex_lock(&b->workers.lock);
  b->workers.is_released = 1;
  pthread_cond_broadcast(&b->workers.changed);
  pthread_mutex_unlock(&b->workers.lock);
}

void free_workers_end(free_bench *b) {
  for (int i = 0; i < b->workers.thread_count; i++) {
    pthread_join(b->workers.threads[i], NULL);
  }
}

int free_workers_started(free_bench *b) {
  pthread_mutex_lock(&b->workers.lock);
  int started = b->workers.started;
  pthread_mutex_unlock(&b->workers.lock);
  return started;
}

static void await_release(free_workers *workers) {
  pthread_mutex_lock(&workers->lock);
  workers->started++;
  while (!workers->is_released) {
    pthread_cond_wait(&workers->changed, &workers->lock);
  }
  pthread_mutex_unlock(&workers->lock);
}

/* All that a handler may do on a thread of its own. */
static void work(free_bench *b, mcp_call *call) {
  await_release(&b->workers);
  mcp_call_progress(call, 1, 3, "a third");
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  if (!mcp_call_is_cancelled(call)) {
    mcp_call_progress(call, 2, 3, NULL);
  }
  mcp_call_add_text(call, "worked");
  mcp_call_flush(call);
  mcp_call_reply(call);
}

static int on_pool(mcp_call *call, void *userdata) {
  work(userdata, call);
  return 0;
}

typedef struct job {
  free_bench *b;
  mcp_call *call;
} job;

static void *run_thread(void *argument) {
  job work_to_do = *(job *)argument;
  free(argument);
  work(work_to_do.b, work_to_do.call);
  return NULL;
}

static int on_thread(mcp_call *call, void *userdata) {
  free_workers *workers = &((free_bench *)userdata)->workers;
  job *mine = malloc(sizeof(*mine));
  assert_non_null(mine);
  *mine = (job){userdata, call};
  mcp_call_defer(call);
  assert_true(workers->thread_count < FREE_MAX_CLIENTS);
  assert_int_equal(pthread_create(&workers->threads[workers->thread_count++],
                                  NULL, run_thread, mine),
                   0);
  return 0;
}

/* ---- other handlers and hooks -------------------------------------------- */

static int on_fail(mcp_call *call, void *userdata) {
  return MCP_ERR_IO; /* which is reported */
}

static int on_prompt(mcp_call *call, void *userdata) {
  free_at(userdata, IN_PROMPT);
  mcp_call_add_text(call, "prompted");
  mcp_call_reply(call);
  return 0;
}

static int on_complete(mcp_call *call, void *userdata) {
  free_at(userdata, IN_COMPLETION);
  mcp_call_reply(call);
  return 0;
}

static int on_resource(mcp_call *call, void *userdata) {
  free_at(userdata, IN_RESOURCE);
  mcp_call_reply_text(call, "read");
  return 0;
}

static int on_method(mcp_call *call, void *userdata) {
  free_at(userdata, IN_METHOD);
  mcp_call_reply_json(call, "{\"done\":1}");
  return 0;
}

static int on_note(mcp_call *call, void *userdata) {
  free_at(userdata, IN_NOTIFICATION);
  return 0;
}

static int on_request(mcp_call *call, void *userdata) {
  free_at(userdata, IN_REQUEST_HOOK);
  return 0;
}

static void on_reply(mcp_call *call, const char *reply, size_t len,
                     void *userdata) {
  free_at(userdata, IN_REPLY_HOOK);
  assert_true(len > 0 && reply[0] == '{');
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  free_at(userdata, IN_REPORT);
  if (strstr(err->message, "could not be kept") != NULL) {
    free_at(userdata, IN_LOST_REPORT);
  }
  assert_true(err->code < 0);
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  free_at(userdata, IN_OPENED);
  assert_non_null(mcp_session_revision(session));
  mcp_session_id(session);
}

static void on_closed(mcp_server *server, mcp_session *session,
                      void *userdata) {
  free_at(userdata, IN_CLOSED);
  assert_non_null(mcp_session_revision(session));
}

static void on_roots(mcp_session *session, const mcp_json *roots,
                     void *userdata) {
  free_at(userdata, IN_ROOTS);
  assert_non_null(mcp_session_revision(session));
  assert_int_equal(mcp_json_type(roots), MCP_JSON_ARRAY);
}

static void on_connection_closed(mcp_connection *connection,
                                 const mcp_error *err, void *userdata) {
  free_at(userdata, IN_CONNECTION_CLOSED);
}

static int on_authorize(mcp_server *server, const mcp_http_request *request,
                        mcp_http_decision *decision, void *userdata) {
  const free_bench *b = userdata;
  assert_ptr_equal(server, b->first.server);
  free_at(userdata, IN_AUTHORIZE);
  assert_non_null(request->target);
  decision->principal = "somebody";
  return 0;
}

/* Without a server that is freed. */
static void on_server_trace(mcp_server *server,
                            const mcp_traced_message *message, void *userdata) {
  free_bench *b = userdata;
  assert_true(server == NULL || server == b->first.server);
  assert_true(b->now.server != NULL || server == NULL);
  assert_true(b->is_done || b->moment->ending == BY_FREEING_SERVER ||
              server != NULL);
  free_at(b, message->is_sent ? IN_TRACE_SENT : IN_TRACE_RECEIVED);
  assert_true(message->len > 0 && message->text[0] != '\0');
}

static void on_trace(mcp_transport *transport,
                     const mcp_traced_message *message, void *userdata) {
  assert_non_null(transport);
  free_at(userdata, message->is_sent ? IN_TRACE_SENT : IN_TRACE_RECEIVED);
  assert_true(message->len > 0 && message->text[0] != '\0');
}

/* ---- the server ---------------------------------------------------------- */

static void add_tool(free_bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .is_blocking = handler == on_pool,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->now.server, &tool, NULL), 0);
}

static void add_all(free_bench *b) {
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = "m",
                             .handler = on_method,
                             .userdata = b};
  const mcp_method note = {.size = sizeof(mcp_method),
                           .name = "n",
                           .handler = on_note,
                           .userdata = b,
                           .is_notification = 1};
  const mcp_prompt_argument argument = {.name = "a"};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = "p",
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_prompt,
                             .complete = on_complete,
                             .userdata = b};
  const mcp_resource resource = {.size = sizeof(mcp_resource),
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
  add_tool(b, "pool", on_pool);
  add_tool(b, "thread", on_thread);
  assert_int_equal(mcp_server_add_method(b->now.server, &method, NULL), 0);
  assert_int_equal(mcp_server_add_method(b->now.server, &note, NULL), 0);
  assert_int_equal(mcp_server_add_prompt(b->now.server, &prompt, NULL), 0);
  assert_int_equal(mcp_server_add_resource(b->now.server, &resource, NULL), 0);
  mcp_server_on_roots(b->now.server, on_roots, b);
  mcp_server_enable_logging(b->now.server);
}

void free_make_server(free_bench *b) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .userdata = b,
                                      .on_report = on_report,
                                      .on_session_opened = on_opened,
                                      .on_session_closed = on_closed,
                                      .on_request = on_request,
                                      .on_reply = on_reply};
  b->now.server = mcp_server_new("test", "1", &options, NULL);
  assert_non_null(b->now.server);
  add_all(b);
}

static int is_traced(const free_bench *b) {
  return b->moment->place == IN_TRACE_RECEIVED ||
         b->moment->place == IN_TRACE_SENT;
}

static mcp_http_options http_options(free_bench *b) {
  const free_wire_row *row = free_row(b);
  uint32_t wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET;
  return (mcp_http_options){.size = sizeof(mcp_http_options),
                            .legacy = row->legacy,
                            .wires = row->dialect == 0 ? wires | MCP_HTTP_SSE
                                                       : wires,
                            .on_request = on_authorize,
                            .userdata = b,
                            .events = free_store(b),
                            .on_trace = is_traced(b) ? on_server_trace : NULL,
                            .dialect = row->dialect};
}

static void listen_http(free_bench *b, const char *address) {
  mcp_error err = {0};
  const mcp_http_options http = http_options(b);
  const int is_tls = free_row(b)->is_tls;
  const mcp_http_listen_options options = {
      .size = sizeof(mcp_http_listen_options),
      .address = address,
      .http = &http,
      .tls_cert = is_tls ? free_file("server.crt") : NULL,
      .tls_key = is_tls ? free_file("server.key") : NULL};
  b->now.http = mcp_server_listen_http(b->now.server, b->loop, &options, &err);
  assert_string_equal(err.message, "");
}

static void listen_sockets(free_bench *b, const char *address) {
  mcp_error err = {0};
  const mcp_socket_listen_options options = {
      .size = sizeof(mcp_socket_listen_options),
      .address = address,
      .on_trace = is_traced(b) ? on_server_trace : NULL,
      .userdata = b,
      .dialect = free_row(b)->dialect};
  b->now.sockets =
      mcp_server_listen_socket(b->now.server, b->loop, &options, &err);
  assert_string_equal(err.message, "");
}

static void on_transport(custom_function function, void *userdata) {
  free_at(userdata, (free_place)(IN_START + (int)function));
}

/* The program does not connect a server that is freed in the transport's start,
 * or that the earlier client has freed. */
static void connect_stream(free_bench *b, raw_client *client) {
  const mcp_connection_options options = {.size =
                                              sizeof(mcp_connection_options),
                                          .on_closed = on_connection_closed,
                                          .userdata = b};
  int fds[2];
  make_socketpair(fds);
  raw_begin_fd(client, fds[1]);
  mcp_transport *transport =
      mcp_transport_fd(b->loop, fds[0], fds[0], NULL, NULL);
  assert_non_null(transport);
  transport = b->wire == FREE_CUSTOM
                  ? custom_transport(transport, on_transport, b)
                  : mcp_transport_trace(b->loop, transport, on_trace, b, NULL);
  if (b->now.server == NULL) {
    mcp_transport_free(transport);
    return;
  }
  int rc = mcp_server_connect(b->now.server, b->loop, transport, &options, NULL,
                              NULL);
  assert_true(rc == 0 || b->is_done);
}

static void listen_here(free_bench *b, const char *address) {
  const mcp_http_options options = http_options(b);
  switch (free_row(b)->carrier) {
  case FREE_BY_SOCKETS:
    listen_sockets(b, address);
    break;
  case FREE_BY_HTTP:
    listen_http(b, address);
    break;
  case FREE_BY_FOREIGN:
    free_foreign_listen(b, address, &options);
    break;
  default:
    break;
  }
}

static int is_tcp(const free_bench *b) {
  return b->wire == FREE_TCP || b->wire == FREE_CORE_TCP;
}

void free_listen_and_connect(free_bench *b) {
  static char address[80];
  static unsigned count; /* a run that failed leaves its socket behind */
  char name[16];
  snprintf(name, sizeof(name), "%u", count++);
  snprintf(address, sizeof(address), "unix:%s", free_file(name));
  listen_here(b, is_tcp(b) ? "127.0.0.1:0" : address);
  if (is_tcp(b)) {
    snprintf(address, sizeof(address), "%s",
             mcp_socket_listener_url(b->now.sockets));
  }
  for (int i = 0; i < b->client_count; i++) {
    if (free_row(b)->carrier == FREE_BY_CONNECT) {
      connect_stream(b, &b->clients[i]);
    } else {
      raw_begin(&b->clients[i], free_row(b)->raw, address, free_row(b)->is_tls);
    }
  }
}
