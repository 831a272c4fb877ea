/* SPDX-License-Identifier: MIT */
#include "generate/text.h"
#include "platform/memory.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

static void expect_comment(int indent, const char *text, const char *expected) {
  char *made = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&made, &len);
  ctl_c_comment(out, indent, text);
  ctl_memory_close(out, &made, &len);
  assert_string_equal(made, expected);
  free(made);
}

static void expect_literal(const char *text, const char *expected) {
  char *made = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&made, &len);
  ctl_c_string(out, text);
  ctl_memory_close(out, &made, &len);
  assert_string_equal(made, expected);
  free(made);
}

static void expect_sentence(const char *text, size_t max,
                            const char *expected) {
  char *made = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&made, &len);
  ctl_c_sentence(out, text, max);
  ctl_memory_close(out, &made, &len);
  assert_string_equal(made, expected);
  free(made);
}

TEST(a_comment_is_wrapped) {
  expect_comment(0, "a b", "/* a b */\n");
  expect_comment(2, "a\n\nb", "  /* a\n   *\n   * b */\n");
  expect_comment(
      0,
      "one two three four five six seven eight nine ten eleven twelve thirteen "
      "fourteen",
      "/* one two three four five six seven eight nine ten eleven twelve "
      "thirteen\n * fourteen */\n");
}

TEST(a_text_cannot_end_a_comment) {
  expect_comment(0, "a */ b", "/* a * / b */\n");
  expect_comment(0, "**//", "/* ** // */\n");
  expect_comment(0, "/*x", "/* / *x */\n");
  expect_comment(0, "*", "/* * */\n");
  expect_comment(0, "? \?\?/ \?\?\?", "/* ? ? ?/ ? ? ? */\n");
  expect_comment(0, "a\\\nb", "/* a\\\n * b */\n");
}

TEST(characters_that_change_how_text_is_shown_are_replaced) {
  expect_comment(0, "a\x1b[31mb", "/* a [31mb */\n");
  expect_comment(0,
                 "a\xe2\x80\xae"
                 "b",
                 "/* a?b */\n");
  expect_comment(0, "\xff", "/* ? */\n");
  expect_comment(0, "\xc3\xa4\tb", "/* \xc3\xa4 b */\n");
}

TEST(a_string_is_ascii) {
  expect_literal("a\"b\\c", "\"a\\\"b\\\\c\"");
  expect_literal("\?\?/", "\"\\?\\?/\"");
  expect_literal("\n\x7f\xc3\xa4"
                 "1",
                 "\"\\012\\177\\303\\2441\"");
}

TEST(a_sentence_ends_with_a_stop) {
  expect_sentence("", 10, "");
  expect_sentence("a", 10, "a. ");
  expect_sentence("a. \n", 10, "a. ");
  expect_sentence("a\nb!", 10, "a b! ");
  expect_sentence("abcdef", 3, "abc... ");
  expect_sentence("ab\xc3\xa4", 3, "ab... ");
}
