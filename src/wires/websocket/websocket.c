/* SPDX-License-Identifier: MIT */
/* Messages over a WebSocket (RFC 6455). */
#include "wires/websocket/websocket.h"

#include "base/error.h"
#include "base/list.h"
#include "core/guard.h"
#include "core/loop.h"
#include "wires/websocket/frames.h"

#include <assert.h>

enum {
  /* Replies to messages that arrive together are sent together. They are sent
   * when there are this many bytes, and in any case when the loop's clock has
   * moved on by a millisecond. */
  CORK_BYTES = 64 * 1024,
  /* Up to this length a message is copied, to make one piece with the head of
   * its frame. A client copies longer ones too, since it must mask them. */
  COPIED_MESSAGE = 16 * 1024,
  /* After our close frame we read on until the peer's close frame, because the
   * peer may have sent messages before it saw ours. After this many bytes we
   * close the connection without waiting any longer. */
  CLOSING_BYTES = 1024 * 1024,
  /* If a timer is this late, a callback has blocked the loop. Then bytes of the
   * peer may wait unread in the socket, so the peer gets its time again. */
  LATE_MS = 1000
};

typedef enum state { NEW, CONNECTING, OPEN, CLOSING, CLOSED } state;

struct mcpi_websocket {
  mcp_transport base;
  mcp_loop *loop;
  mcpi_websocket_options options;
  char *origin;
  const mcpi_ws_channel *ops;
  void *channel; /* NULL: it has ended */
  state state;
  mcpi_ws_frames frames;
  mcpi_guard *guard;

  mcpi_blockbuf held; /* frames that the channel does not have yet */
  int is_corked;
  int64_t corked_ms; /* when the first frame in `held` was put there */
  uint8_t pong[MCPI_WS_CONTROL_MAX]; /* a pong that waits for its turn */
  size_t pong_len;
  int has_pong;
  int refused; /* why the last message could not be sent; 0: it was sent */

  mcpi_timer timer;
  int64_t heard_ms;   /* when the peer last sent or read bytes */
  int64_t pinged_ms;  /* -1: no pong is expected */
  int64_t partial_ms; /* when the unfinished message began; -1: there is none */
  int64_t close_due_ms;
  size_t closing_len; /* bytes that came in CLOSING */
  int wants_close;    /* `close` was called, perhaps while CONNECTING */
  uint64_t written;   /* bytes passed to the channel, ... */
  int64_t sent; /* ... and how many of them had been sent at the last look */
};

/* --- the end ------------------------------------------------------------- */

static void ws_close_channel(mcpi_websocket *ws, int at_once) {
  void *channel = ws->channel;
  ws->channel = NULL;
  if (channel != NULL) {
    ws->ops->close(channel, at_once);
  }
}

/* The websocket may be gone afterwards. */
static void ws_end(mcpi_websocket *ws, int at_once, const mcp_error *err) {
  ws->state = CLOSED;
  mcpi_loop_stop_timer(ws->loop, &ws->timer);
  ws_close_channel(ws, at_once);
  ws->base.on_close(&ws->base, err);
}

/* --- the clock ----------------------------------------------------------- */

static int64_t due_in(int64_t from_ms, uint32_t wait_ms) {
  return from_ms < 0 || wait_ms == UINT32_MAX ? INT64_MAX : from_ms + wait_ms;
}

static int64_t ws_earlier(int64_t a_ms, int64_t b_ms) {
  return a_ms < b_ms ? a_ms : b_ms;
}

static int64_t ws_next_due(const mcpi_websocket *ws) {
  const mcpi_websocket_options *options = &ws->options;
  if (ws->wants_close) {
    return ws->close_due_ms;
  }
  int64_t silence = ws->pinged_ms >= 0 ? due_in(ws->pinged_ms, options->pong_ms)
                                       : due_in(ws->heard_ms, options->ping_ms);
  return ws_earlier(silence, due_in(ws->partial_ms, options->message_ms));
}

/* A timer that fires too early does so once, for nothing: moving it with each
 * message would cost more. Returns 0 or MCP_ERR_NOMEM. */
