/* SPDX-License-Identifier: MIT */
/* One side of a JSON-RPC conversation (PROTOCOL 1, 6.2).
 *
 * Whatever calls the owner may find the peer gone afterwards. So every function
 * that the transport calls holds a guard, asks it after each call out, and
 * touches nothing of the peer once it says so; the message itself is kept by a
 * reference of its own. */
#include "core/peer.h"

#include "core/redact.h"

#include <stdio.h>

enum {
  /* Memory of the loop's scratch buffer that is kept between messages. */
  SCRATCH_KEPT = 64 * 1024
};

static const mcpi_str nothing = {NULL, 0};

/* --- sending ------------------------------------------------------------ */

static int send_with(mcpi_peer *peer, const char *message, size_t len,
                     const mcp_send_info *info) {
  if (!peer->is_open || peer->is_closing) {
    return MCP_ERR_CLOSED;
  }
  return peer->transport->send(peer->transport, message, len, info);
}

int mcpi_peer_send(mcpi_peer *peer, const char *message, size_t len,
                   uint64_t request) {
  const mcp_send_info info = {.size = sizeof(info), .request = request};
  return send_with(peer, message, len, &info);
}

static mcpi_buf *begin(mcpi_peer *peer) {
  mcpi_buf *buf = &peer->loop->scratch;
  mcpi_buf_clear(buf);
  return buf;
}

static int finish_with(mcpi_peer *peer, mcpi_buf *buf,
                       const mcp_send_info *info) {
  int rc = buf->error;
  if (rc == 0) {
    rc = send_with(peer, buf->data, buf->len, info);
  }
  mcpi_buf_trim(buf, SCRATCH_KEPT);
  return rc;
}

static int finish(mcpi_peer *peer, mcpi_buf *buf) {
  const mcp_send_info info = {.size = sizeof(info)};
  return finish_with(peer, buf, &info);
}

int mcpi_peer_send_error(mcpi_peer *peer, mcpi_str id_text, int code,
                         mcpi_str message, mcpi_str data) {
  mcpi_buf *buf = begin(peer);
  mcpi_put_error(buf, id_text, code, message, data);
  return finish(peer, buf);
}

static void put_params(mcpi_buf *buf, mcpi_str params) {
  if (params.len > 0) {
    mcpi_buf_lit(buf, ",\"params\":");
    mcpi_buf_puts(buf, params);
  }
  mcpi_buf_putc(buf, '}');
}

static mcpi_str write_digits(char digits[20], uint64_t number) {
  size_t at = 20;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return mcpi_str_n(digits + at, 20 - at);
}

int mcpi_peer_send_request(mcpi_peer *peer, mcpi_pending *pending,
                           mcpi_str method, mcpi_str params) {
  char digits[20];
  uint64_t id = pending->id;
  const mcp_send_info info = {.size = sizeof(info),
                              .request = id,
                              .headers = pending->headers,
                              .header_count = pending->header_count,
                              .is_idempotent = pending->is_idempotent,
                              .is_final = pending->is_final};
  mcpi_buf *buf = begin(peer);
  mcpi_put_request_head(buf, write_digits(digits, id), method);
  put_params(buf, params);
  int rc = finish_with(peer, buf, &info);
  if (rc == 0) {
    pending->was_sent = 1;
  }
  return rc;
}

int mcpi_peer_send_notification(mcpi_peer *peer, mcpi_str method,
                                mcpi_str params) {
  mcpi_buf *buf = begin(peer);
  mcpi_put_request_head(buf, nothing, method);
  put_params(buf, params);
  return finish(peer, buf);
}

static void send_cancelled(mcpi_peer *peer, uint64_t id, mcpi_str reason) {
  mcpi_buf *buf = begin(peer);
  mcpi_put_request_head(buf, nothing, MCPI_STR("notifications/cancelled"));
  mcpi_buf_lit(buf, ",\"params\":{\"requestId\":");
  mcpi_json_put_uint(buf, id);
  if (reason.len > 0) {
    mcpi_buf_lit(buf, ",\"reason\":");
    mcpi_json_put_string(buf, reason);
  }
  mcpi_buf_lit(buf, "}}");
  finish(peer, buf);
}

