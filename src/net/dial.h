/* SPDX-License-Identifier: MIT */
/* Connecting to an address, TCP or Unix. On its loop's thread alone. */
#ifndef MCPI_NET_DIAL_H
#define MCPI_NET_DIAL_H

#include <mcp/loop.h>

typedef struct mcpi_dial mcpi_dial;

/* How it went: a connected socket, non-blocking and not inherited, which is now
 * the caller's; or -1 and why. The dial is gone already. */
typedef void (*mcpi_dial_cb)(int fd, const mcp_error *err, void *userdata);

/* Whether it is an address at all: 0, or MCP_ERR_INVALID with err. */
int mcpi_dial_check(const char *address, mcp_error *err);
/* Begins; on_done comes once, from a later turn, unless it is freed before.
 * NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM. */
mcpi_dial *mcpi_dial_new(mcp_loop *loop, const char *address,
                         uint32_t timeout_ms, mcpi_dial_cb on_done,
                         void *userdata, mcp_error *err);
/* Gives it so much time from now on. */
void mcpi_dial_limit(mcpi_dial *dial, uint32_t timeout_ms);
/* NULL is accepted. */
void mcpi_dial_free(mcpi_dial *dial);

#endif
