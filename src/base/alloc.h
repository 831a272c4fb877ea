/* SPDX-License-Identifier: MIT */
/* Memory by way of an mcp_allocator. The one file that may call malloc is
 * alloc.c; everything else comes through here and gives sizes back. */
#ifndef MCPI_BASE_ALLOC_H
#define MCPI_BASE_ALLOC_H

#include <mcp/allocator.h>

/* NULL when out of memory or when size is 0. */
MCP_API void *mcpi_alloc(const mcp_allocator *allocator, size_t size);
/* The same, filled with zeros. */
MCP_API void *mcpi_calloc(const mcp_allocator *allocator, size_t count,
                          size_t size);
/* ptr may be NULL (old_size 0). On NULL the old memory is untouched. */
MCP_API void *mcpi_realloc(const mcp_allocator *allocator, void *ptr,
                           size_t old_size, size_t new_size);
/* ptr may be NULL. */
MCP_API void mcpi_free(const mcp_allocator *allocator, void *ptr, size_t size);

/* Overwrites what must not stay in memory, such as a key; no compiler leaves it
 * out. */
void mcpi_wipe(void *ptr, size_t size);
/* mcpi_free, once it is wiped. */
void mcpi_free_wiped(const mcp_allocator *allocator, void *ptr, size_t size);

/* A copy of a string, or NULL; a NULL string gives NULL. End it with
 * mcpi_strfree, which accepts NULL. */
MCP_API char *mcpi_strdup(const mcp_allocator *allocator, const char *string);
MCP_API char *mcpi_strndup(const mcp_allocator *allocator, const char *string,
                           size_t len);
MCP_API void mcpi_strfree(const mcp_allocator *allocator, char *string);

#endif
