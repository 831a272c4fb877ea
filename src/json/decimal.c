/* SPDX-License-Identifier: MIT */
/* Exact decimal numbers: reading, comparing, long division. */
#include "json/decimal.h"

#include "base/buf.h"
#include "json/write.h"

#include <mcp/sys/yyjson.h>

/* --- reading ------------------------------------------------------------ */

/* Larger exponents count as this one. It is larger than any text's number of
 * digits, and far from overflow. */
static const int64_t exponent_max = INT64_MAX / 4;

/* Reads the exponent, if there is one, and returns the text before it. */
static mcpi_str decimal_take_exponent(mcpi_str text, mcpi_decimal *number) {
  size_t len = 0;
  while (len < text.len && text.ptr[len] != 'e' && text.ptr[len] != 'E') {
    len++;
  }
  int is_negative = 0;
  int64_t exponent = 0;
  for (size_t i = len + 1; i < text.len; i++) {
    if (text.ptr[i] == '-' || text.ptr[i] == '+') {
      is_negative = text.ptr[i] == '-';
    } else if (exponent >= exponent_max / 10) {
      exponent = exponent_max;
      break;
    } else {
      exponent = exponent * 10 + (text.ptr[i] - '0');
    }
  }
  if (len < text.len) {
    number->exponent = is_negative ? -exponent : exponent;
  }
  return mcpi_str_n(text.ptr, len);
}

static void decimal_strip_zeros(mcpi_decimal *number) {
  mcpi_str *digits = &number->digits;
  const char *point =
      digits->len > 0 ? memchr(digits->ptr, '.', digits->len) : NULL;
  if (point != NULL) {
    number->exponent -= digits->ptr + digits->len - 1 - point;
  }
  while (digits->len > 0 && (digits->ptr[digits->len - 1] == '0' ||
                             digits->ptr[digits->len - 1] == '.')) {
    number->exponent += digits->ptr[digits->len - 1] == '0';
    digits->len--;
  }
  while (digits->len > 0 && (digits->ptr[0] == '0' || digits->ptr[0] == '.')) {
    digits->ptr++;
    digits->len--;
  }
}

static void decimal_read_text(mcpi_decimal *out, mcpi_str text) {
  if (text.len > 0 && text.ptr[0] == '-') {
    out->is_negative = 1;
    text.ptr++;
    text.len--;
  }
  out->digits = decimal_take_exponent(text, out);
  decimal_strip_zeros(out);
  if (out->digits.len == 0) {
    out->exponent = 0;
    out->is_negative = 0;
  }
}

/* Writes the shortest text that reads back as the same double. For up to 15
 * digits that is the text that was read. */
static mcpi_str decimal_write_text(mcpi_decimal *out, const mcp_json *number) {
  mcpi_buf buf = {.allocator = mcp_allocator_default(),
                  .data = out->text,
                  .cap = sizeof(out->text),
                  .max = sizeof(out->text)};
  mcpi_json_put_value(&buf, number);
  return mcpi_str_n(out->text, buf.len);
}

void mcpi_decimal_read(mcpi_decimal *out, const mcp_json *number) {
  yyjson_val *val = mcp_json_to_yyjson(number);
  out->exponent = 0;
  out->is_negative = 0;
  if (yyjson_is_raw(val)) {
    decimal_read_text(out, mcpi_str_n(unsafe_yyjson_get_raw(val),
                                      unsafe_yyjson_get_len(val)));
  } else {
    decimal_read_text(out, decimal_write_text(out, number));
  }
}

/* --- digits ------------------------------------------------------------- */

/* A walk over the digits, which skips the point. */
typedef struct walk {
  const char *at;
  const char *end;
} walk;

static walk walk_of(const mcpi_decimal *number) {
  const char *from = number->digits.ptr;
  return (walk){from,
                number->digits.len > 0 ? from + number->digits.len : from};
}

/* Returns the next digit, or -1 at the end. */
static int next_digit(walk *w) {
  if (w->at < w->end && *w->at == '.') {
    w->at++;
  }
  return w->at < w->end ? *w->at++ - '0' : -1;
}

int64_t mcpi_decimal_digit_count(const mcpi_decimal *number) {
  mcpi_str digits = number->digits;
  int has_point = digits.len > 0 && memchr(digits.ptr, '.', digits.len) != NULL;
  return (int64_t)digits.len - has_point;
}

