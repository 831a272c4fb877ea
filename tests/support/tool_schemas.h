/* SPDX-License-Identifier: MIT */
/* The three schemas of the mcp-core dialect (tool-schemas.ts of its package),
 * for whatever a test has seen on a wire. */
#ifndef MCP_TESTS_TOOL_SCHEMAS_H
#define MCP_TESTS_TOOL_SCHEMAS_H

#include <stddef.h>

enum { TOOL_REQUEST, TOOL_RESPONSE, TOOL_ERROR };

/* 1 when the JSON text is valid against that schema. */
int tool_schema_accepts(int schema, const char *text, size_t len);

#endif
