/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/scratch.h"
#include <stdio.h>
#include <stdlib.h>

static int equal(const char *a, const char *b) {
  const mcp_json *left = scratch_plain_json(a);
  const mcp_json *right = scratch_plain_json(b);
  int result = mcp_json_equal(left, right);
  assert_int_equal(mcp_json_equal(right, left), result);
  return result;
}

SCRATCH_TEST(equal_values) {
  static const char *const same[][2] = {
      {"null", "null"},
      {"true", "true"},
      {"1", "1.0"},
      {"\"\\u0061\"", "\"a\""},
      {"[]", "[]"},
      {"{}", "{}"},
      {"[1,[2]]", "[1.0,[2]]"},
      {"{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}"},
      {"{\"a\":1,\"b\":{\"c\":[]}}", "{\"b\":{\"c\":[]},\"a\":1}"},
  };
  for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
    assert_true(equal(same[i][0], same[i][1]));
  }
  assert_true(mcp_json_equal(NULL, NULL));
}

SCRATCH_TEST(different_values) {
  static const char *const different[][2] = {
      {"null", "false"},
      {"true", "false"},
      {"true", "1"},
      {"1", "\"1\""},
      {"\"a\"", "\"b\""},
      {"\"a\"", "\"a\\u0000\""},
      {"[]", "{}"},
      {"[1,2]", "[2,1]"},
      {"[1]", "[1,1]"},
      {"{\"a\":1}", "{\"a\":2}"},
      {"{\"a\":1}", "{\"b\":1}"},
      {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
      {"{\"a\":null}", "{\"b\":null}"},
      {"{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2}"},
      {"{\"a\":1,\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1,\"c\":3}"},
  };
  for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++) {
    assert_false(equal(different[i][0], different[i][1]));
  }
  const mcp_json *doc = scratch_plain_json("null");
  assert_false(mcp_json_equal(NULL, doc));
}

/* An object of n members: forwards or backwards, one value changed. */
static char *make_object(int n, int backwards, int changed) {
  char *text = malloc((size_t)n * 32 + 3);
  size_t len = 0;
  text[len++] = '{';
  for (int i = 0; i < n; i++) {
    int name = backwards ? n - 1 - i : i;
    len += (size_t)sprintf(text + len, "%s\"n%d\":[%d]", i > 0 ? "," : "", name,
                           name == changed ? -1 : name);
  }
  memcpy(text + len, "}", 2);
  return text;
}

SCRATCH_TEST(objects_of_every_size) {
  static const int sizes[] = {1, 2, 31, 32, 33, 34, 100};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    char *forwards = make_object(sizes[i], 0, -1);
    char *backwards = make_object(sizes[i], 1, -1);
    char *other = make_object(sizes[i], 1, sizes[i] - 1);
    assert_true(equal(forwards, forwards));
    assert_true(equal(forwards, backwards));
    assert_false(equal(forwards, other));
    free(forwards);
    free(backwards);
    free(other);
  }
}

/* Two orders opposed: looking each name up would take minutes. */
SCRATCH_TEST(large_objects_are_compared_in_time) {
  char *forwards = make_object(200000, 0, -1);
  char *backwards = make_object(200000, 1, -1);
  assert_true(equal(forwards, backwards));
  free(forwards);
  free(backwards);
}

/* What is left of `steps` behind a comparison of a value with its copy; it is
 * equal unless none are. */
static size_t left_of(size_t steps, const char *text) {
  const mcp_json *a = scratch_plain_json(text);
  const mcp_json *b = scratch_plain_json(text);
  int is_equal = mcpi_json_equal(a, b, &steps);
  assert_int_equal(is_equal, steps > 0);
  return steps;
}

SCRATCH_TEST(what_costs_too_much_is_given_up) {
  char digits[801];
  char quoted[803];
  memset(digits, '7', 800);
  digits[800] = '\0';
  snprintf(quoted, sizeof(quoted), "\"%s\"", digits);
  char *few = make_object(32, 0, -1);
  char *many = make_object(33, 0, -1);
  assert_int_equal(left_of(10, "1"), 9);
  assert_int_equal(left_of(10, "[[[1]],2]"), 5);
  assert_int_equal(left_of(5, "[[[1]],2]"), 0);
  assert_int_equal(left_of(6, "{\"a\":{\"b\":[]}}"), 3);
  assert_int_equal(left_of(100, quoted), 100 - 1 - 2);
  assert_int_equal(left_of(3, quoted), 0);
  assert_int_equal(left_of(1000, digits), 1000 - 1 - 400);
  assert_int_equal(left_of(401, digits), 0);
  assert_true(left_of(100, few) > 0);
  assert_int_equal(left_of(32, few), 0);
  assert_true(left_of(1000, many) > 0);
  assert_int_equal(left_of(500, many), 0);
  free(few);
  free(many);
}
