/* SPDX-License-Identifier: MIT */
/* One ordered transport that the server serves: how a call is answered over it,
 * and how it ends. */
#include "server/connection.h"

#include "base/error.h"
#include "base/widen.h"
#include "server/call.h"
#include "server/shard.h"

enum {
  /* Above this number of waiting bytes, the client reads more slowly than the
   * server writes. The server then drops messages that the client can do
   * without. */
  CONGESTED_BYTES = 1024 * 1024,
  /* The time limit when the peer has ended its sending and the program set no
   * other. */
  DRAIN_MS = 1000
};

static mcp_connection *connection_of_caller(mcpi_caller *caller) {
  return MCPI_CONTAINER(caller, mcp_connection, caller);
}

static mcp_connection *of_link(mcpi_link *link) {
  return MCPI_CONTAINER(link, mcp_connection, link);
}

static mcp_connection *connection_of_sink(mcpi_sink *sink) {
  return MCPI_CONTAINER(sink, mcp_connection, sink);
}

/* --- the sink ----------------------------------------------------------- */

static int is_congested(const mcp_connection *connection) {
  mcp_transport *transport = connection->link.transport;
  return transport->queued != NULL &&
         transport->queued(transport) > CONGESTED_BYTES;
}

static void count_dropped(mcp_connection *connection) {
  if (connection->dropped++ == 0) {
    mcpi_caller_report(&connection->caller, MCP_ERR_LIMIT,
                       "a client reads too slowly: progress and log "
                       "messages to it are dropped");
  }
}

static int send_whole(mcpi_caller *caller, const char *message, size_t len,
                      const mcp_send_info *known) {
  int rc = mcpi_peer_send(&caller->peer, message, len, known);
  if (rc == 0) {
    return 0;
  }
  if (rc != MCP_ERR_CLOSED) {
    mcpi_caller_give_up(caller, rc);
  }
  return MCP_ERR_GONE;
}

static int on_sink_send(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
                        const char *message, size_t len) {
  mcp_connection *connection = connection_of_sink(sink);
  mcpi_caller *caller = &connection->caller;
  mcp_send_info known = {.kind = MCP_MESSAGE_UNKNOWN};
  (void)rpc_code;
  if (what == MCPI_SEND_FRAGMENT) {
    return MCP_ERR_UNSUPPORTED;
  }
  if (call != NULL && (what == MCPI_SEND_RESULT || what == MCPI_SEND_ERROR)) {
    known.kind =
        what == MCPI_SEND_RESULT ? MCP_MESSAGE_RESULT : MCP_MESSAGE_ERROR;
    known.id = call->id.data;
    known.id_len = call->id.len;
  }
  if (what != MCPI_SEND_PROGRESS && what != MCPI_SEND_LOG) {
    return send_whole(caller, message, len, &known);
  }
  if (is_congested(connection)) {
    count_dropped(connection);
    return 0;
  }
  int rc = mcpi_peer_send(&caller->peer, message, len, NULL);
  if (rc == MCP_ERR_LIMIT || rc == MCP_ERR_NOMEM) {
    count_dropped(connection);
    return 0;
  }
  return rc == 0 ? 0 : MCP_ERR_GONE;
}

static int on_sink_ask(mcpi_sink *sink, mcp_call *call, mcpi_pending *pending,
                       mcpi_str method, mcpi_str params) {
  mcp_connection *connection = connection_of_sink(sink);
  if (mcpi_revision_is_modern(call->context.revision)) {
    return MCP_ERR_UNSUPPORTED;
  }
  return mcpi_caller_ask(&connection->caller, pending, method, params);
}

static const mcpi_sink_ops sink_ops = {.send = on_sink_send,
                                       .ask = on_sink_ask};

/* --- the caller --------------------------------------------------------- */

static int connection_send(mcpi_caller *caller, const char *message, size_t len,
                           const mcp_send_info *info) {
  return mcpi_link_send(&connection_of_caller(caller)->link, message, len,
                        info);
}

static void connection_close(mcpi_caller *caller) {
  mcpi_link_close(&connection_of_caller(caller)->link);
}

