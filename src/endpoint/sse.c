/* SPDX-License-Identifier: MIT */
/* HTTP+SSE for servers (MCP 2024-11-05, Transports: HTTP with SSE). The answer
 * to a GET is a stream of events and also the session: an ordered transport
 * that sends messages as events and receives them as POSTs. The session ends
 * with its stream; nothing is stored for a client that comes back. */
#include "endpoint/sse.h"

#include "codec/sse.h"
#include "endpoint/answer.h"
#include "endpoint/body.h"
#include "endpoint/endpoint.h"
#include "endpoint/evict.h"
#include "endpoint/protect.h"
#include "endpoint/trace.h"

static const mcpi_str nothing = {NULL, 0};

static mcpi_str name_of(const mcpi_endpoint_sse *sse) {
  return mcpi_str_n(sse->id, MCPI_ENDPOINT_SESSION_ID_LEN);
}

static void sse_unref(mcpi_endpoint_sse *sse) {
  if (--sse->refs == 0) {
    mcpi_endpoint_channel_free(&sse->channel, sse, sizeof(*sse));
  }
}

/* --- events -------------------------------------------------------------- */

static int sse_start_timer(mcpi_endpoint_sse *sse) {
  const mcp_http *http = sse->channel.http;
  return mcpi_loop_start_timer(http->shard->loop, &sse->timer,
                               http->options.keepalive_ms);
}

/* Writing to the client may show that it has gone; then the timer has been
 * moved. */
static void sse_write_bytes(mcpi_endpoint_sse *sse, mcpi_str bytes) {
  sse_start_timer(sse); /* moving the timer never fails */
  mcpi_endpoint_write(sse->exchange, bytes);
}

static int sse_write_event(mcpi_endpoint_sse *sse, mcpi_str name,
                           mcpi_str data) {
  mcp_http *http = sse->channel.http;
  mcpi_buf event = mcpi_endpoint_take_scratch(http);
  mcpi_sse_put_event(&event, nothing, name, data);
  int rc = event.error;
  if (rc == 0) {
    sse_write_bytes(sse, mcpi_str_n(event.data, event.len));
  }
  mcpi_endpoint_give_scratch(http, &event);
  return rc;
}

/* Writes a relative reference, which the client resolves: the client knows
 * under which name it reached the server. */
static int write_endpoint(mcpi_endpoint_sse *sse) {
  mcpi_buf where;
  mcpi_buf_init(&where, &sse->channel.http->server->allocator, SIZE_MAX);
  mcpi_buf_puts(&where, mcpi_str_z(sse->channel.http->options.messages_path));
  mcpi_buf_lit(&where, "?sessionId=");
  mcpi_buf_puts(&where, name_of(sse));
  int rc = where.error;
  if (rc == 0) {
    rc = sse_write_event(sse, MCPI_STR("endpoint"),
                         mcpi_str_n(where.data, where.len));
  }
  mcpi_buf_deinit(&where);
  return rc;
}

/* --- the transport ------------------------------------------------------- */

static mcpi_endpoint_sse *of_transport(mcp_transport *transport) {
  return MCPI_CONTAINER(transport, mcpi_endpoint_sse, transport);
}

static int on_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static int sse_on_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  mcpi_endpoint_sse *sse = of_transport(transport);
  mcpi_str text = mcpi_str_n(message, len);
  (void)info;
  if (sse->exchange == NULL) {
    return MCP_ERR_CLOSED;
  }
  int is_unread = mcpi_endpoint_is_unread(sse->exchange);
  if (sse->exchange == NULL) {
    return MCP_ERR_CLOSED;
  }
  if (is_unread) {
    return MCP_ERR_LIMIT;
  }
  if (!mcpi_endpoint_trace(sse->exchange, 1, text)) {
    return MCP_ERR_CLOSED;
  }
  return sse_write_event(sse, MCPI_STR("message"), text);
}

static size_t on_queued(mcp_transport *transport) {
  const mcpi_endpoint_sse *sse = of_transport(transport);
  return sse->exchange != NULL ? mcpi_endpoint_queued(sse->exchange) : 0;
}

