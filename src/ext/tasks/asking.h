/* SPDX-License-Identifier: MIT */
/* Questions of a call that its client runs as tasks (MCP 2025-11-25, Tasks):
 * the server is the requestor here, and the client has the task.
 *
 *     CREATING ------> WATCHING <----> GETTING ------> FETCHING
 *      |                |               |               |
 *      |                |               |               +--> the answer
 *      |                |               +--> no answer: the client has
 *      |                |                    cancelled the task, or an error
 *      |                +--> no answer: the question's time is over
 *      +--> the answer: the client has made no task
 *
 * CREATING: the question is in flight. WATCHING: nothing is; the next tasks/get
 * is sent after the interval that the client wants, or when the client notifies
 * the server. GETTING: tasks/get is in flight; FETCHING: tasks/result.
 *
 * The question's pending request is that of each step, so cancelling the call
 * takes back whatever is in flight. The structure lives until the question has
 * its answer, or is taken back. */
#ifndef MCPI_EXT_TASKS_ASKING_H
#define MCPI_EXT_TASKS_ASKING_H

#include "ext/tasks/tasks.h"
#include "server/ask.h"

/* As mcpi_task_maker.ask and .take_back. */
int mcpi_asking_send(mcpi_question *question, mcpi_pending_done done);
void mcpi_asking_take_back(mcpi_question *question);

/* Receives the notifications of clients about their tasks. Returns what
 * mcp_server_add_method returns. */
int mcpi_asking_add_notification(mcp_server *server, mcp_error *err);

#endif