static int ws_arm(mcpi_websocket *ws) {
  int64_t due_ms = ws_next_due(ws);
  if (due_ms == INT64_MAX ||
      (mcpi_timer_is_running(&ws->timer) && ws->timer.due_ms <= due_ms)) {
    return 0;
  }
  return mcpi_loop_start_timer(ws->loop, &ws->timer,
                               due_ms - mcpi_loop_now(ws->loop));
}

/* --- sending ------------------------------------------------------------- */

static size_t channel_queued(const mcpi_websocket *ws) {
  return ws->channel != NULL ? ws->ops->queued(ws->channel) : 0;
}

static int64_t sent_now(const mcpi_websocket *ws) {
  return (int64_t)(ws->written - channel_queued(ws));
}

static size_t ws_queued(mcp_transport *transport) {
  const mcpi_websocket *ws = transport->userdata;
  return channel_queued(ws) + ws->held.len;
}

/* Bytes that can no longer be written are lost with the channel, which reports
 * that. */
static int ws_write_parts(mcpi_websocket *ws, const struct iovec *parts,
                          int count) {
  for (int i = 0; i < count; i++) {
    ws->written += parts[i].iov_len;
  }
  return ws->channel != NULL ? ws->ops->write(ws->channel, parts, count)
                             : MCP_ERR_CLOSED;
}

static int ws_flush(mcpi_websocket *ws) {
  int rc = 0;
  if (ws->held.len > 0 && ws->state != CONNECTING) {
    const struct iovec part = {mcpi_blockbuf_data(&ws->held), ws->held.len};
    rc = ws_write_parts(ws, &part, 1);
    mcpi_blockbuf_clear(&ws->held);
  }
  return rc;
}

static int ws_is_cork_due(const mcpi_websocket *ws) {
  return ws->held.len >= CORK_BYTES ||
         (ws->held.len > 0 && mcpi_loop_now(ws->loop) != ws->corked_ms);
}

