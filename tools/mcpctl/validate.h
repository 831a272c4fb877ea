/* SPDX-License-Identifier: MIT */
/* A tool's arguments, validated before they are sent. */
#ifndef CTL_VALIDATE_H
#define CTL_VALIDATE_H

#include "session.h"

/* Asks the server for the tool's schema, where the verb calls one. Returns 0
 * when the arguments may be sent: they are valid, or there is nothing to
 * validate them by, which is told. Else MCP_ERR_*, for ctl_failure_report. */
int ctl_validate_arguments(ctl_session *session);

#endif
