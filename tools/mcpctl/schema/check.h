/* SPDX-License-Identifier: MIT */
/* The verb `schema`: checks JSON Schemas in files, and files by them. */
#ifndef CTL_SCHEMA_CHECK_H
#define CTL_SCHEMA_CHECK_H

#include "line/options.h"

/* Returns an exit code: CTL_OK when all files are valid. */
int ctl_schema_check(const ctl_options *options);

#endif
