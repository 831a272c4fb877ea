/* SPDX-License-Identifier: MIT */
/* What a handler notes while it runs (mcp_call_set_state), for a process that
 * has to go on with its task. */
#ifndef MCPI_EXT_TASKS_NOTE_H
#define MCPI_EXT_TASKS_NOTE_H

#include "ext/tasks/tasks.h"

/* Stores the state in the record of a task that works. A failure is reported to
 * the program. */
void mcpi_task_note(mcpi_tasks *tasks, mcpi_shard *shard, const char *id,
                    mcpi_str state);

#endif