static void connection_free(mcpi_caller *caller) {
  mcp_connection *connection = connection_of_caller(caller);
  const mcp_allocator *allocator = &caller->shard->server->allocator;
  mcpi_link_deinit(&connection->link);
  mcpi_free(allocator, connection, sizeof(*connection));
}

static const char *connection_session_id(mcpi_caller *caller) {
  return mcpi_link_session_id(&connection_of_caller(caller)->link);
}

static void connection_agreed(mcpi_caller *caller, const char *revision) {
  mcp_transport *transport = connection_of_caller(caller)->link.transport;
  if (transport->set_protocol_version != NULL) {
    transport->set_protocol_version(transport, revision);
  }
}

static void connection_ended(mcpi_caller *caller, const mcp_error *reason) {
  mcp_connection *connection = connection_of_caller(caller);
  const mcp_connection_options *options = &connection->options;
  if (options->on_closed != NULL) {
    options->on_closed(connection, reason, options->userdata);
  }
}

static const mcpi_caller_ops caller_ops = {
    .send = connection_send,
    .close = connection_close,
    .free = connection_free,
    .session_id = connection_session_id,
    .agreed = connection_agreed,
    .ended = connection_ended,
};

/* --- the link ----------------------------------------------------------- */

static void on_link_closed(mcpi_link *link, const mcp_error *err) {
  mcpi_caller_closed(&of_link(link)->caller, err);
}

/* The peer will send no more messages, but may still read its answers. It will
 * not answer questions. */
static void on_link_end(mcpi_link *link) {
  mcp_connection *connection = of_link(link);
  mcpi_shard *shard = connection->caller.shard;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the client has ended its sending");
  mcpi_shard_enter(shard);
  mcpi_pending_fail_all(&connection->caller.peer.pending, &err);
  mcpi_caller_close(&connection->caller, connection->options.drain_ms);
  mcpi_shard_leave(shard);
}

static const mcpi_link_ops connection_link_ops = {
    .on_closed = on_link_closed,
    .on_end = on_link_end,
};

/* --- connecting --------------------------------------------------------- */

mcpi_caller_rules mcpi_connection_rules(const mcp_server *server) {
  return (mcpi_caller_rules){.max_shard_calls = server->limits.max_total_calls,
                             .shard_calls_limit = MCPI_LIMIT_TOTAL_CALLS,
                             .is_ordered = 1,
                             .tracks_ids = 1};
}

static int widen_options(const mcp_connection_options *options,
                         mcp_connection_options *wide, mcp_error *err) {
  *wide = (mcp_connection_options){.size = sizeof(mcp_connection_options)};
  if (options == NULL) {
    return 0;
  }
  int rc =
      mcpi_widen(wide, sizeof(*wide), options, "mcp_connection_options", err);
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_connection_options.reserved", wide->reserved,
                             err);
  }
  return rc;
}

static mcp_connection *connection_new(mcpi_shard *shard,
                                      const mcp_connection_options *options,
                                      const mcpi_caller_rules *rules) {
  const mcp_allocator *allocator = &shard->server->allocator;
  mcp_connection *connection = mcpi_calloc(allocator, 1, sizeof(*connection));
  if (connection == NULL) {
    return NULL;
  }
  if (mcpi_caller_init(&connection->caller, shard, &caller_ops, rules,
                       options->principal, options->peer) != 0) {
    mcpi_free(allocator, connection, sizeof(*connection));
    return NULL;
  }
  connection->sink.ops = &sink_ops;
  connection->caller.sink = &connection->sink;
  connection->options = *options;
  connection->options.principal = NULL;
  connection->options.peer = NULL;
  if (options->drain_ms == 0) {
    connection->options.drain_ms = DRAIN_MS;
  }
  return connection;
}

