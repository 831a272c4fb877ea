/* SPDX-License-Identifier: MIT */
/* Which files of a folder a bundle leaves out. */
#include "pack/ignore.h"

#include "support/cm.h"
#include <stddef.h>
#include <string.h>

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

static int leaves_out(const char *pattern, const char *name) {
  return ctl_ignore(pattern, name, 0);
}

static void a_list_matches_one_of_its_bytes(void **state) {
  (void)state;
  assert_true(leaves_out("x[0-9].c", "x7.c"));
  assert_false(leaves_out("x[0-9].c", "xa.c"));
  assert_false(leaves_out("x[0-9].c", "x.c"));
  assert_true(leaves_out("[a-cx]y", "a/xy"));
  assert_true(leaves_out("*.[oa]", "lib.a"));
  assert_false(leaves_out("*.[oa]", "lib.c"));
  assert_true(leaves_out("[!a-c]", "d"));
  assert_true(leaves_out("[^a-c]", "d"));
  assert_false(leaves_out("[!a-c]", "b"));
  assert_true(leaves_out("[]x]", "]"));
  assert_true(leaves_out("[!]x]", "y"));
  assert_true(leaves_out("[a-]", "-"));
  assert_true(leaves_out("[\\]]", "]"));
  assert_false(leaves_out("a[!b]c", "a/c"));
  assert_false(leaves_out("[ab", "a"));
  assert_false(leaves_out("[", "["));
}

static void a_backslash_takes_the_meaning(void **state) {
  (void)state;
  assert_true(leaves_out("\\#x", "#x"));
  assert_true(leaves_out("\\!x", "!x"));
  assert_true(leaves_out("a\\*", "a*"));
  assert_false(leaves_out("a\\*", "ab"));
  assert_true(leaves_out("\\[a]", "[a]"));
  assert_true(leaves_out("a\\ ", "a "));
  assert_true(leaves_out("a ", "a"));
}

/* Trying every length of every star would take years. */
static void many_stars_take_no_time(void **state) {
  char pattern[201];
  char name[201];
  (void)state;
  memset(name, 'a', 200);
  name[200] = '\0';
  for (size_t i = 0; i < 200; i++) {
    pattern[i] = i % 2 == 0 ? '*' : 'a';
  }
  pattern[198] = 'b';
  pattern[199] = '*';
  pattern[200] = '\0';
  assert_false(leaves_out(pattern, name));
  pattern[198] = '*';
  pattern[199] = 'a';
  assert_true(leaves_out(pattern, name));
  for (size_t i = 0; i < 198; i++) {
    pattern[i] = "**/"[i % 3];
    name[i] = "a/"[i % 2];
  }
  assert_true(leaves_out(pattern, name)); /* it ends with *a */
  pattern[199] = 'b';
  assert_false(leaves_out(pattern, name));
  assert_true(leaves_out("*a*/*b*/**/c*d", "xay/zbz/1/2/ccd"));
  assert_true(leaves_out("**/*a/b*", "x/ya/za/bc"));
  assert_false(leaves_out("**/*a/b*", "x/ya/za/c"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_out_what_never_belongs_there),
      cmocka_unit_test(leaves_out_what_a_line_matches),
      cmocka_unit_test(keeps_all_else),
      cmocka_unit_test(a_list_matches_one_of_its_bytes),
      cmocka_unit_test(a_backslash_takes_the_meaning),
      cmocka_unit_test(many_stars_take_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