void mcpi_peer_send_cancel(mcpi_peer *peer, uint64_t id, mcpi_str reason,
                           int by_abort) {
  mcp_transport *transport = peer->transport;
  if (!by_abort || transport->abort == NULL ||
      (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) == 0) {
    send_cancelled(peer, id, reason);
  } else if (peer->is_open && !peer->is_closing) {
    transport->abort(transport, id);
  }
}

/* --- faults ------------------------------------------------------------- */

static void report(mcpi_peer *peer, const mcp_error *err) {
  if (peer->ops->on_fault != NULL) {
    peer->ops->on_fault(peer, err);
  }
}

/* A peer that sends rubbish and never reads what we say to it fills our queue;
 * past its limit there is no way to go on in order. */
static void answer_fault(mcpi_peer *peer, mcpi_str id_text, int code,
                         const mcp_error *err) {
  if (peer->ops->answers_faults &&
      mcpi_peer_send_error(peer, id_text, code, mcpi_str_z(err->message),
                           nothing) == MCP_ERR_LIMIT) {
    mcpi_peer_close(peer);
  }
}

/* Each costs us an answer and a report, and no peer that means well sends
 * many. */
static void count_unreadable(mcpi_peer *peer, const mcp_error *last) {
  mcp_error why;
  if (peer->batch == MCPI_BATCH_COUNTED) {
    return;
  }
  if (peer->batch == MCPI_BATCH_OPEN) {
    peer->batch = MCPI_BATCH_COUNTED;
  }
  if (peer->ops->on_rubbish == NULL || !peer->is_open || peer->is_closing ||
      peer->unreadable_count++ < peer->limits.max_unreadable) {
    return;
  }
  mcp_error_set(
      &why, MCP_ERR_PROTOCOL,
      "closed: more than %lu messages in a row could not be read; the "
      "last: %s",
      (unsigned long)peer->limits.max_unreadable, last->message);
  peer->ops->on_rubbish(peer, &why);
}

/* What could not even be parsed has no id that could be trusted. */
static void on_unreadable(mcpi_peer *peer, const mcp_error *err) {
  mcpi_guard guard;
  mcpi_guard_enter(&peer->guard, &guard);
  answer_fault(peer, nothing,
               err->code == MCP_ERR_NOMEM ? MCP_RPC_INTERNAL_ERROR
                                          : MCP_RPC_PARSE_ERROR,
               err);
  if (!guard.is_gone) {
    report(peer, err);
  }
  if (mcpi_guard_leave(&peer->guard, &guard) && err->code != MCP_ERR_NOMEM) {
    count_unreadable(peer, err);
  }
}

static void on_invalid(mcpi_peer *peer, mcpi_id id, const char *reason,
                       int wants_answer) {
  mcpi_guard guard;
  mcpi_buf id_text;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL, "%s", reason);
  mcpi_buf_init(&id_text, &peer->loop->allocator, SIZE_MAX);
  if (id.kind != MCPI_ID_NONE) {
    mcpi_id_put(&id_text, id);
  }
  if (id_text.error != 0) {
    mcpi_buf_clear(&id_text); /* half an id is none */
  }
  mcpi_guard_enter(&peer->guard, &guard);
  if (wants_answer) {
    answer_fault(peer, mcpi_str_n(id_text.data, id_text.len),
                 MCP_RPC_INVALID_REQUEST, &err);
  }
  mcpi_buf_deinit(&id_text);
  if (!guard.is_gone) {
    report(peer, &err);
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    count_unreadable(peer, &err);
  }
}

/* --- progress and cancellation ------------------------------------------ */

static void on_progress(mcpi_peer *peer, const mcpi_envelope *envelope) {
  if (!mcpi_pending_progress(&peer->pending, envelope->params)) {
    mcp_error err;
    mcp_error_set(&err, MCP_ERR_NOT_FOUND, "progress of no request of ours");
    report(peer, &err);
  }
}

