/* SPDX-License-Identifier: MIT */
/* Which files of a folder a bundle leaves out. */
#include "pack/ignore.h"

#include "support/cm.h"
#include <stddef.h>

static const char lines[] = "# a comment\n"
                            "\n"
                            "*.tmp\n"
                            "!keep.tmp\r\n"
                            "build/\n"
                            "/top.txt\n"
                            "docs/*.md\n"
                            "deep/**/x\n"
                            "a?c\n"
                            "!.env.sample";

static void leaves_out_what_never_belongs_there(void **state) {
  (void)state;
  assert_true(ctl_ignore(NULL, ".git", 1));
  assert_true(ctl_ignore(NULL, "sub/.git", 1));
  assert_true(ctl_ignore(NULL, ".env", 0));
  assert_true(ctl_ignore(NULL, ".env.local", 0));
  assert_true(ctl_ignore(NULL, "a.log", 0));
  assert_true(ctl_ignore(NULL, "node_modules/.cache", 1));
  assert_false(ctl_ignore(NULL, "node_modules/x", 1));
  assert_false(ctl_ignore(NULL, "main.py", 0));
  assert_false(ctl_ignore(NULL, "gitignore", 0));
}

static void leaves_out_what_a_line_matches(void **state) {
  (void)state;
  assert_true(ctl_ignore(lines, "x.tmp", 0));
  assert_true(ctl_ignore(lines, "a/b/x.tmp", 0));
  assert_true(ctl_ignore(lines, "build", 1));
  assert_true(ctl_ignore(lines, "a/build", 1));
  assert_true(ctl_ignore(lines, "top.txt", 0));
  assert_true(ctl_ignore(lines, "docs/a.md", 0));
  assert_true(ctl_ignore(lines, "deep/x", 0));
  assert_true(ctl_ignore(lines, "deep/a/b/x", 0));
  assert_true(ctl_ignore(lines, "abc", 0));
}

static void keeps_all_else(void **state) {
  (void)state;
  assert_false(ctl_ignore(lines, "keep.tmp", 0));
  assert_false(ctl_ignore(lines, "build", 0));
  assert_false(ctl_ignore(lines, "a/top.txt", 0));
  assert_false(ctl_ignore(lines, "docs/a/b.md", 0));
  assert_false(ctl_ignore(lines, "a/docs/b.md", 0));
  assert_false(ctl_ignore(lines, "deep/xy", 0));
  assert_false(ctl_ignore(lines, "ac", 0));
  assert_false(ctl_ignore(lines, ".env.sample", 0));
  assert_false(ctl_ignore("", "a", 0));
  assert_false(ctl_ignore("/\n!\n", "a", 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_out_what_never_belongs_there),
      cmocka_unit_test(leaves_out_what_a_line_matches),
      cmocka_unit_test(keeps_all_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
