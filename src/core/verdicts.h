/* SPDX-License-Identifier: MIT */
/* What the clients on a loop have learnt about servers: their eras, by origin
 * (MCP 2026-07-28, Versioning: Backward Compatibility), and their transport, by
 * URL. It lives as long as the loop. */
#ifndef MCPI_CORE_VERDICTS_H
#define MCPI_CORE_VERDICTS_H

#include "core/loop.h"
#include "core/revision.h"

enum {
  /* A program uses few servers; one that uses many probes some of them
   * again. */
  MCPI_VERDICTS_MAX = 256
};

void mcpi_verdicts_init(mcp_loop *loop);
void mcpi_verdicts_deinit(mcp_loop *loop);

/* Returns what the server of that origin speaks; NULL: not known. */
const mcpi_revision *mcpi_verdicts_get(const mcp_loop *loop,
                                       const char *origin);
/* NULL: forgets it. Without memory nothing is remembered. */
MCP_API void mcpi_verdicts_set(mcp_loop *loop, const char *origin,
                               const mcpi_revision *revision);

/* Whether the server at that URL speaks HTTP+SSE; an origin may have it at one
 * URL and not at another. */
MCP_API int mcpi_verdicts_is_sse(const mcp_loop *loop, const char *url);
MCP_API void mcpi_verdicts_set_sse(mcp_loop *loop, const char *url, int is_sse);

#endif