/* Takes the request that the id names out of the table; NULL when there is
 * none. The scratch buffer is free: nothing is being sent. */
static mcpi_inflight *take_inflight(mcpi_peer *peer, mcpi_id id) {
  if (id.kind != MCPI_ID_NUMBER && id.kind != MCPI_ID_STRING) {
    return NULL;
  }
  mcpi_buf *buf = begin(peer);
  mcpi_id_put(buf, id);
  mcpi_inflight *inflight = NULL;
  if (buf->error == 0) {
    inflight =
        mcpi_map_remove(&peer->inflight, mcpi_str_n(buf->data, buf->len));
  }
  mcpi_buf_clear(buf);
  return inflight;
}

/* A cancellation that comes too late is no fault: the two cross on the way. */
static void on_cancelled(mcpi_peer *peer, const mcpi_envelope *envelope) {
  mcpi_id id = mcpi_id_read(mcp_json_get(envelope->params, "requestId"));
  mcpi_inflight *inflight = take_inflight(peer, id);
  if (inflight != NULL) {
    inflight->on_cancel(inflight,
                        mcpi_json_member_str(envelope->params, "reason"));
  }
}

int mcpi_peer_track(mcpi_peer *peer, mcpi_inflight *inflight) {
  if (peer->inflight.count >= peer->limits.max_inflight) {
    return mcpi_map_get(&peer->inflight, inflight->id_text) != NULL
               ? MCP_ERR_EXISTS
               : MCP_ERR_LIMIT;
  }
  return mcpi_map_add(&peer->inflight, inflight->id_text, inflight);
}

/* By then the id may be another request's: the peer may use one again as soon
 * as it has cancelled it. */
void mcpi_peer_untrack(mcpi_peer *peer, mcpi_inflight *inflight) {
  mcpi_map_remove_value(&peer->inflight, inflight->id_text, inflight);
}

/* --- messages that come ------------------------------------------------- */

static void on_notification(mcpi_peer *peer, mcpi_message *message,
                            const mcpi_envelope *envelope) {
  if (mcpi_str_eq(envelope->method, MCPI_STR("notifications/progress"))) {
    on_progress(peer, envelope);
  } else if (mcpi_str_eq(envelope->method,
                         MCPI_STR("notifications/cancelled"))) {
    on_cancelled(peer, envelope);
  } else {
    peer->ops->on_notification(peer, message, envelope);
  }
}

/* A request that the peer waits for. What is no request gets no answer, so that
 * two peers never send each other errors without end. An answer that finds no
 * room is dropped. */
static void answer_call(mcpi_peer *peer, const mcpi_envelope *envelope) {
  mcpi_buf id_text;
  if (peer->ops->answers_calls == NULL || !envelope->is_call ||
      !peer->ops->answers_calls(peer)) {
    return;
  }
  mcpi_buf_init(&id_text, &peer->loop->allocator, SIZE_MAX);
  mcpi_id_put(&id_text, envelope->id);
  if (id_text.error == 0) {
    mcpi_peer_send_error(peer, mcpi_str_n(id_text.data, id_text.len),
                         MCP_RPC_INVALID_REQUEST, mcpi_str_z(envelope->reason),
                         nothing);
  }
  mcpi_buf_deinit(&id_text);
}

/* A response with a member that occurs twice is not read, and no other will
 * come: its request fails. */
static void on_invalid_message(mcpi_peer *peer, const mcpi_envelope *envelope) {
  mcpi_guard guard;
  mcp_error err;
  mcpi_guard_enter(&peer->guard, &guard);
  if (envelope->has_double && !envelope->wants_answer &&
      envelope->id.kind == MCPI_ID_NUMBER) {
    mcp_error_set(&err, MCP_ERR_PROTOCOL, "an invalid response: %s",
                  envelope->reason);
    mcpi_pending_fail_reply(&peer->pending, envelope, &err);
  } else {
    answer_call(peer, envelope);
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    on_invalid(peer, envelope->id, envelope->reason, envelope->wants_answer);
  }
}

/* Late answers to what was given up are usual. An error without an id is the
 * peer's word that it could not read something of ours. */
