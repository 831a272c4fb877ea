/* SPDX-License-Identifier: MIT */
/* Notices of change: notifies clients when a program writes, adds or removes
 * files of the folder. */
#ifndef WORKBENCH_WATCH_H
#define WORKBENCH_WATCH_H

#include "workbench.h"

typedef struct watch watch;

/* Starts watching, in a separate thread. Returns NULL without inotify, or when
 * the system refuses: clients then get no notices, and the rest works. */
watch *watch_start(workbench *bench, mcp_loop *loop);
/* Ends the thread, before server and loop are freed. NULL is accepted. */
void watch_stop(watch *w);

#endif
