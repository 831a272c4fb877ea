/* SPDX-License-Identifier: MIT */
/* The use of a session that stays by the verbs that connect to a server. They
 * speak to the process of the session as to the server itself. */
#ifndef CTL_KEEP_CLIENT_H
#define CTL_KEEP_CLIENT_H

#include "connection/session.h"

/* Connects to the session of the server of these options, if it runs and the
 * options let this run use it. Returns a descriptor, or -1. `says`: reports
 * that it is used. */
int ctl_keep_join(const ctl_options *options, int says);

/* Begins to connect over session->kept_fd. Calls ctl_session_done as
 * ctl_connect does. Returns 0 or MCP_ERR_*. */
int ctl_keep_connect_client(ctl_session *session);

/* Takes the outcome of a request that failed at the process: then the session
 * has the error that its own transport would have reported. */
void ctl_keep_take_failure(ctl_session *session, const mcp_json *error_data);

/* Takes a notification of the process. Returns 0: it is the server's. */
int ctl_keep_take(ctl_session *session, const char *method,
                  const mcp_json *params);

#endif
