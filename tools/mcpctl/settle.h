/* SPDX-License-Identifier: MIT */
/* Waiting for what a server asks first. */
#ifndef CTL_SETTLE_H
#define CTL_SETTLE_H

#include "session.h"

/* Notes that the server has asked for the roots, and answers. */
void ctl_settle_roots(mcp_question *question, void *userdata);

/* Waits until the server has the roots, if it asks for them when a session
 * begins: a call that came before them would be judged without them. 0, or why
 * the session is over. */
int ctl_settle(ctl_session *session);

#endif
