/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/scratch.h"
#include <math.h>

typedef struct number_case {
  const char *text;
  double number;
  int64_t integer;
  int try_rc; /* 0, or what mcp_json_try_int returns */
  int is_integer;
} number_case;

SCRATCH_TEST(numbers_are_read) {
  static const number_case cases[] = {
      {"0", 0, 0, 0, 1},
      {"-0", 0, 0, 0, 1},
      {"3", 3, 3, 0, 1},
      {"3.0", 3, 3, 0, 1},
      {"-3", -3, -3, 0, 1},
      {"1e2", 100, 100, 0, 1},
      {"3.9", 3.9, 3, MCP_ERR_INVALID, 0},
      {"-3.9", -3.9, -3, MCP_ERR_INVALID, 0},
      {"1e-5", 1e-5, 0, MCP_ERR_INVALID, 0},
      {"9223372036854775807", 9223372036854775808.0, INT64_MAX, 0, 1},
      {"9223372036854775808", 9223372036854775808.0, INT64_MAX, MCP_ERR_LIMIT,
       1},
      {"-9223372036854775808", -9223372036854775808.0, INT64_MIN, 0, 1},
      {"-9223372036854775809", -9223372036854775808.0, INT64_MIN, MCP_ERR_LIMIT,
       1},
      {"-9223372036854775808.0", -9223372036854775808.0, INT64_MIN, 0, 1},
      {"9223372036854775808.0", 9223372036854775808.0, INT64_MAX, MCP_ERR_LIMIT,
       1},
      {"18446744073709551615", 18446744073709551616.0, INT64_MAX, MCP_ERR_LIMIT,
       1},
      {"18446744073709551616", 18446744073709551616.0, INT64_MAX, MCP_ERR_LIMIT,
       1},
      {"1e30", 1e30, INT64_MAX, MCP_ERR_LIMIT, 1},
      {"-1e30", -1e30, INT64_MIN, MCP_ERR_LIMIT, 1},
      {"1e400", HUGE_VAL, INT64_MAX, MCP_ERR_LIMIT, 1},
      {"-1.5e400", -HUGE_VAL, INT64_MIN, MCP_ERR_LIMIT, 1},
      {"0.0000001e999", HUGE_VAL, INT64_MAX, MCP_ERR_LIMIT, 1},
      {"1e99999999999999999999999999", HUGE_VAL, INT64_MAX, MCP_ERR_LIMIT, 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const number_case *c = &cases[i];
    const mcp_json *doc = scratch_plain_json(c->text);
    const mcp_json *value = doc;
    int64_t integer = -77;
    assert_true(mcp_json_number(value) == c->number);
    assert_true(mcp_json_int(value) == c->integer);
    assert_int_equal(mcp_json_try_int(value, &integer), c->try_rc);
    assert_true(integer == (c->try_rc == 0 ? c->integer : -77));
    assert_int_equal(mcp_json_is_integer(value), c->is_integer);
  }
}

/* A number past the largest double may still have a fraction. */
SCRATCH_TEST(a_huge_fraction_is_no_integer) {
  char text[320];
  memset(text, '9', sizeof(text));
  memcpy(text + 310, ".50", 4);
  const mcp_json *doc = scratch_plain_json(text);
  assert_int_equal(mcp_json_is_integer(doc), 0);
  memcpy(text + 310, ".00", 4);
  doc = scratch_plain_json(text);
  assert_int_equal(mcp_json_is_integer(doc), 1);
}

SCRATCH_TEST(other_values_are_no_numbers) {
  static const char *const texts[] = {"null", "true", "\"1\"", "[1]",
                                      "{\"a\":1}"};
  int64_t integer = 5;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    const mcp_json *doc = scratch_plain_json(texts[i]);
    const mcp_json *value = doc;
    assert_true(mcp_json_number(value) == 0);
    assert_int_equal(mcp_json_int(value), 0);
    assert_int_equal(mcp_json_try_int(value, &integer), MCP_ERR_INVALID);
    assert_int_equal(mcp_json_is_integer(value), 0);
  }
  assert_true(mcp_json_number(NULL) == 0);
  assert_int_equal(mcp_json_int(NULL), 0);
  assert_int_equal(mcp_json_try_int(NULL, &integer), MCP_ERR_INVALID);
  assert_int_equal(mcp_json_is_integer(NULL), 0);
  assert_int_equal(integer, 5);
}

static int equal(const char *a, const char *b) {
  const mcp_json *left = scratch_plain_json(a);
  const mcp_json *right = scratch_plain_json(b);
  int result = mcpi_json_number_equal(left, right);
  assert_int_equal(mcpi_json_number_equal(right, left), result);
  return result;
}

SCRATCH_TEST(numbers_are_equal_by_value) {
  static const char *const same[][2] = {
      {"1", "1.0"},
      {"1", "1"},
      {"-1", "-1.0"},
      {"0", "-0.0"},
      {"-0", "0"},
      {"-0", "-0"},
      {"-0", "0.0"},
      {"-0", "-0.0"},
      {"100", "1e2"},
      {"0.1", "1e-1"},
      {"18446744073709551615", "18446744073709551615"},
      {"9007199254740993", "9007199254740993"},
      {"100000000000000000000", "1e20"},
      {"100000000000000000000", "100000000000000000000"},
      {"1e400", "10e399"},
      {"1e400", "0.0001e404"},
      {"12.50e400", "125e399"},
      {"1E+400", "1e400"},
      {"-1e400", "-10e399"},
  };
  for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
    assert_true(equal(same[i][0], same[i][1]));
  }
}

SCRATCH_TEST(other_numbers_differ) {
  static const char *const different[][2] = {
      {"1", "2"},
      {"1", "-1"},
      {"1", "1.5"},
      {"0", "1e-300"},
      {"18446744073709551615", "-1"},
      {"18446744073709551615", "18446744073709551616.0"},
      {"9007199254740993", "9007199254740992.0"},
      {"9223372036854775807", "9223372036854775808.0"},
      {"-9223372036854775808", "9223372036854775808"},
      {"100000000000000000000", "100000000000000000001"},
      {"1e20", "100000000000000000001"},
      {"100000000000000000000", "-100000000000000000000"},
      {"1e400", "1e401"},
      {"1e400", "1.1e400"},
      {"11e400", "1e401"},
      {"1e400", "-1e400"},
      {"1e400", "1.0e308"},
      {"100000000000000000000", "1"},
  };
  for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++) {
    assert_false(equal(different[i][0], different[i][1]));
  }
}
