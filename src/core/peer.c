/* SPDX-License-Identifier: MIT */
/* One side of a JSON-RPC conversation (MCP, Base Protocol; MCP, Cancellation).
 *
 * When a function has called the owner, the peer may be gone. So each such
 * function has a guard, checks it after each call, and does not touch the peer
 * when the guard says that it is gone. The message outlives these functions:
 * the caller of mcpi_peer_receive holds a reference. */
#include "core/peer.h"

#include "base/error.h"
#include "base/profile.h"
#include "json/inline.h"

#include <stdio.h>

static const mcpi_str nothing = {NULL, 0};

/* --- sending ------------------------------------------------------------ */

int mcpi_peer_send(mcpi_peer *peer, const char *message, size_t len,
                   const mcp_send_info *known) {
  mcp_send_info info = known != NULL ? *known : (mcp_send_info){0};
  info.size = sizeof(info);
  if (peer->state != MCPI_PEER_OPEN) {
    return MCP_ERR_CLOSED;
  }
  return peer->ops->send(peer, message, len, &info);
}

static mcpi_buf *peer_begin(mcpi_peer *peer) {
  mcpi_buf *buf = &peer->loop->scratch;
  mcpi_buf_clear(buf);
  return buf;
}

static int peer_finish(mcpi_peer *peer, mcpi_buf *buf,
                       const mcp_send_info *known) {
  int rc = buf->error;
  if (rc == 0) {
    rc = mcpi_peer_send(peer, buf->data, buf->len, known);
  }
  mcpi_buf_recycle(buf, MCPI_PROFILE_SCRATCH);
  return rc;
}

int mcpi_peer_send_error(mcpi_peer *peer, mcpi_str id_text, int code,
                         mcpi_str message, mcpi_str data) {
  const mcp_send_info info = {
      .kind = MCP_MESSAGE_ERROR, .id = id_text.ptr, .id_len = id_text.len};
  mcpi_buf *buf = peer_begin(peer);
  mcpi_put_error(buf, id_text, code, message, data);
  return peer_finish(peer, buf, &info);
}

static void peer_put_params(mcpi_buf *buf, mcpi_str params) {
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
                           mcpi_str method, mcpi_str params,
                           const mcp_send_info *known) {
  char digits[20];
  mcpi_str id_text = write_digits(digits, pending->id);
  mcp_send_info info = known != NULL ? *known : (mcp_send_info){0};
  info.request = pending->id;
  info.kind = MCP_MESSAGE_REQUEST;
  info.method = method.ptr;
  info.id = id_text.ptr;
  info.id_len = id_text.len;
  mcpi_buf *buf = peer_begin(peer);
  mcpi_put_request_head(buf, id_text, method);
  peer_put_params(buf, params);
  int rc = peer_finish(peer, buf, &info);
  if (rc == 0) {
    pending->was_sent = 1;
  }
  return rc;
}

int mcpi_peer_send_notification(mcpi_peer *peer, mcpi_str method,
                                mcpi_str params, const mcp_send_info *known) {
  mcp_send_info info = known != NULL ? *known : (mcp_send_info){0};
  info.kind = MCP_MESSAGE_NOTIFICATION;
  info.method = method.ptr;
  mcpi_buf *buf = peer_begin(peer);
  mcpi_put_request_head(buf, nothing, method);
  peer_put_params(buf, params);
  return peer_finish(peer, buf, &info);
}

static void peer_send_cancelled(mcpi_peer *peer, uint64_t id, mcpi_str reason) {
  static const char method[] = "notifications/cancelled";
  const mcp_send_info info = {
      .kind = MCP_MESSAGE_NOTIFICATION, .method = method, .cancels = id};
  mcpi_buf *buf = peer_begin(peer);
  mcpi_put_request_head(buf, nothing, mcpi_str_z(method));
  mcpi_buf_lit(buf, ",\"params\":{\"requestId\":");
  mcpi_json_put_uint(buf, id);
  if (reason.len > 0) {
    mcpi_buf_lit(buf, ",\"reason\":");
    mcpi_json_put_string(buf, reason);
  }
  mcpi_buf_lit(buf, "}}");
  peer_finish(peer, buf, &info);
}

