/* SPDX-License-Identifier: MIT */
/* What an object's schema requires. */
#ifndef CTL_SCHEMA_H
#define CTL_SCHEMA_H

#include <mcp/json.h>

/* 1 when the object must have that member. */
int ctl_schema_requires(const mcp_json *schema, const char *name);

/* 1 when an equal item comes before this item in its list, which a list of
 * names should not have. */
int ctl_schema_is_repeated(const mcp_json *list, const mcp_json *item);

#endif
