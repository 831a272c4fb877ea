/* SPDX-License-Identifier: MIT */
/* The verb `watch`: shows what a server reports, as it comes. */
#ifndef CTL_WATCH_H
#define CTL_WATCH_H

#include "line/options.h"

/* Runs until the user interrupts, which counts as success, or the connection
 * ends. Returns an exit code. */
int ctl_watch_run(const ctl_options *options);

#endif
