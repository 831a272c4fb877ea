/* SPDX-License-Identifier: MIT */
/* The frames of a WebSocket (RFC 6455, 5), with wslay: bytes to whole messages,
 * and messages to bytes. wslay reads and writes one frame; this code checks the
 * sequence of frames. No I/O, no clock.
 *
 *     bytes -> mcpi_ws_frames_next -> TEXT, PING, PONG, CLOSE ... or a FAULT
 *
 * Between frames no memory is kept: it is allocated with the first byte. */
#ifndef MCPI_WIRES_WEBSOCKET_FRAMES_H
#define MCPI_WIRES_WEBSOCKET_FRAMES_H

#include "base/blockbuf.h"
#include "base/str.h"
#include "wires/websocket/framing.h"
#include <mcp/sys/platform.h>

enum {
  /* Bytes of a control frame, and of a close frame's reason. */
  MCPI_WS_CONTROL_MAX = 125,
  MCPI_WS_REASON_MAX = MCPI_WS_CONTROL_MAX - 2,
  /* A frame is at most this much longer than its payload. */
  MCPI_WS_HEAD_MAX = 14,
  /* Bytes of random numbers that are requested at once. */
  MCPI_WS_MASKS = 64
};

/* Reasons for closing (RFC 6455, 7.4.1). */
enum {
  MCPI_WS_NORMAL = 1000,
  MCPI_WS_GOING_AWAY = 1001,
  MCPI_WS_PROTOCOL_ERROR = 1002,
  MCPI_WS_UNSUPPORTED = 1003,
  /* Never sent: stands for a close frame without a code. */
  MCPI_WS_NO_CODE = 1005,
  MCPI_WS_INVALID_DATA = 1007,
  MCPI_WS_POLICY = 1008,
  MCPI_WS_TOO_LONG = 1009,
  MCPI_WS_INTERNAL_ERROR = 1011,
  MCPI_WS_TRY_LATER = 1013 /* registered later */
};

typedef struct mcpi_ws_frames {
  mcpi_pool *pool;
  const mcp_platform *platform; /* its random bytes, for a client */
  size_t max_message;
  int is_client;

  const mcpi_ws_framing *framing;
  wslay_frame_context_ptr wslay; /* NULL: no frame is being read */
  const char *in;                /* the bytes that are being read */
  size_t in_len;
  size_t ahead_len; /* bytes that wslay has, and has not returned */
  int is_in_frame;
  uint64_t frame_left;   /* the rest of the frame's payload */
  int has_message;       /* the message's first frame has come */
  int is_taken;          /* the last message was passed on */
  mcpi_blockbuf message; /* the message so far */
  uint8_t control[MCPI_WS_CONTROL_MAX];
  size_t control_len;

  char *out;     /* where a frame is written */
  int out_parts; /* the number of wslay's writes that are wanted */
  uint8_t masks[MCPI_WS_MASKS];
  size_t mask_count; /* the number of unused mask bytes */
} mcpi_ws_frames;

void mcpi_ws_frames_init(mcpi_ws_frames *frames, const mcpi_ws_framing *framing,
                         mcpi_pool *pool, const mcp_platform *platform,
                         int is_client, size_t max_message);
void mcpi_ws_frames_deinit(mcpi_ws_frames *frames);

typedef enum mcpi_ws_what {
  MCPI_WS_MORE, /* everything has been read */
  MCPI_WS_TEXT,
  MCPI_WS_PING,
  MCPI_WS_PONG,
  MCPI_WS_CLOSE,
  MCPI_WS_FAULT /* nothing more can be read */
} mcpi_ws_what;

typedef struct mcpi_ws_event {
  /* A message, which is valid UTF-8; a control frame's payload; the reason for
   * closing; or why it is a fault. Borrowed until the next call. */
  mcpi_str text;
  /* CLOSE: the code, or MCPI_WS_NO_CODE. FAULT: the code to close with. */
  int code;
} mcpi_ws_event;

/* Reads the next bytes, and moves past them. */
mcpi_ws_what mcpi_ws_frames_next(mcpi_ws_frames *frames, const char **bytes,
                                 size_t *len, mcpi_ws_event *event);
/* Whether a message or a frame has come only in part. */
int mcpi_ws_frames_is_partial(const mcpi_ws_frames *frames);
/* Returns the bytes of an unfinished message, or of the last one that was
 * passed on. */
size_t mcpi_ws_frames_kept(const mcpi_ws_frames *frames);
/* Frees memory that holds nothing. */
void mcpi_ws_frames_trim(mcpi_ws_frames *frames);

/* Makes sure that the next frame can be written. Returns 0, MCP_ERR_NOMEM, or
 * MCP_ERR_PLATFORM (no random bytes). */
int mcpi_ws_frames_prepare(mcpi_ws_frames *frames);
/* Writes a whole frame, at most MCPI_WS_HEAD_MAX bytes longer than its payload.
 * Returns its length. `opcode` is wslay's. */
size_t mcpi_ws_frames_put(mcpi_ws_frames *frames, int opcode, mcpi_str payload,
                          char *out);
/* The same for a server's frame, but only the bytes before the payload. */
size_t mcpi_ws_frames_put_head(mcpi_ws_frames *frames, int opcode,
                               mcpi_str payload, char *out);

#endif
