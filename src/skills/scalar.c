/* SPDX-License-Identifier: MIT */
#include "skills/scalar.h"

#include <inttypes.h>
#include <stdio.h>

static int scalar_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int scalar_is_one_of(mcpi_str text, const char *const *words) {
  for (; *words != NULL; words++) {
    if (mcpi_str_eq(text, mcpi_str_z(*words))) {
      return 1;
    }
  }
  return 0;
}

/* --- words ---------------------------------------------------------------- */

static int is_null(mcpi_str text) {
  static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
  return scalar_is_one_of(text, words);
}

static int is_true(mcpi_str text) {
  static const char *const words[] = {"true", "True", "TRUE", NULL};
  return scalar_is_one_of(text, words);
}

static int is_false(mcpi_str text) {
  static const char *const words[] = {"false", "False", "FALSE", NULL};
  return scalar_is_one_of(text, words);
}

static int is_foreign(mcpi_str text) {
  static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
  static const char *const others[] = {".nan", ".NaN", ".NAN", NULL};
  if (scalar_is_one_of(text, others)) {
    return 1;
  }
  if (!mcpi_str_take_char(&text, '-')) {
    mcpi_str_take_char(&text, '+');
  }
  return scalar_is_one_of(text, infinities);
}

/* --- numbers -------------------------------------------------------------- */

static mcpi_str scalar_take_digits(mcpi_str *text) {
  size_t len = 0;
  while (len < text->len && scalar_is_digit(text->ptr[len])) {
    len++;
  }
  return mcpi_str_take(text, len);
}

/* JSON has no zeros in front. */
static void scalar_put_whole(mcpi_buf *json, mcpi_str digits) {
  while (digits.len > 1 && digits.ptr[0] == '0') {
    mcpi_str_take(&digits, 1);
  }
  mcpi_buf_puts(json, digits.len > 0 ? digits : MCPI_STR("0"));
}

/* [eE] [-+]? [0-9]+. Returns 0 if there is something else. */
static int take_exponent(mcpi_str *text, mcpi_buf *json) {
  if (text->len == 0) {
    return 1;
  }
  if (!mcpi_str_take_char(text, 'e') && !mcpi_str_take_char(text, 'E')) {
    return 0;
  }
  int is_minus = mcpi_str_take_char(text, '-');
  if (!is_minus) {
    mcpi_str_take_char(text, '+');
  }
  mcpi_str digits = scalar_take_digits(text);
  mcpi_buf_puts(json, is_minus ? MCPI_STR("e-") : MCPI_STR("e"));
  mcpi_buf_puts(json, digits);
  return digits.len > 0 && text->len == 0;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) exponent?; an integer is one
 * too. Returns 0 for another text, with a part of it in `json`. */
static int put_decimal(mcpi_str text, mcpi_buf *json) {
  if (mcpi_str_take_char(&text, '-')) {
    mcpi_buf_putc(json, '-');
  } else {
    mcpi_str_take_char(&text, '+');
  }
  mcpi_str whole = scalar_take_digits(&text);
  mcpi_str part = MCPI_STR("");
  if (mcpi_str_take_char(&text, '.')) {
    part = scalar_take_digits(&text);
  }
  if (whole.len == 0 && part.len == 0) {
    return 0;
  }
  scalar_put_whole(json, whole);
  if (part.len > 0) {
    mcpi_buf_putc(json, '.');
    mcpi_buf_puts(json, part);
  }
  return take_exponent(&text, json);
}

static int scalar_digit_value(char c) {
  if (scalar_is_digit(c)) {
    return c - '0';
  }
  char small = (char)(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : 16;
}

/* 0o17 and 0x1F. Returns 0 for another text. A number above 64 bits is left as
 * text. */
static int put_based(mcpi_str text, mcpi_buf *json) {
  uint64_t number = 0;
  if (text.len < 3 || text.ptr[0] != '0' ||
      (text.ptr[1] != 'o' && text.ptr[1] != 'x')) {
    return 0;
  }
  uint64_t base = text.ptr[1] == 'o' ? 8 : 16;
  for (size_t i = 2; i < text.len; i++) {
    uint64_t digit = (uint64_t)scalar_digit_value(text.ptr[i]);
    if (digit >= base || number > (UINT64_MAX - digit) / base) {
      return 0;
    }
    number = number * base + digit;
  }
  char digits[24];
  snprintf(digits, sizeof(digits), "%" PRIu64, number);
  mcpi_buf_puts(json, mcpi_str_z(digits));
  return 1;
}

static int scalar_put_number(mcpi_str text, mcpi_buf *json) {
  size_t before = json->len;
  if (put_based(text, json) || put_decimal(text, json)) {
    return 1;
  }
  if (json->error == 0) {
    mcpi_buf_rewind(json, before);
  }
  return 0;
}

mcpi_scalar mcpi_scalar_read(mcpi_str text, mcpi_buf *json) {
  if (is_null(text)) {
    mcpi_buf_lit(json, "null");
  } else if (is_true(text)) {
    mcpi_buf_lit(json, "true");
  } else if (is_false(text)) {
    mcpi_buf_lit(json, "false");
  } else if (is_foreign(text)) {
    return MCPI_SCALAR_FOREIGN;
  } else if (!scalar_put_number(text, json)) {
    return MCPI_SCALAR_TEXT;
  }
  return MCPI_SCALAR_JSON;
}
