/* SPDX-License-Identifier: MIT */
/* Channels outlive the request that began them: sessions, streams of HTTP+SSE
 * and WebSockets. */
#ifndef MCPI_ENDPOINT_CHANNEL_H
#define MCPI_ENDPOINT_CHANNEL_H

#include "auth/resource/expiry.h"
#include "endpoint/exchange.h"
#include "server/connection.h"

/* A caller that outlives the exchange that began it. It ends at the latest when
 * it is session_max_ms old. */
typedef struct mcpi_endpoint_channel {
  mcpi_list link;      /* in http->channels */
  mcp_http *http;      /* a reference */
  mcpi_caller *caller; /* NULL: it has not begun, or it has ended */
  int64_t due_ms;
  mcpi_list silent_link; /* in http->silent */
  int64_t begin_due_ms;
  /* Of a WebSocket, or of a stream of HTTP+SSE: it ends when the token expires
   * with which it began. */
  mcpi_grant_expiry expiry;
} mcpi_endpoint_channel;

/* Options for a connection with the sender of the request; the strings are
 * borrowed from it. */
mcp_connection_options mcpi_endpoint_sender(const mcp_http_exchange *exchange);
/* The rules of all callers of an endpoint: their calls count together. */
mcpi_caller_rules mcpi_endpoint_rules(const mcp_http *http);

void mcpi_endpoint_channel_init(mcpi_endpoint_channel *channel, mcp_http *http);
/* Frees the object that begins with the channel, or contains it. */
void mcpi_endpoint_channel_free(mcpi_endpoint_channel *channel, void *whole,
                                size_t size);
/* The channel ages from here on. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_endpoint_channel_begin(mcpi_endpoint_channel *channel);
/* The same, with a connection over the transport, which is taken. The channel
 * ends when the token of `grant` expires (NULL: none was needed). If
 * `is_for_all`, the messages of the channel bring no tokens of their own, and
 * all use this one. Returns 0 or why not. */
int mcpi_endpoint_channel_connect(mcpi_endpoint_channel *channel,
                                  mcp_transport *transport,
                                  const mcp_connection_options *options,
                                  mcpi_grant *grant, int is_for_all);
/* Ends an open channel if its client does not begin a session within
 * initialized_ms. */
void mcpi_endpoint_channel_await(mcpi_endpoint_channel *channel);
/* Its caller has ended. */
void mcpi_endpoint_channel_forget(mcpi_endpoint_channel *channel);
/* Whether the request has the same principal as the channel. */
int mcpi_endpoint_channel_is_of(const mcpi_endpoint_channel *channel,
                                const mcp_http_exchange *exchange);
void mcpi_endpoint_channels_init(mcp_http *http);
/* Returns when the first channel ends by itself; INT64_MAX: none does. */
int64_t mcpi_endpoint_channels_due(const mcp_http *http);
/* Ends the channels that are too old, or have not begun a session in time. */
void mcpi_endpoint_channels_expire(mcp_http *http);
/* The first ends each channel when its calls have ended; the second ends all at
 * once. */
void mcpi_endpoint_channels_drain(mcp_http *http);
void mcpi_endpoint_channels_end(mcp_http *http);

#endif