static int hold(mcpi_websocket *ws, int opcode, mcpi_str payload) {
  char *out = mcpi_blockbuf_reserve(&ws->held, &ws->loop->pool,
                                    payload.len + MCPI_WS_HEAD_MAX);
  if (out == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (ws->held.len == 0 && ws->is_corked) {
    ws->corked_ms = mcpi_loop_now(ws->loop);
  }
  ws->held.len += mcpi_ws_frames_put(&ws->frames, opcode, payload, out);
  return ws->is_corked && !ws_is_cork_due(ws) ? 0 : ws_flush(ws);
}

/* struct iovec is also for reading, so its pointer is not const. */
static int write_behind_head(mcpi_websocket *ws, int opcode, mcpi_str payload) {
  char head[MCPI_WS_HEAD_MAX];
  size_t len = mcpi_ws_frames_put_head(&ws->frames, opcode, payload, head);
  const struct iovec parts[] = {{head, len},
                                {(void *)(uintptr_t)payload.ptr, payload.len}};
  int rc = ws_flush(ws);
  return rc != 0 ? rc : ws_write_parts(ws, parts, 2);
}

/* Between frames no memory is kept for them: most of many connections are
 * silent. */
static void rest(mcpi_websocket *ws) {
  if (!ws->is_corked) {
    mcpi_ws_frames_trim(&ws->frames);
  }
}

static int put_frame(mcpi_websocket *ws, int opcode, mcpi_str payload) {
  int rc = mcpi_ws_frames_prepare(&ws->frames);
  if (rc == 0) {
    rc = payload.len > COPIED_MESSAGE && !ws->options.is_client
             ? write_behind_head(ws, opcode, payload)
             : hold(ws, opcode, payload);
  }
  rest(ws);
  return rc;
}

/* A message may have any length, but not if others wait: then the peer does not
 * read, and there is a limit. */
static int ws_is_full(mcpi_websocket *ws, size_t len) {
  size_t waiting = ws_queued(&ws->base);
  return waiting > 0 && (waiting > ws->options.max_queue ||
                         len > ws->options.max_queue - waiting);
}

static int ws_send_message(mcp_transport *transport, const char *message,
                           size_t len, const mcp_send_info *info) {
  mcpi_websocket *ws = transport->userdata;
  (void)info;
  if ((ws->state != OPEN && ws->state != CONNECTING) || ws->wants_close ||
      ws->channel == NULL) {
    return MCP_ERR_CLOSED;
  }
  /* Frames that we hold back count only if the channel cannot send them either.
   * If the channel is broken, it reports that later. */
  if (ws_is_full(ws, len + MCPI_WS_HEAD_MAX)) {
    ws_flush(ws);
  }
  ws->refused = ws_is_full(ws, len + MCPI_WS_HEAD_MAX)
                    ? MCP_ERR_LIMIT
                    : put_frame(ws, WSLAY_TEXT_FRAME, mcpi_str_n(message, len));
  return ws->refused;
}

/* --- closing ------------------------------------------------------------- */

/* Sends the close frame, after which nothing can be sent. Returns 0 on
 * success. */
static int say_close(mcpi_websocket *ws, int code, mcpi_str reason) {
  char payload[MCPI_WS_CONTROL_MAX];
  size_t len = 0;
  assert(reason.len <= MCPI_WS_REASON_MAX);
  if (code != MCPI_WS_NO_CODE) {
    payload[0] = (char)(code / 256);
    payload[1] = (char)(code % 256);
    memcpy(payload + 2, reason.ptr, reason.len);
    len = 2 + reason.len;
  }
  int rc = put_frame(ws, WSLAY_CONNECTION_CLOSE, mcpi_str_n(payload, len));
  return rc != 0 ? rc : ws_flush(ws);
}

/* A server that ends a connection goes away, unless it could not send what it
 * had to. A client has finished. */
static int own_code(const mcpi_websocket *ws) {
  if (ws->options.is_client) {
    return MCPI_WS_NORMAL;
  }
  switch (ws->refused) {
  case 0:
    return MCPI_WS_GOING_AWAY;
  case MCP_ERR_LIMIT:
    return MCPI_WS_POLICY;
  default:
    return MCPI_WS_INTERNAL_ERROR;
  }
}

static void ws_begin_closing(mcpi_websocket *ws) {
  ws->state = CLOSING;
  if (say_close(ws, own_code(ws), MCPI_STR("")) != 0 || ws_arm(ws) != 0) {
    ws_end(ws, 0, NULL);
  } else {
    /* note_moving gives the peer more time for bytes that it takes after
     * this. */
    ws->sent = sent_now(ws);
  }
}

static void ws_close_transport(mcp_transport *transport) {
  mcpi_websocket *ws = transport->userdata;
  if (ws->wants_close || (ws->state != CONNECTING && ws->state != OPEN)) {
    return;
  }
  ws->close_due_ms = mcpi_loop_now(ws->loop) + ws->options.close_ms;
  ws->wants_close = 1;
  if (ws->state == OPEN) {
    ws_begin_closing(ws);
  } else if (ws->held.len == 0 || ws_arm(ws) != 0) {
    ws_end(ws, 1, NULL);
  }
}

static int error_of(int code) {
  switch (code) {
  case MCPI_WS_TOO_LONG:
  case MCPI_WS_TRY_LATER:
    return MCP_ERR_LIMIT;
  case MCPI_WS_INTERNAL_ERROR:
    return MCP_ERR_NOMEM;
  case MCPI_WS_POLICY:
    return MCP_ERR_TIMEOUT;
  default:
    return MCP_ERR_PROTOCOL;
  }
}

/* Ends the connection with an error, and sends the peer the code and the text.
 * Either the peer broke a rule or a limit, or we have no memory. */
static void ws_fail(mcpi_websocket *ws, int code, const char *text) {
  mcp_error err;
  mcp_error_set(&err, error_of(code), "the WebSocket was closed with %d: %s",
                code, text);
  if (ws->state == OPEN) {
    say_close(ws, code, mcpi_str_z(text));
  }
  ws_end(ws, 0, &err);
}

/* The reason comes from the peer, and people may read it on a terminal. */
static void ws_make_plain(char *text) {
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    *text = byte < 0x20 || byte == 0x7f ? '?' : *text;
  }
}

