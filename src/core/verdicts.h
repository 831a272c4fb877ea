/* SPDX-License-Identifier: MIT */
/* What the clients on a loop have found out of servers: their eras, by origin
 * (PROTOCOL 2.9), and their wire, by URL. It lives as long as the loop. */
#ifndef MCPI_CORE_VERDICTS_H
#define MCPI_CORE_VERDICTS_H

#include "core/loop.h"
#include "core/revision.h"

enum {
  /* A program has few servers; one that has many finds out again. */
  MCPI_VERDICTS_MAX = 256
};

void mcpi_verdicts_init(mcp_loop *loop);
void mcpi_verdicts_deinit(mcp_loop *loop);

/* What the server of that origin speaks; NULL: nobody knows. */
const mcpi_revision *mcpi_verdicts_get(const mcp_loop *loop,
                                       const char *origin);
/* NULL: what was known is forgotten. Without memory nothing is remembered. */
MCP_API void mcpi_verdicts_set(mcp_loop *loop, const char *origin,
                               const mcpi_revision *revision);

/* Whether HTTP+SSE was spoken at that URL; an origin may have it at one and not
 * at another. */
MCP_API int mcpi_verdicts_is_sse(const mcp_loop *loop, const char *url);
MCP_API void mcpi_verdicts_set_sse(mcp_loop *loop, const char *url, int is_sse);

#endif
