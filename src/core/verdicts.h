/* SPDX-License-Identifier: MIT */
/* What the clients on a loop have found out of servers' eras, by origin
 * (PROTOCOL 2.9). It lives as long as the loop. */
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
void mcpi_verdicts_set(mcp_loop *loop, const char *origin,
                       const mcpi_revision *revision);

#endif
