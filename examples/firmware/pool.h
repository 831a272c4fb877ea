/* SPDX-License-Identifier: MIT */
/* An allocator for mcp_allocator that takes all memory from one array, so that
 * the linker knows how much there is. */
#ifndef POOL_H
#define POOL_H

#include <mcp/allocator.h>

typedef struct pool_hole pool_hole;

typedef struct pool {
  pool_hole *holes; /* free pieces in the order of their addresses */
  size_t len;
  size_t used;
  size_t peak; /* the most bytes that were used at once */
} pool;

/* Gives the pool its memory, which must be aligned for any type. */
void pool_init(pool *self, void *memory, size_t len);

/* Returns a table for the library; valid as long as the pool. */
mcp_allocator pool_allocator(pool *self);

#endif
