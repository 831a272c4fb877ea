/* SPDX-License-Identifier: MIT */
/* The answer to a tools/call.
 *
 * If the call has become a task, the client follows the task (follow.h), or
 * gives it to the program. In 2025-11-25 a call becomes one if it asks for it.
 *
 * If the arguments travel in headers as well, and the server says that the
 * headers are wrong, its tools have changed: the client lists them and sends
 * the call once more (MCP 2026-07-28, Streamable HTTP: Client Behavior). */
#ifndef MCPI_CLIENT_TOOL_H
#define MCPI_CLIENT_TOOL_H

#include "client/request.h"

/* tools/call. */
extern const mcpi_request_kind mcpi_request_tool;
/* tools/call for a program that wants the task. */
extern const mcpi_request_kind mcpi_request_task;

/* Decides for a new request of these kinds whether it asks for a task. */
void mcpi_tool_choose_task(mcpi_request *call);

#endif
