/* SPDX-License-Identifier: MIT */
#include "base/widen.h"

#include "support/cm.h"
#include <mcp/call.h>
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

TEST(a_newer_layout_is_cut) {
  struct {
    grown known;
    int third;
  } from = {{sizeof(from), 7, 8}, 9};
  grown to;
  assert_int_equal(mcpi_widen(&to, sizeof(to), &from, "grown", NULL), 0);
  assert_int_equal(to.size, sizeof(grown));
  assert_int_equal(to.second, 8);
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
