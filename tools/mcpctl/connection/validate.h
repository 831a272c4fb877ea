/* SPDX-License-Identifier: MIT */
/* Validates a tool's arguments before they are sent. */
#ifndef CTL_VALIDATE_H
#define CTL_VALIDATE_H

#include "connection/session.h"

/* Asks the server for the tool's schema, if the verb calls a tool, and
 * validates the arguments by it. Reports why it could not.
 *
 * @return 0 when the arguments may be sent: they are valid, or there is no
 *     usable schema; else MCP_ERR_*, for ctl_failure_report */
int ctl_validate_arguments(ctl_session *session);

#endif
