/* SPDX-License-Identifier: MIT */
#include "common/term.h"
#include "common/text.h"
#include "platform/memory.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* Expects this line when it is cut at `max` columns. */
static void expect_line(const char *text, size_t max, const char *shown,
                        size_t width) {
  char *found = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&found, &len);
  assert_int_equal(ctl_text_put_line(out, text, max), width);
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, shown);
  free(found);
}

static void expect_block(const char *text, const char *shown) {
  char *found = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&found, &len);
  ctl_text_put_block(out, text, strlen(text));
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, shown);
  free(found);
}

TEST(plain_text_passes) {
  expect_line("", 10, "", 0);
  expect_line("abc", SIZE_MAX, "abc", 3);
  expect_line("größe €", SIZE_MAX, "größe €", 7);
  expect_block("a\tb\nc\n", "a\tb\nc\n");
}

TEST(control_characters_are_shown) {
  expect_block("\x1b[31mred\x07", "\\x1b[31mred\\x07");
  expect_block("a\rb\x7f", "a\\x0db\\x7f");
  expect_block("a\r\nb\r\r\n\r", "a\nb\\x0d\n\\x0d");
  expect_block("\xc2\x9b\x32J", "\\u009b2J");
  expect_block("\xe2\x80\xae"
               "abc\xe2\x81\xa6",
               "\\u202eabc\\u2066");
  expect_block("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f");
  expect_line("a\nb\r\tc", SIZE_MAX, "a b  c", 6);
  expect_line("\x1b]0;x\x07", SIZE_MAX, "\\x1b]0;x\\x07", 12);
}

TEST(what_is_not_utf8_is_shown) {
  expect_block("a\xff", "a\\xff");
  expect_block("\xc3", "\\xc3");
  expect_block("\xc0\xaf", "\\xc0\\xaf");          /* overlong */
  expect_block("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* a surrogate */
  expect_block("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

static void expect_wrapped(const char *text, const char *shown) {
  char *found = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&found, &len);
  ctl_text_put_wrapped(out, text, 2, 10);
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, shown);
  free(found);
}

TEST(long_text_is_wrapped) {
  expect_wrapped("", "");
  expect_wrapped("one two", "one two");
  expect_wrapped("one two t", "one two\n  t"); /* 2 + 8 columns are all */
  expect_wrapped("one  two three", "one  two\n  three");
  expect_wrapped("one\ntwo\r\n\n four", "one\n  two\n  \n   four");
  expect_wrapped("12345678901 2", "12345678\n  901 2");
  expect_wrapped("a 1234567890", "a\n  12345678\n  90");
  expect_wrapped("日本語 日本語", "日本語\n  日本語");
  expect_wrapped("日本語日本語", "日本語日\n  本語");
  expect_wrapped("1234567日", "1234567\n  日");
  expect_wrapped("ab\x1b[2J c", "ab\\x1b[2\n  J c");
  expect_wrapped("a         b", "a\n  b");
  expect_wrapped("            b ", "b");
}

TEST(long_lines_are_cut_by_columns) {
  expect_line("abcdef", 6, "abcdef", 6);
  expect_line("abcdefg", 6, "abcde…", 6);
  expect_line("abc", 1, "…", 1);
  expect_line("abc", 0, "", 0);
  /* A wide character that does not fit is left out entirely. */
  expect_line("日本語日本語", 6, "日本…", 5);
  expect_line("日本語", 6, "日本語", 6);
  /* A combining accent takes no column. */
  expect_line("e\xcc\x81t\xcc\x81", 2, "e\xcc\x81t\xcc\x81", 2);
  assert_int_equal(ctl_text_width("日本語"), 6);
}

int main(void) {
  ctl_term_setup(CTL_COLOR_NEVER);
  return tests_run(NULL, NULL);
}
