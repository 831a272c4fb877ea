/* SPDX-License-Identifier: MIT */
/* One fixed spelling for each JSON value, for digests (after RFC 8785). */
#ifndef MCPI_JSON_CANONICAL_H
#define MCPI_JSON_CANONICAL_H

#include "base/buf.h"
#include <mcp/json.h>

/* Appends the value with RFC 8785's order of members and form of strings, and
 * with numbers as mcpi_json_put_number writes them. Sorts in memory of the
 * buffer's allocator. */
void mcpi_json_put_canonical(mcpi_buf *buf, const mcp_json *value);

/* Writes an object's member names to `names`, which has room for all of them,
 * sorted by UTF-16 code unit as RFC 8785 says. Equal names keep the object's
 * order. */
void mcpi_json_sorted_names(const mcp_json *object, const mcp_json **names);

#endif
