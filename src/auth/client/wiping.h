/* SPDX-License-Identifier: MIT */
/* Memory for objects that hold secrets and free their memory themselves, such
 * as JSON documents and builders. */
#ifndef MCPI_AUTH_CLIENT_WIPING_H
#define MCPI_AUTH_CLIENT_WIPING_H

#include <mcp/allocator.h>

/* Returns an allocator that takes its memory from this one, which must outlive
 * it, and overwrites memory before it frees it, also when memory moves. */
MCP_API mcp_allocator mcpi_wiping_allocator(const mcp_allocator *allocator);

#endif
