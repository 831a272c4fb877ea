/* SPDX-License-Identifier: MIT */
#include "common/find.h"

#include "support/cm.h"
#include <string.h>

TEST(find_word_ignores_capitals) {
  const char *text = "WWW-Authenticate: Bearer realm";
  (void)state;
  assert_ptr_equal(ctl_find_word(text, "bearer"), text + 18);
  assert_ptr_equal(ctl_find_word(text, "REALM"), text + 25);
  assert_ptr_equal(ctl_find_word(text, ""), text);
  assert_null(ctl_find_word(text, "realms"));
  assert_ptr_equal(ctl_find_word("", ""), strchr("", '\0'));
}

TEST(find_last_looks_only_at_the_bytes_given) {
  const char *text = "a@b@c@";
  (void)state;
  assert_ptr_equal(ctl_find_last(text, '@', 5), text + 3);
  assert_ptr_equal(ctl_find_last(text, '@', 6), text + 5);
  assert_ptr_equal(ctl_find_last(text, 'a', 1), text);
  assert_null(ctl_find_last(text, 'a', 0));
  assert_null(ctl_find_last(text, 'x', 6));
}

TEST(find_bytes_passes_over_nul) {
  const char text[] = "one\0two\0two";
  (void)state;
  assert_ptr_equal(ctl_find_bytes(text, 11, "two", 3), text + 4);
  assert_ptr_equal(ctl_find_bytes(text, 11, "o\0t", 3), text + 6);
  assert_ptr_equal(ctl_find_bytes(text, 11, "", 0), text);
  assert_null(ctl_find_bytes(text, 6, "two", 3));
  assert_null(ctl_find_bytes(text, 0, "t", 1));
}

int main(void) {
  return tests_run(NULL, NULL);
}
