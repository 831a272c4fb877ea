/* SPDX-License-Identifier: MIT */
/* Checks a value with a JSON Schema. */
#ifndef CTL_CONFORM_H
#define CTL_CONFORM_H

#include <mcp/json.h>

/* Returns 0 if the value satisfies the schema, else MCP_ERR_*: what is wrong
 * with the value, or with the schema. Sets err, not NULL, to the first fault,
 * such as "/a: expected a number, got null". */
int ctl_conform(const mcp_json *schema, const mcp_json *value, mcp_error *err);

/* The same with a schema of mcpctl's own, as text. */
int ctl_conform_to_text(const char *schema, const mcp_json *value,
                        mcp_error *err);

#endif
