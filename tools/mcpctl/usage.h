/* SPDX-License-Identifier: MIT */
/* What --help and the verb `help` print. */
#ifndef CTL_USAGE_H
#define CTL_USAGE_H

#include "options.h"

#include <stdio.h>

void ctl_usage_print(FILE *out);

/* The verb `help`. An exit code. */
int ctl_help(const ctl_options *options);

#endif
