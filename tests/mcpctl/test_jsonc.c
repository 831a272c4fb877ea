/* SPDX-License-Identifier: MIT */
#include "common/jsonc.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that a read past the end is seen. */
static void expect(const char *text, const char *result) {
  size_t len = strlen(text);
  char *copy = malloc(len > 0 ? len : 1);
  memcpy(copy, text, len);
  ctl_jsonc_clean(copy, len);
  assert_int_equal(len, strlen(result));
  assert_memory_equal(copy, result, len);
  free(copy);
}

TEST(plain_json_stays) {
  expect("", "");
  expect("{\"a\":[1,2],\"b\":\"x,]\"}", "{\"a\":[1,2],\"b\":\"x,]\"}");
  expect("\"http://a/*b*/\"", "\"http://a/*b*/\"");
  expect("\"a\\\"//\"", "\"a\\\"//\"");
  expect("\"open", "\"open");
  expect("\"open\\", "\"open\\");
}

TEST(comments_become_blanks) {
  expect("1 // one\n2", "1       \n2");
  expect("1 //", "1   ");
  expect("[/* a\nb */1]", "[    \n    1]");
  expect("/* open", "       ");
  expect("/**/1", "    1");
  expect("/", "/");
  expect("1/2", "1/2");
}

TEST(commas_before_a_closing_bracket_become_blanks) {
  expect("[1,]", "[1 ]");
  expect("{\"a\":1, // last\n}", "{\"a\":1         \n}");
  expect("[1,,]", "[1, ]");
  expect("[\",\"]", "[\",\"]");
  expect("[1,\"a\"]", "[1,\"a\"]");
}
