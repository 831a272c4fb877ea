/* SPDX-License-Identifier: MIT */
/** @file
 * The functions that the library takes its memory from.
 *
 * An object copies the table that the program makes it with; there is no global
 * allocator. The functions must be callable from every thread that uses an
 * object made with them.
 */
#ifndef MCP_ALLOCATOR_H
#define MCP_ALLOCATOR_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Functions that allocate and free memory. This structure does not grow. All
 * functions are required. */
typedef struct mcp_allocator {
  /** Allocates `size` bytes, aligned for any type. Returns NULL when there is
   * no memory. `size` is not 0. */
  void *(*alloc)(void *userdata, size_t size);
  /** Changes the size of an allocation, which may move. `ptr` is not NULL;
   * `old_size` is its current size. If the function returns NULL, the old
   * memory stays valid. */
  void *(*resize)(void *userdata, void *ptr, size_t old_size, size_t new_size);
  /** Frees an allocation. `ptr` is not NULL; `size` is its current size. */
  void (*release)(void *userdata, void *ptr, size_t size);
  /** Handed to every function above. */
  void *userdata;
} mcp_allocator;

/** Returns the default allocator, which uses malloc. The library uses it where
 * a program passes NULL. Static. */
MCP_API const mcp_allocator *mcp_allocator_default(void);

MCP_END_DECLS

#endif
