/* SPDX-License-Identifier: MIT */
/* Reports that a server has refused access. */
#ifndef CTL_REFUSAL_H
#define CTL_REFUSAL_H

#include "connection/session.h"

/* Reports the session's error, MCP_ERR_REFUSED, and what the user can do, in
 * one line. Returns CTL_AUTHORIZATION. */
int ctl_refusal_report(const ctl_session *session);
/* Returns what to add to the error of a login that an option would have let
 * pass; "": nothing. */
const char *ctl_refusal_option(const mcp_error *err);

#endif
