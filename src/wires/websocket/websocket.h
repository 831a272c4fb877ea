/* SPDX-License-Identifier: MIT */
/* Messages over a WebSocket (RFC 6455), either side of it, on a channel of
 * bytes that has been upgraded or will be: each message is one text message.
 *
 *     channel -> mcpi_websocket_input -> ws_frames -> on_message
 *     send -> ws_frames -> [held] -> channel's write
 *
 *     NEW -> CONNECTING -> OPEN -> CLOSING -> CLOSED
 *
 * CONNECTING holds what is sent until the channel is open; CLOSING has said
 * close and waits for the far side to say so too. From any stage CLOSED follows
 * when the channel is gone. */
#ifndef MCPI_WIRES_WEBSOCKET_WEBSOCKET_H
#define MCPI_WIRES_WEBSOCKET_WEBSOCKET_H

#include <mcp/transport.h>
#include <sys/uio.h>

typedef struct mcpi_websocket mcpi_websocket;

/* What carries the bytes. Nothing of it calls the websocket from inside. It
 * ends once: by `close`, or by telling mcpi_websocket_gone. */
typedef struct mcpi_ws_channel {
  /* NULL: it is open from the start. Else opens it, and tells
   * mcpi_websocket_opened or _gone later. 0 or an MCP_ERR_*. */
  int (*open)(void *channel, mcp_error *err);
  /* Takes all the bytes. 0, or MCP_ERR_CLOSED: it is broken, which is told
   * later. */
  int (*write)(void *channel, const struct iovec *parts, int count);
  /* Bytes that wait to be sent. */
  size_t (*queued)(void *channel);
  /* So many bytes of a message that is not whole are kept now. 0, or
   * MCP_ERR_LIMIT: too many. NULL: any number will do. */
  int (*keep)(void *channel, size_t len);
  /* Sends what waits and ends; or ends at once. */
  void (*close)(void *channel, int at_once);
} mcpi_ws_channel;

/* All set, but for what may be zero. */
typedef struct mcpi_websocket_options {
  int is_client;
  size_t max_message; /* bytes of a message that comes: past it 1009 */
  size_t max_queue;   /* bytes that may wait: past it `send` refuses */
  /* A ping is sent when nothing has come for so long, and when then nothing
   * comes for so long the far side is dead. UINT32_MAX: never. */
  uint32_t ping_ms;
  uint32_t pong_ms;
  uint32_t message_ms; /* from a message's first byte to its last; UINT32_MAX:
                          no limit */
  uint32_t close_ms;   /* that the far side has to say close too */
  const char *origin;  /* mcp_transport.origin; copied; may be NULL */
} mcpi_websocket_options;

/* The channel is the transport's from now on. NULL with err, and then the
 * channel is as it was: MCP_ERR_NOMEM or MCP_ERR_PLATFORM (wslay cannot be
 * loaded). */
MCP_API mcpi_websocket *
mcpi_websocket_new(mcp_loop *loop, const mcpi_websocket_options *options,
                   const mcpi_ws_channel *ops, void *channel, mcp_error *err);
/* Owned by whoever is given it; the websocket is freed with it. */
MCP_API mcp_transport *mcpi_websocket_transport(mcpi_websocket *websocket);

/* What the channel tells. It may be gone from inside: then it has been closed.
 */

MCP_API void mcpi_websocket_opened(mcpi_websocket *websocket);
/* Bytes have come, borrowed until return. */
MCP_API void mcpi_websocket_input(mcpi_websocket *websocket, const char *bytes,
                                  size_t len);
/* Nothing waits any more. */
MCP_API void mcpi_websocket_drained(mcpi_websocket *websocket);
/* It is about to end: the far side is told that we go away. */
void mcpi_websocket_leave(mcpi_websocket *websocket);
/* It has ended. err: why; NULL: nobody knows. */
MCP_API void mcpi_websocket_gone(mcpi_websocket *websocket,
                                 const mcp_error *err);

#endif
