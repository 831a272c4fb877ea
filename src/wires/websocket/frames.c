/* SPDX-License-Identifier: MIT */
/* The frames of a WebSocket (RFC 6455, 5). */
#include "wires/websocket/frames.h"

#include <limits.h>

/* --- wslay's callbacks --------------------------------------------------- */

static ssize_t on_read(uint8_t *to, size_t size, int flags, void *userdata) {
  mcpi_ws_frames *frames = userdata;
  size_t len = frames->in_len < size ? frames->in_len : size;
  (void)flags;
  if (len == 0) {
    return -1;
  }
  memcpy(to, frames->in, len);
  frames->in += len;
  frames->in_len -= len;
  frames->ahead_len += len;
  return (ssize_t)len;
}

static ssize_t ws_frames_on_write(const uint8_t *bytes, size_t len, int flags,
                                  void *userdata) {
  mcpi_ws_frames *frames = userdata;
  (void)flags;
  if (frames->out_parts > 0) {
    frames->out_parts--;
    memcpy(frames->out, bytes, len);
    frames->out += len;
  }
  return (ssize_t)len;
}

static int on_mask(uint8_t *to, size_t len, void *userdata) {
  mcpi_ws_frames *frames = userdata;
  frames->mask_count -= len;
  memcpy(to, frames->masks + frames->mask_count, len);
  return 0;
}

static const struct wslay_frame_callbacks callbacks = {ws_frames_on_write,
                                                       on_read, on_mask};

/* --- life ---------------------------------------------------------------- */

void mcpi_ws_frames_init(mcpi_ws_frames *frames, const mcpi_ws_framing *framing,
                         mcpi_pool *pool, const mcp_platform *platform,
                         int is_client, size_t max_message) {
  *frames = (mcpi_ws_frames){.framing = framing,
                             .pool = pool,
                             .platform = platform,
                             .is_client = is_client,
                             .max_message = max_message};
}

static void free_wslay(mcpi_ws_frames *frames) {
  frames->framing->context_free(frames->wslay);
  frames->wslay = NULL;
}

void mcpi_ws_frames_deinit(mcpi_ws_frames *frames) {
  free_wslay(frames);
  mcpi_blockbuf_clear(&frames->message);
}

/* Between frames every context is the same, and like a new one. */
static int need_wslay(mcpi_ws_frames *frames) {
  if (frames->wslay != NULL ||
      frames->framing->context_init(&frames->wslay, &callbacks, frames) == 0) {
    return 0;
  }
  frames->wslay = NULL;
  return MCP_ERR_NOMEM;
}

int mcpi_ws_frames_is_partial(const mcpi_ws_frames *frames) {
  return frames->is_in_frame || frames->ahead_len > 0 || frames->has_message;
}

size_t mcpi_ws_frames_kept(const mcpi_ws_frames *frames) {
  return frames->message.len;
}

void mcpi_ws_frames_trim(mcpi_ws_frames *frames) {
  if (!frames->is_in_frame && frames->ahead_len == 0) {
    free_wslay(frames);
  }
}

/* --- reading ------------------------------------------------------------- */

static mcpi_ws_what fault(mcpi_ws_event *event, int code, const char *text) {
  event->code = code;
  event->text = mcpi_str_z(text);
  return MCPI_WS_FAULT;
}

static mcpi_ws_what violation(mcpi_ws_event *event, const char *text) {
  return fault(event, MCPI_WS_PROTOCOL_ERROR, text);
}

static mcpi_ws_what ws_frames_no_memory(mcpi_ws_event *event) {
  return fault(event, MCPI_WS_INTERNAL_ERROR, "out of memory");
}

/* A frame's length has only one form, which wslay has checked. */
static size_t head_len(const struct wslay_frame_iocb *frame) {
  size_t len = frame->payload_length < 126       ? 2
               : frame->payload_length <= 0xffff ? 4
                                                 : 10;
  return frame->mask ? len + 4 : len;
}

static mcpi_ws_what begin_data(mcpi_ws_frames *frames,
                               const struct wslay_frame_iocb *frame,
                               mcpi_ws_event *event) {
  int is_first = frame->opcode != WSLAY_CONTINUATION_FRAME;
  if (frame->opcode == WSLAY_BINARY_FRAME) {
    return fault(event, MCPI_WS_UNSUPPORTED, "messages are text");
  }
  if (is_first && frames->has_message) {
    return violation(event, "a message begins inside another");
  }
  if (!is_first && !frames->has_message) {
    return violation(event, "a message is continued that has not begun");
  }
  if (frame->payload_length > frames->max_message - frames->message.len) {
    return fault(event, MCPI_WS_TOO_LONG, "the message is too long");
  }
  frames->has_message = 1;
  return MCPI_WS_MORE;
}

