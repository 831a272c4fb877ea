/* SPDX-License-Identifier: MIT */
/* Prints the help: --help, and the verb `help`. */
#ifndef CTL_USAGE_H
#define CTL_USAGE_H

#include "line/options.h"

#include <stdio.h>

void ctl_usage_print(FILE *out);

/* Reports an unknown verb. Returns an exit code. */
int ctl_usage_refuse_verb(const char *word);

/* Runs the verb `help`. Returns an exit code. */
int ctl_help(const ctl_options *options);

#endif
