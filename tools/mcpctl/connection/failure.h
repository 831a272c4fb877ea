/* SPDX-License-Identifier: MIT */
/* Reports why a request failed, and what the user can do. */
#ifndef CTL_FAILURE_H
#define CTL_FAILURE_H

#include "connection/session.h"

/* Reports the reason for session->status. If something may have gone wrong in
 * the server, also reports the last lines of its standard error. Returns an
 * exit code. */
int ctl_failure_report(const ctl_session *session);

/* The limit that ended connecting, in milliseconds, as the library's message
 * names it. 0: the message is about something else. */
uint32_t ctl_failure_connect_ms(const char *message);

/* Reports an error that mcp_client_options.on_error received, which ended no
 * request. Returns `code`. */
int ctl_fault_report(const ctl_session *session, int code,
                     const mcp_error *err);

#endif
