/* SPDX-License-Identifier: MIT */
/* Shows clients that a task has changed; and the member of _meta that names the
 * task (MCP 2025-11-25, Tasks: Related Task Metadata). */
#ifndef MCPI_EXT_TASKS_CHANGES_H
#define MCPI_EXT_TASKS_CHANGES_H

#include "ext/tasks/task_data.h"
#include "ext/tasks/tasks.h"

/* The filter of subscriptions/listen (2026-07-28). */
#define MCPI_TASK_IDS_FILTER "taskIds"

/* Tells the clients of the task what is known of it: listens of its owner that
 * named it, and sessions of `identity` (2025-11-25; NULL: none). On the thread
 * of the shard's loop. */
void mcpi_task_show(mcpi_shard *shard, const mcpi_identity *identity,
                    const char *id, const char *owner,
                    const mcpi_task_data *data);
/* The status in the record has changed: the same, and those that wait for the
 * task look again. */
void mcpi_task_changed(mcpi_tasks *tasks, mcpi_shard *shard,
                       const mcpi_identity *identity, const char *id,
                       const char *owner, const mcpi_task_data *data);

/* Adds the member of _meta to the reply of a call. */
void mcpi_task_add_related(mcp_call *call, const char *id);

#endif
