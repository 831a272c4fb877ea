/* SPDX-License-Identifier: MIT */
/* The verb `servers`: lists the servers of the configuration files. */
#ifndef CTL_SERVERS_H
#define CTL_SERVERS_H

#include "line/options.h"

/* Returns an exit code; with --check, CTL_FAILED if a server does not answer.
 */
int ctl_servers_run(const ctl_options *options);

#endif
