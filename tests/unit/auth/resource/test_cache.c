/* SPDX-License-Identifier: MIT */
#include "auth/resource/cache.h"

#include "support/cm.h"
#include "support/failing_alloc.h"

static mcpi_token_key key_of(unsigned number) {
  return (mcpi_token_key){.bytes = {(uint8_t)number, (uint8_t)(number >> 8)},
                          .len = MCP_SHA256_SIZE};
}

static void put(mcpi_token_cache *cache, unsigned number, int64_t expires_ms,
                int64_t fresh_ms) {
  mcpi_token_key key = key_of(number);
  mcpi_grant *grant = mcpi_grant_new(&cache->loop->allocator, MCPI_STR("ann"),
                                     MCPI_STR("read"));
  if (grant != NULL) {
    grant->expires_ms = expires_ms;
    mcpi_token_cache_put(cache, &key, grant, fresh_ms);
  }
  mcpi_grant_unref(grant);
}

static int was_accepted(mcpi_token_cache *cache, unsigned number) {
  mcpi_token_key key = key_of(number);
  return mcpi_token_cache_has(cache, &key);
}

static int has(mcpi_token_cache *cache, unsigned number) {
  mcpi_token_key key = key_of(number);
  return mcpi_token_cache_get(cache, &key) != NULL;
}

TEST(the_least_recently_used_token_leaves) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_token_cache cache;
  mcpi_token_cache_init(&cache, loop, 3);
  for (unsigned i = 1; i <= 3; i++) {
    put(&cache, i, INT64_MAX, INT64_MAX);
  }
  assert_true(has(&cache, 1));
  put(&cache, 4, INT64_MAX, INT64_MAX);
  assert_true(has(&cache, 1));
  assert_false(has(&cache, 2));
  assert_true(has(&cache, 3));
  assert_true(has(&cache, 4));
  put(&cache, 4, INT64_MAX, INT64_MAX);
  assert_int_equal(cache.map.count, 3);
  mcpi_token_cache_deinit(&cache);
  mcp_loop_free(loop);
}

TEST(a_token_leaves_when_it_expires) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_token_cache cache;
  mcp_loop_advance(loop, 100, 5000);
  mcpi_token_cache_init(&cache, loop, 10);
  put(&cache, 1, 6000, INT64_MAX);
  put(&cache, 2, INT64_MAX, 50);
  put(&cache, 3, INT64_MAX, INT64_MAX);
  put(&cache, 4, INT64_MAX, 0);
  assert_false(has(&cache, 4));
  mcp_loop_advance(loop, 149, 5999);
  assert_true(has(&cache, 1) && has(&cache, 2) && has(&cache, 3));
  mcp_loop_advance(loop, 150, 6000);
  assert_false(has(&cache, 1) || has(&cache, 2));
  assert_true(has(&cache, 3));
  assert_int_equal(cache.map.count, 3);
  assert_false(was_accepted(&cache, 1) || was_accepted(&cache, 5));
  assert_true(was_accepted(&cache, 2) && was_accepted(&cache, 4));
  mcpi_token_key key = key_of(2);
  mcpi_token_cache_drop(&cache, &key);
  mcpi_token_cache_drop(&cache, &key);
  assert_false(was_accepted(&cache, 2));
  mcpi_token_cache_deinit(&cache);
  mcp_loop_free(loop);
}

TEST(without_memory_nothing_is_remembered) {
  for (size_t i = 2; i < 12; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    mcp_loop *loop = mcp_loop_new_manual(NULL, &alloc.allocator, NULL);
    mcpi_token_cache cache;
    mcpi_token_cache_init(&cache, loop, 2);
    put(&cache, 1, INT64_MAX, INT64_MAX);
    put(&cache, 2, INT64_MAX, INT64_MAX);
    mcpi_token_cache_deinit(&cache);
    mcp_loop_free(loop);
    assert_int_equal(alloc.live_blocks, 0);
  }
}
