/* SPDX-License-Identifier: MIT */
/* Ends a wait of the main thread from another thread. */
#ifndef CTL_PLATFORM_WAKE_WINDOWS_H
#define CTL_PLATFORM_WAKE_WINDOWS_H

#include <mcp/loop.h>

/* Any thread: ends the wait that is under way, or the next one. */
void ctl_wake(void);

/* The main thread, before it waits for the loop. Returns 0 if it must not wait,
 * because ctl_wake was called; then there is nothing to end. */
int ctl_wake_begin(mcp_loop *loop);
void ctl_wake_end(void);

#endif
