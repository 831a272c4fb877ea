/* SPDX-License-Identifier: MIT */
/* Notifications that belong to a call: progress, logs, and parts of a tool's
 * result that it shows early. */
#ifndef MCPI_SERVER_CALL_NOTIFY_H
#define MCPI_SERVER_CALL_NOTIFY_H

#include "server/call.h"

/* Begins a notification that belongs to the call. The caller puts the members
 * of its params into the buffer that this returns, and calls _end. On the
 * loop's thread. */
mcpi_buf *mcpi_call_notify_begin(mcp_call *call, mcpi_str method);
/* Sends the notification, if the call still has a sink. `what` is MCPI_SEND_*.
 * 0, MCP_ERR_GONE or MCP_ERR_NOMEM. */
int mcpi_call_notify_end(mcp_call *call, int what);

/* Gives the state of a call's questions (mcpi_ask_put_state) to its task, if it
 * is one. On any thread. Returns 0, MCP_ERR_GONE or MCP_ERR_NOMEM. */
int mcpi_call_note_state(mcp_call *call, mcpi_str state);

/* Checks what a program logs, except that the data is JSON. 0 or
 * MCP_ERR_INVALID. */
int mcpi_log_check(int level, const char *logger, const char *data,
                   mcp_error *err);
/* Appends the data, which must be JSON. `hint` follows "the data is not JSON"
 * in the error. 0 or an error of mcpi_json_put_text, which err then has. */
int mcpi_log_put_data(mcpi_buf *out, const char *data, const char *hint,
                      mcp_error *err);

#endif
