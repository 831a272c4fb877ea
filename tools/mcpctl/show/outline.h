/* SPDX-License-Identifier: MIT */
/* A JSON Schema as a table, a row for each member at any depth. */
#ifndef CTL_OUTLINE_H
#define CTL_OUTLINE_H

#include "common/table.h"

#include <mcp/json.h>

/* Makes a table whose first column has that heading. Members within members are
 * `size.width`, an array's items `tags[]`, one of them `pair[0]`, any other
 * member `labels.*`, alternatives `shape (1)`. A value that contains itself is
 * described once.
 *
 * Ended by ctl_table_print; returns how many rows it has. */
size_t ctl_outline_make(ctl_table *table, const char *heading,
                        const mcp_json *schema);

#endif
