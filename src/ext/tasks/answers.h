/* SPDX-License-Identifier: MIT */
/* Answers to the questions of a task: they go to its record, and when none is
 * missing its handler runs again. */
#ifndef MCPI_EXT_TASKS_ANSWERS_H
#define MCPI_EXT_TASKS_ANSWERS_H

#include "ext/tasks/work.h"

/* Moves answers to the record, for mcpi_task_work.change. `given` has answers
 * by key, and `failures` the reasons why others have none; each may be NULL.
 * Keys that the task does not ask for, or that it has an answer to, are
 * ignored. *doc receives the new values of the record, owned; those of an
 * earlier attempt are freed. Returns 1, and *doc is set; 0: nothing has
 * changed; or MCP_ERR_NOMEM. */
int mcpi_task_take_answers(mcpi_task_work *work, mcpi_task_data *data,
                           const mcp_json *given, const mcp_json *failures,
                           mcp_doc **doc);
/* The work that took answers is done: runs the handler again if they were the
 * last. */
void mcpi_task_after_answers(mcpi_task_work *work, const mcpi_task_data *data,
                             mcpi_identity *identity);

#endif
