/* SPDX-License-Identifier: MIT */
/* What a failed request means to the user. */
#ifndef CTL_FAILURE_H
#define CTL_FAILURE_H

#include "session.h"

/* Reports how session->status came about, with what the server left behind.
 * An exit code. */
int ctl_failure_report(const ctl_session *session);

/* Reports what mcp_client_options.on_error has told, which failed no request.
 * The code. */
int ctl_fault_report(const ctl_session *session, int code,
                     const mcp_error *err);

#endif
