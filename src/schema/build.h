/* SPDX-License-Identifier: MIT */
/* Writing a program's mcp_schema as JSON text (mcp/schema.h). */
#ifndef MCPI_SCHEMA_BUILD_H
#define MCPI_SCHEMA_BUILD_H

#include "base/buf.h"
#include <mcp/schema.h>

/* Appends the schema as one line of JSON text. A schema that is given as text
 * keeps its members, their order and its numbers. Returns what mcp_schema_build
 * returns; after a failure the buffer is as it was. */
int mcpi_schema_put(mcpi_buf *buf, const mcp_schema *schema, mcp_error *err);

#endif
