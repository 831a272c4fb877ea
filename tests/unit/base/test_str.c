/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include "support/cm.h"
#include "support/guarded.h"
#include <stdlib.h>

TEST(strings_compare_by_bytes) {
  assert_true(mcpi_str_eq(MCPI_STR("ab"), mcpi_str_z("ab")));
  assert_true(mcpi_str_eq(MCPI_STR(""), mcpi_str_z(NULL)));
  assert_false(mcpi_str_eq(MCPI_STR("ab"), MCPI_STR("a")));
  assert_false(mcpi_str_eq(MCPI_STR("ab"), MCPI_STR("ac")));
  assert_true(mcpi_str_eq(MCPI_STR("a\0b"), mcpi_str_n("a\0b", 3)));
  assert_false(mcpi_str_eq(MCPI_STR("a\0b"), MCPI_STR("a\0c")));
}

/* Later bytes, and bytes that differ in one bit, must not count. */
TEST(a_word_tells_the_first_of_a_byte) {
  for (size_t first = 0; first < 8; first++) {
    for (int after = 0; after < 256; after++) {
      char bytes[8];
      memset(bytes, '"' ^ 1, first);
      memset(bytes + first, after, sizeof(bytes) - first);
      bytes[first] = '"';
      uint64_t found = mcpi_word_has(mcpi_load_word(bytes), '"');
      assert_true(found != 0);
      assert_int_equal(mcpi_word_first(found), first);
    }
  }
}

/* Of the reference implementation (key and input 00, 01, 02, ...), compiled
 * with one round for a word and three at the end. */
TEST(hash_is_siphash_1_3) {
  static const uint64_t expected[] = {
      UINT64_C(0xabac0158050fc4dc), UINT64_C(0xc9f49bf37d57ca93),
      UINT64_C(0x82cb9b024dc7d44d), UINT64_C(0x8bf80ab8e7ddf7fb),
      UINT64_C(0xcf75576088d38328), UINT64_C(0xdef9d52f49533b67),
      UINT64_C(0xc50d2b50c59f22a7), UINT64_C(0xd3927d989bb11140),
      UINT64_C(0x369095118d299a8e), UINT64_C(0x25a48eb36c063de4),
  };
  static const uint64_t seed[2] = {UINT64_C(0x0706050403020100),
                                   UINT64_C(0x0f0e0d0c0b0a0908)};
  char input[16];
  for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
    input[i] = (char)i;
    assert_int_equal(mcpi_str_hash(mcpi_str_n(input, i), seed), expected[i]);
  }
}

TEST(hash_depends_on_seed_and_length) {
  static const uint64_t one[2] = {1, 2};
  static const uint64_t two[2] = {1, 3};
  assert_int_not_equal(mcpi_str_hash(MCPI_STR("abc"), one),
                       mcpi_str_hash(MCPI_STR("abc"), two));
  assert_int_not_equal(mcpi_str_hash(MCPI_STR("\0"), one),
                       mcpi_str_hash(MCPI_STR("\0\0"), one));
}

/* The plain definition, to compare with: decode, then look at the number. */
static size_t decode(const unsigned char *p, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t len = p[0] < 0x80             ? 1
               : (p[0] & 0xE0) == 0xC0 ? 2
               : (p[0] & 0xF0) == 0xE0 ? 3
               : (p[0] & 0xF8) == 0xF0 ? 4
                                       : 0;
  if (len == 0 || len > left) {
    return 0;
  }
  uint32_t code = len == 1 ? p[0] : p[0] & (0xFFu >> (len + 1));
  for (size_t i = 1; i < len; i++) {
    if ((p[i] & 0xC0) != 0x80) {
      return 0;
    }
    code = code << 6 | (p[i] & 0x3Fu);
  }
  int is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[len] || code > 0x10FFFF || is_surrogate ? 0 : len;
}

static size_t valid_prefix(const unsigned char *p, size_t len) {
  size_t done = 0;
  size_t step = 1;
  while (done < len && step > 0) {
    step = decode(p + done, len - done);
    done += step;
  }
  return done;
}

