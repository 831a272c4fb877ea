/* SPDX-License-Identifier: MIT */
/* codec/decimal.c: numbers as they are written, however long. */
#include "support/cm.h"

#include "support/schema_check.h"
#include "support/scratch.h"
#include "json/decimal.h"
#include "json/json.h"
#include <string.h>

/* Two numbers, read from an array of them. */
typedef struct pair {
  mcpi_decimal a;
  mcpi_decimal b;
} pair;

static void pair_read(pair *p, const char *a, const char *b) {
  char *text = scratch_join(a, ",", b);
  const mcp_json *list = scratch_json(scratch_join("[", text, "]"));
  mcpi_decimal_read(&p->a, mcp_json_at(list, 0));
  mcpi_decimal_read(&p->b, mcp_json_at(list, 1));
}

/* --- reading ------------------------------------------------------------- */

SCRATCH_TEST(reads_digits_and_exponents) {
  static const struct {
    const char *text;
    const char *digits;
    int64_t exponent;
    int is_negative;
  } list[] = {
      {"0", "", 0, 0},
      {"0.0", "", 0, 0},
      {"-0", "", 0, 0},
      {"-0.0", "", 0, 0},
      {"0e99", "", 0, 0},
      {"7", "7", 0, 0},
      {"-7", "7", 0, 1},
      {"700", "7", 2, 0},
      {"1.5", "1.5", -1, 0},
      {"100.5", "100.5", -1, 0},
      {"0.1", "1", -1, 0},
      {"0.0025", "25", -4, 0},
      {"1e-7", "1", -7, 0},
      {"1.25E+3", "125", 1, 0},
      {"1e308", "1", 308, 0},
      {"5e-324", "5", -324, 0},
      /* Past a double: the text itself is kept. */
      {"1e400", "1", 400, 0},
      {"-12.50e400", "12.5", 399, 1},
      {"0.001E+400", "1", 397, 0},
      {"18446744073709551615", "18446744073709551615", 0, 0},
      {"-9223372036854775808", "9223372036854775808", 0, 1},
      {"123456789012345678901234567890", "12345678901234567890123456789", 1, 0},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    pair p;
    pair_read(&p, list[i].text, "0");
    if (p.a.digits.len != strlen(list[i].digits) ||
        memcmp(p.a.digits.ptr, list[i].digits, p.a.digits.len) != 0) {
      fail_msg("%s: digits %.*s", list[i].text, (int)p.a.digits.len,
               p.a.digits.ptr);
    }
    assert_int_equal(p.a.exponent, list[i].exponent);
    assert_int_equal(p.a.is_negative, list[i].is_negative);
  }
}

/* --- comparing ----------------------------------------------------------- */

#define DIGITS_30 "123456789012345678901234567890"

