/* SPDX-License-Identifier: MIT */
/* From what a program states to JSON text (mcp/schema.h). */
#ifndef MCPI_SCHEMA_BUILD_H
#define MCPI_SCHEMA_BUILD_H

#include "base/buf.h"
#include <mcp/schema.h>

/* Appends the schema as one line of JSON text; a text keeps its members, their
 * order and its numbers. The buffer is as it was after a failure: what
 * mcp_schema_build returns, or MCP_ERR_LIMIT for its depth. */
int mcpi_schema_put(mcpi_buf *buf, const mcp_schema *schema, mcp_error *err);

#endif