static void on_stray_response(mcpi_peer *peer, const mcpi_envelope *envelope) {
  mcp_error err;
  if (envelope->kind == MCPI_ERROR && envelope->id.kind <= MCPI_ID_NULL) {
    mcpi_read_remote_error(envelope->error, &err);
  } else {
    mcp_error_set(&err, MCP_ERR_NOT_FOUND, "a response to no request of ours");
  }
  report(peer, &err);
}

static void dispatch(mcpi_peer *peer, mcpi_message *message,
                     const mcpi_envelope *envelope) {
  if (envelope->kind != MCPI_INVALID) {
    peer->unreadable_count = 0;
  }
  switch (envelope->kind) {
  case MCPI_REQUEST:
    peer->ops->on_request(peer, message, envelope);
    break;
  case MCPI_NOTIFICATION:
    on_notification(peer, message, envelope);
    break;
  case MCPI_RESULT:
  case MCPI_ERROR:
    if (!mcpi_pending_reply(&peer->pending, message, envelope)) {
      on_stray_response(peer, envelope);
    }
    break;
  default:
    on_invalid_message(peer, envelope);
    break;
  }
}

void mcpi_peer_receive(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope) {
  if (peer->is_open && !peer->is_closing) {
    dispatch(peer, message, envelope);
  }
}

/* One message, or one element of a batch. */
static void handle(mcpi_peer *peer, mcpi_message *message,
                   const mcp_json *value) {
  mcpi_envelope envelope;
  int rc = mcpi_envelope_read(&envelope, value, &peer->loop->allocator,
                              peer->loop->hash_seed);
  if (rc != 0) {
    mcp_error err;
    mcp_error_set(&err, rc, "out of memory");
    on_unreadable(peer, &err);
    return;
  }
  dispatch(peer, message, &envelope);
}

