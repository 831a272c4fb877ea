/* SPDX-License-Identifier: MIT */
/* Which characters the labels of internationalized host names may have (RFC
 * 5891, 4.2; RFC 5892; RFC 5893). */
#include "schema/format_idn.h"

#include "base/ascii.h"
#include "codec/punycode.h"

enum { PREFIX_LEN = 4 }; /* "xn--" */

/* --- kinds of characters ------------------------------------------------- */

typedef struct range {
  uint32_t first;
  uint32_t last;
} range;

static int range_has(const range *ranges, size_t count, uint32_t c) {
  for (size_t i = 0; i < count; i++) {
    if (c >= ranges[i].first && c <= ranges[i].last) {
      return 1;
    }
  }
  return 0;
}

#define IS_WITHIN(ranges, c)                                                   \
  range_has(ranges, sizeof(ranges) / sizeof((ranges)[0]), c)

/* Characters that labels may not have: in ASCII, all except letters, digits and
 * the hyphen; the exceptions of RFC 5892, 2.6; and blocks without letters. */
static const range disallowed[] = {
    {0x0, 0x2C},         {0x2E, 0x2F},     {0x3A, 0x40},     {0x5B, 0x60},
    {0x7B, 0xB6},        {0xB8, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},
    {0x640, 0x640},      {0x7FA, 0x7FA},   {0x2000, 0x200B}, {0x200E, 0x214D},
    {0x214F, 0x2183},    {0x2185, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3029},
    {0x302E, 0x303B},    {0x303D, 0x3040}, {0xE000, 0xF8FF}, {0xFDD0, 0xFDEF},
    {0xFE00, 0xFE19},    {0xFE30, 0xFE6F}, {0xFEFF, 0xFFFF}, {0x1F000, 0x1FBFF},
    {0xE0000, 0x10FFFF},
};

static const range marks[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5BF},
    {0x5C1, 0x5C2},   {0x5C4, 0x5C5},   {0x5C7, 0x5C7},   {0x610, 0x61A},
    {0x64B, 0x65F},   {0x670, 0x670},   {0x6D6, 0x6DC},   {0x6DF, 0x6E4},
    {0x6E7, 0x6E8},   {0x6EA, 0x6ED},   {0x900, 0x903},   {0x93A, 0x93C},
    {0x93E, 0x94F},   {0x981, 0x983},   {0x9BC, 0x9BC},   {0x9BE, 0x9CD},
    {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},   {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0x302A, 0x302F}, {0x3099, 0x309A},
    {0xFE20, 0xFE2F},
};

static const range viramas[] = {
    {0x94D, 0x94D},   {0x9CD, 0x9CD},   {0xA4D, 0xA4D},   {0xACD, 0xACD},
    {0xB4D, 0xB4D},   {0xBCD, 0xBCD},   {0xC4D, 0xC4D},   {0xCCD, 0xCCD},
    {0xD3B, 0xD3C},   {0xD4D, 0xD4D},   {0xDCA, 0xDCA},   {0xE3A, 0xE3A},
    {0xEBA, 0xEBA},   {0xF84, 0xF84},   {0x1039, 0x103A}, {0x1714, 0x1715},
    {0x1734, 0x1734}, {0x17D2, 0x17D2}, {0x1A60, 0x1A60}, {0x1B44, 0x1B44},
    {0x1BAA, 0x1BAB}, {0x1BF2, 0x1BF3}, {0x2D7F, 0x2D7F}, {0xA806, 0xA806},
    {0xA82C, 0xA82C}, {0xA8C4, 0xA8C4}, {0xA953, 0xA953}, {0xA9C0, 0xA9C0},
    {0xAAF6, 0xAAF6}, {0xABED, 0xABED},
};

static const range greek[] = {{0x370, 0x3FF}, {0x1F00, 0x1FFF}};
static const range hebrew[] = {{0x591, 0x5F4}, {0xFB1D, 0xFB4F}};
static const range arabic[] = {{0x620, 0x64A}, {0x66E, 0x6D3}, {0x750, 0x77F}};
static const range kana_or_han[] = {
    {0x3005, 0x3005}, {0x3007, 0x3007}, {0x3041, 0x3096},   {0x309D, 0x309F},
    {0x30A1, 0x30FA}, {0x30FD, 0x30FF}, {0x31F0, 0x31FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x323AF},
};

static const range arabic_digits[] = {{0x660, 0x669}};
static const range extended_digits[] = {{0x6F0, 0x6F9}};
static const range european_digits[] = {{'0', '9'}, {0x6F0, 0x6F9}};
/* Code checks for digits among them first. */
static const range right_to_left[] = {{0x590, 0x8FF},
                                      {0xFB1D, 0xFDFF},
                                      {0xFE70, 0xFEFE},
                                      {0x10800, 0x10FFF},
                                      {0x1E800, 0x1EFFF}};
static const range neutral[] = {{'-', '-'}, {0x200C, 0x200D}};

/* --- rules --------------------------------------------------------------- */

/* Whether one of the label's characters is in a set. */
#define HAS(in, set) label_has_any(in, set, sizeof(set) / sizeof((set)[0]))
static int label_has_any(const mcpi_label *in, const range *set, size_t count) {
  for (uint32_t i = 0; i < in->len; i++) {
    if (range_has(set, count, in->chars[i])) {
      return 1;
    }
  }
  return 0;
}

