/* SPDX-License-Identifier: MIT */
/* The verb `start`: begins a session that stays. */
#ifndef CTL_KEEP_START_H
#define CTL_KEEP_START_H

#include "line/options.h"

/* Returns an exit code, when the server has answered the handshake or has
 * failed. */
int ctl_keep_start(const ctl_options *given);

#endif