static void handle_batch(mcpi_peer *peer, mcpi_message *message) {
  mcpi_guard guard;
  mcp_json_iter iter;
  const mcp_json *value;
  peer->batch = MCPI_BATCH_OPEN;
  mcpi_guard_enter(&peer->guard, &guard);
  mcp_json_iter_init(&iter, message->root);
  while (!guard.is_gone && peer->is_open && !peer->is_closing &&
         (value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    handle(peer, message, value);
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    peer->batch = MCPI_BATCH_NONE;
  }
}

static void handle_array(mcpi_peer *peer, mcpi_message *message) {
  const mcpi_id no_id = {MCPI_ID_NONE, NULL};
  char too_many[64];
  int allowed =
      peer->ops->allows_batch != NULL && peer->ops->allows_batch(peer);
  if (!allowed) {
    on_invalid(peer, no_id, "a batch, where none is allowed", 1);
  } else if (mcp_json_size(message->root) == 0) {
    on_invalid(peer, no_id, "an empty batch", 1);
  } else if (mcp_json_size(message->root) > peer->limits.max_batch) {
    snprintf(too_many, sizeof(too_many), "a batch of more than %zu messages",
             peer->limits.max_batch);
    on_invalid(peer, no_id, too_many, 1);
  } else {
    handle_batch(peer, message);
  }
}

static void on_message(mcp_transport *transport, const char *bytes,
                       size_t len) {
  mcpi_peer *peer = transport->owner;
  if (!peer->is_open || peer->is_closing) {
    return;
  }
  mcpi_message *message = NULL;
  mcp_error err;
  int rc = mcpi_message_parse(&message, &peer->loop->pool, bytes, len,
                              &peer->limits.message, &err);
  /* A program that prints where it should speak has to be found: its own words
   * say best who it was. What is answered to the far side has them not. */
  if (rc == MCP_ERR_PARSE && !peer->ops->answers_faults) {
    mcpi_redact_quote(&peer->loop->allocator, mcpi_str_n(bytes, len), &err);
  }
  peer->message_count += rc == 0;
  if (rc != 0) {
    on_unreadable(peer, &err);
  } else if (mcp_json_type(message->root) == MCP_JSON_ARRAY) {
    handle_array(peer, message);
  } else {
    handle(peer, message, message->root);
  }
  mcpi_message_unref(message);
}

/* --- what becomes of the transport -------------------------------------- */

/* A line too long, one that there was no memory for, or bytes that are no
 * message: for the peer the same as one that cannot be parsed. */
static void on_error(mcp_transport *transport, const mcp_error *err) {
  mcpi_peer *peer = transport->owner;
  if (!peer->is_open || peer->is_closing) {
    return;
  }
  if (err->code == MCP_ERR_LIMIT || err->code == MCP_ERR_PARSE ||
      err->code == MCP_ERR_NOMEM) {
    on_unreadable(peer, err);
  } else {
    report(peer, err);
  }
}

static void on_open(mcp_transport *transport) {
  mcpi_peer *peer = transport->owner;
  if (peer->is_open && !peer->is_closing && peer->is_opening) {
    peer->is_opening = 0;
    peer->ops->on_open(peer);
  }
}

/* What our peer had asked of us is of no interest to its successor, whose ids
 * begin anew. */
static void cancel_inflight(mcpi_peer *peer, const mcpi_guard *guard) {
  for (size_t left = peer->inflight.count;
       left > 0 && !guard->is_gone && peer->inflight.count > 0; left--) {
    size_t index = 0;
    mcpi_inflight *inflight = mcpi_map_next(&peer->inflight, &index);
    mcpi_map_remove(&peer->inflight, inflight->id_text);
    inflight->on_cancel(inflight, MCPI_STR("the peer was restarted"));
  }
}

static void on_restart(mcp_transport *transport) {
  mcpi_peer *peer = transport->owner;
  mcpi_guard guard;
  mcp_error err;
  if (!peer->is_open || peer->is_closing) {
    return;
  }
  mcp_error_set(&err, MCP_ERR_CLOSED, "the peer was restarted");
  mcpi_guard_enter(&peer->guard, &guard);
  mcpi_pending_fail_all(&peer->pending, &err);
  if (!guard.is_gone) {
    cancel_inflight(peer, &guard);
  }
  if (mcpi_guard_leave(&peer->guard, &guard) && peer->is_open &&
      peer->ops->on_restart != NULL) {
    peer->ops->on_restart(peer);
  }
}

static void on_request_failed(mcp_transport *transport, uint64_t request,
                              const mcp_error *err) {
  mcpi_peer *peer = transport->owner;
  if (peer->is_open && !peer->is_closing) {
    mcpi_pending_fail(&peer->pending, request, err);
  }
}

static void on_request_refused(mcp_transport *transport, uint64_t request,
                               const mcp_error *err) {
  mcpi_peer *peer = transport->owner;
  if (peer->is_open && !peer->is_closing) {
    mcpi_pending_refuse(&peer->pending, request, err);
  }
}

static int is_waiting(mcp_transport *transport, uint64_t request) {
  mcpi_peer *peer = transport->owner;
  return peer->is_open && !peer->is_closing &&
         mcpi_pending_find(&peer->pending, request) != NULL;
}

static void on_end(mcp_transport *transport) {
  mcpi_peer *peer = transport->owner;
  if (peer->is_open && !peer->is_closing) {
    peer->ops->on_end(peer);
  }
}

/* A modern HTTP request has a peer that closes with it and has no pending
 * request: formatting an error text for it would cost 763 instructions. */
static void fail_pending(mcpi_peer *peer, const mcp_error *why) {
  mcp_error err;
  if (mcpi_list_is_empty(&peer->pending.waiting)) {
    return;
  }
  mcp_error_set(&err, MCP_ERR_CLOSED, "the far side closed the connection");
  if (why != NULL && why->code != 0) {
    err = *why;
    err.code = MCP_ERR_CLOSED;
  }
  mcpi_pending_fail_all(&peer->pending, &err);
}

static void on_close(mcp_transport *transport, const mcp_error *why) {
  mcpi_peer *peer = transport->owner;
  mcpi_guard guard;
  if (!peer->is_open) {
    return;
  }
  peer->is_open = 0;
  mcpi_guard_enter(&peer->guard, &guard);
  fail_pending(peer, why);
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    peer->ops->on_closed(peer, why);
  }
}

