/* SPDX-License-Identifier: MIT */
/* Counted blocks of memory from a loop's free lists.
 *
 * A message, its values and its reply live in blocks. A block goes back to its
 * pool when its last reference is dropped, so a steady stream of calls does not
 * call malloc. Sizes are powers of two from 1 KB. Idle blocks above the pool's
 * limit go back to the allocator, so the memory of one huge message is not
 * kept.
 *
 * A pool and its blocks' counts belong to the loop's thread. Other threads may
 * read and write the memory while that thread holds a reference. */
#ifndef MCPI_BASE_BLOCK_H
#define MCPI_BASE_BLOCK_H

#include "base/alloc.h"
#include <assert.h>
#include <stddef.h>

typedef struct mcpi_pool mcpi_pool;

typedef struct mcpi_block {
  /* Aligned for any type, and so are the bytes after this structure. */
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
  size_t live_blocks;   /* in use */
  uint64_t alloc_count; /* calls of the allocator, for tests */
};

void mcpi_pool_init(mcpi_pool *pool, const mcp_allocator *allocator,
                    size_t max_idle_bytes);
/* No block may be in use. */
void mcpi_pool_deinit(mcpi_pool *pool);
/* Frees idle blocks, the largest first, until at most `keep` bytes are idle. */
void mcpi_pool_trim(mcpi_pool *pool, size_t keep);

/* Returns a block of at least `size` bytes with one reference, or NULL. */
MCP_API mcpi_block *mcpi_block_take(mcpi_pool *pool, size_t size);
static inline void mcpi_block_ref(mcpi_block *block) {
  assert(block->refs > 0 && block->refs < UINT32_MAX);
  block->refs++;
}

/* NULL is accepted. */
MCP_API void mcpi_block_unref(mcpi_block *block);

/* The block's bytes, aligned for any type. */
static inline void *mcpi_block_data(mcpi_block *block) {
  return block + 1;
}

#endif
