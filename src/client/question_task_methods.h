/* SPDX-License-Identifier: MIT */
/* The methods by which a legacy server looks at the tasks that its questions
 * run as: tasks/get, tasks/result, tasks/cancel and tasks/list (MCP 2025-11-25,
 * Tasks). */
#ifndef MCPI_CLIENT_QUESTION_TASK_METHODS_H
#define MCPI_CLIENT_QUESTION_TASK_METHODS_H

#include "client/client.h"

/* Whether a request of that name is one of these, and the client has declared
 * that it runs tasks. */
int mcpi_question_task_methods_have(const mcp_client *client, mcpi_str name);
/* Answers such a request, now or when its task has ended. Returns 0, or an
 * error of sending. */
int mcpi_question_task_methods_serve(mcp_client *client,
                                     const mcpi_envelope *envelope,
                                     mcpi_str id_text);

#endif
