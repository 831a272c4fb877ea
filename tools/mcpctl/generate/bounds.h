/* SPDX-License-Identifier: MIT */
/* The options of mcp/fields.h for the limits that a schema sets. */
#ifndef CTL_BOUNDS_H
#define CTL_BOUNDS_H

#include "generate/model.h"

#include <stdio.h>

/* Writes ", MCP_MINIMUM(1)" and the like for a field of a list. Limits that
 * contradict each other, or that the field cannot have, are left out: a schema
 * of such a field could not be built. Returns 0 or MCP_ERR_NOMEM. */
int ctl_write_bounds(FILE *out, const ctl_member *member);

#endif
