/* SPDX-License-Identifier: MIT */
/* A request that follows a task to its end (MCP 2025-11-25, Tasks; the
 * extension io.modelcontextprotocol/tasks). It is one request with several
 * messages, which differ in their method:
 *
 *   PAUSED -> WAITING for tasks/get
 *     working                        -> PAUSED
 *     input_required (2026-07-28)    -> ASKING -> tasks/update -> PAUSED
 *     input_required (2025-11-25)    -> tasks/result, which brings questions
 *     completed, failed (2025-11-25) -> tasks/result -> ENDED
 *     completed, failed (2026-07-28) -> ENDED
 *     cancelled                      -> ENDED
 *
 * A report of a change ends the pause, and counts as an answer to tasks/get.
 * While tasks/result waits, only its message is given to the program. */
#ifndef MCPI_CLIENT_FOLLOW_H
#define MCPI_CLIENT_FOLLOW_H

#include "client/request.h"

/* Makes a new request for tasks/get, which has its taskId, follow the task. The
 * result is checked as one of `tool`, which is copied, unless that is NULL. */
void mcpi_follow_prepare(mcpi_request *request, const char *tool);
/* The same for a request that ends when its questions are answered. */
void mcpi_follow_prepare_answers(mcpi_request *request);
/* A tools/call has been answered with a task: the request becomes one that
 * follows it. */
void mcpi_follow_begin(mcpi_request *call, const mcp_json *result);

/* The server reports what a task is now. */
void mcpi_follow_notified(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope);

#endif
