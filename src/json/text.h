/* SPDX-License-Identifier: MIT */
/* One value as a text of its own. */
#ifndef MCPI_JSON_TEXT_H
#define MCPI_JSON_TEXT_H

#include <mcp/allocator.h>
#include <mcp/json.h>

/* Does what mcp_json_to_text does, with another allocator. The caller frees the
 * text with mcpi_strfree. */
char *mcpi_json_to_text(const mcp_json *value, const mcp_allocator *allocator,
                        size_t *len);

#endif
