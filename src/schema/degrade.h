/* SPDX-License-Identifier: MIT */
/* Schemas for revisions that do not know all of JSON Schema (PROTOCOL 2.10). */
#ifndef MCPI_SCHEMA_DEGRADE_H
#define MCPI_SCHEMA_DEGRADE_H

#include "base/buf.h"
#include <mcp/json.h>

/* Appends the schema with each boolean schema among `properties`, at any depth,
 * as an object that means the same: `true` as {}, `false` as {"not":{}}. The
 * official schemas up to 2025-11-25 want objects there, and clients that check
 * refuse a whole list for one boolean. Returns how many there were. */
size_t mcpi_schema_put_objects(const mcp_json *schema, mcpi_buf *out);

#endif