static mcpi_ws_what begin_frame(mcpi_ws_frames *frames,
                                const struct wslay_frame_iocb *frame,
                                mcpi_ws_event *event) {
  frames->ahead_len -= head_len(frame);
  frames->frame_left = frame->payload_length;
  frames->is_in_frame = 1;
  frames->control_len = 0;
  if (frame->rsv != 0) {
    return violation(event, "a reserved bit is set");
  }
  if ((frame->mask == 0) != frames->is_client) {
    return violation(event, frames->is_client ? "a server's frame is masked"
                                              : "a frame is not masked");
  }
  switch (frame->opcode) {
  case WSLAY_CONTINUATION_FRAME:
  case WSLAY_TEXT_FRAME:
  case WSLAY_BINARY_FRAME:
    return begin_data(frames, frame, event);
  case WSLAY_CONNECTION_CLOSE:
  case WSLAY_PING:
  case WSLAY_PONG:
    return MCPI_WS_MORE;
  default:
    return violation(event, "a frame has an unknown opcode");
  }
}

/* --- control frames ------------------------------------------------------ */

/* Whether a code may be sent; other codes are reserved, or not codes at all. */
static int is_code(int code) {
  return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 &&
          code != 1006) ||
         (code >= 3000 && code <= 4999);
}

static mcpi_ws_what read_close(mcpi_str payload, mcpi_ws_event *event) {
  const uint8_t *bytes = (const uint8_t *)payload.ptr;
  event->code = MCPI_WS_NO_CODE;
  event->text = mcpi_str_n(payload.ptr, 0);
  if (payload.len == 0) {
    return MCPI_WS_CLOSE;
  }
  if (payload.len == 1) {
    return violation(event, "a code for closing has one byte");
  }
  int code = bytes[0] * 256 + bytes[1];
  mcpi_str reason = mcpi_str_n(payload.ptr + 2, payload.len - 2);
  if (!is_code(code)) {
    return violation(event, "the code for closing is not valid");
  }
  if (mcpi_utf8_valid_prefix(reason.ptr, reason.len) != reason.len) {
    return fault(event, MCPI_WS_INVALID_DATA, "a reason is not UTF-8");
  }
  event->code = code;
  event->text = reason;
  return MCPI_WS_CLOSE;
}

static mcpi_ws_what ws_frames_take_control(mcpi_ws_frames *frames,
                                           const struct wslay_frame_iocb *frame,
                                           mcpi_ws_event *event) {
  memcpy(frames->control + frames->control_len, frame->data,
         frame->data_length);
  frames->control_len += frame->data_length;
  if (frames->frame_left > 0) {
    return MCPI_WS_MORE;
  }
  event->text = mcpi_str_n((const char *)frames->control, frames->control_len);
  switch (frame->opcode) {
  case WSLAY_PING:
    return MCPI_WS_PING;
  case WSLAY_PONG:
    return MCPI_WS_PONG;
  default:
    return read_close(event->text, event);
  }
}

/* --- messages ------------------------------------------------------------ */

static mcpi_ws_what ws_frames_hand_out(mcpi_ws_frames *frames, mcpi_str text,
                                       mcpi_ws_event *event) {
  if (mcpi_utf8_valid_prefix(text.ptr, text.len) != text.len) {
    return fault(event, MCPI_WS_INVALID_DATA, "a message is not UTF-8");
  }
  frames->has_message = 0;
  frames->is_taken = 1;
  event->text = text;
  return MCPI_WS_TEXT;
}

/* A message that arrives in one piece is not copied. */
static mcpi_ws_what take_data(mcpi_ws_frames *frames,
                              const struct wslay_frame_iocb *frame,
                              mcpi_ws_event *event) {
  const char *bytes = (const char *)frame->data;
  int is_last = frame->fin && frames->frame_left == 0;
  if (is_last && frames->message.len == 0) {
    return ws_frames_hand_out(frames, mcpi_str_n(bytes, frame->data_length),
                              event);
  }
  if (mcpi_blockbuf_put(&frames->message, frames->pool, bytes,
                        frame->data_length) != 0) {
    return ws_frames_no_memory(event);
  }
  return is_last ? ws_frames_hand_out(
                       frames,
                       mcpi_str_n(mcpi_blockbuf_data(&frames->message),
                                  frames->message.len),
                       event)
                 : MCPI_WS_MORE;
}

