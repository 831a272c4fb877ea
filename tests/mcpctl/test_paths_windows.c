/* SPDX-License-Identifier: MIT */
/* How Windows writes paths; the functions need no Windows. */
#include "platform/paths.h"

#include "support/cm.h"
#include <stddef.h>
#include <string.h>

TEST(a_root_has_a_drive_or_a_slash) {
  static const struct {
    const char *path;
    size_t len;
  } cases[] = {{"C:/work", 3},
               {"c:\\work", 3},
               {"C:work", 0},
               {"C:", 0},
               {"1:/x", 0},
               {"/work", 1},
               {"\\\\server\\share", 2},
               {"work/x", 0},
               {"", 0}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(ctl_path_root_len(cases[i].path), cases[i].len);
  }
}

TEST(backslashes_become_slashes) {
  char path[] = "C:\\some\\a/b";
  (void)state;
  assert_string_equal(ctl_path_with_slashes(path), "C:/some/a/b");
}

TEST(names_of_devices_and_streams_are_not_plain) {
  static const char *const names[] = {
      "",        "a/b",   "a\\b", "C:",      "a:b",    "NUL",
      "nul.txt", "con",   "COM1", "lpt9.md", "AUX .x", "CONOUT$",
      "ends.",   "ends ", "a\tb", "a*",      "a?",     "a<b",
      "a|b",     "\"a\"", "..",   ".",       "PRN.",   "COM\xc2\xb9"};
  (void)state;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    assert_false(ctl_path_is_plain_name(names[i]));
  }
}

TEST(other_names_are_plain) {
  static const char *const names[] = {"SKILL.md", "console", "com",  "COM12",
                                      ".hidden",  "a b",     "CONs", "Grün",
                                      "nulls",    "COMx"};
  (void)state;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    assert_true(ctl_path_is_plain_name(names[i]));
  }
}

int main(void) {
  return tests_run(NULL, NULL);
}
