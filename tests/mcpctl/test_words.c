/* SPDX-License-Identifier: MIT */
#include "common/words.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* The words joined by "|". The line is in a block of its own size, so that a
 * read past its end is seen. */
static void expect(const char *line, const char *joined, size_t last_at,
                   char quote) {
  size_t len = strlen(line);
  char *copy = malloc(len > 0 ? len : 1);
  char text[200] = "";
  ctl_words words;
  memcpy(copy, line, len);
  assert_int_equal(ctl_words_split(&words, copy, len), 0);
  for (size_t i = 0; i < words.count; i++) {
    strcat(strcat(text, i > 0 ? "|" : ""), words.list[i]);
  }
  assert_string_equal(text, joined);
  assert_null(words.list[words.count]);
  assert_int_equal(words.last_at, last_at);
  assert_int_equal(words.quote, quote);
  ctl_words_deinit(&words);
  free(copy);
}

TEST(blanks_separate_words) {
  expect("", "", 0, 0);
  expect("  \t ", "", 4, 0);
  expect("tools", "tools", 0, 0);
  expect(" call\tadd  a:=2 ", "call|add|a:=2", 16, 0);
}

TEST(quotes_keep_blanks) {
  expect("a 'b c' d", "a|b c|d", 8, 0);
  expect("a \"b c\"d", "a|b cd", 2, 0);
  expect("x:='{\"a\": \"b\"}'", "x:={\"a\": \"b\"}", 0, 0);
  expect("'' \"\"", "|", 3, 0);
  expect("a 'b ", "a|b ", 2, '\'');
  expect("a \"b' ", "a|b' ", 2, '"');
}

TEST(a_backslash_keeps_the_next_byte) {
  expect("a\\ b", "a b", 0, 0);
  expect("\\'a\\\\", "'a\\", 0, 0);
  expect("\"a\\\"b\\c\\\\\"", "a\"b\\c\\", 0, 0);
  expect("'a\\'", "a\\", 0, 0);
  expect("a\\", "a\\", 0, 0);
}
