/* SPDX-License-Identifier: MIT */
/* Tools that interop-server and tasks-server share. */
#ifndef MCP_INTEROP_TOOLS_H
#define MCP_INTEROP_TOOLS_H

#include <mcp/mcp.h>

/* Handlers: a result that is a failure, and an error. */
int tool_fail(mcp_call *call, void *userdata);
int tool_refuse(mcp_call *call, void *userdata);

/* Defers the call until the client cancels it, and reports the progress 1 of
 * `total`. */
int tool_wait(mcp_call *call, double total);

/* Handlers: how many calls of tool_wait have begun, and were cancelled. */
int tool_waiting(mcp_call *call, void *userdata);
int tool_cancelled(mcp_call *call, void *userdata);

/* Asks for a name by `form`, then for the age, and replies with both. Two
 * rounds: the second question follows from the first one's answer. */
int tool_ask_age(mcp_call *call, const mcp_schema *form);

#endif
