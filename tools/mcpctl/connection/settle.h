/* SPDX-License-Identifier: MIT */
/* Lets a server of the legacy era read the roots before the first request. */
#ifndef CTL_SETTLE_H
#define CTL_SETTLE_H

#include "connection/session.h"

/* Notes that the server has asked for the roots, and answers. */
void ctl_settle_roots(mcp_question *question, void *userdata);

/* Waits until the server has read the roots, if it asks for them when a session
 * begins. Otherwise it would handle the first call without them.
 *
 * @return 0, or MCP_ERR_* when the session is over */
int ctl_settle(ctl_session *session);

#endif
