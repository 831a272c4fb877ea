/* SPDX-License-Identifier: MIT */
/* tasks/result (MCP 2025-11-25, Tasks): a call that waits until a task has
 * ended. While the task asks, its stream takes the questions to the client.
 *
 *   LOADING ---> WAITING ---> LOADING    the task has changed, or its time is
 *      |                                 over
 *      +-------> ASKING ----> LOADING    all answers are there, the task has
 *      |                                 ended, or its time is over
 *      |
 *      +-------> replied, and gone
 *
 * Of several that wait for one task, one asks. If its client leaves, another
 * asks.
 *
 * Lifetime: the structure is that of its call, and goes when the call has its
 * reply or its client leaves. */
#ifndef MCPI_EXT_TASKS_WAITER_H
#define MCPI_EXT_TASKS_WAITER_H

#include "ext/tasks/tasks.h"

/* The handler of tasks/result. userdata: mcpi_tasks. */
int mcpi_task_on_result(mcp_call *call, void *userdata);

#endif
