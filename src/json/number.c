/* SPDX-License-Identifier: MIT */
/* The public accessors of numbers. A number is kept as an int64_t, a uint64_t,
 * a double, or as its own text ("raw") if it fits none of them: an integer with
 * more digits, or a real past the largest double. */
#include "json/number.h"

#include "json/decimal.h"
#include "json/inline.h"

#include <math.h>
#include <mcp/sys/yyjson.h>

/* 2^63 and 2^64: the first doubles past int64_t and uint64_t. */
static const double int64_end = 9223372036854775808.0;
static const double uint64_end = 18446744073709551616.0;

/* --- accessors ---------------------------------------------------------- */

static int is_negative_raw(yyjson_val *val) {
  return unsafe_yyjson_get_raw(val)[0] == '-';
}

/* Returns the nearest double. yyjson refuses a text past the largest double. */
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
static int number_is_whole(double number) {
  if (number >= uint64_end || number <= -uint64_end) {
    return 1;
  }
  double size = number < 0 ? -number : number;
  return (double)(uint64_t)size == size;
}

int mcp_json_is_integer(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (yyjson_is_real(val)) {
    return number_is_whole(unsafe_yyjson_get_real(val));
  }
  if (yyjson_is_raw(val)) {
    mcpi_decimal number;
    mcpi_decimal_read(&number, value);
    return number.exponent >= 0;
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

/* Equal bits mean different numbers when one of the two is signed and negative.
 * yyjson keeps `-0` as signed, too. */
static int int_equal(yyjson_val *a, yyjson_val *b) {
  uint64_t bits = unsafe_yyjson_get_uint(a);
  return bits == unsafe_yyjson_get_uint(b) &&
         (bits <= INT64_MAX ||
          unsafe_yyjson_get_subtype(a) == unsafe_yyjson_get_subtype(b));
}

/* Converts the real to an integer, not the other way, so the result is exact.
 */
static int int_equals_real(yyjson_val *val, double number) {
  if (!number_is_whole(number)) {
    return 0;
  }
  if (unsafe_yyjson_is_sint(val)) {
    return number <= 0 && number >= -int64_end &&
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

/* Compares two numbers of which one is kept as its text. The other may be a
 * real: 1e20. */
static int raw_equal(const mcp_json *a, const mcp_json *b) {
  mcpi_decimal left;
  mcpi_decimal right;
  mcpi_decimal_read(&left, a);
  mcpi_decimal_read(&right, b);
  return mcpi_decimal_compare(&left, &right) == 0;
}

int mcpi_json_number_equal(const mcp_json *a, const mcp_json *b) {
  yyjson_val *left = mcp_json_to_yyjson(a);
  yyjson_val *right = mcp_json_to_yyjson(b);
  if (yyjson_is_raw(left) || yyjson_is_raw(right)) {
    return !yyjson_is_int(left) && !yyjson_is_int(right) && raw_equal(a, b);
  }
  if (yyjson_is_real(left)) {
    return real_equals(unsafe_yyjson_get_real(left), b);
  }
  if (yyjson_is_real(right)) {
    return real_equals(unsafe_yyjson_get_real(right), a);
  }
  return int_equal(left, right);
}

int mcpi_json_number_compare(const mcp_json *a, const mcp_json *b) {
  yyjson_val *left = mcp_json_to_yyjson(a);
  yyjson_val *right = mcp_json_to_yyjson(b);
  if (yyjson_is_uint(left) && yyjson_is_uint(right)) {
    uint64_t x = unsafe_yyjson_get_uint(left);
    uint64_t y = unsafe_yyjson_get_uint(right);
    return (x > y) - (x < y);
  }
  double m;
  double n;
  if (mcpi_json_exact_double(a, &m) && mcpi_json_exact_double(b, &n)) {
    return (m > n) - (m < n);
  }
  mcpi_decimal x;
  mcpi_decimal y;
  mcpi_decimal_read(&x, a);
  mcpi_decimal_read(&y, b);
  return mcpi_decimal_compare(&x, &y);
}

int mcpi_json_is_multiple(const mcp_json *number, const mcp_json *divisor) {
  yyjson_val *val = mcp_json_to_yyjson(number);
  yyjson_val *by = mcp_json_to_yyjson(divisor);
  if (yyjson_is_uint(val) && yyjson_is_uint(by)) {
    return unsafe_yyjson_get_uint(val) % unsafe_yyjson_get_uint(by) == 0;
  }
  mcpi_decimal m;
  mcpi_decimal n;
  mcpi_decimal_read(&m, number);
  mcpi_decimal_read(&n, divisor);
  return mcpi_decimal_is_multiple(&m, &n);
}
