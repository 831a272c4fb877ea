/* SPDX-License-Identifier: MIT */
/* Messages over a WebSocket (RFC 6455), for either side, on a channel of bytes
 * that has been upgraded or will be: each message is one text message.
 *
 *     channel -> mcpi_websocket_input -> ws_frames -> on_message
 *     send -> ws_frames -> [held] -> channel's write
 *
 *     NEW -> CONNECTING -> OPEN -> CLOSING -> CLOSED
 *
 * CONNECTING holds messages until the channel is open. CLOSING has sent its
 * close frame and waits for the peer's. Any stage becomes CLOSED when the
 * channel is gone. */
#ifndef MCPI_WIRES_WEBSOCKET_WEBSOCKET_H
#define MCPI_WIRES_WEBSOCKET_WEBSOCKET_H

#include "platform/socket_types.h"
#include <mcp/transport.h>

typedef struct mcpi_websocket mcpi_websocket;

/* Carries the bytes. No function of it calls the websocket from inside. It ends
 * once: by `close`, or by a call of mcpi_websocket_gone. */
typedef struct mcpi_ws_channel {
  /* NULL: it is open from the start. Otherwise opens it, and calls
   * mcpi_websocket_opened or _gone later. Returns 0 or an MCP_ERR_*. */
  int (*open)(void *channel, mcp_error *err);
  /* Takes all the bytes. Returns 0, or MCP_ERR_CLOSED: it is broken, and calls
   * mcpi_websocket_gone later. */
  int (*write)(void *channel, const struct iovec *parts, int count);
  /* Returns the bytes that wait to be sent. */
  size_t (*queued)(void *channel);
  /* The websocket now keeps this many bytes of an unfinished message. Returns
   * 0, or MCP_ERR_LIMIT: too many. NULL: no limit. */
  int (*keep)(void *channel, size_t len);
  /* Sends what waits and ends; or ends at once. */
  void (*close)(void *channel, int at_once);
} mcpi_ws_channel;

/* All members must be set, unless 0 is allowed. */
typedef struct mcpi_websocket_options {
  int is_client;
  size_t max_message; /* the limit of a received message: past it 1009 */
  size_t max_queue;   /* the limit of waiting bytes: past it `send` refuses */
  /* After this silence a ping is sent, and after a further silence of pong_ms
   * the peer is dead. UINT32_MAX: never. */
  uint32_t ping_ms;
  uint32_t pong_ms;
  /* From a message's first byte to its last; UINT32_MAX: no limit. */
  uint32_t message_ms;
  uint32_t close_ms;  /* the time for the peer's close frame */
  const char *origin; /* mcp_transport.origin; copied; may be NULL */
} mcpi_websocket_options;

/* Returns NULL with err, and then the channel is unchanged: MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM (wslay cannot be loaded). Otherwise the channel belongs to
 * the transport from now on. */
MCP_API mcpi_websocket *
mcpi_websocket_new(mcp_loop *loop, const mcpi_websocket_options *options,
                   const mcpi_ws_channel *ops, void *channel, mcp_error *err);
/* The caller owns the transport; the websocket is freed with it. */
MCP_API mcp_transport *mcpi_websocket_transport(mcpi_websocket *websocket);

/* Calls of the channel. The websocket may be gone when they return: then it has
 * closed the channel. */

MCP_API void mcpi_websocket_opened(mcpi_websocket *websocket);
/* Bytes have come, borrowed until return. */
MCP_API void mcpi_websocket_input(mcpi_websocket *websocket, const char *bytes,
                                  size_t len);
/* No bytes wait any longer. */
MCP_API void mcpi_websocket_drained(mcpi_websocket *websocket);
/* The channel is about to end: sends the peer a close frame with "going
 * away". */
void mcpi_websocket_leave(mcpi_websocket *websocket);
/* The channel has ended. err: why; NULL: the reason is not known. */
MCP_API void mcpi_websocket_gone(mcpi_websocket *websocket,
                                 const mcp_error *err);

#endif