/* The server does not wait for a client that has stopped reading. */
static void sse_end_exchange(mcp_http_exchange *exchange) {
  exchange->refs++;
  if (mcpi_endpoint_is_unread(exchange)) {
    mcpi_endpoint_abort(exchange);
  } else {
    mcpi_endpoint_close(exchange);
  }
  mcpi_endpoint_exchange_unref(exchange);
}

static void sse_forget(mcpi_endpoint_sse *sse) {
  mcp_http *http = sse->channel.http;
  mcpi_map_remove_value(&http->sse, name_of(sse), sse);
  mcpi_endpoint_seat_give(http, &sse->seat);
  mcpi_loop_stop_timer(http->shard->loop, &sse->timer);
  if (sse->exchange != NULL) {
    sse_end_exchange(sse->exchange);
  }
  sse_unref(sse);
}

static void sse_on_close(mcp_transport *transport) {
  mcpi_endpoint_sse *sse = of_transport(transport);
  if (sse->channel.caller != NULL) {
    mcpi_endpoint_channel_forget(&sse->channel);
    sse_forget(sse);
    transport->on_close(transport, NULL);
  }
}

static const char *on_session_id(mcp_transport *transport) {
  return of_transport(transport)->id;
}

static void on_release(mcp_transport *transport) {
  sse_unref(of_transport(transport));
}

/* --- silence, and the end ------------------------------------------------ */

static void sse_on_due(mcpi_timer *timer) {
  mcpi_endpoint_sse *sse = MCPI_CONTAINER(timer, mcpi_endpoint_sse, timer);
  mcpi_shard *shard = sse->channel.http->shard;
  mcpi_shard_enter(shard);
  sse->refs++;
  if (sse->exchange == NULL) {
    sse_on_close(&sse->transport);
  } else {
    sse_write_bytes(sse, MCPI_STR(": \n\n"));
  }
  sse_unref(sse);
  mcpi_shard_leave(shard);
}

/* The loss may have been noticed inside `send`, which cannot report an end. */
void mcpi_endpoint_sse_lost(mcpi_endpoint_sse *sse) {
  mcpi_loop_start_timer(sse->channel.http->shard->loop, &sse->timer, 0);
}

/* --- GET ----------------------------------------------------------------- */

static mcpi_endpoint_sse *sse_make(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  mcpi_endpoint_sse *sse =
      mcpi_calloc(&http->server->allocator, 1, sizeof(*sse));
  if (sse == NULL) {
    return NULL;
  }
  sse->refs = 1;
  mcpi_endpoint_channel_init(&sse->channel, http);
  sse->timer.on_due = sse_on_due;
  sse->transport = (mcp_transport){.size = sizeof(mcp_transport),
                                   .start = on_start,
                                   .send = sse_on_send,
                                   .close = sse_on_close,
                                   .release = on_release,
                                   .queued = on_queued,
                                   .session_id = on_session_id};
  return sse;
}

static int sse_enlist(mcpi_endpoint_sse *sse) {
  mcp_http *http = sse->channel.http;
  int rc = mcpi_endpoint_make_id(http, sse->id);
  rc = rc == 0 ? mcpi_map_add(&http->sse, name_of(sse), sse) : rc;
  return rc == 0 ? sse_start_timer(sse) : rc;
}

static int sse_connect(mcpi_endpoint_sse *sse,
                       const mcp_http_exchange *exchange) {
  const mcp_connection_options options = mcpi_endpoint_sender(exchange);
  sse->refs++; /* the transport's reference */
  return mcpi_endpoint_channel_connect(&sse->channel, &sse->transport, &options,
                                       mcpi_endpoint_grant_of(exchange), 0);
}

static void sse_hide(mcp_http_exchange *exchange) {
  exchange->sse->exchange = NULL;
  exchange->sse = NULL;
}

static void sse_show(mcpi_endpoint_sse *sse, mcp_http_exchange *exchange) {
  exchange->sse = sse;
  exchange->on_done = sse_hide;
  sse->exchange = exchange;
  sse->refs++;
  mcpi_endpoint_begin_events(exchange, NULL, 0);
  if (sse->exchange != NULL && write_endpoint(sse) != 0) {
    mcpi_caller_close(sse->channel.caller, 0);
  }
  sse_unref(sse);
}