/* When a page is closed, browsers send no code, or that they go away. */
static int is_ordinary(const mcpi_websocket *ws, int code) {
  return ws->state == CLOSING || code == MCPI_WS_NORMAL ||
         code == MCPI_WS_NO_CODE ||
         (code == MCPI_WS_GOING_AWAY && !ws->options.is_client);
}

static void on_closed_by_peer(mcpi_websocket *ws, int code, mcpi_str reason) {
  mcp_error err;
  if (reason.len == 0 && code == MCPI_WS_GOING_AWAY) {
    reason = MCPI_STR("it is going away");
  }
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "the peer closed the WebSocket with %d%s%.*s", code,
                reason.len > 0 ? ": " : "", (int)reason.len,
                reason.len > 0 ? reason.ptr : "");
  ws_make_plain(err.message);
  int is_expected = is_ordinary(ws, code);
  if (ws->state == OPEN) {
    say_close(ws, code, MCPI_STR(""));
  }
  ws_end(ws, 0, is_expected ? NULL : &err);
}

/* --- keeping alive ------------------------------------------------------- */

/* While the channel does not move, only the last ping is answered (RFC 6455,
 * 5.5.3): a peer that only sends pings must not fill our memory with
 * answers. */
static void ws_answer_ping(mcpi_websocket *ws, mcpi_str payload) {
  if (ws->state != OPEN) {
    return;
  }
  ws->has_pong = channel_queued(ws) > 0;
  if (!ws->has_pong) {
    put_frame(ws, WSLAY_PONG, payload);
    return;
  }
  memcpy(ws->pong, payload.ptr, payload.len);
  ws->pong_len = payload.len;
}

void mcpi_websocket_drained(mcpi_websocket *websocket) {
  if (websocket->has_pong) {
    ws_answer_ping(websocket, mcpi_str_n((const char *)websocket->pong,
                                         websocket->pong_len));
  }
}

/* A peer that takes bytes is alive, even if it sends nothing. */
static void note_moving(mcpi_websocket *ws, int64_t now_ms) {
  int64_t sent = sent_now(ws);
  if (channel_queued(ws) > 0 && sent > ws->sent) {
    ws->heard_ms = now_ms;
    ws->pinged_ms = ws->pinged_ms >= 0 ? now_ms : -1;
    ws->close_due_ms = now_ms + ws->options.close_ms;
  }
  ws->sent = sent;
}

static void ws_ping(mcpi_websocket *ws, int64_t now_ms) {
  if (put_frame(ws, WSLAY_PING, MCPI_STR("")) == 0) {
    ws->pinged_ms = now_ms;
  } else {
    ws->heard_ms = now_ms; /* for the next look */
  }
}

static void ws_give_up(mcpi_websocket *ws) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "the far side of the WebSocket has not answered a ping for "
                "%lu ms",
                (unsigned long)ws->options.pong_ms);
  int can_be_told = channel_queued(ws) == 0;
  if (can_be_told) {
    say_close(ws, MCPI_WS_INTERNAL_ERROR, MCPI_STR("a ping was not answered"));
  }
  ws_end(ws, !can_be_told, &err);
}

static void end_closing(mcpi_websocket *ws) {
  mcp_error err;
  size_t left = ws_queued(&ws->base);
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "the peer did not read the last %zu bytes", left);
  ws_end(ws, 1, left > 0 ? &err : NULL);
}

static int is_due(const mcpi_websocket *ws, int64_t now_ms) {
  return ws_next_due(ws) <= now_ms;
}

/* A peer is not to blame for bytes that we had no time to read: its time counts
 * from here. */
static void forgive_late(mcpi_websocket *ws, int64_t now_ms) {
  if (!ws->wants_close && now_ms - LATE_MS > ws_next_due(ws)) {
    ws->pinged_ms = ws->pinged_ms >= 0 ? now_ms : -1;
    ws->partial_ms = ws->partial_ms >= 0 ? now_ms : -1;
  }
}

