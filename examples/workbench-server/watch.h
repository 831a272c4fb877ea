/* SPDX-License-Identifier: MIT */
/* Notices of change: tells clients when files of the folder are written, come
 * and go. */
#ifndef WORKBENCH_WATCH_H
#define WORKBENCH_WATCH_H

#include "workbench.h"

/* Begins watching, in a thread that ends with the server. Without inotify, or
 * where the system refuses, nothing is watched and nothing else is lost. */
void watch_start(workbench *bench, mcp_loop *loop);

#endif