/* Whether the character at `i` is allowed beside its neighbours (RFC 5892,
 * appendix A). */
static int label_fits_context(const mcpi_label *in, uint32_t i) {
  uint32_t before = i > 0 ? in->chars[i - 1] : 0;
  uint32_t behind = i + 1 < in->len ? in->chars[i + 1] : 0;
  switch (in->chars[i]) {
  case 0xB7: /* middle dot */
    return before == 'l' && behind == 'l';
  case 0x375: /* Greek keraia */
    return IS_WITHIN(greek, behind);
  case 0x5F3: /* Hebrew geresh and gershayim */
  case 0x5F4:
    return IS_WITHIN(hebrew, before);
  case 0x30FB: /* Katakana middle dot */
    return HAS(in, kana_or_han);
  case 0x200C: /* zero width non-joiner, and joiner */
    return IS_WITHIN(viramas, before) ||
           (IS_WITHIN(arabic, before) && IS_WITHIN(arabic, behind));
  case 0x200D:
    return IS_WITHIN(viramas, before);
  default:
    return 1;
  }
}

static int label_is_valid(const mcpi_label *in) {
  const uint32_t *c = in->chars;
  uint32_t last = in->len - 1;
  if (c[0] == '-' || c[last] == '-' || IS_WITHIN(marks, c[0]) ||
      (last > 2 && c[2] == '-' && c[3] == '-') ||
      (HAS(in, arabic_digits) && HAS(in, extended_digits))) {
    return 0;
  }
  for (uint32_t i = 0; i < in->len; i++) {
    if (IS_WITHIN(disallowed, c[i]) || !label_fits_context(in, i)) {
      return 0;
    }
  }
  return 1;
}

static int is_right_to_left(uint32_t c) {
  return IS_WITHIN(right_to_left, c) && !IS_WITHIN(arabic_digits, c) &&
         !IS_WITHIN(european_digits, c);
}

static int is_left_to_right(uint32_t c) {
  return !IS_WITHIN(right_to_left, c) && !IS_WITHIN(european_digits, c) &&
         !IS_WITHIN(neutral, c) && !IS_WITHIN(marks, c);
}

/* Whether all characters have one direction. A right-to-left label begins with
 * a right-to-left character, and has digits of one kind only (RFC 5893, section
 * 2). */
static int label_has_one_direction(const mcpi_label *in, mcpi_idn_label *out) {
  int is_rtl = HAS(in, arabic_digits);
  int is_ltr = 0;
  for (uint32_t i = 0; i < in->len; i++) {
    is_rtl |= is_right_to_left(in->chars[i]);
    is_ltr |= is_left_to_right(in->chars[i]);
  }
  out->is_rtl = is_rtl;
  out->has_digit_first = IS_WITHIN(european_digits, in->chars[0]);
  return !is_rtl || (!is_ltr && is_right_to_left(in->chars[0]) &&
                     !(HAS(in, european_digits) && HAS(in, arabic_digits)));
}

int mcpi_idn_is_encoded(mcpi_str text) {
  return text.len >= PREFIX_LEN && mcpi_to_lower(text.ptr[0]) == 'x' &&
         mcpi_to_lower(text.ptr[1]) == 'n' && text.ptr[2] == '-' &&
         text.ptr[3] == '-';
}

static int label_read(mcpi_str text, mcpi_label *out) {
  out->len = 0;
  while (text.len > 0 && out->len < MCPI_PUNYCODE_MAX) {
    out->chars[out->len++] = mcpi_utf8_take(&text);
  }
  return text.len == 0;
}

/* A label of ASCII alone has nothing to encode. */
static int label_is_ascii(const mcpi_label *in) {
  static const range ascii[] = {{0, 0x7F}};
  uint32_t i = 0;
  while (i < in->len && IS_WITHIN(ascii, in->chars[i])) {
    i++;
  }
  return i == in->len;
}

/* Whether the text is the encoding: there is only one. */
static int is_same_code(mcpi_str text, const char *code, size_t len) {
  int differs = text.len != len;
  for (size_t i = 0; i < text.len && !differs; i++) {
    differs = mcpi_to_lower(text.ptr[i]) != code[i];
  }
  return !differs;
}

int mcpi_idn_check(mcpi_str text, mcpi_idn_label *out) {
  mcpi_label in = {.len = 0};
  char code[MCPI_PUNYCODE_MAX];
  int was_encoded = mcpi_idn_is_encoded(text);
  if (was_encoded) {
    text = mcpi_str_n(text.ptr + PREFIX_LEN, text.len - PREFIX_LEN);
  }
  if (!(was_encoded ? mcpi_punycode_decode(text, &in) == 0
                    : label_read(text, &in)) ||
      label_is_ascii(&in) || !label_is_valid(&in) ||
      !label_has_one_direction(&in, out)) {
    return 0;
  }
  size_t len = mcpi_punycode_encode(&in, code);
  out->ascii_len = PREFIX_LEN + len;
  return len > 0 && (!was_encoded || is_same_code(text, code, len));
}
