/* SPDX-License-Identifier: MIT */
/** @file
 * Where the library's memory comes from.
 *
 * The table is copied into each object that is made with it; there is no
 * global allocator. The functions must be callable from every thread that
 * uses an object made with them.
 */
#ifndef MCP_ALLOCATOR_H
#define MCP_ALLOCATOR_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Functions that give and take memory. This structure does not grow. */
typedef struct mcp_allocator {
  /** Returns `size` bytes aligned for any type, or NULL. `size` is not 0. */
  void *(*alloc)(void *userdata, size_t size);
  /** Resizes; `ptr` is not NULL, `old_size` is what it was asked with.
   * On NULL the old memory stays valid. */
  void *(*resize)(void *userdata, void *ptr, size_t old_size, size_t new_size);
  /** Frees `size` bytes at `ptr`; `ptr` is not NULL. */
  void (*release)(void *userdata, void *ptr, size_t size);
  /** Handed to every function above. */
  void *userdata;
} mcp_allocator;

/** The C library's malloc. Static; what NULL means wherever an allocator may
 * be given. */
MCP_API const mcp_allocator *mcp_allocator_default(void);

MCP_END_DECLS

#endif
