/* SPDX-License-Identifier: MIT */
/* Streams of messages that answer a POST, or that the server sends to a session
 * (MCP, Transports: Streamable HTTP). The choice between JSON and events is
 * made when the first message to the client is known. If that is already the
 * response to the only request of a POST, it is sent as JSON (if the client
 * accepts that), and the HTTP status can say how the request ended. */
#include "endpoint/stream.h"

#include "codec/sse.h"
#include "endpoint/answer.h"
#include "endpoint/channel.h"
#include "endpoint/endpoint.h"
#include "endpoint/event.h"
#include "endpoint/protect.h"
#include "endpoint/session.h"
#include "server/call.h"

static mcpi_endpoint_stream *endpoint_stream_of_sink(mcpi_sink *sink) {
  return MCPI_CONTAINER(sink, mcpi_endpoint_stream, sink);
}

/* --- writing ------------------------------------------------------------ */

static size_t session_header(const mcpi_endpoint_stream *stream,
                             mcp_http_header *header);

static void show_gathered(mcpi_endpoint_stream *stream);

static void endpoint_stream_begin_events(mcpi_endpoint_stream *stream) {
  mcpi_endpoint_session *session = stream->session;
  mcp_http_header id;
  size_t count = session_header(stream, &id);
  if (session != NULL && stream->kind == MCPI_STREAM_POST &&
      stream->number == 0) {
    stream->number = ++session->next_stream;
  }
  mcpi_endpoint_begin_events(stream->exchange, &id, count);
  if (stream->exchange != NULL && mcpi_endpoint_prime(stream) != 0) {
    mcpi_endpoint_stream_break(stream);
  }
  if (stream->exchange != NULL && stream->gathered.len > 0) {
    show_gathered(stream);
  }
}

int mcpi_endpoint_stream_carries(const mcpi_endpoint_stream *stream) {
  const mcp_http_exchange *exchange = stream->exchange;
  if (exchange != NULL) {
    return exchange->stage == MCPI_EXCHANGE_BEGUN ||
           exchange->head.accepts.events;
  }
  return stream->can_resume && stream->session != NULL;
}

/* Handles a message that is not the complete answer: shows it to the client,
 * stores it, or both. Returns 0 or MCP_ERR_GONE. */
