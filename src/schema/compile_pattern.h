/* SPDX-License-Identifier: MIT */
/* Compiling the regular expressions of `pattern` and `patternProperties`. */
#ifndef MCPI_SCHEMA_COMPILE_PATTERN_H
#define MCPI_SCHEMA_COMPILE_PATTERN_H

#include "schema/compiler.h"

/* Compiles the expression at `place`. `node` is the node for the members in
 * patternProperties, else MCPI_NONE. Sets *pattern to the index in `patterns`.
 * 0; MCP_ERR_SCHEMA, MCP_ERR_LIMIT, MCP_ERR_PLATFORM (no expressions are
 * provided) or MCP_ERR_NOMEM, with err. */
int mcpi_compile_pattern(mcpi_subject *s, const mcp_json *place, mcpi_str text,
                         uint32_t node, uint32_t *pattern);

#endif
