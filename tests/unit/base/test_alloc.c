/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <string.h>

TEST(default_allocator_works) {
  const mcp_allocator *allocator = mcp_allocator_default();
  char *ptr = mcpi_alloc(allocator, 4);
  memcpy(ptr, "abc", 4);
  ptr = mcpi_realloc(allocator, ptr, 4, 4000);
  assert_string_equal(ptr, "abc");
  mcpi_free(allocator, ptr, 4000);
}

TEST(nothing_is_asked_for_nothing) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  assert_null(mcpi_alloc(&alloc.allocator, 0));
  assert_null(mcpi_calloc(&alloc.allocator, 0, 8));
  assert_null(mcpi_calloc(&alloc.allocator, 8, 0));
  mcpi_free(&alloc.allocator, NULL, 7);
  mcpi_strfree(&alloc.allocator, NULL);
  assert_null(mcpi_strdup(&alloc.allocator, NULL));
  assert_null(mcpi_strndup(&alloc.allocator, NULL, 3));
  assert_int_equal(alloc.calls, 0);
}

TEST(calloc_zeroes_and_checks_overflow) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  uint64_t *words = mcpi_calloc(&alloc.allocator, 5, sizeof(*words));
  for (int i = 0; i < 5; i++) {
    assert_int_equal(words[i], 0);
  }
  mcpi_free(&alloc.allocator, words, 5 * sizeof(*words));
  assert_null(mcpi_calloc(&alloc.allocator, SIZE_MAX / 2, 3));
  assert_int_equal(alloc.live_blocks, 0);
}

TEST(resize_gives_the_old_size) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  char *ptr = mcpi_realloc(&alloc.allocator, NULL, 0, 10);
  memcpy(ptr, "123456789", 10);
  ptr = mcpi_realloc(&alloc.allocator, ptr, 10, 20);
  assert_string_equal(ptr, "123456789");
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_realloc(&alloc.allocator, ptr, 20, 40));
  assert_string_equal(ptr, "123456789");
  mcpi_free(&alloc.allocator, ptr, 20);
  assert_int_equal(alloc.live_bytes, 0);
}

TEST(strings_are_copied) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  char *all = mcpi_strdup(&alloc.allocator, "hello");
  char *part = mcpi_strndup(&alloc.allocator, "hello", 2);
  char *none = mcpi_strndup(&alloc.allocator, "hello", 0);
  char *to_nul = mcpi_strndup(&alloc.allocator, "a\0b", 3);
  assert_string_equal(all, "hello");
  assert_string_equal(part, "he");
  assert_string_equal(none, "");
  assert_string_equal(to_nul, "a");
  assert_int_equal(alloc.live_bytes, 6 + 3 + 1 + 2);
  mcpi_strfree(&alloc.allocator, all);
  mcpi_strfree(&alloc.allocator, part);
  mcpi_strfree(&alloc.allocator, none);
  mcpi_strfree(&alloc.allocator, to_nul);
  assert_int_equal(alloc.live_blocks, 0);
}

static int copy_twice(const mcp_allocator *allocator, void *userdata) {
  char *first = mcpi_strdup(allocator, userdata);
  char *second = first != NULL ? mcpi_strdup(allocator, first) : NULL;
  int rc = second != NULL ? 0 : MCP_ERR_NOMEM;
  mcpi_strfree(allocator, first);
  mcpi_strfree(allocator, second);
  return rc;
}

TEST(failures_are_survived) {
  char text[] = "text";
  assert_int_equal(failing_alloc_rerun(copy_twice, text), 2);
}
