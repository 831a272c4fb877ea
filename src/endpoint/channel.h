/* SPDX-License-Identifier: MIT */
/* What outlives the request that began it: sessions, streams of HTTP+SSE and
 * WebSockets. */
#ifndef MCPI_ENDPOINT_CHANNEL_H
#define MCPI_ENDPOINT_CHANNEL_H

#include "endpoint/exchange.h"
#include "server/connection.h"

/* A caller that outlives the exchange which began it. It ends when it is
 * session_max_ms old, if not before. */
typedef struct mcpi_http_channel {
  mcpi_list link;      /* in http->channels */
  mcp_http *http;      /* a reference */
  mcpi_caller *caller; /* NULL: it has not begun, or has ended */
  int64_t due_ms;
  mcpi_list silent_link; /* in http->silent */
  int64_t begin_due_ms;
} mcpi_http_channel;

/* For a connection with whoever sent the request; strings borrowed from it. */
mcp_connection_options mcpi_http_sender(const mcp_http_exchange *exchange);
/* The rules of all callers of an endpoint: their calls count together. */
mcpi_caller_rules mcpi_http_rules(const mcp_http *http);

void mcpi_http_channel_init(mcpi_http_channel *channel, mcp_http *http);
/* Frees what it is the beginning or a part of. */
void mcpi_http_channel_free(mcpi_http_channel *channel, void *whole,
                            size_t size);
/* From here on it ages. 0 or MCP_ERR_NOMEM. */
int mcpi_http_channel_begin(mcpi_http_channel *channel);
/* The same, with a connection over the transport, which is taken. 0 or why
 * not. */
int mcpi_http_channel_connect(mcpi_http_channel *channel,
                              mcp_transport *transport,
                              const mcp_connection_options *options);
/* Ends it, once open, if its client does not begin a session in
 * initialized_ms. */
void mcpi_http_channel_await(mcpi_http_channel *channel);
/* Its caller has ended. */
void mcpi_http_channel_forget(mcpi_http_channel *channel);
/* Whether the request is of the same principal's. */
int mcpi_http_channel_is_of(const mcpi_http_channel *channel,
                            const mcp_http_exchange *exchange);
void mcpi_http_channels_init(mcp_http *http);
/* When the first of them ends by itself; INT64_MAX: none does. */
int64_t mcpi_http_channels_due(const mcp_http *http);
/* Ends those that are too old, or have not begun a session in time. */
void mcpi_http_channels_expire(mcp_http *http);
/* Ends each when its calls have ended; or all at once. */
void mcpi_http_channels_drain(mcp_http *http);
void mcpi_http_channels_end(mcp_http *http);

#endif
