/* SPDX-License-Identifier: MIT */
#include "base/block.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1024, HEAD = sizeof(mcpi_block) };

TEST(sizes_are_powers_of_two) {
  failing_alloc alloc;
  mcpi_pool pool;
  failing_alloc_init(&alloc);
  mcpi_pool_init(&pool, &alloc.allocator, 1); /* none fits */
  static const size_t sizes[][2] = {
      {0, KB},
      {1, KB},
      {KB - HEAD, KB},
      {KB - HEAD + 1, 2 * KB},
      {100 * KB, 128 * KB},
      {32 * KB * KB - HEAD, 32 * KB * KB},
      /* Past the classes: exactly as many as were asked for. */
      {32 * KB * KB - HEAD + 1, 32 * KB * KB + 1},
  };
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    mcpi_block *block = mcpi_block_take(&pool, sizes[i][0]);
    assert_non_null(block);
    assert_true(block->cap >= sizes[i][0]);
    assert_int_equal(alloc.live_bytes, sizes[i][1]);
    mcpi_block_unref(block);
    assert_int_equal(alloc.live_bytes, 0);
  }
  assert_null(mcpi_block_take(&pool, SIZE_MAX));
  assert_null(mcpi_block_take(&pool, SIZE_MAX - HEAD));
  mcpi_pool_deinit(&pool);
}

TEST(a_pool_that_keeps_nothing_takes_what_is_needed) {
  failing_alloc alloc;
  mcpi_pool pool;
  failing_alloc_init(&alloc);
  mcpi_pool_init(&pool, &alloc.allocator, 0);
  for (size_t size = 1; size < 10000; size += 777) {
    mcpi_block *block = mcpi_block_take(&pool, size);
    assert_int_equal(alloc.live_bytes, size + HEAD);
    mcpi_block_unref(block);
    assert_int_equal(alloc.live_bytes, 0);
  }
  mcpi_pool_deinit(&pool);
}

TEST(bytes_are_aligned_and_ours) {
  mcpi_pool pool;
  mcpi_pool_init(&pool, mcp_allocator_default(), 0);
  for (size_t size = 1; size < 10000; size += 777) {
    mcpi_block *block = mcpi_block_take(&pool, size);
    void *data = mcpi_block_data(block);
    assert_int_equal((uintptr_t)data % _Alignof(max_align_t), 0);
    memset(data, 0x55, block->cap);
    mcpi_block_unref(block);
  }
  mcpi_pool_deinit(&pool);
}

TEST(a_steady_stream_asks_for_nothing) {
  mcpi_pool pool;
  mcpi_pool_init(&pool, mcp_allocator_default(), 64 * KB);
  for (int i = 0; i < 1000; i++) {
    mcpi_block *one = mcpi_block_take(&pool, 700);
    mcpi_block *two = mcpi_block_take(&pool, 700);
    mcpi_block *large = mcpi_block_take(&pool, 5000);
    assert_int_equal(pool.live_blocks, 3);
    mcpi_block_unref(one);
    mcpi_block_unref(large);
    mcpi_block_unref(two);
  }
  assert_int_equal(pool.alloc_count, 3);
  assert_int_equal(pool.live_blocks, 0);
  mcpi_pool_deinit(&pool);
}

TEST(the_last_reference_gives_back) {
  mcpi_pool pool;
  mcpi_pool_init(&pool, mcp_allocator_default(), 64 * KB);
  mcpi_block *block = mcpi_block_take(&pool, 10);
  mcpi_block_ref(block);
  mcpi_block_unref(block);
  assert_int_equal(pool.idle_bytes, 0);
  assert_int_equal(pool.live_blocks, 1);
  mcpi_block_unref(block);
  assert_int_equal(pool.idle_bytes, KB);
  assert_int_equal(pool.live_blocks, 0);
  mcpi_block_unref(NULL);
  mcpi_pool_deinit(&pool);
}

TEST(idle_bytes_stay_under_the_cap) {
  failing_alloc alloc;
  mcpi_pool pool;
  mcpi_block *blocks[5];
  failing_alloc_init(&alloc);
  mcpi_pool_init(&pool, &alloc.allocator, 3 * KB);
  for (int i = 0; i < 5; i++) {
    blocks[i] = mcpi_block_take(&pool, 1);
  }
  for (int i = 0; i < 5; i++) {
    mcpi_block_unref(blocks[i]);
  }
  assert_int_equal(pool.idle_bytes, 3 * KB);
  assert_int_equal(alloc.live_bytes, 3 * KB);
  mcpi_block_unref(mcpi_block_take(&pool, 1500));
  assert_int_equal(pool.idle_bytes, 3 * KB);
  mcpi_pool_deinit(&pool);
  assert_int_equal(alloc.live_bytes, 0);
}

TEST(trim_frees_the_largest_first) {
  failing_alloc alloc;
  mcpi_pool pool;
  failing_alloc_init(&alloc);
  mcpi_pool_init(&pool, &alloc.allocator, SIZE_MAX);
  mcpi_block_unref(mcpi_block_take(&pool, 1));
  mcpi_block_unref(mcpi_block_take(&pool, 1500));
  mcpi_block_unref(mcpi_block_take(&pool, 60000));
  assert_int_equal(pool.idle_bytes, 67 * KB);
  mcpi_pool_trim(&pool, 67 * KB);
  assert_int_equal(pool.idle_bytes, 67 * KB);
  mcpi_pool_trim(&pool, 67 * KB - 1);
  assert_int_equal(pool.idle_bytes, 3 * KB);
  mcpi_pool_trim(&pool, 2 * KB);
  assert_int_equal(pool.idle_bytes, KB);
  mcpi_pool_trim(&pool, 0);
  assert_int_equal(alloc.live_bytes, 0);
  mcpi_pool_deinit(&pool);
}

static int take_several(const mcp_allocator *allocator, void *userdata) {
  mcpi_pool pool;
  mcpi_pool_init(&pool, allocator, 8 * KB);
  mcpi_block *one = mcpi_block_take(&pool, 100);
  mcpi_block *two = mcpi_block_take(&pool, 3000);
  mcpi_block *three = mcpi_block_take(&pool, 100000);
  int rc = one != NULL && two != NULL && three != NULL ? 0 : MCP_ERR_NOMEM;
  mcpi_block_unref(one);
  mcpi_block_unref(two);
  mcpi_block_unref(three);
  mcpi_pool_deinit(&pool);
  return rc;
}

TEST(failures_are_survived) {
  assert_int_equal(failing_alloc_rerun(take_several, NULL), 3);
}
