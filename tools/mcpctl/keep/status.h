/* SPDX-License-Identifier: MIT */
/* The verbs `status` and `stop`: show and end the sessions that stay. */
#ifndef CTL_KEEP_STATUS_H
#define CTL_KEEP_STATUS_H

#include "line/options.h"

/* Both return an exit code. */
int ctl_keep_status(const ctl_options *options);
int ctl_keep_stop_run(const ctl_options *options);

#endif
