/* SPDX-License-Identifier: MIT */
#include "base/printable.h"

#include "support/scratch.h"
#include <string.h>

static void expect(const char *text, size_t len, const char *shown) {
  mcpi_buf *buf = scratch_buf();
  mcpi_put_printable(buf, mcpi_str_n(text, len));
  mcpi_buf_putc(buf, '\0');
  assert_string_equal(buf->data, shown);
  assert_int_equal(mcpi_is_printable(mcpi_str_n(text, len)),
                   len == strlen(shown) && memcmp(text, shown, len) == 0);
}

#define EXPECT(text, shown) expect(text, sizeof(text) - 1, shown)

SCRATCH_TEST(text_stays_as_it_is) {
  EXPECT("", "");
  EXPECT("{\"a\":\"b\\n\"}", "{\"a\":\"b\\n\"}");
  EXPECT("\u00A0\u00E9\u05D0\u061B\u061D\u200D\u2027\u2030\u2065\u206A\u4E2D",
         "\u00A0\u00E9\u05D0\u061B\u061D\u200D\u2027\u2030\u2065\u206A\u4E2D");
  EXPECT("\U0001F600", "\U0001F600");
}

SCRATCH_TEST(control_characters_are_escaped) {
  EXPECT("a\x1b[2Jb\nc\rd\te", "a\\u001b[2Jb\\u000ac\\u000dd\\u0009e");
  EXPECT("\0", "\\u0000");
  EXPECT("\x7f", "\\u007f");
  EXPECT("\xC2\x80\xC2\x85\xC2\x9B\xC2\x9F", "\\u0080\\u0085\\u009b\\u009f");
}

SCRATCH_TEST(directions_are_escaped) {
  EXPECT("\u061C", "\\u061c");
  EXPECT("\u200E\u200F", "\\u200e\\u200f");
  EXPECT("\u202A\u202B\u202C\u202D\u202E",
         "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT("\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069");
  EXPECT("\u2028\u2029", "\\u2028\\u2029");
}

SCRATCH_TEST(half_a_character_is_left_alone) {
  EXPECT("\xC2", "\xC2");
  EXPECT("\xE2\x80", "\xE2\x80");
  EXPECT("\xD8", "\xD8");
}
