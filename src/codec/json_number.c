/* SPDX-License-Identifier: MIT */
/* The public accessors of numbers. A number is an int64_t, a uint64_t, a
 * double, or its own text where it fits none of them ("raw"): an integer of
 * more digits, or a real past the largest double. */
#include "codec/json.h"

#include <math.h>
#include <mcp/sys/yyjson.h>

/* 2^63 and 2^64: the first doubles past int64_t and uint64_t. */
static const double int64_end = 9223372036854775808.0;
static const double uint64_end = 18446744073709551616.0;

/* --- decimal texts ------------------------------------------------------ */

/* The value of a text: digits x 10^exponent. The digits have no zeros at
 * either end; a point among them does not count. */
typedef struct decimal {
  mcpi_str digits;
  int64_t exponent;
  int is_negative;
} decimal;

/* More than a text's length can make up for, and far from overflow. */
static const int64_t exponent_max = INT64_MAX / 4;

static int64_t read_exponent(mcpi_str text) {
  int is_negative = text.len > 0 && text.ptr[0] == '-';
  int64_t exponent = 0;
  for (size_t i = 0; i < text.len && exponent < exponent_max / 10; i++) {
    if (text.ptr[i] != '-' && text.ptr[i] != '+') {
      exponent = exponent * 10 + (text.ptr[i] - '0');
    }
  }
  return is_negative ? -exponent : exponent;
}

static mcpi_str take_exponent(mcpi_str text, decimal *number) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] == 'e' || text.ptr[i] == 'E') {
      mcpi_str digits = mcpi_str_n(text.ptr + i + 1, text.len - i - 1);
      number->exponent = read_exponent(digits);
      text.len = i;
    }
  }
  return text;
}

static void strip_zeros(decimal *number) {
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

static decimal read_decimal(yyjson_val *raw) {
  decimal number = {{NULL, 0}, 0, 0};
  mcpi_str text =
      mcpi_str_n(unsafe_yyjson_get_raw(raw), unsafe_yyjson_get_len(raw));
  if (text.len > 0 && text.ptr[0] == '-') {
    number.is_negative = 1;
    text.ptr++;
    text.len--;
  }
  number.digits = take_exponent(text, &number);
  strip_zeros(&number);
  return number;
}

static int digits_equal(mcpi_str a, mcpi_str b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.len && j < b.len) {
    i += a.ptr[i] == '.';
    j += b.ptr[j] == '.';
    if (a.ptr[i++] != b.ptr[j++]) {
      return 0;
    }
  }
  return i == a.len && j == b.len;
}

static int raw_equal(yyjson_val *a, yyjson_val *b) {
  decimal left = read_decimal(a);
  decimal right = read_decimal(b);
  return left.is_negative == right.is_negative &&
         left.exponent == right.exponent &&
         digits_equal(left.digits, right.digits);
}

/* --- accessors ---------------------------------------------------------- */

static int is_negative_raw(yyjson_val *val) {
  return unsafe_yyjson_get_raw(val)[0] == '-';
}

/* The nearest double; yyjson refuses a text past the largest one. */
static double raw_number(yyjson_val *val) {
  yyjson_val parsed;
  if (yyjson_read_number(unsafe_yyjson_get_raw(val), &parsed,
                         YYJSON_READ_NOFLAG, NULL, NULL) == NULL) {
    return is_negative_raw(val) ? -HUGE_VAL : HUGE_VAL;
  }
  return yyjson_get_num(&parsed);
}

double mcp_json_number(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  return yyjson_is_raw(val) ? raw_number(val) : yyjson_get_num(val);
}

static int64_t cut_to_int(double number) {
  if (number >= int64_end) {
    return INT64_MAX;
  }
  return number < -int64_end ? INT64_MIN : (int64_t)number;
}

int64_t mcp_json_int(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (yyjson_is_uint(val)) {
    uint64_t number = unsafe_yyjson_get_uint(val);
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
  }
  if (yyjson_is_real(val)) {
    return cut_to_int(unsafe_yyjson_get_real(val));
  }
  if (yyjson_is_raw(val)) {
    return is_negative_raw(val) ? INT64_MIN : INT64_MAX;
  }
  return yyjson_get_sint(val);
}

/* trunc() would need libm. A double of 2^52 or more has no fraction. */
static int is_whole(double number) {
  if (number >= uint64_end || number <= -uint64_end) {
    return 1;
  }
  double size = number < 0 ? -number : number;
  return (double)(uint64_t)size == size;
}

int mcp_json_is_integer(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (yyjson_is_real(val)) {
    return is_whole(unsafe_yyjson_get_real(val));
  }
  if (yyjson_is_raw(val)) {
    return read_decimal(val).exponent >= 0;
  }
  return yyjson_is_int(val);
}

static int fits_int(yyjson_val *val) {
  if (yyjson_is_uint(val)) {
    return unsafe_yyjson_get_uint(val) <= INT64_MAX;
  }
  if (yyjson_is_real(val)) {
    double number = unsafe_yyjson_get_real(val);
    return number >= -int64_end && number < int64_end;
  }
  return !yyjson_is_raw(val);
}

int mcp_json_try_int(const mcp_json *value, int64_t *out) {
  if (!mcp_json_is_integer(value)) {
    return MCP_ERR_INVALID;
  }
  if (!fits_int(mcp_json_to_yyjson(value))) {
    return MCP_ERR_LIMIT;
  }
  *out = mcp_json_int(value);
  return 0;
}

/* --- comparison --------------------------------------------------------- */

static int int_equal(yyjson_val *a, yyjson_val *b) {
  /* The same bits mean another number when only one is signed. yyjson has
   * negative numbers alone as signed. */
  return unsafe_yyjson_get_subtype(a) == unsafe_yyjson_get_subtype(b) &&
         unsafe_yyjson_get_uint(a) == unsafe_yyjson_get_uint(b);
}

/* Exact: the real is turned into an integer, never the other way. */
static int int_equals_real(yyjson_val *val, double number) {
  if (!is_whole(number)) {
    return 0;
  }
  if (unsafe_yyjson_is_sint(val)) {
    return number < 0 && number >= -int64_end &&
           (int64_t)number == unsafe_yyjson_get_sint(val);
  }
  return number >= 0 && number < uint64_end &&
         (uint64_t)number == unsafe_yyjson_get_uint(val);
}

static int real_equals(double number, const mcp_json *other) {
  yyjson_val *val = mcp_json_to_yyjson(other);
  if (yyjson_is_int(val)) {
    return int_equals_real(val, number);
  }
  double nearest = mcp_json_number(other);
  return !(number < nearest) && !(number > nearest);
}

int mcpi_json_number_equal(const mcp_json *a, const mcp_json *b) {
  yyjson_val *left = mcp_json_to_yyjson(a);
  yyjson_val *right = mcp_json_to_yyjson(b);
  if (yyjson_is_real(left)) {
    return real_equals(unsafe_yyjson_get_real(left), b);
  }
  if (yyjson_is_real(right)) {
    return real_equals(unsafe_yyjson_get_real(right), a);
  }
  if (yyjson_is_raw(left) || yyjson_is_raw(right)) {
    return yyjson_is_raw(left) && yyjson_is_raw(right) &&
           raw_equal(left, right);
  }
  return int_equal(left, right);
}
