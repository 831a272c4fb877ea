/* SPDX-License-Identifier: MIT */
/* The end of what stays open with a token. The token of a request is checked
 * once, when the request comes. A stream may be open for much longer, so each
 * of these has an expiry, which ends it when the token expires:
 *
 *   a WebSocket, and the stream of HTTP+SSE     endpoint/channel.c
 *   a GET of a session over Streamable HTTP     endpoint/replay.c
 *   subscriptions/listen, over any transport    server/listen.c
 *
 * The answer to any other request has none: a call that has begun with a valid
 * token is not cut off while its answer is being computed. */
#ifndef MCPI_AUTH_RESOURCE_EXPIRY_H
#define MCPI_AUTH_RESOURCE_EXPIRY_H

#include "auth/resource/grant.h"
#include "core/loop.h"

/* Part of what it ends; zeros: not started. */
typedef struct mcpi_grant_expiry mcpi_grant_expiry;
struct mcpi_grant_expiry {
  mcpi_timer timer;
  mcp_loop *loop;
  mcpi_grant *grant; /* a reference */
  int64_t due_ms;    /* for grant->stream_ms, by the loop's clock */
  void (*on_expired)(mcpi_grant_expiry *expiry);
};

/* Calls on_expired once, later, when the grant expires or its stream_ms have
 * passed. NULL: there is no token, and on_expired is never called. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_grant_expiry_start(mcpi_grant_expiry *expiry, mcp_loop *loop,
                            mcpi_grant *grant,
                            void (*on_expired)(mcpi_grant_expiry *expiry));
/* on_expired is not called from then on. It may be called for an expiry that
 * was not started, and from on_expired. */
void mcpi_grant_expiry_stop(mcpi_grant_expiry *expiry);

#endif
