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

TEST(take_string_gives_the_contents_away) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  mcpi_buf buf;
  mcpi_buf_init(&buf, &alloc.allocator, SIZE_MAX);
  char *empty = mcpi_buf_take_string(&buf);
  assert_string_equal(empty, "");
  mcpi_strfree(&alloc.allocator, empty);
  mcpi_buf_lit(&buf, "abc");
  char *string = mcpi_buf_take_string(&buf);
  assert_string_equal(string, "abc");
  assert_null(buf.data);
  mcpi_strfree(&alloc.allocator, string);
  buf.error = MCP_ERR_LIMIT;
  assert_null(mcpi_buf_take_string(&buf));
  assert_int_equal(alloc.live_blocks, 0);
}

/* An allocator that looks for a secret in what is freed. */
typedef struct searching_alloc {
  mcp_allocator allocator;
  int frees;
  int found;
} searching_alloc;

static void *searching_allocate(void *userdata, size_t size) {
  return test_malloc(size);
}

static void searching_release(void *userdata, void *ptr, size_t size) {
  searching_alloc *alloc = userdata;
  const char *bytes = ptr;
  alloc->frees++;
  for (size_t i = 0; i + 6 <= size; i++) {
    alloc->found += memcmp(bytes + i, "secret", 6) == 0;
  }
  test_free(ptr);
}

static void *searching_resize(void *userdata, void *ptr, size_t old_size,
                              size_t new_size) {
  void *larger = searching_allocate(userdata, new_size);
  size_t kept = old_size < new_size ? old_size : new_size;
  if (kept > 0) {
    memcpy(larger, ptr, kept);
    searching_release(userdata, ptr, old_size);
  }
  return larger;
}

static searching_alloc search_frees(int is_secret) {
  searching_alloc alloc = {0};
  alloc.allocator = (mcp_allocator){.userdata = &alloc,
                                    .alloc = searching_allocate,
                                    .resize = searching_resize,
                                    .release = searching_release};
  mcpi_buf buf;
  if (is_secret) {
    mcpi_buf_init_secret(&buf, &alloc.allocator, SIZE_MAX);
  } else {
    mcpi_buf_init(&buf, &alloc.allocator, SIZE_MAX);
  }
  for (int i = 0; i < 100; i++) {
    mcpi_buf_lit(&buf, "secret");
  }
  assert_memory_equal(buf.data + 594, "secret", 6);
  mcpi_buf_deinit(&buf);
  return alloc;
}

TEST(a_secret_buffer_overwrites_all_memory_that_it_frees) {
  searching_alloc alloc = search_frees(1);
  assert_true(alloc.frees > 1);
  assert_int_equal(alloc.found, 0);
  alloc = search_frees(0);
  assert_int_not_equal(alloc.found, 0);
}

static int append_secrets(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init_secret(&buf, allocator, SIZE_MAX);
  for (int i = 0; i < 3000; i++) {
    mcpi_buf_lit(&buf, "word");
  }
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(failures_of_a_secret_buffer_are_survived) {
  assert_true(failing_alloc_rerun(append_secrets, NULL) > 4);
}
