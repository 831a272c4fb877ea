/* SPDX-License-Identifier: MIT */
/* What a failed request means to the user. */
#ifndef CTL_FAILURE_H
#define CTL_FAILURE_H

#include "session.h"

/* Reports how session->status came about, with what the server left behind.
 * An exit code. */
int ctl_failure_report(const ctl_session *session);

#endif
