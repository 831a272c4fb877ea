/* SPDX-License-Identifier: MIT */
/* One ordered transport being served: whose a message is (PROTOCOL 2.8), how a
 * call is answered over it, and how it ends.
 *
 * It ends in three steps. Draining: no new request is taken, those in flight
 * may finish. Closing: what is left is cancelled, and the transport closed.
 * Closed: the transport says so, and the part sweeps the connection away. */
#include "server/server.h"

#include "base/error.h"
#include "base/widen.h"

#include <inttypes.h>

enum {
  /* Past so many waiting bytes the client does not read as fast as we write;
   * what it can do without is dropped. */
  CONGESTED_BYTES = 1024 * 1024,
  /* When the far side has ended its sending and nobody said how long to wait.
   */
  DRAIN_MS = 1000,
  /* Questions to clients that are not answered yet. A call asks for a few at a
   * time, and only the program makes them. */
  MAX_PENDING = 4096,
  /* Idle connections of a part, and identities: as idle calls (call.c). */
  MAX_IDLE = 64,
  /* What each keeps: slots for requests in flight, bytes of names. */
  KEPT_SLOTS = 16,
  KEPT_BYTES = 256
};

static mcp_connection *of_peer(mcpi_peer *peer) {
  return MCPI_CONTAINER(peer, mcp_connection, peer);
}

static mcp_connection *of_wire(mcpi_wire *wire) {
  return MCPI_CONTAINER(wire, mcp_connection, wire);
}

static mcp_connection *of_sink(mcpi_sink *sink) {
  return MCPI_CONTAINER(sink, mcp_connection, sink);
}

/* --- what the program is told ------------------------------------------- */

/* Does not count in the connection's own limit of reports. */
static void report_of(const mcp_connection *connection, const mcp_error *err) {
  const char *peer = connection->options.peer;
  mcpi_part_report(connection->part, err->code, "%s%s%s",
                   peer != NULL ? peer : "", peer != NULL ? ": " : "",
                   err->message);
}

void mcpi_connection_report(mcp_connection *connection, int code,
                            const char *format, ...) {
  mcp_error err;
  va_list args;
  if (!mcpi_reports_admit(&connection->reports)) {
    return;
  }
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  report_of(connection, &err);
}

static void on_reports_held(mcpi_reports *reports, uint64_t held) {
  mcp_connection *connection = MCPI_CONTAINER(reports, mcp_connection, reports);
  mcpi_part *part = connection->part;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_LIMIT,
                "%" PRIu64 " more reports within a second were left out", held);
  mcpi_part_enter(part);
  report_of(connection, &err);
  mcpi_part_leave(part);
}

/* --- sending ------------------------------------------------------------ */

static int is_congested(const mcp_connection *connection) {
  mcp_transport *transport = connection->wire.transport;
  return transport->queued != NULL &&
         transport->queued(transport) > CONGESTED_BYTES;
}

static void count_dropped(mcp_connection *connection) {
  if (connection->dropped++ == 0) {
    mcpi_connection_report(connection, MCP_ERR_LIMIT,
                           "a client reads too slowly: progress and log "
                           "messages to it are dropped");
  }
}

/* A client that misses an answer would wait for ever: better that it sees the
 * end. */
static void give_up(mcp_connection *connection, int code) {
  mcp_error_set(&connection->reason, code, "a message could not be sent: %s",
                mcp_error_text(code));
  mcpi_wire_close(&connection->wire);
}

static int send_whole(mcp_connection *connection, const char *message,
                      size_t len) {
  int rc = mcpi_peer_send(&connection->peer, message, len, 0);
  if (rc == 0) {
    return 0;
  }
  if (rc != MCP_ERR_CLOSED) {
    give_up(connection, rc);
  }
  return MCP_ERR_GONE;
}

static int on_send(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
                   const char *message, size_t len) {
  mcp_connection *connection = of_sink(sink);
  (void)call;
  (void)rpc_code;
  if (what == MCPI_SEND_FRAGMENT) {
    return MCP_ERR_UNSUPPORTED;
  }
  if (what != MCPI_SEND_PROGRESS && what != MCPI_SEND_LOG) {
    return send_whole(connection, message, len);
  }
  if (is_congested(connection)) {
    count_dropped(connection);
    return 0;
  }
  int rc = mcpi_peer_send(&connection->peer, message, len, 0);
  if (rc == MCP_ERR_LIMIT || rc == MCP_ERR_NOMEM) {
    count_dropped(connection);
    return 0;
  }
  return rc == 0 ? 0 : MCP_ERR_GONE;
}

