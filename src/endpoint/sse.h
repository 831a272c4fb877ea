/* SPDX-License-Identifier: MIT */
/* HTTP+SSE for servers (MCP 2024-11-05, Transports: HTTP with SSE). */
#ifndef MCPI_ENDPOINT_SSE_H
#define MCPI_ENDPOINT_SSE_H

#include "endpoint/channel.h"
#include "endpoint/seat.h"
#include "endpoint/session_id.h"

struct mcpi_endpoint_sse {
  char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  mcpi_endpoint_channel channel;
  mcpi_endpoint_seat seat;
  mcp_transport transport;
  mcp_http_exchange *exchange; /* the exchange of the GET; NULL: it is gone */
  /* The next comment; without an exchange, the end. */
  mcpi_timer timer;
  /* Held until the end, by its transport, and by frames. */
  size_t refs;
};

/* Answers a GET with the stream. */
void mcpi_endpoint_sse_on_get(mcp_http_exchange *exchange);
void mcpi_endpoint_sse_on_post(mcp_http_exchange *exchange, const char *text,
                               size_t len);
/* Its exchange has gone. */
void mcpi_endpoint_sse_lost(mcpi_endpoint_sse *sse);

#endif