void mcpi_peer_send_cancel(mcpi_peer *peer, uint64_t id, mcpi_str reason,
                           int by_abort) {
  int is_aborted = by_abort && peer->state == MCPI_PEER_OPEN &&
                   peer->ops->abort != NULL && peer->ops->abort(peer, id);
  if (!is_aborted) {
    peer_send_cancelled(peer, id, reason);
  }
}

/* --- faults ------------------------------------------------------------- */

void mcpi_peer_report(mcpi_peer *peer, const mcp_error *err) {
  if (peer->ops->on_fault != NULL) {
    peer->ops->on_fault(peer, err);
  }
}

/* A peer that sends garbage and never reads our answers fills our queue; past
 * the queue's limit there is no way to continue in order. */
static void answer_fault(mcpi_peer *peer, mcpi_str id_text, int code,
                         const mcp_error *err) {
  if (!peer->ops->answers_faults) {
    return;
  }
  mcpi_str message = mcpi_str_z(err->message);
  int rc = mcpi_peer_send_error(peer, id_text, code, message, nothing);
  if (rc == MCP_ERR_NOMEM && id_text.len > 0) { /* it may be a long one */
    rc = mcpi_peer_send_error(peer, nothing, code, message, nothing);
  }
  if (rc == MCP_ERR_LIMIT && peer->ops->close != NULL) {
    peer->ops->close(peer);
  }
}

/* Each unreadable message costs an answer and a report, and no honest peer
 * sends many. */
