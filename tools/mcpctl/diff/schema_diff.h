/* SPDX-License-Identifier: MIT */
/* Compares the schemas that two listings have for one tool. */
#ifndef CTL_SCHEMA_DIFF_H
#define CTL_SCHEMA_DIFF_H

#include "diff/changes.h"
#include "diff/compat.h"

/* Adds what is different.
 *
 * @param direction CTL_GIVEN for arguments, CTL_RETURNED for results
 * @param path      JSON pointer to the schema in the tool's entry */
void ctl_schema_diff(ctl_changes *changes, int direction, const char *path,
                     ctl_values schemas);

#endif
