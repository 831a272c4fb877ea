/* SPDX-License-Identifier: MIT */
#include "base/ascii.h"

#include "support/cm.h"
#include <string.h>

static int is_among(int c, const char *set) {
  return c != 0 && strchr(set, c) != NULL;
}

TEST(each_byte_has_its_class) {
  static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
  static const char digits[] = "0123456789abcdef";
  for (int c = 0; c < 256; c++) {
    int is_digit = c >= '0' && c <= '9';
    int is_upper = is_among(c, upper);
    int folded = is_upper ? lower[strchr(upper, c) - upper] : c;
    const char *digit = c != 0 ? strchr(digits, folded) : NULL;
    assert_int_equal(mcpi_is_digit((char)c), is_digit);
    assert_int_equal(mcpi_is_letter((char)c), is_upper || is_among(c, lower));
    assert_int_equal(mcpi_is_alnum((char)c),
                     is_digit || is_upper || is_among(c, lower));
    assert_int_equal(mcpi_hex_value((char)c),
                     digit != NULL ? (int)(digit - digits) : -1);
    assert_int_equal(mcpi_is_hex((char)c), digit != NULL);
    assert_int_equal(mcpi_to_lower((char)c), (char)folded);
  }
}
