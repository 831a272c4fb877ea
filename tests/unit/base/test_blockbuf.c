/* SPDX-License-Identifier: MIT */
/* The queue of bytes in a pool's block. */
#include "base/blockbuf.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <string.h>

static failing_alloc alloc;
static mcpi_pool pool;

static int begin(void **state) {
  failing_alloc_init(&alloc);
  mcpi_pool_init(&pool, &alloc.allocator, 64 * 1024);
  return 0;
}

static int end(void **state) {
  mcpi_pool_deinit(&pool);
  assert_int_equal(alloc.live_blocks, 0);
  return 0;
}

static void expect(const mcpi_blockbuf *buf, const char *text) {
  assert_int_equal(buf->len, strlen(text));
  assert_memory_equal(mcpi_blockbuf_data(buf), text, buf->len);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(empty_it_has_no_memory) {
  mcpi_blockbuf buf = {0};
  assert_null(mcpi_blockbuf_data(&buf));
  assert_int_equal(mcpi_blockbuf_put(&buf, &pool, "", 0), 0);
  assert_null(buf.block);
  assert_int_equal(mcpi_blockbuf_put(&buf, &pool, "abc", 3), 0);
  mcpi_blockbuf_take(&buf, 1);
  expect(&buf, "bc");
  mcpi_blockbuf_take(&buf, 2);
  assert_null(buf.block);
  assert_int_equal(pool.live_blocks, 0);
}

/* Bytes that come and go take only the memory of the bytes that are there. */
FIXTURE_TEST(what_was_taken_makes_room) {
  mcpi_blockbuf buf = {0};
  char next_in = 0;
  char next_out = 0;
  for (int i = 0; i < 1000; i++) {
    for (int j = 0; j < 50; j++, next_in++) {
      assert_int_equal(mcpi_blockbuf_put(&buf, &pool, &next_in, 1), 0);
    }
    size_t taken = i < 4 ? 10 : 50;
    for (size_t j = 0; j < taken; j++, next_out++) {
      assert_int_equal(*mcpi_blockbuf_data(&buf), next_out);
      mcpi_blockbuf_take(&buf, 1);
    }
  }
  assert_int_equal(buf.len, 160);
  assert_true(buf.block->cap < 1024);
  mcpi_blockbuf_clear(&buf);
}

/* Through a move to a larger block, a move to the front, and the end. */
FIXTURE_TEST(a_secret_one_leaves_nothing_in_freed_memory) {
  mcpi_blockbuf buf = {.is_secret = 1};
  alloc.secret = "hidden";
  for (int i = 0; i < 400; i++) {
    assert_int_equal(mcpi_blockbuf_put(&buf, &pool, "hidden", 6), 0);
  }
  mcpi_blockbuf_take(&buf, 6 * 399);
  size_t cap = buf.block->cap;
  while (buf.start > 0) {
    assert_int_equal(mcpi_blockbuf_put(&buf, &pool, "hidden", 6), 0);
  }
  assert_int_equal(buf.block->cap, cap);
  mcpi_blockbuf_take(&buf, buf.len - 6);
  expect(&buf, "hidden");
  mcpi_blockbuf_clear(&buf);
  assert_true(buf.is_secret);
  mcpi_pool_trim(&pool, 0);
  assert_int_equal(alloc.live_blocks, 0);
  assert_int_equal(alloc.left_secrets, 0);
}

FIXTURE_TEST(without_memory_it_stays_as_it_was) {
  static const char large[4000];
  mcpi_blockbuf buf = {0};
  assert_int_equal(mcpi_blockbuf_put(&buf, &pool, "abc", 3), 0);
  alloc.fail_at = alloc.calls + 1;
  assert_int_equal(mcpi_blockbuf_put(&buf, &pool, large, sizeof(large)),
                   MCP_ERR_NOMEM);
  assert_null(mcpi_blockbuf_reserve(&buf, &pool, SIZE_MAX - 2));
  expect(&buf, "abc");
  mcpi_blockbuf_clear(&buf);
}
