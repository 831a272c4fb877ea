/* SPDX-License-Identifier: MIT */
/* Work whose end the user need not wait for. */
#ifndef CTL_PLATFORM_DETACHED_H
#define CTL_PLATFORM_DETACHED_H

#include <stdio.h>

/* Does the work in a process of its own, which has no terminal, and prints on
 * standard output what it writes into `out`, until it closes that stream, which
 * it must, or the limit is over. Returns 0 in both processes, or -1 with errno.
 *
 * Windows cannot divide a process: there this process does the work, and only
 * the limits of the work itself count. */
int ctl_detached_print(void (*work)(FILE *out, void *argument), void *argument,
                       int limit_ms);

#endif
