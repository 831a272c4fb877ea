/* SPDX-License-Identifier: MIT */
#include "suite/expected.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static mcp_doc *parse(const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

/* NULL: there is no difference; else the pointer to it. */
static void expect(int is_whole, const char *expected, const char *got,
                   const char *pointer) {
  mcp_doc *wanted = parse(expected);
  mcp_doc *value = parse(got);
  ctl_difference found = {0};
  int is_same = is_whole
                    ? ctl_expected_equals(mcp_doc_root(wanted),
                                          mcp_doc_root(value), &found)
                    : ctl_expected_is_contained(mcp_doc_root(wanted),
                                                mcp_doc_root(value), &found);
  assert_int_equal(is_same, pointer == NULL);
  if (pointer != NULL) {
    assert_string_equal(found.pointer, pointer);
    assert_true(found.expected != NULL || found.got != NULL);
  }
  mcp_doc_free(wanted);
  mcp_doc_free(value);
}

TEST(equal_values_have_no_difference) {
  expect(1, "{\"a\":[1,\"x\",null]}", "{\"a\":[1.0,\"x\",null]}", NULL);
  expect(1, "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", NULL);
  expect(1, "[]", "[]", NULL);
}

TEST(the_first_difference_is_found) {
  expect(1, "1", "2", "");
  expect(1, "{}", "[]", "");
  expect(1, "{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":3}]}", "/a/1/b");
  expect(1, "{\"a\":1}", "{}", "/a");
  expect(1, "{}", "{\"a\":1}", "/a");
  expect(1, "[1]", "[1,2]", "/1");
  expect(1, "[1,2]", "[1]", "/1");
  expect(1, "{\"a/b~c\":1}", "{\"a/b~c\":2}", "/a~1b~0c");
}

TEST(times_differ_like_other_texts) {
  expect(1, "\"2026-11-27T18:41:22Z\"", "\"2026-11-28T18:41:22Z\"", "");
}

TEST(objects_contain_members) {
  expect(0, "{}", "{\"a\":1}", NULL);
  expect(0, "{\"a\":{}}", "{\"a\":{\"b\":1},\"c\":2}", NULL);
  expect(0, "{\"a\":{\"b\":2}}", "{\"a\":{\"b\":1}}", "/a/b");
  expect(0, "{\"a\":null}", "{}", "/a");
  expect(0, "{}", "null", "");
}

TEST(arrays_contain_items_in_order) {
  expect(0, "[]", "[1,2]", NULL);
  expect(0, "[2]", "[1,2]", NULL);
  expect(0, "[1,3]", "[1,2,3]", NULL);
  expect(0, "[1,1]", "[1,2,1]", NULL);
  expect(0, "[3,1]", "[1,2,3]", "/1");
  expect(0, "[1,1]", "[1,2,3]", "/1");
  expect(0, "[{\"a\":1}]", "[{\"a\":2},{\"a\":1,\"b\":3}]", NULL);
  expect(0, "[1]", "[]", "/0");
  expect(0, "[1,2,3]", "[1,2]", "/2");
}

TEST(arrays_as_long_are_compared_item_by_item) {
  expect(0, "[{\"a\":1},{\"b\":2}]", "[{\"a\":1},{\"b\":3}]", "/1/b");
}

TEST(a_missing_item_has_the_number_of_those_there) {
  mcp_doc *wanted = parse("[4]");
  mcp_doc *value = parse("[1,2,3]");
  ctl_difference found = {0};
  assert_int_equal(ctl_expected_is_contained(mcp_doc_root(wanted),
                                             mcp_doc_root(value), &found),
                   0);
  assert_int_equal(found.items, 3);
  assert_null(found.got);
  mcp_doc_free(wanted);
  mcp_doc_free(value);
}

/* A pointer that is too long leads to an enclosing place. */
TEST(long_pointers_are_cut_between_steps) {
  char name[401];
  char expected[1024];
  char got[1024];
  char pointer[512];
  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  snprintf(expected, sizeof(expected), "{\"a\":{\"%s\":1}}", name);
  snprintf(got, sizeof(got), "{\"a\":{\"%s\":2}}", name);
  expect(1, expected, got, "/a");
  name[200] = '\0';
  snprintf(expected, sizeof(expected), "{\"%s\":1}", name);
  snprintf(got, sizeof(got), "{\"%s\":2}", name);
  snprintf(pointer, sizeof(pointer), "/%s", name);
  expect(1, expected, got, pointer);
}