/* --- life --------------------------------------------------------------- */

void mcpi_peer_init(mcpi_peer *peer, mcp_loop *loop, mcp_transport *transport,
                    const mcpi_peer_ops *ops, const mcpi_peer_limits *limits) {
  *peer = (mcpi_peer){
      .loop = loop, .transport = transport, .ops = ops, .limits = *limits};
  mcpi_pending_table_init(&peer->pending, loop, limits->max_pending);
  mcpi_map_init(&peer->inflight, &loop->allocator, loop->hash_seed);
}

int mcpi_peer_start(mcpi_peer *peer, const char *const *versions,
                    size_t version_count, mcp_error *err) {
  mcp_transport *transport = peer->transport;
  int rc = mcpi_transport_check(transport, err);
  if (rc != 0) {
    return rc;
  }
  transport->owner = peer;
  transport->on_message = on_message;
  transport->on_error = on_error;
  transport->on_close = on_close;
  transport->on_restart = on_restart;
  transport->on_open = peer->ops->on_open != NULL ? on_open : NULL;
  transport->on_end = peer->ops->on_end != NULL ? on_end : NULL;
  transport->on_request_failed = on_request_failed;
  transport->on_request_refused = on_request_refused;
  transport->is_waiting = is_waiting;
  if (transport->set_supported_versions != NULL && version_count > 0) {
    transport->set_supported_versions(transport, versions, version_count);
  }
  /* Before start, which may already deliver. */
  peer->is_open = 1;
  peer->is_opening = (transport->flags & MCP_TRANSPORT_OPENS_LATER) != 0;
  rc = transport->start(transport, err);
  if (rc != 0) {
    peer->is_open = 0;
  }
  return rc;
}

void mcpi_peer_close(mcpi_peer *peer) {
  if (peer->is_open && !peer->is_closing) {
    peer->is_closing = 1;
    peer->transport->close(peer->transport);
  }
}

static void ignore_message(mcp_transport *transport, const char *bytes,
                           size_t len) {
  (void)transport;
  (void)bytes;
  (void)len;
}

static void ignore_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void ignore_restart(mcp_transport *transport) {
  (void)transport;
}

static void ignore_failure(mcp_transport *transport, uint64_t request,
                           const mcp_error *err) {
  (void)transport;
  (void)request;
  (void)err;
}

static int waits_no_more(mcp_transport *transport, uint64_t request) {
  (void)transport;
  (void)request;
  return 0;
}

static void release_ended(mcp_transport *transport, const mcp_error *err) {
  (void)err;
  mcp_transport_free(transport);
}

/* A transport that was started may be released only when it has ended, and by
 * then the peer is gone. */
static void abandon(mcp_transport *transport, int is_closing) {
  transport->owner = NULL;
  transport->on_message = ignore_message;
  transport->on_error = ignore_error;
  transport->on_close = release_ended;
  transport->on_restart = ignore_restart;
  transport->on_open = NULL;
  transport->on_end = NULL;
  transport->on_request_failed = ignore_failure;
  transport->on_request_refused = ignore_failure;
  transport->is_waiting = waits_no_more;
  if (!is_closing) {
    transport->close(transport);
  }
}

const char *mcpi_peer_session_id(const mcpi_peer *peer) {
  mcp_transport *transport = peer->transport;
  return transport != NULL && transport->session_id != NULL
             ? transport->session_id(transport)
             : NULL;
}

void mcpi_peer_deinit(mcpi_peer *peer) {
  mcp_transport *transport = peer->transport;
  int was_open = peer->is_open;
  mcpi_guard_trip(peer->guard);
  peer->guard = NULL;
  peer->transport = NULL;
  peer->is_open = 0;
  mcpi_pending_table_deinit(&peer->pending);
  mcpi_map_deinit(&peer->inflight);
  if (was_open) {
    abandon(transport, peer->is_closing);
  } else {
    mcp_transport_free(transport);
  }
}
