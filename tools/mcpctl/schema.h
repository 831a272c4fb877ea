/* SPDX-License-Identifier: MIT */
/* What an object's schema requires. */
#ifndef CTL_SCHEMA_H
#define CTL_SCHEMA_H

#include <mcp/json.h>

/* 1 when the object must have that member. */
int ctl_schema_requires(const mcp_json *schema, const char *name);

#endif
