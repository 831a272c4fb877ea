/* SPDX-License-Identifier: MIT */
/* The restricted schemas of elicitation's forms (PROTOCOL 5.2): one flat
 * object whose members are strings, numbers, booleans and choices. */
#ifndef MCPI_SCHEMA_ELICIT_H
#define MCPI_SCHEMA_ELICIT_H

#include "base/buf.h"
#include <mcp/json.h>

/* Checks a requestedSchema, the values of its keywords included.
 *
 * rich: the revision has defaults, titled choices and multiple ones, and
 *   `$schema` (since 2025-11-25).
 * 0; MCP_ERR_UNSUPPORTED when only a rich revision has what is used;
 * MCP_ERR_LIMIT (1024 properties, 4096 choices); MCP_ERR_SCHEMA otherwise. The
 * message begins with the JSON pointer.
 *
 * Beyond the table of PROTOCOL 5.2 two keywords are let through that do no
 * harm: `additionalProperties: false`, which MCP_OBJECT() writes, and a
 * string's `pattern`. */
int mcpi_elicit_schema_check(const mcp_json *schema, int rich, mcp_error *err);

/* Appends the answer's content with the defaults of what the user left out.
 * schema: one that passed the check.
 * content: NULL, or anything but an object, counts as an empty object. */
void mcpi_elicit_apply_defaults(const mcp_json *schema, const mcp_json *content,
                                mcpi_buf *out);

#endif
