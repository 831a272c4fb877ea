/* SPDX-License-Identifier: MIT */
/* The option --pin: a tool that is not as in a snapshot is not called. */
#ifndef CTL_PIN_H
#define CTL_PIN_H

#include "connection/session.h"

/* Reads the snapshot, if the options of the session name one. Returns CTL_OK;
 * else an exit code, after a report. */
int ctl_pin_read(ctl_session *session);

/* Compares the tool that the verb calls with that of the snapshot. The
 * session's result is the server's list of tools.
 *
 * @return 0: they are the same, or nothing is pinned; else MCP_ERR_INVALID, as
 *         in session->error, after a report of the differences */
int ctl_pin_check(ctl_session *session);

#endif