/* Reads a piece of a frame; the first one comes with its head. */
static mcpi_ws_what take_piece(mcpi_ws_frames *frames,
                               const struct wslay_frame_iocb *frame,
                               mcpi_ws_event *event) {
  if (!frames->is_in_frame) {
    mcpi_ws_what what = begin_frame(frames, frame, event);
    if (what != MCPI_WS_MORE) {
      return what;
    }
  }
  frames->ahead_len -= frame->data_length;
  frames->frame_left -= frame->data_length;
  frames->is_in_frame = frames->frame_left > 0;
  return wslay_is_ctrl_frame(frame->opcode)
             ? ws_frames_take_control(frames, frame, event)
             : take_data(frames, frame, event);
}

static void forget_taken(mcpi_ws_frames *frames) {
  if (frames->is_taken) {
    frames->is_taken = 0;
    mcpi_blockbuf_clear(&frames->message);
  }
}

static mcpi_ws_what next(mcpi_ws_frames *frames, mcpi_ws_event *event) {
  struct wslay_frame_iocb frame;
  mcpi_ws_what what = MCPI_WS_MORE;
  ssize_t rc = 0;
  while (what == MCPI_WS_MORE &&
         (rc = frames->framing->receive(frames->wslay, &frame)) >= 0) {
    what = take_piece(frames, &frame, event);
  }
  if (what != MCPI_WS_MORE || rc == WSLAY_ERR_WANT_READ) {
    return what;
  }
  return violation(event, "a control frame is too long or in parts, or a "
                          "frame's length is malformed");
}

mcpi_ws_what mcpi_ws_frames_next(mcpi_ws_frames *frames, const char **bytes,
                                 size_t *len, mcpi_ws_event *event) {
  forget_taken(frames);
  if (*len == 0 && frames->ahead_len == 0) {
    return MCPI_WS_MORE;
  }
  if (need_wslay(frames) != 0) {
    return ws_frames_no_memory(event);
  }
  frames->in = *bytes;
  frames->in_len = *len;
  mcpi_ws_what what = next(frames, event);
  *bytes = frames->in;
  *len = frames->in_len;
  return what;
}

/* --- writing ------------------------------------------------------------- */

/* Masks must not be predictable (RFC 6455, 10.3). */
static int need_mask(mcpi_ws_frames *frames) {
  const mcp_platform *platform = frames->platform;
  if (!frames->is_client || frames->mask_count > 0) {
    return 0;
  }
  if (platform->random == NULL ||
      platform->random(platform->userdata, frames->masks,
                       sizeof(frames->masks)) != 0) {
    return MCP_ERR_PLATFORM;
  }
  frames->mask_count = sizeof(frames->masks);
  return 0;
}

int mcpi_ws_frames_prepare(mcpi_ws_frames *frames) {
  int rc = need_wslay(frames);
  return rc != 0 ? rc : need_mask(frames);
}

static size_t ws_frames_put(mcpi_ws_frames *frames, int opcode,
                            mcpi_str payload, char *out, int parts) {
  struct wslay_frame_iocb frame = {
      .fin = 1,
      .opcode = (uint8_t)opcode,
      .payload_length = payload.len,
      .mask = frames->is_client ? 1 : 0,
      .data = (const uint8_t *)payload.ptr,
      .data_length = payload.len,
  };
  frames->out = out;
  frames->out_parts = parts;
  frames->framing->send(frames->wslay, &frame);
  return (size_t)(frames->out - out);
}

size_t mcpi_ws_frames_put(mcpi_ws_frames *frames, int opcode, mcpi_str payload,
                          char *out) {
  return ws_frames_put(frames, opcode, payload, out, INT_MAX);
}

/* wslay writes the head alone, and an unmasked payload in one piece. */
size_t mcpi_ws_frames_put_head(mcpi_ws_frames *frames, int opcode,
                               mcpi_str payload, char *out) {
  return ws_frames_put(frames, opcode, payload, out, 1);
}
