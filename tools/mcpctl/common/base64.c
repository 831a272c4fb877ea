/* SPDX-License-Identifier: MIT */
/* Base64 as JSON carries it. */
#include "common/base64.h"

#include <stdint.h>

static size_t without_padding(const char *text, size_t len) {
  for (int i = 0; i < 2 && len > 0 && text[len - 1] == '='; i++) {
    len--;
  }
  return len;
}

size_t ctl_base64_len(const char *text, size_t len) {
  len = without_padding(text, len);
  return len / 4 * 3 + len % 4 * 3 / 4;
}

static int digit_value(char digit) {
  if (digit >= 'A' && digit <= 'Z') {
    return digit - 'A';
  }
  if (digit >= 'a' && digit <= 'z') {
    return digit - 'a' + 26;
  }
  if (digit >= '0' && digit <= '9') {
    return digit - '0' + 52;
  }
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

int ctl_base64_decode(const char *text, size_t len, char *out) {
  uint32_t bits = 0;
  size_t digits = without_padding(text, len);
  if (digits % 4 == 1 || (digits < len && len % 4 != 0)) {
    return -1;
  }
  for (size_t i = 0; i < digits; i++) {
    int value = digit_value(text[i]);
    if (value < 0) {
      return -1;
    }
    bits = bits << 6 | (uint32_t)value;
    if (i % 4 != 0) { /* the group has 12, 18 or 24 bits: one more byte */
      *out++ = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
  }
  return 0;
}
