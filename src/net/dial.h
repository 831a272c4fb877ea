/* SPDX-License-Identifier: MIT */
/* Connecting to an address, TCP or Unix. Everything happens on the loop's
 * thread. */
#ifndef MCPI_NET_DIAL_H
#define MCPI_NET_DIAL_H

#include <mcp/loop.h>

typedef struct mcpi_dial mcpi_dial;

/* The result: a connected socket, non-blocking and not inherited, which now
 * belongs to the caller; or -1 and why. The dial is gone already. */
typedef void (*mcpi_dial_cb)(int fd, const mcp_error *err, void *userdata);

/* Whether it is a valid address: returns 0, or MCP_ERR_INVALID with err. */
int mcpi_dial_check(const char *address, mcp_error *err);
/* Begins. on_done comes once, in a later turn, unless the dial is freed before.
 * NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM. */
mcpi_dial *mcpi_dial_new(mcp_loop *loop, const char *address,
                         uint32_t timeout_ms, mcpi_dial_cb on_done,
                         void *userdata, mcp_error *err);
/* Gives the dial that much time from now on. */
void mcpi_dial_limit(mcpi_dial *dial, uint32_t timeout_ms);
/* NULL is accepted. */
void mcpi_dial_free(mcpi_dial *dial);

#endif
