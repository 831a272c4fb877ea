/* SPDX-License-Identifier: MIT */
/* Counted blocks of memory from a loop's free lists.
 *
 * A message, its values and its reply live in blocks, so that a steady stream
 * of calls asks malloc for nothing: a block goes back to its pool when its
 * last reference goes. Sizes are powers of two from 1 KB; what lies idle past
 * the pool's cap goes back to the allocator, so one huge message does not stay
 * for ever.
 *
 * A pool and the counts of its blocks belong to one thread, the loop's. Memory
 * may be read and written elsewhere while a reference is held at home. */
#ifndef MCPI_BASE_BLOCK_H
#define MCPI_BASE_BLOCK_H

#include "base/alloc.h"
#include <stddef.h>

typedef struct mcpi_pool mcpi_pool;

typedef struct mcpi_block {
  /* The bytes behind this structure are aligned as it is. */
  _Alignas(max_align_t) mcpi_pool *pool;
  struct mcpi_block *next; /* in the free list */
  size_t cap;              /* bytes at data */
  uint32_t refs;
  uint32_t size_class;
} mcpi_block;

enum { MCPI_POOL_CLASSES = 16 }; /* 1 KB ... 32 MB; larger ones are not kept */

struct mcpi_pool {
  const mcp_allocator *allocator;
  mcpi_block *idle[MCPI_POOL_CLASSES];
  size_t idle_bytes;
  size_t max_idle_bytes;
  size_t live_blocks;   /* handed out and not yet back */
  uint64_t alloc_count; /* times the allocator was asked, for tests */
};

void mcpi_pool_init(mcpi_pool *pool, const mcp_allocator *allocator,
                    size_t max_idle_bytes);
/* Every block must be back. */
void mcpi_pool_deinit(mcpi_pool *pool);
/* Gives idle blocks back to the allocator until at most `keep` bytes lie idle,
 * the largest first. */
void mcpi_pool_trim(mcpi_pool *pool, size_t keep);

/* A block of at least `size` bytes with one reference, or NULL. */
MCP_API mcpi_block *mcpi_block_take(mcpi_pool *pool, size_t size);
void mcpi_block_ref(mcpi_block *block);
/* NULL is accepted. */
MCP_API void mcpi_block_unref(mcpi_block *block);

/* The block's bytes, aligned for any type. */
static inline void *mcpi_block_data(mcpi_block *block) {
  return block + 1;
}

#endif
