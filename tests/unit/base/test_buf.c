/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>

TEST(appends_add_up) {
  failing_alloc alloc;
  mcpi_buf buf;
  failing_alloc_init(&alloc);
  mcpi_buf_init(&buf, &alloc.allocator, 10000);
  assert_null(buf.data);
  assert_null(mcpi_buf_reserve(&buf, 0));
  mcpi_buf_lit(&buf, "ab");
  mcpi_buf_putc(&buf, 'c');
  mcpi_buf_puts(&buf, MCPI_STR("def"));
  mcpi_buf_put(&buf, NULL, 0);
  memcpy(mcpi_buf_reserve(&buf, 10), "gh", 2);
  mcpi_buf_commit(&buf, 2);
  assert_int_equal(buf.len, 8);
  assert_memory_equal(buf.data, "abcdefgh", 8);
  mcpi_buf_deinit(&buf);
  assert_int_equal(alloc.live_blocks, 0);
}

TEST(growth_keeps_the_bytes) {
  failing_alloc alloc;
  mcpi_buf buf;
  failing_alloc_init(&alloc);
  mcpi_buf_init(&buf, &alloc.allocator, SIZE_MAX);
  for (int i = 0; i < 100000; i++) {
    mcpi_buf_putc(&buf, (char)(i % 251));
  }
  for (int i = 0; i < 100000; i++) {
    assert_int_equal((unsigned char)buf.data[i], i % 251);
  }
  assert_true(alloc.calls < 12);
  mcpi_buf_deinit(&buf);
  assert_int_equal(alloc.live_blocks, 0);
}

TEST(the_limit_holds_to_the_byte) {
  mcpi_buf buf;
  for (size_t max = 0; max < 1000; max += 37) {
    mcpi_buf_init(&buf, mcp_allocator_default(), max);
    for (size_t i = 0; i < max; i++) {
      mcpi_buf_putc(&buf, 'x');
    }
    assert_int_equal(buf.error, 0);
    assert_int_equal(buf.len, max);
    mcpi_buf_putc(&buf, 'x');
    assert_int_equal(buf.error, MCP_ERR_LIMIT);
    assert_int_equal(buf.len, max);
    assert_true(buf.cap <= max);
    mcpi_buf_deinit(&buf);
  }
}

TEST(sizes_do_not_overflow) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  mcpi_buf_lit(&buf, "x");
  assert_null(mcpi_buf_reserve(&buf, SIZE_MAX));
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_buf_deinit(&buf);
}

TEST(the_first_failure_sticks) {
  static const char too_many[301] = {0};
  failing_alloc alloc;
  mcpi_buf buf;
  failing_alloc_init(&alloc);
  mcpi_buf_init(&buf, &alloc.allocator, 300);
  mcpi_buf_lit(&buf, "abc");
  mcpi_buf_put(&buf, too_many, sizeof(too_many));
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_buf_lit(&buf, "d");
  assert_null(mcpi_buf_reserve(&buf, 1));
  assert_int_equal(buf.len, 3);
  mcpi_buf_rewind(&buf, 2);
  mcpi_buf_lit(&buf, "d");
  assert_int_equal(buf.error, 0);
  assert_memory_equal(buf.data, "abd", 3);
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_buf_reserve(&buf, 290));
  assert_int_equal(buf.error, MCP_ERR_NOMEM);
  mcpi_buf_clear(&buf);
  assert_int_equal(buf.error, 0);
  assert_int_equal(buf.len, 0);
  mcpi_buf_deinit(&buf);
  assert_int_equal(alloc.live_blocks, 0);
}

TEST(trim_keeps_small_memory_only) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_lit(&buf, "abc");
  size_t cap = buf.cap;
  mcpi_buf_recycle(&buf, cap);
  assert_int_equal(buf.cap, cap);
  assert_int_equal(buf.len, 0);
  mcpi_buf_recycle(&buf, cap - 1);
  assert_int_equal(buf.cap, 0);
  assert_null(buf.data);
  mcpi_buf_lit(&buf, "abc");
  assert_int_equal(buf.len, 3);
  mcpi_buf_deinit(&buf);
}

TEST(drop_moves_the_rest_down) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_drop(&buf, 0);
  mcpi_buf_lit(&buf, "abcdef");
  mcpi_buf_drop(&buf, 2);
  assert_int_equal(buf.len, 4);
  assert_memory_equal(buf.data, "cdef", 4);
  mcpi_buf_drop(&buf, 4);
  assert_int_equal(buf.len, 0);
  mcpi_buf_deinit(&buf);
}

static int append_much(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  for (int i = 0; i < 3000; i++) {
    mcpi_buf_lit(&buf, "word");
  }
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(failures_are_survived) {
  assert_true(failing_alloc_rerun(append_much, NULL) > 4);
}
