/* SPDX-License-Identifier: MIT */
/* Waiting, and the clock. */
#ifndef CTL_WAIT_H
#define CTL_WAIT_H

#include <mcp/loop.h>

/* Waits until the loop has something to do, the first SIGINT comes, `fd` can be
 * read (-1: no descriptor), or `limit_ms` are over (-1: no limit). Returns 1
 * when `fd` can be read. */
int ctl_wait(mcp_loop *loop, int fd, int limit_ms);

/* Nanoseconds on a clock that never jumps. */
int64_t ctl_now_ns(void);

#endif
