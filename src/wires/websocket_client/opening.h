/* SPDX-License-Identifier: MIT */
/* How a client opens a WebSocket (RFC 6455, 4.1): its request, and what the
 * answer must be. */
#ifndef MCPI_WIRES_WEBSOCKET_CLIENT_OPENING_H
#define MCPI_WIRES_WEBSOCKET_CLIENT_OPENING_H

#include "base/buf.h"
#include "http_client/options.h"
#include "wires/websocket/handshake.h"

typedef struct mcpi_ws_opening {
  const mcpi_curl_options *options;
  char accept[MCPI_WS_ACCEPT_SIZE]; /* what the server must say */
  mcpi_buf head;                    /* of the answer, as far as it has come */
} mcpi_ws_opening;

void mcpi_ws_opening_init(mcpi_ws_opening *opening,
                          const mcpi_curl_options *options,
                          const mcp_allocator *allocator);
void mcpi_ws_opening_deinit(mcpi_ws_opening *opening);

/* Appends the request, with a fresh key. 0, MCP_ERR_PLATFORM or
 * MCP_ERR_NOMEM. */
int mcpi_ws_opening_put(mcpi_ws_opening *opening, const mcp_platform *platform,
                        mcpi_buf *out);
/* Reads on in the answer, and moves the bytes along. 1: it is open, and what is
 * left are frames; 0: more is to come; or with err MCP_ERR_REFUSED, _IO,
 * _PROTOCOL (all by the status, or what is wrong), _LIMIT, _NOMEM. */
int mcpi_ws_opening_read(mcpi_ws_opening *opening, const char **bytes,
                         size_t *len, mcp_error *err);

#endif