static void open(mcp_http_exchange *exchange, mcpi_endpoint_seat *seat) {
  mcpi_endpoint_sse *sse = sse_make(exchange);
  int rc = MCP_ERR_NOMEM;
  if (sse != NULL) {
    sse->seat = *seat;
    rc = sse_enlist(sse);
  } else {
    mcpi_endpoint_seat_give(exchange->http, seat);
  }
  rc = rc == 0 ? sse_connect(sse, exchange) : rc;
  if (rc == 0) {
    mcpi_endpoint_channel_await(&sse->channel);
    sse_show(sse, exchange);
    return;
  }
  if (sse != NULL) {
    sse_forget(sse);
  }
  mcpi_endpoint_refuse(exchange, 500, MCP_RPC_INTERNAL_ERROR, nothing, "%s",
                       mcp_error_text(rc));
}

void mcpi_endpoint_sse_on_get(mcp_http_exchange *exchange) {
  mcpi_endpoint_seat seat;
  mcp_error err;
  if (!mcpi_endpoint_admit_events(exchange)) {
    return;
  }
  int rc = mcpi_endpoint_find_seat(exchange, &seat, &err);
  if (rc == 0) {
    open(exchange, &seat);
  } else {
    mcpi_endpoint_refuse(exchange, rc == MCP_ERR_NOMEM ? 500 : 503,
                         MCP_RPC_INTERNAL_ERROR, nothing, "%s", err.message);
  }
}

/* --- POST ---------------------------------------------------------------- */

static mcpi_endpoint_sse *sse_look_up(const mcp_http_exchange *exchange,
                                      const char *id) {
  mcpi_endpoint_sse *sse =
      mcpi_map_get(&exchange->http->sse, mcpi_str_n(id, strcspn(id, "&")));
  return sse != NULL && mcpi_endpoint_channel_is_of(&sse->channel, exchange)
             ? sse
             : NULL;
}

static mcpi_endpoint_sse *sse_find(const mcpi_endpoint_body *body) {
  mcp_http_exchange *exchange = body->exchange;
  const char *id =
      mcpi_endpoint_sse_id(exchange->http, exchange->request->target);
  if (id == NULL) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                              "sessionId is missing: the event endpoint of the "
                              "stream of events says where to post");
    return NULL;
  }
  mcpi_endpoint_sse *sse = sse_look_up(exchange, id);
  if (sse == NULL) {
    mcpi_endpoint_body_refuse(body, 404, MCP_RPC_INVALID_REQUEST,
                              "no such session: open a new stream of events");
  }
  return sse;
}

static void sse_hand_over(const mcpi_endpoint_body *body,
                          mcpi_endpoint_sse *sse) {
  if (sse->channel.caller == NULL) {
    return;
  }
  mcpi_caller *caller = sse->channel.caller;
  mcpi_grant *before = mcpi_endpoint_lend_grant(body->exchange, caller);
  if (body->is_batch) {
    mcpi_peer_receive_batch(&caller->peer, body->message);
  } else {
    mcpi_peer_receive(&caller->peer, body->message, &body->envelope);
  }
  caller->grant = before;
}

static int sse_admit_batch(const mcpi_endpoint_body *body,
                           mcpi_endpoint_sse *sse) {
  mcpi_peer *peer = &sse->channel.caller->peer;
  if (!body->is_batch || peer->ops->allows_batch(peer)) {
    return 1;
  }
  mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                            "a batch is not allowed here");
  return 0;
}

/* The POST is answered first: a client that has its result may leave, and would
 * take an unanswered POST for a failure. */
void mcpi_endpoint_sse_on_post(mcp_http_exchange *exchange, const char *text,
                               size_t len) {
  mcpi_endpoint_body body = {.exchange = exchange};
  mcpi_endpoint_sse *sse =
      mcpi_endpoint_body_admit(&body, text, len) ? sse_find(&body) : NULL;
  if (sse != NULL &&
      mcpi_endpoint_body_admit_calls(&body, sse->channel.caller) &&
      sse_admit_batch(&body, sse)) {
    sse->refs++;
    mcpi_endpoint_respond(exchange, 202, NULL, nothing, NULL, 0);
    sse_hand_over(&body, sse);
    sse_unref(sse);
  }
  mcpi_message_unref(body.message);
}