static void count_unreadable(mcpi_peer *peer, const mcp_error *last) {
  mcp_error why;
  if (peer->batch == MCPI_BATCH_COUNTED) {
    return;
  }
  if (peer->batch == MCPI_BATCH_OPEN) {
    peer->batch = MCPI_BATCH_COUNTED;
  }
  if (peer->ops->on_rubbish == NULL || peer->state != MCPI_PEER_OPEN ||
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

/* An unreadable message has no id that can be trusted. */
void mcpi_peer_unreadable(mcpi_peer *peer, const mcp_error *err) {
  mcpi_guard guard;
  if (peer->state != MCPI_PEER_OPEN) {
    return;
  }
  mcpi_guard_enter(&peer->guard, &guard);
  answer_fault(peer, nothing,
               err->code == MCP_ERR_NOMEM ? MCP_RPC_INTERNAL_ERROR
                                          : MCP_RPC_PARSE_ERROR,
               err);
  if (!guard.is_gone) {
    mcpi_peer_report(peer, err);
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
    mcpi_buf_clear(&id_text); /* an incomplete id is not usable */
  }
  mcpi_guard_enter(&peer->guard, &guard);
  if (wants_answer) {
    answer_fault(peer, mcpi_str_n(id_text.data, id_text.len),
                 MCP_RPC_INVALID_REQUEST, &err);
  }
  mcpi_buf_deinit(&id_text);
  if (!guard.is_gone) {
    mcpi_peer_report(peer, &err);
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    count_unreadable(peer, &err);
  }
}

/* --- progress and cancellation ------------------------------------------ */

/* Takes the request that the id names out of the table; NULL if there is none.
 * The scratch buffer is free: nothing is being sent. */
static mcpi_inflight *take_inflight(mcpi_peer *peer, mcpi_id id) {
  if (id.kind != MCPI_ID_NUMBER && id.kind != MCPI_ID_STRING) {
    return NULL;
  }
  mcpi_buf *buf = peer_begin(peer);
  mcpi_id_put(buf, id);
  mcpi_inflight *inflight = NULL;
  if (buf->error == 0) {
    inflight =
        mcpi_map_remove(&peer->inflight, mcpi_str_n(buf->data, buf->len));
  }
  mcpi_buf_clear(buf);
  return inflight;
}

/* A cancellation that comes too late is not a fault: it may cross the
 * answer. */
static void peer_on_cancelled(mcpi_peer *peer, const mcpi_envelope *envelope) {
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

/* The id may already belong to another request: the peer may use it again as
 * soon as it has cancelled the first one. */
void mcpi_peer_untrack(mcpi_peer *peer, mcpi_inflight *inflight) {
  mcpi_map_remove_value(&peer->inflight, inflight->id_text, inflight);
}

/* --- messages that come ------------------------------------------------- */

/* Reports a message that names no request of ours that waits. `what` is "a
 * response to", for example. Such messages are usual after a request was
 * cancelled: they cross the cancellation. */
static void report_stray(mcpi_peer *peer, const char *what,
                         const mcp_json *id) {
  const char *text = mcp_json_string(id);
  int64_t number;
  mcp_error err;
  if (mcp_json_try_int(id, &number) == 0) {
    int was_sent = number > 0 && (uint64_t)number < peer->pending.next_id;
    mcp_error_set(&err, MCP_ERR_NOT_FOUND, "%s request %lld, which %s", what,
                  (long long)number, was_sent ? "has ended" : "was never sent");
  } else if (text != NULL) {
    mcp_error_set(&err, MCP_ERR_NOT_FOUND, "%s the unknown request \"%s\"",
                  what, text);
  } else {
    mcp_error_set(&err, MCP_ERR_NOT_FOUND, "%s an unknown request", what);
  }
  mcpi_peer_report(peer, &err);
}

static void peer_on_notification(mcpi_peer *peer, mcpi_message *message,
                                 const mcpi_envelope *envelope) {
  if (mcpi_str_eq(envelope->method, MCPI_STR("notifications/progress"))) {
    if (!mcpi_pending_progress(&peer->pending, envelope->params)) {
      report_stray(peer, "progress of",
                   mcp_json_get(envelope->params, "progressToken"));
    }
  } else if (mcpi_str_eq(envelope->method,
                         MCPI_STR("notifications/cancelled"))) {
    peer_on_cancelled(peer, envelope);
  } else {
    peer->ops->on_notification(peer, message, envelope);
  }
}

/* Answers a request that the peer waits for. Other messages get no answer, so
 * that two peers never send each other errors without end. If there is no room
 * for an answer, it is dropped. */
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
  if (envelope->duplicate != NULL && !envelope->wants_answer &&
      envelope->id.kind == MCPI_ID_NUMBER) {
    mcpi_str name = mcpi_json_text(envelope->duplicate); /* may contain NUL */
    mcp_error_set(&err, MCP_ERR_PROTOCOL, "an invalid response: %s: \"%.*s\"",
                  envelope->reason, (int)(name.len < 40 ? name.len : 40),
                  name.ptr);
    mcpi_pending_fail_reply(&peer->pending, envelope, &err);
  } else {
    answer_call(peer, envelope);
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    on_invalid(peer, envelope->id, envelope->reason, envelope->wants_answer);
  }
}

/* An error without an id says that the peer could not read a message of
 * ours. */
static void on_stray_response(mcpi_peer *peer, const mcpi_envelope *envelope) {
  mcp_error err;
  if (envelope->kind == MCPI_ERROR && envelope->id.kind <= MCPI_ID_NULL) {
    mcpi_read_remote_error(envelope->error, &err);
    mcpi_peer_report(peer, &err);
  } else {
    report_stray(peer, "a response to", envelope->id.value);
  }
}

static void receive_envelope(mcpi_peer *peer, mcpi_message *message,
                             const mcpi_envelope *envelope) {
  if (envelope->kind != MCPI_INVALID) {
    peer->unreadable_count = 0;
  }
  switch (envelope->kind) {
  case MCPI_REQUEST:
    peer->ops->on_request(peer, message, envelope);
    break;
  case MCPI_NOTIFICATION:
    peer_on_notification(peer, message, envelope);
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
  if (peer->state == MCPI_PEER_OPEN) {
    receive_envelope(peer, message, envelope);
  }
}

static void lack_memory(mcpi_peer *peer) {
  mcp_error err;
  mcpi_no_memory(&err);
  mcpi_peer_unreadable(peer, &err);
}

/* Handles one message, or one element of a batch. Returns 1; 0: there was no
 * memory to read it. */
static int receive_one(mcpi_peer *peer, mcpi_message *message,
                       const mcp_json *value) {
  mcpi_envelope envelope;
  int rc = mcpi_envelope_read(&envelope, value, &peer->loop->allocator,
                              peer->loop->hash_seed);
  if (rc != 0) {
    lack_memory(peer);
    return 0;
  }
  receive_envelope(peer, message, &envelope);
  return 1;
}

static size_t receive_elements(mcpi_peer *peer, mcpi_message *message) {
  mcpi_guard guard;
  mcp_json_iter iter;
  const mcp_json *value;
  size_t lost = 0;
  peer->batch = MCPI_BATCH_OPEN;
  mcpi_guard_enter(&peer->guard, &guard);
  mcp_json_iter_init(&iter, message->root);
  while (!guard.is_gone && peer->state == MCPI_PEER_OPEN &&
         (value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!receive_one(peer, message, value)) {
      lost += mcp_json_get(value, "id") != NULL &&
              mcp_json_get(value, "method") != NULL;
    }
  }
  if (mcpi_guard_leave(&peer->guard, &guard)) {
    peer->batch = MCPI_BATCH_NONE;
  }
  return lost;
}

void mcpi_peer_receive_object(mcpi_peer *peer, mcpi_message *message) {
  if (peer->state == MCPI_PEER_OPEN) {
    receive_one(peer, message, message->root);
  }
}

size_t mcpi_peer_receive_batch(mcpi_peer *peer, mcpi_message *message) {
  const mcpi_id no_id = {MCPI_ID_NONE, NULL};
  char too_many[64];
  if (peer->state != MCPI_PEER_OPEN) {
    return 0;
  }
  int allowed =
      peer->ops->allows_batch != NULL && peer->ops->allows_batch(peer);
  if (!allowed) {
    on_invalid(peer, no_id, "a batch is not allowed here", 1);
  } else if (mcp_json_size(message->root) == 0) {
    on_invalid(peer, no_id, "an empty batch", 1);
  } else if (mcp_json_size(message->root) > peer->limits.max_batch) {
    snprintf(too_many, sizeof(too_many), "a batch of more than %zu messages",
             peer->limits.max_batch);
    on_invalid(peer, no_id, too_many, 1);
  } else {
    return receive_elements(peer, message);
  }
  return 0;
}

/* --- life --------------------------------------------------------------- */

void mcpi_peer_init(mcpi_peer *peer, mcp_loop *loop, const mcpi_peer_ops *ops,
                    const mcpi_peer_limits *limits) {
  *peer = (mcpi_peer){.loop = loop, .ops = ops, .limits = *limits};
  mcpi_pending_table_init(&peer->pending, loop, limits->max_pending);
  mcpi_map_init(&peer->inflight, &loop->allocator, loop->hash_seed);
}

/* The new peer has not made these requests, and begins its ids again. */
static void cancel_inflight(mcpi_peer *peer, const mcpi_guard *guard) {
  for (size_t left = peer->inflight.count;
       left > 0 && !guard->is_gone && peer->inflight.count > 0; left--) {
    size_t index = 0;
    mcpi_inflight *inflight = mcpi_map_next(&peer->inflight, &index);
    mcpi_map_remove(&peer->inflight, inflight->id_text);
    inflight->on_cancel(inflight, MCPI_STR("the peer was restarted"));
  }
}

int mcpi_peer_restart(mcpi_peer *peer) {
  mcpi_guard guard;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the peer was restarted");
  mcpi_guard_enter(&peer->guard, &guard);
  mcpi_pending_fail_all(&peer->pending, &err);
  if (!guard.is_gone) {
    cancel_inflight(peer, &guard);
  }
  return mcpi_guard_leave(&peer->guard, &guard);
}

/* Most peers end with nothing pending; then the text of the error is not
 * written. */
int mcpi_peer_end(mcpi_peer *peer, const mcp_error *why) {
  mcpi_guard guard;
  mcp_error err;
  peer->state = MCPI_PEER_CLOSED;
  if (mcpi_list_is_empty(&peer->pending.waiting)) {
    return 1;
  }
  mcp_error_set(&err, MCP_ERR_CLOSED, "the peer closed the connection");
  if (why != NULL && why->code != 0) {
    err = *why;
    err.code = MCP_ERR_CLOSED;
  }
  mcpi_guard_enter(&peer->guard, &guard);
  mcpi_pending_fail_all(&peer->pending, &err);
  return mcpi_guard_leave(&peer->guard, &guard);
}

void mcpi_peer_deinit(mcpi_peer *peer) {
  mcpi_guard_trip(peer->guard);
  peer->guard = NULL;
  peer->state = MCPI_PEER_CLOSED;
  mcpi_pending_table_deinit(&peer->pending);
  mcpi_map_deinit(&peer->inflight);
}
