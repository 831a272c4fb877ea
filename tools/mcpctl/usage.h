/* SPDX-License-Identifier: MIT */
/* What --help prints. */
#ifndef CTL_USAGE_H
#define CTL_USAGE_H

#include <stdio.h>

void ctl_usage_print(FILE *out);

#endif
