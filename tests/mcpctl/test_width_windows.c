/* SPDX-License-Identifier: MIT */
/* The table of widths for systems whose C library has none. */
#include "platform/width.h"

#include "support/cm.h"

TEST(letters_have_one_column) {
  (void)state;
  assert_int_equal(ctl_width('a'), 1);
  assert_int_equal(ctl_width(0xe9), 1);
  assert_int_equal(ctl_width(0x416), 1);
  assert_int_equal(ctl_width(0x2588), 1);
  assert_int_equal(ctl_width(0x10fffd), 1);
}

TEST(east_asian_characters_and_emoji_have_two) {
  (void)state;
  assert_int_equal(ctl_width(0x4e2d), 2);
  assert_int_equal(ctl_width(0xac00), 2);
  assert_int_equal(ctl_width(0x1f600), 2);
  assert_int_equal(ctl_width(0x1100), 2);
  assert_int_equal(ctl_width(0x3fffd), 2);
}

TEST(combining_marks_have_none) {
  (void)state;
  assert_int_equal(ctl_width(0x300), 0);
  assert_int_equal(ctl_width(0x200d), 0);
  assert_int_equal(ctl_width(0xfe0f), 0);
  assert_int_equal(ctl_width(0xe0100), 0);
}

int main(void) {
  return tests_run(NULL, NULL);
}
