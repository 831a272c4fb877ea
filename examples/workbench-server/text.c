/* SPDX-License-Identifier: MIT */
/* UTF-8: see text.h. */
#include "text.h"

/* Returns the length of a character by its first byte; 0: no character begins
 * with that byte. */
static size_t length_of(unsigned char first) {
  if (first < 0x80) {
    return first != 0;
  }
  if (first < 0xC2 || first > 0xF4) {
    return 0;
  }
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The bounds of the second byte exclude overlong forms (E0, F0), surrogates
 * (ED) and characters above U+10FFFF (F4). */
static int is_second(unsigned char first, unsigned char second) {
  unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

/* Returns the length of the character at `bytes`; 0: there is none. */
static size_t character(const char *bytes, size_t left) {
  const unsigned char *at = (const unsigned char *)bytes;
  size_t len = length_of(at[0]);
  if (len == 0 || len > left || (len > 1 && !is_second(at[0], at[1]))) {
    return 0;
  }
  for (size_t i = 2; i < len; i++) {
    if ((at[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  return len;
}

size_t text_valid_prefix(const char *bytes, size_t len) {
  size_t at = 0;
  while (at < len) {
    size_t step = character(bytes + at, len - at);
    if (step == 0) {
      break;
    }
    at += step;
  }
  return at;
}

void text_clean(char *bytes, size_t len) {
  size_t at = text_valid_prefix(bytes, len);
  while (at < len) {
    bytes[at++] = '?';
    at += text_valid_prefix(bytes + at, len - at);
  }
}

size_t text_cut(const char *text, size_t len, size_t max) {
  if (len <= max) {
    return len;
  }
  while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80) {
    max--;
  }
  return max;
}
