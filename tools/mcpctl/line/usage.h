/* SPDX-License-Identifier: MIT */
/* Prints the help: --help, and the verb `help`. */
#ifndef CTL_USAGE_H
#define CTL_USAGE_H

#include "line/options.h"

#include <stdio.h>

void ctl_usage_print(FILE *out);

/* Reports an unknown verb. `has_server`: the command line names a server, so
 * the word may be one of its tools. Returns an exit code. */
int ctl_usage_refuse_verb(const char *word, int has_server);

/* Runs the verb `help`. Returns an exit code. */
int ctl_help(const ctl_options *options);

#endif
