/* SPDX-License-Identifier: MIT */
/* Connects to a session that stays, and asks its process. These requests are
 * not for the server: their methods begin with "mcpctl/". */
#ifndef CTL_KEEP_ASK_H
#define CTL_KEEP_ASK_H

#include <mcp/json.h>

/* The state of the session: an object with name, file, pid, startedAt,
 * clients, requests, idleLeft (seconds; no member: a client is connected), log
 * and definition. */
#define CTL_KEEP_STATUS "mcpctl/status"
/* The same. The client is going to use the server, so the session does not end
 * before it does. */
#define CTL_KEEP_HELLO "mcpctl/hello"
/* Ends the server, and then the process. The answer is the end of the
 * connection. */
#define CTL_KEEP_STOP "mcpctl/stop"
/* From the client that has started the process: the handshake is done, and
 * others may connect. */
#define CTL_KEEP_SERVE "mcpctl/serve"

/* How the notifications of the process begin. The server's own with such a
 * method do not reach a client. */
#define CTL_KEEP_NOTIFICATIONS "notifications/mcpctl/"
/* A notification of the process, with the text that the server has written on
 * its standard error in /params/text. */
#define CTL_KEEP_STDERR CTL_KEEP_NOTIFICATIONS "stderr"
/* How the server's process has ended: /params/status and /params/signal. */
#define CTL_KEEP_EXIT CTL_KEEP_NOTIFICATIONS "exit"

/* In the data of an error: the request failed without an answer of the server.
 * An object with code and status as in mcp_error. In an error of the server it
 * is null. */
#define CTL_KEEP_FAILURE "mcpctl/failure"

/* Connects to the socket at a path. Returns a descriptor; -1: no process of the
 * user's listens there. */
int ctl_keep_connect(const char *path);

/* Sends a request before any to the server, and waits for the answer. Returns
 * its result, owned; NULL: there was none in time. */
mcp_doc *ctl_keep_ask(int fd, const char *method, int limit_ms);

/* Asks the process to end, and waits until it has. Returns 0 or
 * MCP_ERR_TIMEOUT. */
int ctl_keep_stop(int fd, int limit_ms);

#endif
