/* SPDX-License-Identifier: MIT */
/* Counted blocks of memory from a loop's free lists.
 *
 * A block's whole size, with its header, is a power of two: malloc wastes least
 * on such sizes. In a pool that keeps no idle blocks it is what is needed. */
#include "base/block.h"

#include <assert.h>

enum { SMALLEST = 1024 };

/* The bytes that the allocator gave. */
static size_t block_whole_size(const mcpi_block *block) {
  return sizeof(*block) + block->cap;
}

void mcpi_pool_init(mcpi_pool *pool, const mcp_allocator *allocator,
                    size_t max_idle_bytes) {
  *pool = (mcpi_pool){.allocator = allocator, .max_idle_bytes = max_idle_bytes};
}

void mcpi_pool_deinit(mcpi_pool *pool) {
  assert(pool->live_blocks == 0);
  mcpi_pool_trim(pool, 0);
}

static mcpi_block *pool_pop_idle(mcpi_pool *pool, uint32_t size_class) {
  mcpi_block *block = pool->idle[size_class];
  if (block != NULL) {
    pool->idle[size_class] = block->next;
    pool->idle_bytes -= block_whole_size(block);
  }
  return block;
}

static void pool_push_idle(mcpi_pool *pool, mcpi_block *block) {
  block->next = pool->idle[block->size_class];
  pool->idle[block->size_class] = block;
  pool->idle_bytes += block_whole_size(block);
}

void mcpi_pool_trim(mcpi_pool *pool, size_t keep) {
  uint32_t size_class = MCPI_POOL_CLASSES;
  while (pool->idle_bytes > keep && size_class > 0) {
    mcpi_block *block = pool_pop_idle(pool, size_class - 1);
    if (block == NULL) {
      size_class--;
      continue;
    }
    mcpi_free(pool->allocator, block, block_whole_size(block));
  }
}

/* Returns the smallest class whose blocks have at least `whole` bytes, or
 * MCPI_POOL_CLASSES when the blocks of all classes are smaller, or the pool
 * keeps none. */
static uint32_t pool_class_of(const mcpi_pool *pool, size_t whole) {
  uint32_t size_class = pool->max_idle_bytes > 0 ? 0 : MCPI_POOL_CLASSES;
  while (size_class < MCPI_POOL_CLASSES &&
         ((size_t)SMALLEST << size_class) < whole) {
    size_class++;
  }
  return size_class;
}

static mcpi_block *pool_new_block(mcpi_pool *pool, uint32_t size_class,
                                  size_t whole) {
  if (size_class < MCPI_POOL_CLASSES) {
    whole = (size_t)SMALLEST << size_class;
  }
  pool->alloc_count++;
  mcpi_block *block = mcpi_alloc(pool->allocator, whole);
  if (block != NULL) {
    block->pool = pool;
    block->cap = whole - sizeof(*block);
    block->size_class = size_class;
  }
  return block;
}

mcpi_block *mcpi_block_take(mcpi_pool *pool, size_t size) {
  if (size > SIZE_MAX - sizeof(mcpi_block)) {
    return NULL;
  }
  size_t whole = size + sizeof(mcpi_block);
  uint32_t size_class = pool_class_of(pool, whole);
  mcpi_block *block = NULL;
  if (size_class < MCPI_POOL_CLASSES) {
    block = pool_pop_idle(pool, size_class);
  }
  if (block == NULL) {
    block = pool_new_block(pool, size_class, whole);
  }
  if (block != NULL) {
    block->next = NULL;
    block->refs = 1;
    pool->live_blocks++;
  }
  return block;
}

/* Compares a difference, because the sum may overflow. */
static int pool_has_room_for(const mcpi_pool *pool, const mcpi_block *block) {
  return block->size_class < MCPI_POOL_CLASSES &&
         pool->idle_bytes <= pool->max_idle_bytes &&
         block_whole_size(block) <= pool->max_idle_bytes - pool->idle_bytes;
}

void mcpi_block_unref(mcpi_block *block) {
  if (block == NULL) {
    return;
  }
  assert(block->refs > 0);
  if (--block->refs > 0) {
    return;
  }
  mcpi_pool *pool = block->pool;
  pool->live_blocks--;
  if (pool_has_room_for(pool, block)) {
    pool_push_idle(pool, block);
  } else {
    mcpi_free(pool->allocator, block, block_whole_size(block));
  }
}
