/* SPDX-License-Identifier: MIT */
#include "json/place.h"

#include "support/cm.h"
#include "support/guarded.h"
#include "json/value.h"

#include <stdio.h>

static void expect_place(const char *text, int is_value, const char *expected) {
  char place[MCPI_JSON_PLACE_SIZE];
  char with_colon[MCPI_JSON_PLACE_SIZE + 2];
  size_t len = strlen(text);
  snprintf(with_colon, sizeof(with_colon), "%s: ", expected);
  char *copy = guarded_copy(text, len);
  mcpi_json_place(place, mcpi_str_n(copy, len), is_value);
  guarded_free(copy, len);
  assert_string_equal(place, expected[0] != '\0' ? with_colon : "");
}

TEST(the_root_has_no_place) {
  expect_place("", 0, "");
  expect_place("", 1, "");
  expect_place("1", 1, "");
  expect_place("{\"a\":1}", 1, "");
  expect_place("[", 0, "");
}

TEST(items_are_counted) {
  expect_place("[", 1, "/0");
  expect_place("[[1,2],{\"a\":3}", 1, "/1");
  expect_place("[[1,2], \n{\"a\":3} ,", 1, "/2");
  expect_place("[1,[2,3,", 1, "/1/2");
  expect_place("[1,[2,3,", 0, "/1");
}

TEST(members_are_named) {
  expect_place("{\"a\":", 1, "/a");
  expect_place("{\"a\":1,\"b\" : \"c\"", 1, "/b");
  expect_place("{\"a\":{\"b\":[{\"c\":1},{\"d\":[", 1, "/a/b/1/d/0");
  expect_place("{\"a\":{\"b\":[{\"c\":1},{\"d\":[", 0, "/a/b/1/d");
}

TEST(strings_hide_their_brackets) {
  expect_place("[\"[{,\\\"]\",\"\\\\\"", 1, "/1");
  expect_place("{\"x\\\",[\":[", 1, "/x\\\",[/0");
}

TEST(long_pointers_lose_their_outer_parts) {
  char text[MCPI_JSON_MAX_DEPTH + 1];
  char place[MCPI_JSON_PLACE_SIZE];
  memset(text, '[', MCPI_JSON_MAX_DEPTH);
  text[MCPI_JSON_MAX_DEPTH] = '\0';
  mcpi_json_place(place, mcpi_str_z(text), 1);
  assert_memory_equal(place, ".../0/0", 7);
  assert_true(strlen(place) < MCPI_JSON_PLACE_SIZE);
}

/* A whole value may be deeper than any container that is open. */
TEST(levels_past_the_deepest_are_not_kept) {
  enum { DEEP = 200 };
  char text[2 * DEEP + 3] = "[7,";
  memset(text + 3, '[', DEEP);
  memset(text + 3 + DEEP, ']', DEEP);
  text[3 + DEEP + DEEP - 1] = '\0'; /* one is left open */
  expect_place(text, 0, "/1");
}

TEST(long_names_are_cut_between_characters) {
  expect_place("{\"0123456789012345678901234567890123456789\":", 1,
               "/0123456789012345678901234567890123456789");
  expect_place("{\"012345678901234567890123456789012345678\xC3\xB8\":", 1,
               "/012345678901234567890123456789012345678...");
}