int mcpi_connection_new(mcpi_shard *shard, mcp_transport *transport,
                        const mcp_connection_options *options,
                        const mcpi_caller_rules *rules, mcp_connection **out,
                        mcp_error *err) {
  const mcp_server *server = shard->server;
  const mcpi_message_limits limits = {server->limits.max_message,
                                      server->limits.max_depth,
                                      server->limits.max_values};
  mcp_connection_options wide;
  int rc = widen_options(options, &wide, err);
  mcp_connection *connection =
      rc == 0 ? connection_new(shard, &wide, rules) : NULL;
  if (connection == NULL) {
    mcp_transport_free(transport);
    return rc != 0 ? rc : mcpi_no_memory(err);
  }
  mcpi_link_init(&connection->link, &connection->caller.peer, transport,
                 &connection_link_ops, &limits);
  size_t count;
  const char *const *versions =
      mcpi_revision_names(server->options.eras, &count);
  rc = mcpi_link_start(&connection->link, versions, count, err);
  if (rc != 0) {
    mcpi_caller_deinit(&connection->caller);
    connection_free(&connection->caller);
  } else if (out != NULL) {
    *out = connection;
  }
  return rc;
}

/* Returns 0 and the shard on that loop, or the reason why there can be no
 * connection. */
static int find_shard(mcp_server *server, mcp_loop *loop,
                      const mcp_transport *transport, mcpi_shard **shard,
                      mcp_error *err) {
  if (server == NULL || loop == NULL) {
    return mcpi_error_null(err, server == NULL ? "server" : "loop");
  }
  if (transport == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the transport is NULL");
  }
  if (server->is_draining) {
    return mcp_error_set(err, MCP_ERR_CLOSED, "the server is shutting down");
  }
  *shard = mcpi_shard_get(server, loop);
  if (*shard == NULL) {
    return mcpi_no_memory(err);
  }
  return 0;
}

int mcp_server_connect(mcp_server *server, mcp_loop *loop,
                       mcp_transport *transport,
                       const mcp_connection_options *options,
                       mcp_connection **out, mcp_error *err) {
  mcpi_shard *shard = NULL;
  int rc = find_shard(server, loop, transport, &shard, err);
  if (shard == NULL) {
    mcp_transport_free(transport);
    return rc;
  }
  const mcpi_caller_rules rules = mcpi_connection_rules(server);
  mcpi_shard_enter(shard);
  rc = mcpi_connection_new(shard, transport, options, &rules, out, err);
  mcpi_shard_leave(shard);
  return rc;
}

void mcp_connection_close(mcp_connection *connection, uint32_t drain_ms) {
  if (connection != NULL) {
    mcpi_caller_close(&connection->caller, drain_ms);
  }
}

/* --- all of them -------------------------------------------------------- */

static int drain_shard(mcpi_shard *shard, mcpi_str bytes) {
  uint32_t drain_ms;
  memcpy(&drain_ms, bytes.ptr, sizeof(drain_ms));
  for (mcpi_list *link = shard->callers.next; link != &shard->callers;
       link = link->next) {
    mcpi_caller_close(MCPI_CONTAINER(link, mcpi_caller, link), drain_ms);
  }
  return 0;
}

void mcp_server_drain(mcp_server *server, uint32_t drain_ms) {
  if (server == NULL) {
    return;
  }
  atomic_store(&server->is_draining, 1);
  mcpi_shards_run(server, drain_shard,
                  mcpi_str_n((const char *)&drain_ms, sizeof(drain_ms)));
}

static size_t count_all(const mcp_server *server) {
  size_t count = 0;
  for (const mcpi_list *link = server->shards.next; link != &server->shards;
       link = link->next) {
    const mcpi_shard *shard = MCPI_CONTAINER(link, mcpi_shard, link);
    count += atomic_load_explicit(&shard->caller_count, memory_order_relaxed);
  }
  return count;
}

size_t mcp_server_connection_count(const mcp_server *server) {
  if (server == NULL) {
    return 0;
  }
  mcp_server *mine = (mcp_server *)(uintptr_t)server; /* for its lock */
  const mcpi_lock *lock = mcpi_server_lock(mine);
  size_t count = lock != NULL ? count_all(server) : 0;
  mcpi_server_unlock(lock);
  return count;
}
