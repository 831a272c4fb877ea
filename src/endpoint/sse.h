/* SPDX-License-Identifier: MIT */
/* HTTP+SSE for servers (PROTOCOL 3.3). */
#ifndef MCPI_ENDPOINT_SSE_H
#define MCPI_ENDPOINT_SSE_H

#include "endpoint/channel.h"
#include "endpoint/place.h"
#include "endpoint/session.h"

struct mcpi_http_sse {
  char id[MCPI_HTTP_SESSION_ID_LEN + 1];
  mcpi_http_channel channel;
  mcpi_http_place place;
  mcp_transport transport;
  mcp_http_exchange *exchange; /* whose answer it is; NULL: that is gone */
  mcpi_timer timer;            /* the next comment; without exchange the end */
  size_t refs;                 /* until it ends, its transport, frames */
};

/* Returns the session id in the query of a request that brings messages. NULL:
 * the request does not bring messages, or names no session. The id is not
 * NUL-terminated; it ends with the parameter. */
MCP_API const char *mcpi_http_sse_id(const mcp_http *http, const char *target);
/* A GET, whose answer is the stream. */
void mcpi_http_sse_on_get(mcp_http_exchange *exchange);
void mcpi_http_sse_on_post(mcp_http_exchange *exchange, const char *body,
                           size_t len);
/* Its exchange is gone. */
void mcpi_http_sse_lost(mcpi_http_sse *sse);

#endif