TEST(every_character_is_valid_alone) {
  for (unsigned lead = 0; lead < 256; lead++) {
    for (unsigned second = 0; second < 256; second++) {
      unsigned char text[4] = {(unsigned char)lead, (unsigned char)second, 0x80,
                               0xBF};
      for (size_t len = 1; len <= 4; len++) {
        assert_int_equal(mcpi_utf8_valid_prefix((char *)text, len),
                         valid_prefix(text, len));
      }
    }
  }
}

TEST(random_text_agrees_with_the_definition) {
  static const char *const parts[] = {
      "a",        "bcdefghij", "\xC3\xA9",         "\xE2\x82\xAC",
      "\xF0\x9F", "\xED\xA0",  "\xF0\x9F\x98\x80", "\x80",
      "\xC0\xAF", "\xF4\x90",  "\xEF\xBF\xBF",     "\xF4\x8F\xBF\xBF"};
  srand(1);
  for (int round = 0; round < 20000; round++) {
    char text[64] = "";
    for (int i = rand() % 6; i >= 0; i--) {
      strcat(text, parts[rand() % (rand() % 4 == 0 ? 12 : 4)]);
    }
    size_t len = strlen(text);
    assert_int_equal(mcpi_utf8_valid_prefix(text, len),
                     valid_prefix((unsigned char *)text, len));
  }
}

TEST(characters_are_taken_one_by_one) {
  static const uint32_t characters[] = {0,      'a',     0x7F,    0x80,
                                        0x7FF,  0x800,   0xD7FF,  0xE000,
                                        0xFFFF, 0x10000, 0x10FFFF};
  const char text[] = "\0a\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF"
                      "\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                      "\xF4\x8F\xBF\xBF";
  char *copy = guarded_copy(text, sizeof(text) - 1);
  mcpi_str rest = mcpi_str_n(copy, sizeof(text) - 1);
  for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
    assert_int_equal(mcpi_utf8_take(&rest), characters[i]);
  }
  assert_int_equal(rest.len, 0);
  guarded_free(copy, sizeof(text) - 1);
}

TEST(nothing_is_read_past_the_end) {
  static const uint64_t seed[2] = {3, 4};
  const char text[] = "abcdefghijklmnop\xF0\x9F\x98\x80";
  for (size_t len = 0; len < sizeof(text); len++) {
    char *copy = guarded_copy(text, len);
    size_t expected = len > 16 && len < 20 ? 16 : len;
    assert_int_equal(mcpi_utf8_valid_prefix(copy, len), expected);
    assert_int_equal(mcpi_str_hash(mcpi_str_n(copy, len), seed),
                     mcpi_str_hash(mcpi_str_n(text, len), seed));
    guarded_free(copy, len);
  }
}

TEST(text_is_taken_off_the_front) {
  mcpi_str rest = MCPI_STR("abc");
  mcpi_str none = {NULL, 0};
  assert_true(mcpi_str_starts_with(rest, MCPI_STR("ab")));
  assert_true(mcpi_str_starts_with(rest, none));
  assert_true(mcpi_str_starts_with(none, none));
  assert_false(mcpi_str_starts_with(rest, MCPI_STR("b")));
  assert_false(mcpi_str_starts_with(rest, MCPI_STR("abcd")));
  assert_false(mcpi_str_take_char(&rest, 'b'));
  assert_true(mcpi_str_take_char(&rest, 'a'));
  assert_true(mcpi_str_eq(mcpi_str_take(&rest, 2), MCPI_STR("bc")));
  assert_int_equal(rest.len, 0);
  assert_false(mcpi_str_take_char(&rest, 'c'));
  assert_null(mcpi_str_take(&none, 0).ptr);
}

TEST(a_text_is_utf8_as_a_whole) {
  assert_true(mcpi_str_is_utf8(MCPI_STR("")));
  assert_true(mcpi_str_is_utf8(MCPI_STR("a\xC3\xA9")));
  assert_false(mcpi_str_is_utf8(MCPI_STR("a\xC3")));
}
