/* SPDX-License-Identifier: MIT */
/* A task while its handler runs: it is the sink of the handler's call, and
 * writes what the handler does to the task's record.
 *
 *     begin                                         resume
 *       |                                             |
 *   CREATING -- stored, the client gets the id --> RUNNING
 *       |                                          |     |
 *       | not stored, or the client has gone       |     | cancelled
 *       |                                          |     |
 *       |                 replies, or asks: SAVING +     |
 *       v                                          v     v
 *      gone <--------------------------------------+-----+
 *
 * CREATING: the call is still that of its request. If its client cancels it or
 *   leaves, the task is cancelled as soon as it is stored: nobody has its id.
 * RUNNING: the call has left its caller (mcpi_call_answer_early). Only
 *   tasks/cancel, the end of its time and the end of the server cancel it.
 * SAVING: the call has ended, and what it came to is on its way to the store. A
 *   task that asks has no call from then on. When it is answered, another run
 *   begins from the record.
 *
 * When the server ends, the records of running tasks stay as they are: the next
 * process finds them (mcp_task_store.list_unfinished).
 *
 * Lifetime: the structure frees itself. It is on the loop of its call. Requests
 * that come on another loop find it by tasks->running, under the server's
 * lock, and only read its message there. */
#ifndef MCPI_EXT_TASKS_RUNNING_H
#define MCPI_EXT_TASKS_RUNNING_H

#include "ext/tasks/task_data.h"
#include "ext/tasks/tasks.h"

/* Makes a task of a call of a tool, and stores it. When it is stored, the
 * request is answered with the id; then the handler runs, if it has not begun
 * yet. If it cannot be stored, a call whose handler has not begun gets an
 * error; other calls go on as calls. `ttl_ms` is how long the record is kept;
 * -1: without a limit. Returns 0; or MCP_ERR_LIMIT, MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM, recorded on the call: then nothing has happened. */
int mcpi_running_task_begin(mcpi_tasks *tasks, mcp_call *call, int64_t ttl_ms);

/* Runs the handler of a stored task again, with the answers in the record.
 * `identity`: that of the client who has answered; NULL: that of the owner.
 * Returns 0, or MCP_ERR_NOMEM. */
int mcpi_running_task_resume(mcpi_tasks *tasks, mcpi_shard *shard,
                             mcpi_identity *identity, const char *id,
                             const char *owner, const mcpi_task_data *data);

/* The record says that the task is cancelled: cancels the call, on whichever
 * loop it is. Does nothing if no handler runs. */
void mcpi_running_task_cancel(mcpi_tasks *tasks, const char *id);

/* Whether a handler runs for the task, on any loop, or is about to. */
int mcpi_running_task_exists(mcpi_tasks *tasks, const char *id);

/* Appends the message of a task's last progress. Returns when that was, by the
 * wall clock; 0: no handler runs, or it has reported none. */
int64_t mcpi_running_task_message(mcpi_tasks *tasks, const char *id,
                                  mcpi_buf *out);

#endif
