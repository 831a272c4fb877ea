/* SPDX-License-Identifier: MIT */
#include "base/widen.h"

#include "support/cm.h"
/* The bytes past the members that we know must be members, not padding, whose
 * bytes a program does not set. */
#if UINTPTR_MAX == UINT64_MAX
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#endif
#include <mcp/mcp.h>
#include <mcp/sys/platform.h>
#if UINTPTR_MAX == UINT64_MAX
#pragma GCC diagnostic pop
#endif
#include <stdio.h>
#include <string.h>

typedef struct grown {
  size_t size;
  int first;
  int second; /* since the second version */
} grown;

TEST(an_older_layout_gets_zeros) {
  grown from = {offsetof(grown, second), 7, 8};
  grown to;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", NULL), 0);
  assert_int_equal(to.size, sizeof(grown));
  assert_int_equal(to.first, 7);
  assert_int_equal(to.second, 0);
}

typedef struct newer {
  grown known;
  uint64_t third;
  uint64_t fourth;
} newer;

TEST(a_newer_layout_is_cut) {
  newer from = {{sizeof(from), 7, 8}, 0, 0};
  grown to;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", NULL), 0);
  assert_int_equal(to.size, sizeof(grown));
  assert_int_equal(to.second, 8);
}

TEST(an_older_layout_is_filled_in_up_to_its_size) {
  grown from = {sizeof(from), 7, 8};
  grown to = {offsetof(grown, second), 1, 2};
  assert_int_equal(mcpi_narrow(&to, &from, sizeof(from), "grown", NULL), 0);
  assert_int_equal(to.size, offsetof(grown, second));
  assert_int_equal(to.first, 7);
  assert_int_equal(to.second, 2);
}

TEST(the_rest_of_a_newer_layout_becomes_zero) {
  grown from = {sizeof(from), 7, 8};
  newer to = {{sizeof(to), 1, 2}, 3, 4};
  assert_int_equal(mcpi_narrow(&to, &from, sizeof(from), "grown", NULL), 0);
  assert_int_equal(to.known.size, sizeof(newer));
  assert_int_equal(to.known.second, 8);
  assert_int_equal(to.third, 0);
  assert_int_equal(to.fourth, 0);
}

TEST(only_a_structure_with_a_size_is_filled_in) {
  static const size_t sizes[] = {0, 1, 4097, SIZE_MAX};
  grown from = {sizeof(from), 7, 8};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    grown to = {sizes[i], 1, 2};
    assert_int_equal(mcpi_narrow(&to, &from, sizeof(from), "grown", NULL),
                     MCP_ERR_INVALID);
    assert_int_equal(to.first, 1);
  }
  assert_int_equal(mcpi_narrow(NULL, &from, sizeof(from), "grown", NULL),
                   MCP_ERR_INVALID);
}

/* Each byte counts, the first and the last of them too. */
TEST(members_that_we_do_not_know_are_refused) {
  for (size_t at = sizeof(grown); at < sizeof(newer); at++) {
    newer from = {{sizeof(from), 7, 8}, 0, 0};
    grown to = {1, 2, 3};
    mcp_error err;
    ((unsigned char *)&from)[at] = 0x80;
    assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", &err),
                     MCP_ERR_UNSUPPORTED);
    assert_int_equal(err.code, MCP_ERR_UNSUPPORTED);
    assert_string_equal(err.message,
                        "grown has members that this libmcp "
                        "(" MCP_VERSION_STRING ") does not know: use a newer "
                        "libmcp, or leave them 0");
    assert_int_equal(to.first, 2);
  }
}

TEST(a_size_that_no_structure_has_is_refused) {
  static const size_t sizes[] = {4097, SIZE_MAX};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    grown from = {sizes[i], 7, 8};
    grown to = {1, 2, 3};
    char message[100];
    mcp_error err;
    assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", &err),
                     MCP_ERR_INVALID);
    snprintf(message, sizeof(message),
             "grown.size is %zu: set it to sizeof(grown)", sizes[i]);
    assert_string_equal(err.message, message);
    assert_int_equal(to.first, 2);
  }
}

TEST(a_size_is_needed) {
  grown from = {0, 7, 8};
  grown to = {1, 2, 3};
  mcp_error err;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(
      err.message, "grown has no size: set its member size to sizeof(grown)");
  assert_int_equal(mcpi_widen(&to, sizeof(to), NULL, "grown", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "grown is NULL");
  assert_int_equal(to.first, 2);
}

TEST(a_default_takes_the_place_of_zero_alone) {
  uint32_t number = 0;
  size_t size = 0;
  mcpi_default_u32(&number, 3);
  mcpi_default_size(&size, SIZE_MAX);
  assert_int_equal(number, 3);
  assert_true(size == SIZE_MAX);
  mcpi_default_u32(&number, 4);
  mcpi_default_size(&size, 4);
  assert_int_equal(number, 3);
  assert_true(size == SIZE_MAX);
}
