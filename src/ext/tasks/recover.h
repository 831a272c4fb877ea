/* SPDX-License-Identifier: MIT */
/* Tasks that an earlier process has left: their handlers do not run any more.
 * Each goes on, if the program wants that (mcp_tasks_options.on_resume), or
 * fails. Those that wait for answers simply wait on. */
#ifndef MCPI_EXT_TASKS_RECOVER_H
#define MCPI_EXT_TASKS_RECOVER_H

#include "ext/tasks/tasks.h"

/* Starts it, on the first loop that the server serves on. Without memory,
 * nothing happens, and the program gets a report. */
void mcpi_tasks_recover(mcpi_tasks *tasks, mcpi_shard *shard);

#endif