SCRATCH_TEST(compares) {
  static const struct {
    const char *less;
    const char *more; /* the same as `less`: equal */
  } list[] = {
      {"1", "2"},
      {"-2", "-1"},
      {"-1", "0"},
      {"-1e-9", "1e-9"},
      {"9", "10"},
      {"0.09", "0.1"},
      {"0.1", "0.11"},
      {"1.5", "1.50001"},
      {"99.9", "100"},
      {"1e308", "1e309"},
      {"1e400", "2e400"},
      {"9e399", "1e400"},
      {"-1e400", "-9e399"},
      {"9007199254740992", "9007199254740993"},
      {"18446744073709551615", "18446744073709551616"},
      {DIGITS_30, "123456789012345678901234567891"},
      {"-123456789012345678901234567891", "-" DIGITS_30},
      {"123456789012345678901234567889.9e300", DIGITS_30 "e300"},
      {"1e400", "1e999999999999999999"},
      {"1e999999999999999999", "1e1000000000000000000"},
      /* Exponents that fit no integer of ours. */
      {"1e1000000000000000000", "1e24000000000000000000"},
      {"-1e99999999999999999999999", "-1e400"},
      {"0", "1e99999999999999999999999"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    pair p;
    pair_read(&p, list[i].less, list[i].more);
    if (mcpi_decimal_compare(&p.a, &p.b) >= 0 ||
        mcpi_decimal_compare(&p.b, &p.a) <= 0 ||
        mcpi_decimal_compare(&p.a, &p.a) != 0) {
      fail_msg("%s is not less than %s", list[i].less, list[i].more);
    }
  }
}

SCRATCH_TEST(equal_however_written) {
  static const char *const list[][2] = {
      {"0", "-0.0"},
      {"0", "0e5000"},
      {"1", "1.0"},
      {"100", "1e2"},
      {"0.5", "5e-1"},
      {"1.5", "15E-1"},
      {"1e400", "10e399"},
      {"1e400", "0.01e402"},
      {"-1.50e400", "-15.0e399"},
      {DIGITS_30, "1.23456789012345678901234567890e29"},
      {"1e00000000000000000000000000400", "1e400"},
      /* One exponent is as good as another where no number has so many. */
      {"1e24000000000000000000", "1e99999999999999999999999"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    pair p;
    /* The one with thirty digits behind a point would be a double. */
    int is_double = strchr(list[i][1], '.') != NULL &&
                    strstr(list[i][0], DIGITS_30) != NULL;
    pair_read(&p, list[i][0], list[i][1]);
    if ((mcpi_decimal_compare(&p.a, &p.b) == 0) == is_double) {
      fail_msg("%s and %s", list[i][0], list[i][1]);
    }
  }
}

/* --- multiples ----------------------------------------------------------- */

SCRATCH_TEST(tells_multiples) {
  static const struct {
    const char *number;
    const char *divisor;
    int is_multiple;
  } list[] = {
      {"0", "3", 1},
      {"-0.0", "0.1", 1},
      {"9", "3", 1},
      {"-9", "3", 1},
      {"10", "3", 0},
      {"0.3", "0.1", 1},
      {"0.35", "0.1", 0},
      {"19.99", "0.01", 1},
      {"19.995", "0.01", 0},
      {"4.5", "1.5", 1},
      {"5", "2.5", 1},
      {"0.0075", "0.0001", 1},
      {"0.00751", "0.0001", 0},
      {"12391239123", "1e-8", 1},
      {"1e308", "0.5", 1},
      {"1e308", "0.123456789", 0},
      {"1e308", "3", 0},
      {"1e400", "1e399", 1},
      {"1e400", "3", 0},
      {"12e400", "3", 1},
      {"1e399", "1e400", 0},
      {"7e-10", "1e400", 0},
      {DIGITS_30, "10", 1},
      {DIGITS_30, "9", 1},
      {DIGITS_30, "11", 0},
      {DIGITS_30, DIGITS_30, 1},
      {"123456789012345678901234567891", DIGITS_30, 0},
      {"246913578024691357802469135780", DIGITS_30, 1},
      {"1e-324", "1e-324", 1},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    pair p;
    pair_read(&p, list[i].number, list[i].divisor);
    if (mcpi_decimal_is_multiple(&p.a, &p.b) != list[i].is_multiple) {
      fail_msg("%s of %s", list[i].number, list[i].divisor);
    }
  }
}

/* The product of two numbers of many digits, and its neighbour. */
SCRATCH_TEST(a_divisor_of_most_digits) {
  char *nines = scratch_repeat("", "9", MCPI_DECIMAL_DIVISOR_DIGITS, "");
  char *product = scratch_repeat("", "9", MCPI_DECIMAL_DIVISOR_DIGITS - 1, "8");
  char *whole =
      scratch_repeat(product, "0", MCPI_DECIMAL_DIVISOR_DIGITS - 1, "1");
  pair p;
  /* 99...9 squared is 99...980...01. */
  pair_read(&p, whole, nines);
  assert_int_equal(mcpi_decimal_is_multiple(&p.a, &p.b), 1);
  whole[strlen(whole) - 1] = '2';
  pair_read(&p, whole, nines);
  assert_int_equal(mcpi_decimal_is_multiple(&p.a, &p.b), 0);
}

/* A number with as many digits as the limit is divided; one more is too many.
 */
SCRATCH_TEST(quotients_have_a_limit) {
  static const struct {
    const char *number;
    const char *divisor;
    int result;
  } list[] = {
      {"3e999999", "7", 0},
      {"3e1000000", "7", MCP_ERR_LIMIT},
      {"3e99999999999999999999999", "7", MCP_ERR_LIMIT},
      {"3e-99999999999999999999999", "7", 1}, /* a double, and 0 */
      {"3e999999", "1e-1", MCP_ERR_LIMIT},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    pair p;
    pair_read(&p, list[i].number, list[i].divisor);
    if (mcpi_decimal_is_multiple(&p.a, &p.b) != list[i].result) {
      fail_msg("%s of %s", list[i].number, list[i].divisor);
    }
  }
}

/* The digits of a number that is kept as its text are in that text. */
SCRATCH_TEST(long_numbers_are_not_copied) {
  char *digits = scratch_repeat("", "1", 100000, "");
  pair p;
  pair_read(&p, digits, "1");
  assert_int_equal(p.a.digits.len, 100000);
  assert_int_equal(mcpi_decimal_is_multiple(&p.a, &p.b), 1);
  assert_true(mcpi_decimal_compare(&p.a, &p.b) > 0);
}