static int on_ask(mcpi_sink *sink, mcp_call *call, mcpi_pending *pending,
                  mcpi_str method, mcpi_str params) {
  mcp_connection *connection = of_sink(sink);
  if (mcpi_revision_is_modern(call->context.revision)) {
    return MCP_ERR_UNSUPPORTED;
  }
  return mcpi_connection_ask(connection, pending, method, params);
}

int mcpi_connection_ask(mcp_connection *connection, mcpi_pending *pending,
                        mcpi_str method, mcpi_str params) {
  return mcpi_connection_ask_within(
      connection, pending, connection->part->server->options.ask_timeout_ms,
      method, params);
}

int mcpi_connection_ask_within(mcp_connection *connection,
                               mcpi_pending *pending, uint32_t timeout_ms,
                               mcpi_str method, mcpi_str params) {
  mcpi_peer *peer = &connection->peer;
  int rc = mcpi_pending_add(&peer->pending, pending, timeout_ms, 0);
  if (rc == 0) {
    rc = mcpi_peer_send_request(peer, pending, method, params);
    if (rc != 0) {
      mcpi_pending_remove(pending);
    }
  }
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

int mcpi_connection_notify(mcp_connection *connection, const char *method,
                           mcpi_str params) {
  int rc = mcpi_peer_send_notification(&connection->peer, mcpi_str_z(method),
                                       params);
  if (rc == MCP_ERR_LIMIT) {
    give_up(connection, rc);
  }
  return rc == MCP_ERR_CLOSED || rc == MCP_ERR_LIMIT ? MCP_ERR_GONE : rc;
}

static const mcpi_sink_ops sink_ops = {on_send, on_ask, NULL, NULL};

/* --- receiving ---------------------------------------------------------- */

/* What a legacy request is answered in: its session's revision, or before there
 * is one the newest, for the little that is answered then. */
static void use_session(mcpi_context *context, const mcp_session *session) {
  if (session == NULL) {
    context->revision = mcpi_revision_newest(MCP_ERA_LEGACY);
    return;
  }
  context->revision = session->revision;
  context->client_info = session->client_info;
  context->client_capabilities = session->client_capabilities;
  context->log_level = session->log_level;
}

/* A batch is the legacy era's: what says that it is modern has no place in one
 * (PROTOCOL 1.2). */
static int refuse_in_batch(mcpi_refusal *refusal) {
  *refusal = (mcpi_refusal){.code = MCP_RPC_INVALID_REQUEST};
  mcp_error_set(&refusal->err, MCP_ERR_PROTOCOL, "a modern request in a batch");
  return MCPI_CLASS_REFUSED;
}

/* Classifies a message. 1: the context, and for a legacy one *session, are
 * filled; 0: it is refused. */
static int admit(mcp_connection *connection, const mcpi_message *message,
                 const mcpi_envelope *envelope, mcpi_context *context,
                 mcp_session **session, mcpi_refusal *refusal) {
  uint32_t eras = connection->part->server->options.eras;
  int class = mcpi_classify(envelope, eras, context, refusal);
  *session = NULL;
  if (class != MCPI_CLASS_LEGACY &&
      mcp_json_type(message->root) == MCP_JSON_ARRAY) {
    class = refuse_in_batch(refusal);
  }
  if (class == MCPI_CLASS_LEGACY) {
    *session = connection->session;
    use_session(context, *session);
  }
  return class != MCPI_CLASS_REFUSED;
}

void mcpi_connection_request(mcp_connection *connection, mcpi_sink *sink,
                             mcpi_message *message,
                             const mcpi_envelope *envelope) {
  mcpi_part *part = connection->part;
  mcpi_context context;
  mcp_session *session;
  mcpi_refusal refusal;
  mcpi_part_enter(part);
  if (admit(connection, message, envelope, &context, &session, &refusal)) {
    mcpi_dispatch_request(connection, sink, message, envelope, &context,
                          session);
  } else {
    mcpi_dispatch_refused(connection, sink, message, envelope, &refusal);
  }
  mcpi_part_leave(part);
}

static void on_request(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope) {
  mcp_connection *connection = of_peer(peer);
  mcpi_connection_request(connection, &connection->sink, message, envelope);
}

/* A refused notification is dropped: nothing may answer it. */
static void on_notification(mcpi_peer *peer, mcpi_message *message,
                            const mcpi_envelope *envelope) {
  mcp_connection *connection = of_peer(peer);
  mcpi_part *part = connection->part;
  mcpi_context context;
  mcp_session *session;
  mcpi_refusal refusal;
  mcpi_part_enter(part);
  if (admit(connection, message, envelope, &context, &session, &refusal)) {
    mcpi_dispatch_notification(connection, message, envelope, &context,
                               session);
  }
  mcpi_part_leave(part);
}

static void on_fault(mcpi_peer *peer, const mcp_error *err) {
  mcp_connection *connection = of_peer(peer);
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  mcpi_connection_report(connection, err->code, "%s", err->message);
  mcpi_part_leave(part);
}

static void on_rubbish(mcpi_peer *peer, const mcp_error *why) {
  mcp_connection *connection = of_peer(peer);
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  connection->reason = *why;
  mcpi_wire_close(&connection->wire);
  mcpi_part_leave(part);
}

static int allows_batch(mcpi_peer *peer) {
  const mcp_session *session = of_peer(peer)->session;
  return session != NULL &&
         mcpi_revision_has(session->revision, MCPI_HAS_BATCH);
}

static void await_sweep(mcp_connection *connection) {
  mcpi_part *part = connection->part;
  mcpi_list_remove(&connection->closed_link);
  mcpi_list_append(&part->closed, &connection->closed_link);
  part->wants_sweep = 1;
}

void mcpi_connection_abandon(mcp_connection *connection) {
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  await_sweep(connection);
  mcpi_part_leave(part);
}

static void on_closed(mcpi_wire *wire, const mcp_error *err) {
  mcp_connection *connection = of_wire(wire);
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  if (err != NULL && err->code != 0) {
    connection->reason = *err;
  }
  connection->is_closed = 1;
  await_sweep(connection);
  mcpi_part_leave(part);
}

/* The far side will send no more, yet may read what it has asked for. Questions
 * to it will have no answer. */
static void on_end(mcpi_wire *wire) {
  mcp_connection *connection = of_wire(wire);
  mcpi_part *part = connection->part;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the client has ended its sending");
  mcpi_part_enter(part);
  mcpi_pending_fail_all(&connection->peer.pending, &err);
  mcp_connection_close(connection, connection->options.drain_ms);
  mcpi_part_leave(part);
}

static int on_peer_send(mcpi_peer *peer, const char *message, size_t len,
                        const mcp_send_info *info) {
  return mcpi_wire_send(&of_peer(peer)->wire, message, len, info);
}

static void on_peer_close(mcpi_peer *peer) {
  mcpi_wire_close(&of_peer(peer)->wire);
}

static const mcpi_peer_ops peer_ops = {
    .send = on_peer_send,
    .close = on_peer_close,
    .on_request = on_request,
    .on_notification = on_notification,
    .on_fault = on_fault,
    .on_rubbish = on_rubbish,
    .allows_batch = allows_batch,
    .answers_faults = 1,
};

static const mcpi_wire_ops wire_ops = {
    .on_closed = on_closed,
    .on_end = on_end,
};

/* --- who is there ------------------------------------------------------- */

static void identity_free(const mcp_allocator *allocator,
                          mcpi_identity *identity) {
  mcpi_buf_deinit(&identity->text);
  mcpi_free(allocator, identity, sizeof(*identity));
}

void mcpi_identity_unref(mcpi_part *part, mcpi_identity *identity) {
  if (identity == NULL || --identity->refs > 0) {
    return;
  }
  mcpi_accounts_unref(&part->accounts, identity->account);
  identity->account = NULL;
  if (part->idle_identity_count >= MAX_IDLE) {
    identity_free(&part->server->allocator, identity);
    return;
  }
  mcpi_buf_trim(&identity->text, KEPT_BYTES);
  identity->next = part->idle_identities;
  part->idle_identities = identity;
  part->idle_identity_count++;
}

static mcpi_identity *take_identity(mcpi_part *part) {
  const mcp_allocator *allocator = &part->server->allocator;
  mcpi_identity *identity = part->idle_identities;
  if (identity != NULL) {
    part->idle_identities = identity->next;
    part->idle_identity_count--;
    return identity;
  }
  identity = mcpi_calloc(allocator, 1, sizeof(*identity));
  if (identity != NULL) {
    mcpi_buf_init(&identity->text, allocator, SIZE_MAX);
  }
  return identity;
}

/* There is room for it. */
static const char *put_string(mcpi_buf *text, const char *string) {
  const char *start = text->data + text->len;
  if (string == NULL) {
    return NULL;
  }
  mcpi_buf_put(text, string, strlen(string) + 1);
  return start;
}

static mcpi_identity *identity_new(mcpi_part *part, const char *principal,
                                   const char *peer) {
  mcpi_identity *identity = take_identity(part);
  if (identity == NULL) {
    return NULL;
  }
  size_t size = mcpi_str_z(principal).len + mcpi_str_z(peer).len + 2;
  identity->refs = 1;
  if (mcpi_buf_reserve(&identity->text, size) == NULL ||
      mcpi_accounts_find(&part->accounts, principal, peer,
                         &identity->account) != 0) {
    identity_free(&part->server->allocator, identity);
    return NULL;
  }
  identity->holder = (mcpi_holder){
      .parent = mcpi_accounts_holder(&part->accounts, identity->account)};
  identity->principal = put_string(&identity->text, principal);
  identity->peer = put_string(&identity->text, peer);
  return identity;
}

/* --- the end ------------------------------------------------------------ */

/* From the oldest. What a call's callback does may take others off the list,
 * so each round begins at its head. */
static void cancel_calls(mcp_connection *connection) {
  for (size_t left = connection->call_count; left > 0; left--) {
    mcpi_list *link = connection->calls.next;
    if (link == &connection->calls) {
      break;
    }
    mcpi_list_remove(link);
    mcpi_list_append(&connection->calls, link);
    mcpi_call_cancel(MCPI_CONTAINER(link, mcp_call, link));
  }
}

static void close_now(mcp_connection *connection) {
  mcpi_loop_stop_timer(connection->part->loop, &connection->drain_timer);
  cancel_calls(connection);
  mcpi_wire_close(&connection->wire);
}

static void on_drain_due(mcpi_timer *timer) {
  mcp_connection *connection =
      MCPI_CONTAINER(timer, mcp_connection, drain_timer);
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  close_now(connection);
  mcpi_part_leave(part);
}

void mcpi_connection_call_ended(mcp_connection *connection) {
  connection->open_count--;
  if (connection->is_draining && connection->open_count == 0) {
    close_now(connection);
  }
}

/* Listens would never end by themselves. */
static void end_listens(mcp_connection *connection) {
  for (size_t left = connection->call_count; left > 0; left--) {
    mcpi_list *link = connection->calls.next;
    if (link == &connection->calls) {
      break;
    }
    mcp_call *call = MCPI_CONTAINER(link, mcp_call, link);
    mcpi_list_remove(link);
    mcpi_list_append(&connection->calls, link);
    if (call->listen != NULL) {
      mcpi_listen_end(call->listen, 1);
    }
  }
}

/* A second call may only shorten the wait. */
static int wait_for_calls(mcp_connection *connection, uint32_t drain_ms) {
  mcp_loop *loop = connection->part->loop;
  mcpi_timer *timer = &connection->drain_timer;
  if (timer->place != 0 && timer->due_ms <= mcpi_loop_now(loop) + drain_ms) {
    return 0;
  }
  return mcpi_loop_start_timer(loop, timer, drain_ms);
}

void mcp_connection_close(mcp_connection *connection, uint32_t drain_ms) {
  if (connection == NULL) {
    return;
  }
  mcpi_part *part = connection->part;
  mcpi_part_enter(part);
  if (!connection->is_draining) {
    end_listens(connection);
    connection->is_draining = 1;
  }
  if (drain_ms == 0 || connection->open_count == 0 ||
      wait_for_calls(connection, drain_ms) != 0) {
    close_now(connection);
  }
  mcpi_part_leave(part);
}

static void detach_calls(mcp_connection *connection) {
  while (!mcpi_list_is_empty(&connection->calls)) {
    mcpi_call_detach(MCPI_CONTAINER(connection->calls.next, mcp_call, link));
  }
}

static void tell_closed(mcp_connection *connection) {
  const mcp_connection_options *options = &connection->options;
  const mcp_error *reason = &connection->reason;
  if (connection->session != NULL) {
    mcpi_session_close(connection->session);
  }
  mcpi_reports_flush(&connection->reports);
  if (reason->code != 0) {
    report_of(connection, reason);
  }
  if (options->on_closed != NULL) {
    options->on_closed(connection, &connection->reason, options->userdata);
  }
}

/* It keeps its table of requests in flight, which is empty. */
static void recycle(mcp_connection *connection, mcpi_map *inflight) {
  mcpi_part *part = connection->part;
  if (part->idle_connection_count >= MAX_IDLE || inflight->cap > KEPT_SLOTS) {
    mcpi_map_deinit(inflight);
    mcpi_free(&part->server->allocator, connection, sizeof(*connection));
    return;
  }
  connection->peer.inflight = *inflight;
  connection->next = part->idle_connections;
  part->idle_connections = connection;
  part->idle_connection_count++;
}

/* Others only read it: no exchange of words between processors is needed. */
static void count_connections(mcpi_part *part, size_t change) {
  size_t count =
      atomic_load_explicit(&part->connection_count, memory_order_relaxed);
  atomic_store_explicit(&part->connection_count, count + change,
                        memory_order_relaxed);
}

void mcpi_connection_free(mcp_connection *connection) {
  mcpi_part *part = connection->part;
  mcpi_loop_stop_timer(part->loop, &connection->drain_timer);
  detach_calls(connection);
  tell_closed(connection);
  mcpi_session_free(connection->session);
  mcpi_list_remove(&connection->link);
  mcpi_list_remove(&connection->closed_link);
  count_connections(part, (size_t)-1);
  mcpi_map inflight = connection->peer.inflight;
  mcpi_map_init(&connection->peer.inflight, inflight.allocator, inflight.seed);
  mcpi_wire_deinit(&connection->wire);
  mcpi_identity_unref(part, connection->identity);
  recycle(connection, &inflight);
}

void mcpi_connections_free_idle(mcpi_part *part) {
  const mcp_allocator *allocator = &part->server->allocator;
  mcp_connection *connection;
  while ((connection = part->idle_connections) != NULL) {
    part->idle_connections = connection->next;
    mcpi_map_deinit(&connection->peer.inflight);
    mcpi_free(allocator, connection, sizeof(*connection));
  }
  while (part->idle_identities != NULL) {
    mcpi_identity *identity = part->idle_identities;
    part->idle_identities = identity->next;
    identity_free(allocator, identity);
  }
}

/* --- connecting --------------------------------------------------------- */

static int copy_options(mcp_connection *connection,
                        const mcp_connection_options *options, mcp_error *err) {
  mcp_connection_options *mine = &connection->options;
  mcp_connection_options wide = {.size = MCP_CONNECTION_OPTIONS_INIT};
  int rc = 0;
  if (options != NULL) {
    rc =
        mcpi_widen(&wide, sizeof(wide), options, "mcp_connection_options", err);
  }
  if (rc != 0) {
    return rc;
  }
  connection->identity =
      identity_new(connection->part, wide.principal, wide.peer);
  if (connection->identity == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  *mine = wide;
  mine->principal = connection->identity->principal;
  mine->peer = connection->identity->peer;
  mine->drain_ms = wide.drain_ms != 0 ? wide.drain_ms : DRAIN_MS;
  return 0;
}

/* Wiped, but for its table of requests in flight. */
static mcp_connection *take_idle(mcpi_part *part) {
  mcp_connection *connection = part->idle_connections;
  if (connection == NULL) {
    return NULL;
  }
  mcpi_map inflight = connection->peer.inflight;
  part->idle_connections = connection->next;
  part->idle_connection_count--;
  memset(connection, 0, sizeof(*connection));
  connection->peer.inflight = inflight;
  return connection;
}

/* Everything but the transport. */
static mcp_connection *connection_new(mcpi_part *part) {
  mcp_connection *connection = take_idle(part);
  if (connection == NULL) {
    connection = mcpi_calloc(&part->server->allocator, 1, sizeof(*connection));
  }
  if (connection != NULL) {
    connection->part = part;
    connection->max_part_calls = part->server->options.max_total_calls;
    connection->part_calls_limit = MCPI_LIMIT_TOTAL_CALLS;
    connection->sink.ops = &sink_ops;
    connection->drain_timer.on_due = on_drain_due;
    mcpi_reports_init(&connection->reports, part->loop,
                      part->server->options.max_reports, on_reports_held);
    mcpi_list_init(&connection->calls);
    mcpi_list_init(&connection->closed_link);
    mcpi_list_append(&part->connections, &connection->link);
    count_connections(part, 1);
  }
  return connection;
}

static void init_peer(mcp_connection *connection, mcp_transport *transport) {
  const mcp_server_options *options = &connection->part->server->options;
  const mcpi_message_limits message = {options->max_message, options->max_depth,
                                       options->max_values};
  const mcpi_peer_limits limits = {
      .max_batch = options->max_batch,
      .max_pending = MAX_PENDING,
      .max_inflight = (size_t)options->max_calls + options->max_subscriptions,
      .max_unreadable = options->max_unreadable,
  };
  const mcpi_map inflight = connection->peer.inflight;
  mcpi_peer_init(&connection->peer, connection->part->loop, &peer_ops, &limits);
  mcpi_wire_init(&connection->wire, &connection->peer, transport, &wire_ops,
                 &message);
  if (inflight.cap > 0) {
    connection->peer.inflight = inflight;
  }
}

/* It never was open: the program is not told of its end. */
static void abandon(mcp_connection *connection) {
  connection->options.on_closed = NULL;
  mcpi_connection_free(connection);
}

int mcpi_connection_new(mcpi_part *part, mcp_transport *transport,
                        const mcp_connection_options *options,
                        mcp_connection **out, mcp_error *err) {
  mcp_server *server = part->server;
  mcp_connection *connection = connection_new(part);
  if (connection == NULL) {
    mcp_transport_free(transport);
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  init_peer(connection, transport);
  int rc = copy_options(connection, options, err);
  if (rc == 0) {
    rc = mcpi_wire_start(&connection->wire, server->versions,
                         server->version_count, err);
  }
  if (rc != 0) {
    abandon(connection);
  } else if (out != NULL) {
    *out = connection;
  }
  return rc;
}

/* 0 and the part on that loop, or why there can be no connection. */
static int find_part(mcp_server *server, mcp_loop *loop,
                     const mcp_transport *transport, mcpi_part **part,
                     mcp_error *err) {
  if (server == NULL || loop == NULL || transport == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "server, loop or transport is NULL");
  }
  if (server->is_draining) {
    return mcp_error_set(err, MCP_ERR_CLOSED, "the server is shutting down");
  }
  *part = mcpi_part_get(server, loop);
  if (*part == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return 0;
}

int mcp_server_connect(mcp_server *server, mcp_loop *loop,
                       mcp_transport *transport,
                       const mcp_connection_options *options,
                       mcp_connection **out, mcp_error *err) {
  mcpi_part *part = NULL;
  int rc = find_part(server, loop, transport, &part, err);
  if (part == NULL) {
    mcp_transport_free(transport);
    return rc;
  }
  mcpi_part_enter(part);
  rc = mcpi_connection_new(part, transport, options, out, err);
  mcpi_part_leave(part);
  return rc;
}

/* --- all of them -------------------------------------------------------- */

static int drain_part(mcpi_part *part, mcpi_str bytes) {
  uint32_t drain_ms;
  memcpy(&drain_ms, bytes.ptr, sizeof(drain_ms));
  for (mcpi_list *link = part->connections.next; link != &part->connections;
       link = link->next) {
    mcp_connection_close(MCPI_CONTAINER(link, mcp_connection, link), drain_ms);
  }
  return 0;
}

void mcp_server_drain(mcp_server *server, uint32_t drain_ms) {
  if (server == NULL) {
    return;
  }
  atomic_store(&server->is_draining, 1);
  mcpi_parts_run(server, drain_part,
                 mcpi_str_n((const char *)&drain_ms, sizeof(drain_ms)));
}

static size_t count_all(const mcp_server *server) {
  size_t count = 0;
  for (const mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    const mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    count +=
        atomic_load_explicit(&part->connection_count, memory_order_relaxed);
  }
  return count;
}

size_t mcp_server_connection_count(const mcp_server *server) {
  if (server == NULL) {
    return 0;
  }
  mcp_server *mine = (mcp_server *)(uintptr_t)server; /* for its lock */
  mcpi_server_lock(mine);
  size_t count = count_all(server);
  mcpi_server_unlock(mine);
  return count;
}
