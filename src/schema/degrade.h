/* SPDX-License-Identifier: MIT */
/* Schemas for revisions that allow only a part of JSON Schema (MCP, Tools:
 * Tool). */
#ifndef MCPI_SCHEMA_DEGRADE_H
#define MCPI_SCHEMA_DEGRADE_H

#include "base/buf.h"
#include <mcp/json.h>

/* Appends the schema, with each boolean schema among `properties`, at any
 * depth, replaced by an object that means the same: `true` by {}, `false` by
 * {"not":{}}. The protocol's own schemas up to 2025-11-25 require objects
 * there, and clients that check refuse a whole list because of one boolean.
 * Returns how many were replaced. */
size_t mcpi_schema_put_objects(const mcp_json *schema, mcpi_buf *out);

#endif
