/* SPDX-License-Identifier: MIT */
/* Memory from an mcp_allocator. Only alloc.c may call malloc; all other code
 * allocates with these functions, and passes the size when it frees. */
#ifndef MCPI_BASE_ALLOC_H
#define MCPI_BASE_ALLOC_H

#include <mcp/allocator.h>

/* Returns NULL when out of memory or when size is 0. */
MCP_API void *mcpi_alloc(const mcp_allocator *allocator, size_t size);
/* Does the same for an array, and fills it with zeros. */
MCP_API void *mcpi_calloc(const mcp_allocator *allocator, size_t count,
                          size_t size);
/* ptr may be NULL (old_size 0). When it returns NULL, the old memory is
 * unchanged. */
MCP_API void *mcpi_realloc(const mcp_allocator *allocator, void *ptr,
                           size_t old_size, size_t new_size);
/* ptr may be NULL. */
MCP_API void mcpi_free(const mcp_allocator *allocator, void *ptr, size_t size);

/* Overwrites a secret, such as a key. No compiler optimises this away. */
MCP_API void mcpi_wipe(void *ptr, size_t size);
/* Wipes memory and frees it. */
MCP_API void mcpi_free_wiped(const mcp_allocator *allocator, void *ptr,
                             size_t size);

/* Copies a string; NULL gives NULL. The caller frees the copy with
 * mcpi_strfree, which accepts NULL. */
MCP_API char *mcpi_strdup(const mcp_allocator *allocator, const char *string);
MCP_API char *mcpi_strndup(const mcp_allocator *allocator, const char *string,
                           size_t len);
MCP_API void mcpi_strfree(const mcp_allocator *allocator, char *string);
/* Wipes a copy and frees it. */
MCP_API void mcpi_strfree_wiped(const mcp_allocator *allocator, char *string);

#endif
