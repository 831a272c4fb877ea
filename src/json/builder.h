/* SPDX-License-Identifier: MIT */
/* What the library needs of a program's builder beyond <mcp/json.h>. */
#ifndef MCPI_JSON_BUILDER_H
#define MCPI_JSON_BUILDER_H

#include <mcp/allocator.h>
#include <mcp/error.h>
#include <mcp/json.h>

/* Returns the builder's allocator, for scratch memory. */
const mcp_allocator *mcpi_builder_allocator(const mcp_builder *builder);
/* Returns the bytes of JSON text written so far. */
size_t mcpi_builder_len(const mcp_builder *builder);
/* Empties the builder, and frees the memory of its text if that is more than
 * `keep`. NULL is accepted. */
void mcpi_builder_recycle(mcp_builder *builder, size_t keep);

#endif