static int endpoint_stream_show(mcpi_endpoint_stream *stream,
                                mcpi_str message) {
  if (!mcpi_endpoint_stream_carries(stream)) {
    return MCP_ERR_GONE;
  }
  /* In a session, a client that does not read may come back for stored
   * messages. Asking the responder may end the exchange. */
  if (stream->exchange != NULL && mcpi_endpoint_is_unread(stream->exchange) &&
      stream->exchange != NULL) {
    mcpi_endpoint_stream_break(stream);
  }
  if (stream->exchange != NULL &&
      stream->exchange->stage != MCPI_EXCHANGE_BEGUN) {
    endpoint_stream_begin_events(stream);
  }
  int is_kept = stream->session != NULL;
  int rc = is_kept ? mcpi_endpoint_keep(stream, message) : 0;
  int is_replaying = stream->stage == MCPI_STREAM_REPLAYING ||
                     stream->stage == MCPI_STREAM_PAST;
  int is_shown = stream->exchange != NULL && !is_replaying;
  int is_lost = !is_shown && (!is_kept || rc != 0);
  if (is_shown) {
    if (mcpi_endpoint_write_event(stream, stream->last_seq, message) != 0) {
      mcpi_endpoint_stream_break(stream);
    }
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  if (rc != 0) {
    /* last: the program may send more, into the message's memory */
    mcpi_endpoint_report_lost(stream->http, rc);
  }
  mcpi_endpoint_report_evicted(stream->http);
  return is_lost ? MCP_ERR_GONE : 0;
}

/* If the client's share is exhausted, the buffer fails as without memory. */
static void count_gathered(mcpi_endpoint_stream *stream) {
  mcpi_buf *all = &stream->gathered;
  mcpi_share *share = &stream->share;
  if (!mcpi_share_change(share, mcpi_share_used(share), all->len) &&
      all->error == 0) {
    all->error = MCP_ERR_NOMEM;
  }
}

static void show_gathered(mcpi_endpoint_stream *stream) {
  mcpi_buf all = stream->gathered;
  mcpi_buf_init(&stream->gathered, all.allocator, MCPI_ENDPOINT_UNREAD_BYTES);
  count_gathered(stream);
  mcpi_buf_putc(&all, ']');
  if (all.error != 0) {
    mcpi_endpoint_stream_break(stream);
  } else {
    endpoint_stream_show(stream, mcpi_str_n(all.data, all.len));
  }
  mcpi_buf_deinit(&all);
}

/* Returns the status that the specification gives an error in the modern era.
 * In the legacy era errors have the status 200, and so do errors of handlers:
 * the method exists, whatever code its handler chose. */
static int endpoint_stream_status_of(const mcpi_endpoint_stream *stream,
                                     const mcp_call *call, int rpc_code) {
  int was_handled = call != NULL && call->handler != NULL;
  if (rpc_code != 0 && stream->error_status != 0) {
    return stream->error_status;
  }
  if (stream->kind != MCPI_STREAM_MODERN) {
    return 200;
  }
  switch (rpc_code) {
  case MCP_RPC_METHOD_NOT_FOUND:
    return was_handled ? 200 : 404;
  case MCP_RPC_INVALID_REQUEST:
  case MCP_RPC_HEADER_MISMATCH:
  case MCP_RPC_UNSUPPORTED_VERSION:
    return was_handled ? 200 : 400;
  case MCP_RPC_MISSING_CAPABILITY:
    return 400;
  default:
    return 200;
  }
}

/* If initialize could not open a session, there is no id. */
static size_t session_header(const mcpi_endpoint_stream *stream,
                             mcp_http_header *header) {
  const mcpi_endpoint_session *session = stream->session;
  if (session == NULL || !mcpi_endpoint_session_is_open(session) ||
      session->caller.session == NULL) {
    return 0;
  }
  *header = (mcp_http_header){"Mcp-Session-Id", session->id};
  return 1;
}

static void endpoint_stream_respond(mcpi_endpoint_stream *stream, int status,
                                    mcpi_str message) {
  mcp_http_header id;
  size_t count = session_header(stream, &id);
  mcpi_endpoint_respond_json(stream->exchange, status, message, &id, count);
}

static void endpoint_stream_respond_forbidden(mcpi_endpoint_stream *stream,
                                              const char *scopes,
                                              mcpi_str message) {
  mcp_http_header id;
  size_t count = session_header(stream, &id);
  mcpi_endpoint_respond_forbidden(stream->exchange, scopes, message,
                                  count > 0 ? &id : NULL);
}

/* --- the end ------------------------------------------------------------ */

static void respond_gathered(mcpi_endpoint_stream *stream) {
  mcpi_buf *all = &stream->gathered;
  mcpi_buf_putc(all, ']');
  if (all->error == MCP_ERR_LIMIT) {
    mcpi_endpoint_refuse(
        stream->exchange, 500, MCP_RPC_INTERNAL_ERROR, mcpi_str_z(NULL),
        "the answers to the batch are longer than %d bytes: send "
        "less at once, or accept text/event-stream",
        MCPI_ENDPOINT_UNREAD_BYTES);
  } else if (all->error != 0) {
    mcpi_endpoint_stream_break(stream);
  } else {
    endpoint_stream_respond(stream, 200, mcpi_str_n(all->data, all->len));
  }
}

/* Nothing more comes. If the answer was a single message, it has ended the
 * exchange itself. */
static void endpoint_stream_end_exchange(mcpi_endpoint_stream *stream) {
  mcp_http_exchange *exchange = stream->exchange;
  if (exchange->stage == MCPI_EXCHANGE_BEGUN &&
      stream->kind == MCPI_STREAM_STANDALONE) {
    mcpi_endpoint_close(exchange); /* the session has ended */
  } else if (exchange->stage == MCPI_EXCHANGE_BEGUN) {
    mcpi_endpoint_end(exchange);
  } else if (stream->gathered.len > 0) {
    respond_gathered(stream);
  } else if (exchange->head.accepts.events) {
    endpoint_stream_begin_events(stream);
    if (stream->exchange != NULL) {
      mcpi_endpoint_end(stream->exchange);
    }
  } else {
    mcpi_endpoint_respond(exchange, 202, NULL, mcpi_str_z(NULL), NULL, 0);
  }
}

/* Ends the exchange, and the stream's own caller. The program may end the
 * session in a callback of that. If the caller is `single`, it is freed later:
 * mcpi_caller_closed -> the shard's next sweep -> single_free, which drops the
 * caller's reference to the stream. */
void mcpi_endpoint_stream_end(mcpi_endpoint_stream *stream) {
  mcpi_caller *caller = stream->caller;
  if (stream->stage == MCPI_STREAM_ENDED) {
    return;
  }
  stream->stage = MCPI_STREAM_ENDED;
  stream->caller = NULL;
  mcpi_loop_stop_timer(stream->http->shard->loop, &stream->keepalive);
  mcpi_list_remove(&stream->link);
  if (stream->exchange != NULL) {
    endpoint_stream_end_exchange(stream);
  }
  if (caller == &stream->single) {
    mcpi_caller_closed(caller, NULL);
  }
  mcpi_endpoint_session *session = stream->session;
  stream->session = NULL;
  if (session != NULL) {
    mcpi_endpoint_session_unref(session);
  }
  mcpi_endpoint_stream_unref(stream);
}

void mcpi_endpoint_stream_finish(mcpi_endpoint_stream *stream) {
  if (stream->stage == MCPI_STREAM_REPLAYING) {
    stream->stage = MCPI_STREAM_PAST;
  } else {
    mcpi_endpoint_stream_end(stream);
  }
}

static void endpoint_stream_count_answered(mcpi_endpoint_stream *stream) {
  stream->waiting--;
  if (stream->waiting == 0) {
    mcpi_endpoint_stream_finish(stream);
  }
}

/* --- the sink ----------------------------------------------------------- */

/* The exchange has no request any more if the answer comes late. */
static void endpoint_stream_gather(mcpi_endpoint_stream *stream,
                                   mcpi_str message) {
  const mcpi_identity *identity = stream->caller->identity;
  mcpi_buf *all = &stream->gathered;
  if (stream->share.quota == NULL &&
      mcpi_share_init(&stream->share, stream->http->waiting,
                      identity->principal, identity->peer) != 0) {
    all->error = MCP_ERR_NOMEM;
    return;
  }
  mcpi_buf_putc(all, all->len == 0 ? '[' : ',');
  mcpi_buf_puts(all, message);
  count_gathered(stream);
}

/* A batch gets one batch as its answer, from the answers that are ready at once
 * and not too long, or from all if the client reads no events. */
static int wants_gathering(const mcpi_endpoint_stream *stream, size_t len) {
  const mcpi_endpoint_head *head = &stream->exchange->head;
  int can_wait = stream->stage == MCPI_STREAM_READING &&
                 stream->gathered.len + len < MCPI_ENDPOINT_CONGESTED_BYTES;
  return stream->is_batch && head->accepts.json &&
         (can_wait || !head->accepts.events);
}

/* Sends a response in one of three forms: in the answer to a batch, as the
 * whole answer in JSON, or as an event. It is an event if events have begun, if
 * the client does not accept JSON, or if the answer to a batch does not wait
 * for it (wants_gathering). If there is no exchange, because the client has
 * left, endpoint_stream_show stores the event in the session. */
static int answer_request(mcpi_endpoint_stream *stream, const mcp_call *call,
                          int rpc_code, mcpi_str message) {
  const mcp_http_exchange *exchange = stream->exchange;
  if (exchange == NULL || exchange->stage == MCPI_EXCHANGE_BEGUN) {
    return endpoint_stream_show(stream, message);
  }
  if (wants_gathering(stream, message.len)) {
    endpoint_stream_gather(stream, message);
  } else if (!stream->is_batch && call != NULL && call->needed_scopes != NULL) {
    endpoint_stream_respond_forbidden(stream, call->needed_scopes, message);
  } else if (!stream->is_batch && exchange->head.accepts.json) {
    endpoint_stream_respond(
        stream, endpoint_stream_status_of(stream, call, rpc_code), message);
  } else {
    return endpoint_stream_show(stream, message);
  }
  return 0;
}

static int send_other(mcpi_endpoint_stream *stream, int what,
                      mcpi_str message) {
  int can_be_dropped = what == MCPI_SEND_PROGRESS || what == MCPI_SEND_LOG;
  if (can_be_dropped && stream->exchange != NULL &&
      mcpi_endpoint_is_congested(stream->exchange)) {
    return 0;
  }
  if (stream->exchange != NULL && !mcpi_endpoint_stream_carries(stream)) {
    return 0; /* a client that reads no events gets only the answer */
  }
  return endpoint_stream_show(stream, message);
}

/* Writing to the client may end the stream and drop all other references to
 * it. */
static int endpoint_stream_on_send(mcpi_sink *sink, mcp_call *call, int what,
                                   int rpc_code, const char *message,
                                   size_t len) {
  mcpi_endpoint_stream *stream = endpoint_stream_of_sink(sink);
  mcpi_str text = mcpi_str_n(message, len);
  int rc;
  if (what == MCPI_SEND_FRAGMENT) {
    return MCP_ERR_UNSUPPORTED;
  }
  stream->refs++;
  if (what == MCPI_SEND_RESULT || what == MCPI_SEND_ERROR) {
    rc = answer_request(stream, call, rpc_code, text);
    endpoint_stream_count_answered(stream);
  } else {
    rc = send_other(stream, what, text);
  }
  mcpi_endpoint_stream_unref(stream);
  return rc;
}

static int endpoint_stream_on_ask(mcpi_sink *sink, mcp_call *call,
                                  mcpi_pending *pending, mcpi_str method,
                                  mcpi_str params) {
  mcpi_endpoint_stream *stream = endpoint_stream_of_sink(sink);
  mcpi_endpoint_session *session = stream->session;
  if (mcpi_revision_is_modern(call->context.revision) || session == NULL ||
      !mcpi_endpoint_session_is_open(session)) {
    return MCP_ERR_UNSUPPORTED;
  }
  mcpi_endpoint_stream *before = session->current;
  session->current = stream;
  int rc = mcpi_caller_ask(&session->caller, pending, method, params);
  session->current = before;
  return rc;
}

/* If a call is dropped because the server ends, its client can still learn
 * that. */
static void endpoint_stream_on_ended(mcpi_sink *sink, mcp_call *call) {
  mcpi_endpoint_stream *stream = endpoint_stream_of_sink(sink);
  const mcpi_caller *caller = stream->caller;
  mcp_http_exchange *exchange = stream->exchange;
  stream->refs++;
  if (stream->waiting == 1 && exchange != NULL &&
      exchange->stage != MCPI_EXCHANGE_BEGUN && call != NULL &&
      caller != NULL && caller->is_draining) {
    mcpi_endpoint_refuse(exchange, 503, MCP_RPC_INTERNAL_ERROR,
                         mcpi_str_n(call->id.data, call->id.len),
                         "the server is shutting down");
  }
  endpoint_stream_count_answered(stream);
  mcpi_endpoint_stream_unref(stream);
}

static void write_retry(mcpi_endpoint_stream *stream, uint32_t retry_ms) {
  mcpi_buf text;
  mcpi_buf_init(&text, &stream->http->server->allocator, SIZE_MAX);
  mcpi_sse_put_retry(&text, retry_ms);
  mcpi_buf_putc(&text, '\n');
  if (text.error == 0) {
    mcpi_endpoint_write(stream->exchange, mcpi_str_n(text.data, text.len));
  }
  mcpi_buf_deinit(&text);
}

/* The client comes back and asks for what it has missed. */
static int close_stream(mcpi_endpoint_stream *stream, uint32_t retry_ms) {
  if (!mcpi_endpoint_polls(stream) ||
      (stream->exchange != NULL && !mcpi_endpoint_stream_carries(stream))) {
    return MCP_ERR_UNSUPPORTED;
  }
  if (stream->exchange != NULL &&
      stream->exchange->stage != MCPI_EXCHANGE_BEGUN) {
    endpoint_stream_begin_events(stream);
  }
  if (stream->exchange != NULL && retry_ms > 0) {
    write_retry(stream, retry_ms);
  }
  mcpi_loop_stop_timer(stream->http->shard->loop, &stream->keepalive);
  if (stream->exchange != NULL) {
    mcpi_endpoint_end(stream->exchange);
  }
  return 0;
}

static int on_close_stream(mcpi_sink *sink, uint32_t retry_ms) {
  mcpi_endpoint_stream *stream = endpoint_stream_of_sink(sink);
  stream->refs++;
  int rc = close_stream(stream, retry_ms);
  mcpi_endpoint_stream_unref(stream);
  return rc;
}

static const mcpi_sink_ops sink_ops = {
    .send = endpoint_stream_on_send,
    .ask = endpoint_stream_on_ask,
    .ended = endpoint_stream_on_ended,
    .close_stream = on_close_stream,
};

/* --- silence ------------------------------------------------------------ */

/* Proxies close silent connections. The comment also shows whether the client
 * is still there. */
static void endpoint_stream_on_silent(mcpi_timer *timer) {
  mcpi_endpoint_stream *stream =
      MCPI_CONTAINER(timer, mcpi_endpoint_stream, keepalive);
  mcpi_shard *shard = stream->http->shard;
  mcp_http_exchange *exchange = stream->exchange;
  if (exchange == NULL || (exchange->stage != MCPI_EXCHANGE_BEGUN &&
                           !exchange->head.accepts.events)) {
    return;
  }
  mcpi_shard_enter(shard);
  stream->refs++;
  if (exchange->stage != MCPI_EXCHANGE_BEGUN) {
    endpoint_stream_begin_events(stream);
  }
  if (stream->exchange != NULL) {
    mcpi_endpoint_write(stream->exchange, MCPI_STR(": \n\n"));
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  mcpi_endpoint_stream_unref(stream);
  mcpi_shard_leave(shard);
}

void mcpi_endpoint_stream_begin(mcpi_endpoint_stream *stream) {
  endpoint_stream_begin_events(stream);
  mcpi_endpoint_stream_restart_keepalive(stream);
}

void mcpi_endpoint_stream_restart_keepalive(mcpi_endpoint_stream *stream) {
  const mcp_http_exchange *exchange = stream->exchange;
  if (exchange == NULL) {
    return;
  }
  mcpi_loop_start_timer(stream->http->shard->loop, &stream->keepalive,
                        stream->http->options.keepalive_ms);
  /* A client that can come back must know an event id. */
  if (exchange->stage != MCPI_EXCHANGE_BEGUN && exchange->head.accepts.events &&
      (stream->gathered.len > 0 || mcpi_endpoint_polls(stream))) {
    endpoint_stream_begin_events(stream);
  }
}

/* --- a caller of its own ------------------------------------------------ */

static mcpi_endpoint_stream *endpoint_stream_of_caller(mcpi_caller *caller) {
  return MCPI_CONTAINER(caller, mcpi_endpoint_stream, single);
}

/* A message that is not the answer to the request has no way to the client. */
static int single_send(mcpi_caller *caller, const char *message, size_t len,
                       const mcp_send_info *info) {
  (void)caller;
  (void)message;
  (void)len;
  (void)info;
  return MCP_ERR_CLOSED;
}

static void single_close(mcpi_caller *caller) {
  mcpi_caller_closed(caller, NULL);
}

static void single_free(mcpi_caller *caller) {
  mcpi_endpoint_stream *stream = endpoint_stream_of_caller(caller);
  stream->caller = NULL;
  mcpi_endpoint_stream_unref(stream);
}

static const mcpi_caller_ops single_ops = {
    .send = single_send, .close = single_close, .free = single_free};

int mcpi_endpoint_stream_open(mcp_http_exchange *exchange,
                              mcpi_endpoint_stream_kind kind,
                              mcpi_endpoint_stream **out) {
  mcp_http *http = exchange->http;
  mcpi_caller_rules rules = mcpi_endpoint_rules(http);
  if (!mcpi_endpoint_is_serving(http)) {
    return MCP_ERR_CLOSED;
  }
  mcpi_endpoint_stream *stream = mcpi_endpoint_stream_new(http, kind);
  if (stream == NULL) {
    return MCP_ERR_NOMEM;
  }
  rules.is_single = 1;
  rules.tracks_ids = 0;
  rules.is_stateless = kind == MCPI_STREAM_STATELESS;
  int rc = mcpi_caller_init(&stream->single, http->shard, &single_ops, &rules,
                            exchange->principal, exchange->request->peer);
  if (rc != 0) {
    mcpi_endpoint_stream_unref(stream);
    return rc;
  }
  stream->refs++; /* the caller's reference */
  stream->single.sink = &stream->sink;
  stream->caller = &stream->single;
  *out = stream;
  return 0;
}

/* --- life --------------------------------------------------------------- */

mcpi_endpoint_stream *mcpi_endpoint_stream_new(mcp_http *http,
                                               mcpi_endpoint_stream_kind kind) {
  mcpi_endpoint_stream *stream = http->idle_streams;
  if (stream != NULL) {
    http->idle_streams = stream->next;
    http->idle_stream_count--;
    memset(stream, 0, sizeof(*stream));
  } else {
    stream = mcpi_calloc(&http->server->allocator, 1, sizeof(*stream));
  }
  if (stream != NULL) {
    stream->sink.ops = &sink_ops;
    stream->http = http;
    stream->kind = kind;
    stream->keepalive.on_due = endpoint_stream_on_silent;
    stream->refs = 1;
    mcpi_buf_init(&stream->gathered, &http->server->allocator,
                  MCPI_ENDPOINT_UNREAD_BYTES);
    mcpi_list_init(&stream->link);
    mcpi_endpoint_ref(http);
  }
  return stream;
}

void mcpi_endpoint_stream_recycle(mcpi_endpoint_stream *stream) {
  mcp_http *http = stream->http;
  mcpi_loop_stop_timer(http->shard->loop, &stream->keepalive);
  mcpi_list_remove(&stream->link);
  mcpi_buf_deinit(&stream->gathered);
  mcpi_share_deinit(&stream->share);
  if (http->idle_stream_count >= http->max_idle) {
    mcpi_free(&http->server->allocator, stream, sizeof(*stream));
  } else {
    stream->next = http->idle_streams;
    http->idle_streams = stream;
    http->idle_stream_count++;
  }
  mcpi_endpoint_unref(http);
}

int mcpi_endpoint_stream_send(mcpi_endpoint_stream *stream, const char *message,
                              size_t len) {
  stream->refs++;
  int rc = endpoint_stream_show(stream, mcpi_str_n(message, len));
  mcpi_endpoint_stream_unref(stream);
  return rc;
}

void mcpi_endpoint_stream_hide(mcp_http_exchange *exchange) {
  mcpi_endpoint_stream *stream = exchange->stream;
  exchange->stream = NULL;
  stream->exchange = NULL;
  if (stream->stage == MCPI_STREAM_REPLAYING) {
    stream->stage = MCPI_STREAM_LIVE; /* stored messages wait for the client */
  }
  if (stream->session != NULL) {
    mcpi_endpoint_session_left(stream->session);
  }
  mcpi_endpoint_stream_unref(stream);
}

void mcpi_endpoint_stream_detach(mcpi_endpoint_stream *stream) {
  mcpi_caller *caller = stream->caller;
  mcpi_loop_stop_timer(stream->http->shard->loop, &stream->keepalive);
  if (stream->kind == MCPI_STREAM_MODERN && caller != NULL) {
    mcpi_caller_closed(caller, NULL);
  } else if (stream->stage == MCPI_STREAM_PAST && stream->exchange == NULL) {
    mcpi_endpoint_stream_end(stream); /* a client can resume it */
  }
}

void mcpi_endpoint_stream_break(mcpi_endpoint_stream *stream) {
  stream->refs++;
  mcpi_endpoint_abort(stream->exchange);
  mcpi_endpoint_stream_detach(stream);
  mcpi_endpoint_stream_unref(stream);
}
