/* SPDX-License-Identifier: MIT */
/* The verb `schema`: JSON Schemas in files, and JSON that they describe. */
#ifndef CTL_SCHEMA_CHECK_H
#define CTL_SCHEMA_CHECK_H

#include "options.h"

/* An exit code: CTL_OK when all is valid. */
int ctl_schema_check(const ctl_options *options);

#endif
