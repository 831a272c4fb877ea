/* SPDX-License-Identifier: MIT */
#include "common/reveal.h"
#include "platform/memory.h"

#include "support/cm.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *text, size_t len, size_t max,
                   const char *shown) {
  char *found = NULL;
  size_t found_len = 0;
  FILE *out = ctl_memory_open(&found, &found_len);
  ctl_reveal_put(out, text, len, max);
  ctl_memory_close(out, &found, &found_len);
  assert_string_equal(found, shown);
  free(found);
}

static void expect_all(const char *text, const char *shown) {
  expect(text, strlen(text), SIZE_MAX, shown);
}

TEST(what_is_visible_passes) {
  expect_all("", "");
  expect_all("größe 日本 ✓", "größe 日本 ✓");
  expect_all("❤\xef\xb8\x8f", "❤\xef\xb8\x8f"); /* as an emoji */
  expect_all("a\nb\tc\r", "a b c ");
}

TEST(what_is_invisible_is_shown) {
  expect_all("a\xe2\x80\x8b", "a\\u200b");
  expect_all("\xe2\x81\xa0\xef\xbb\xbf", "\\u2060\\ufeff");
  expect_all("\xf3\xa0\x81\x81x", "\\U000e0041x"); /* a tag */
  expect_all("\xc2\xad", "\\u00ad");
  expect_all("\x1b[1m\xe2\x80\xae", "\\x1b[1m\\u202e");
  expect("a\0b", 3, SIZE_MAX, "a\\x00b");
}

TEST(long_text_is_cut) {
  expect("abcdef", 6, 6, "abcdef");
  expect("abcdef", 6, 4, "abc…");
  expect("ab", 2, 1, "…");
  expect("a\xe2\x80\x8b", 4, 4, "a…"); /* no half of an escape */
}

static void expect_difference(const char *a, const char *b, size_t at) {
  assert_int_equal(ctl_reveal_difference(a, strlen(a), b, strlen(b)), at);
}

TEST(differences) {
  expect_difference("abc", "abd", 2);
  expect_difference("abc", "abcd", 3);
  expect_difference("", "a", 0);
  expect_difference("aä", "aö", 1); /* the first byte is the same */
  expect_difference("aä", "aäb", 3);
  assert_int_equal(ctl_reveal_back("aäb", 3, 1), 1);
  assert_int_equal(ctl_reveal_back("aäb", 3, 9), 0);
}
