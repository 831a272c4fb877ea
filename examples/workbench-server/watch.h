/* SPDX-License-Identifier: MIT */
/* Notices of change: tells clients when files of the folder are written, come
 * and go. */
#ifndef WORKBENCH_WATCH_H
#define WORKBENCH_WATCH_H

#include "workbench.h"

typedef struct watch watch;

/* Begins watching, in a thread of its own. NULL without inotify, or where the
 * system refuses: then nothing is watched, and nothing else is lost. */
watch *watch_start(workbench *bench, mcp_loop *loop);
/* Ends the thread, before server and loop are freed. NULL is accepted. */
void watch_stop(watch *w);

#endif
