/* SPDX-License-Identifier: MIT */
/* How a client opens a WebSocket (RFC 6455, 4.1): its request, and the rules
 * for the answer. */
#ifndef MCPI_WIRES_WEBSOCKET_CLIENT_OPENING_H
#define MCPI_WIRES_WEBSOCKET_CLIENT_OPENING_H

#include "base/buf.h"
#include "http_client/options.h"
#include "wires/websocket/handshake.h"

typedef struct mcpi_ws_opening {
  const mcpi_curl_options *options;
  char accept[MCPI_WS_ACCEPT_SIZE]; /* the value that the server must send */
  mcpi_buf head;                    /* the head of the answer so far */
} mcpi_ws_opening;

void mcpi_ws_opening_init(mcpi_ws_opening *opening,
                          const mcpi_curl_options *options,
                          const mcp_allocator *allocator);
void mcpi_ws_opening_deinit(mcpi_ws_opening *opening);

/* Appends the request, with a fresh key and these headers, which include the
 * program's. 0, MCP_ERR_PLATFORM or MCP_ERR_NOMEM. */
int mcpi_ws_opening_put(mcpi_ws_opening *opening, const mcp_platform *platform,
                        const struct curl_slist *headers, mcpi_buf *out);
/* Reads the next bytes of the answer, and moves past them. Returns 1: it is
 * open, and the rest are frames; 0: more must come; or, with err,
 * MCP_ERR_REFUSED, _IO, _PROTOCOL (by the status, or by what is wrong), _LIMIT
 * or _NOMEM. */
int mcpi_ws_opening_read(mcpi_ws_opening *opening, const char **bytes,
                         size_t *len, mcp_error *err);
/* After a complete head: passes each line of it, and an empty one at its end.
 * Returns 0 or what `take` returned. */
int mcpi_ws_opening_each_line(const mcpi_ws_opening *opening,
                              int (*take)(void *owner, mcpi_str line),
                              void *owner);

#endif