static void ws_on_due(mcpi_timer *timer) {
  mcpi_websocket *ws = MCPI_CONTAINER(timer, mcpi_websocket, timer);
  const mcpi_websocket_options *options = &ws->options;
  int64_t now_ms = mcpi_loop_now(ws->loop);
  note_moving(ws, now_ms);
  forgive_late(ws, now_ms);
  if (!is_due(ws, now_ms)) {
    ws_arm(ws);
  } else if (ws->wants_close) {
    end_closing(ws);
  } else if (due_in(ws->partial_ms, options->message_ms) <= now_ms) {
    ws_fail(ws, MCPI_WS_POLICY, "a message did not come in time");
  } else if (ws->pinged_ms >= 0) {
    ws_give_up(ws);
  } else {
    ws_ping(ws, now_ms);
    ws_arm(ws);
  }
}

/* --- what comes ---------------------------------------------------------- */

/* Returns 0: the websocket is gone, or has stopped reading. */
static int ws_take(mcpi_websocket *ws, mcpi_ws_what what,
                   const mcpi_ws_event *event) {
  mcpi_guard guard;
  switch (what) {
  case MCPI_WS_TEXT:
    ws->partial_ms = -1; /* the next bytes belong to another message */
    if (ws->state != OPEN) {
      return 1; /* the rest is ignored after a close frame */
    }
    mcpi_guard_enter(&ws->guard, &guard);
    ws->base.on_message(&ws->base, event->text.ptr, event->text.len);
    return mcpi_guard_leave(&ws->guard, &guard) && ws->state != CLOSED;
  case MCPI_WS_PING:
    ws_answer_ping(ws, event->text);
    return 1;
  case MCPI_WS_CLOSE:
    on_closed_by_peer(ws, event->code, event->text);
    return 0;
  case MCPI_WS_FAULT:
    ws_fail(ws, event->code, event->text.ptr);
    return 0;
  default:
    return 1;
  }
}

/* Returns 0: it was too much, and the connection has ended. */
static int ws_keep(mcpi_websocket *ws) {
  if (ws->ops->keep == NULL || ws->channel == NULL ||
      ws->ops->keep(ws->channel, mcpi_ws_frames_kept(&ws->frames)) == 0) {
    return 1;
  }
  ws_fail(ws, MCPI_WS_TRY_LATER, "too many messages wait");
  return 0;
}

static void note_partial(mcpi_websocket *ws) {
  if (!mcpi_ws_frames_is_partial(&ws->frames)) {
    ws->partial_ms = -1;
  } else if (ws->partial_ms < 0) {
    ws->partial_ms = ws->heard_ms;
  }
}

void mcpi_websocket_input(mcpi_websocket *websocket, const char *bytes,
                          size_t len) {
  mcpi_websocket *ws = websocket;
  mcpi_ws_event event;
  mcpi_ws_what what;
  if (ws->state != OPEN && ws->state != CLOSING) {
    return;
  }
  if (ws->state == CLOSING && len > CLOSING_BYTES - ws->closing_len) {
    ws_end(ws, 0, NULL);
    return;
  }
  ws->closing_len += ws->state == CLOSING ? len : 0;
  ws->heard_ms = mcpi_loop_now(ws->loop);
  ws->pinged_ms = -1;
  ws->is_corked = 1;
  while ((what = mcpi_ws_frames_next(&ws->frames, &bytes, &len, &event)) !=
         MCPI_WS_MORE) {
    if (!ws_take(ws, what, &event)) {
      return;
    }
    if (ws_is_cork_due(ws)) {
      ws_flush(ws);
    }
  }
  ws->is_corked = 0;
  ws_flush(ws);
  rest(ws);
  note_partial(ws);
  if (ws_keep(ws)) {
    ws_arm(ws);
  }
}

/* --- opening ------------------------------------------------------------- */

static int ws_start(mcp_transport *transport, mcp_error *err) {
  mcpi_websocket *ws = transport->userdata;
  ws->heard_ms = mcpi_loop_now(ws->loop);
  if (ws->channel == NULL) {
    return mcp_error_set(err, MCP_ERR_CLOSED, "the connection is gone");
  }
  if (ws->ops->open != NULL) {
    int rc = ws->ops->open(ws->channel, err);
    ws->state = rc == 0 ? CONNECTING : NEW;
    return rc;
  }
  if (ws_arm(ws) != 0) {
    return mcpi_no_memory(err);
  }
  ws->state = OPEN;
  return 0;
}

