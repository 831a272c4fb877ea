/* SPDX-License-Identifier: MIT */
/* Waiting for the loop, for input and for an interrupt at the same time. */
#ifndef CTL_PLATFORM_WAIT_H
#define CTL_PLATFORM_WAIT_H

#include <mcp/loop.h>
#include <stddef.h>

/* A descriptor. */
enum { CTL_STANDARD_INPUT = 0 };

/* Waits until the loop has something to do, the first interrupt comes,
 * ctl_input_read has something of `fd` (-1: no descriptor), or `limit_ms` are
 * over (-1: no limit). Returns 1 when it has something of `fd`.
 *
 * A wait may handle the loop's events on some systems, or leave them to
 * mcp_loop_step. So call it only where both are right. */
int ctl_wait(mcp_loop *loop, int fd, int limit_ms);

/* Reads what the descriptor has, at most `len` bytes, after ctl_wait has
 * returned 1 for it. Returns the count, 0 at the end, or -1 with errno. */
long ctl_input_read(int fd, void *bytes, size_t len);

#endif
