/* SPDX-License-Identifier: MIT */
/* The verb `shell`: many verbs on one connection, each a line. */
#ifndef CTL_SHELL_H
#define CTL_SHELL_H

#include "line/options.h"

/* Returns the exit code of the last line; with -e, that of the first one that
 * failed. */
int ctl_shell_run(const ctl_options *options);

#endif