void mcpi_websocket_opened(mcpi_websocket *websocket) {
  websocket->state = OPEN;
  websocket->heard_ms = mcpi_loop_now(websocket->loop);
  ws_flush(websocket);
  if (websocket->wants_close) {
    ws_begin_closing(websocket);
    return;
  }
  ws_arm(websocket);
  if (websocket->base.on_open != NULL) {
    websocket->base.on_open(&websocket->base);
  }
}

void mcpi_websocket_leave(mcpi_websocket *websocket) {
  if (websocket->state == OPEN) {
    websocket->state = CLOSING;
    websocket->wants_close = 1;
    say_close(websocket, MCPI_WS_GOING_AWAY, MCPI_STR(""));
  }
}

void mcpi_websocket_gone(mcpi_websocket *websocket, const mcp_error *err) {
  mcp_error broken;
  mcp_error_set(&broken, MCP_ERR_CLOSED,
                "the WebSocket broke: it was not closed");
  int is_expected = websocket->state == CLOSING;
  websocket->channel = NULL;
  if (websocket->state == NEW || websocket->state == CLOSED) {
    return;
  }
  ws_end(websocket, 1, is_expected ? NULL : err != NULL ? err : &broken);
}

/* --- life ---------------------------------------------------------------- */

static void ws_destroy(mcpi_websocket *ws) {
  const mcp_allocator *allocator = &ws->loop->allocator;
  mcpi_ws_frames_deinit(&ws->frames);
  mcpi_blockbuf_clear(&ws->held);
  mcpi_strfree(allocator, ws->origin);
  mcpi_free(allocator, ws, sizeof(*ws));
}

static void ws_release(mcp_transport *transport) {
  mcpi_websocket *ws = transport->userdata;
  mcpi_guard_trip(ws->guard);
  if (ws->state == OPEN) {
    say_close(ws, own_code(ws), MCPI_STR(""));
  }
  mcpi_loop_stop_timer(ws->loop, &ws->timer);
  ws_close_channel(ws, 0);
  ws_destroy(ws);
}

static const char *ws_origin(mcp_transport *transport) {
  const mcpi_websocket *ws = transport->userdata;
  return ws->origin;
}

mcp_transport *mcpi_websocket_transport(mcpi_websocket *websocket) {
  return &websocket->base;
}

static mcp_transport ws_make_table(mcpi_websocket *ws) {
  return (mcp_transport){
      .size = sizeof(mcp_transport),
      .flags = ws->ops->open != NULL ? MCP_TRANSPORT_OPENS_LATER : 0,
      .userdata = ws,
      .start = ws_start,
      .send = ws_send_message,
      .close = ws_close_transport,
      .release = ws_release,
      .queued = ws_queued,
      .origin = ws->origin != NULL ? ws_origin : NULL};
}

mcpi_websocket *mcpi_websocket_new(mcp_loop *loop,
                                   const mcpi_websocket_options *options,
                                   const mcpi_ws_channel *ops, void *channel,
                                   mcp_error *err) {
  const mcp_allocator *allocator = &loop->allocator;
  const mcpi_ws_framing *framing = mcpi_ws_framing_get(err);
  if (framing == NULL) {
    return NULL;
  }
  mcpi_websocket *ws = mcpi_calloc(allocator, 1, sizeof(*ws));
  if (ws == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  ws->loop = loop;
  ws->options = *options;
  ws->origin = mcpi_strdup(allocator, options->origin);
  mcpi_ws_frames_init(&ws->frames, framing, &loop->pool, &loop->platform,
                      options->is_client, options->max_message);
  if (options->origin != NULL && ws->origin == NULL) {
    ws_destroy(ws);
    mcpi_no_memory(err);
    return NULL;
  }
  ws->ops = ops;
  ws->channel = channel;
  ws->pinged_ms = -1;
  ws->partial_ms = -1;
  ws->timer.on_due = ws_on_due;
  ws->base = ws_make_table(ws);
  return ws;
}