/* --- comparing ---------------------------------------------------------- */

static int decimal_sign(const mcpi_decimal *number) {
  if (number->digits.len == 0) {
    return 0;
  }
  return number->is_negative ? -1 : 1;
}

static int compare_digits(const mcpi_decimal *a, const mcpi_decimal *b) {
  walk left = walk_of(a);
  walk right = walk_of(b);
  for (;;) {
    int x = next_digit(&left);
    int y = next_digit(&right);
    if (x != y || x < 0) {
      return (x > y) - (x < y);
    }
  }
}

/* Compares signs, then where the first digits stand, then digit by digit. */
int mcpi_decimal_compare(const mcpi_decimal *a, const mcpi_decimal *b) {
  int left = decimal_sign(a);
  int right = decimal_sign(b);
  if (left != right || left == 0) {
    return (left > right) - (left < right);
  }
  int64_t x = a->exponent + mcpi_decimal_digit_count(a);
  int64_t y = b->exponent + mcpi_decimal_digit_count(b);
  return left * (x != y ? (x > y) - (x < y) : compare_digits(a, b));
}

/* --- dividing ----------------------------------------------------------- */

/* A natural number in limbs of nine digits, the lowest first. It can hold ten
 * times the largest divisor. */
enum { LIMB = 1000000000, LIMBS = MCPI_DECIMAL_DIVISOR_DIGITS / 9 + 1 };

typedef struct natural {
  uint32_t limbs[LIMBS];
} natural;

/* n = n * 10 + digit */
static void natural_append(natural *n, uint32_t digit) {
  uint64_t carry = digit;
  for (size_t i = 0; i < LIMBS; i++) {
    uint64_t limb = (uint64_t)n->limbs[i] * 10 + carry;
    n->limbs[i] = (uint32_t)(limb % LIMB);
    carry = limb / LIMB;
  }
}

static int natural_is_less(const natural *a, const natural *b) {
  for (size_t i = LIMBS; i > 0; i--) {
    if (a->limbs[i - 1] != b->limbs[i - 1]) {
      return a->limbs[i - 1] < b->limbs[i - 1];
    }
  }
  return 0;
}

/* a = a - b; b is not larger. */
static void natural_subtract(natural *a, const natural *b) {
  uint32_t borrow = 0;
  for (size_t i = 0; i < LIMBS; i++) {
    uint32_t taken = b->limbs[i] + borrow;
    borrow = a->limbs[i] < taken;
    a->limbs[i] = a->limbs[i] + (borrow ? LIMB : 0) - taken;
  }
}

static int natural_is_zero(const natural *n) {
  uint32_t any = 0;
  for (size_t i = 0; i < LIMBS; i++) {
    any |= n->limbs[i];
  }
  return any == 0;
}

/* One step of a long division: appends a digit to the rest, and reduces it. */
static void divide_step(natural *rest, uint32_t digit, const natural *divisor) {
  natural_append(rest, digit);
  while (!natural_is_less(rest, divisor)) {
    natural_subtract(rest, divisor);
  }
}

/* The divisor's digits do not end in 0, so a multiple has at least its
 * exponent. The difference of the exponents is the number of zeros to append.
 */
int mcpi_decimal_is_multiple(const mcpi_decimal *number,
                             const mcpi_decimal *divisor) {
  natural by = {{0}};
  natural rest = {{0}};
  int64_t zeros = number->exponent - divisor->exponent;
  if (number->digits.len == 0) {
    return 1;
  }
  if (zeros < 0) {
    return 0;
  }
  walk w = walk_of(divisor);
  for (int digit; (digit = next_digit(&w)) >= 0;) {
    natural_append(&by, (uint32_t)digit);
  }
  if (mcpi_decimal_digit_count(number) + zeros > MCPI_DECIMAL_QUOTIENT_DIGITS) {
    return MCP_ERR_LIMIT;
  }
  w = walk_of(number);
  for (int digit; (digit = next_digit(&w)) >= 0;) {
    divide_step(&rest, (uint32_t)digit, &by);
  }
  for (int64_t i = 0; i < zeros && !natural_is_zero(&rest); i++) {
    divide_step(&rest, 0, &by);
  }
  return natural_is_zero(&rest);
}
