/* SPDX-License-Identifier: MIT */
/* Decimal numbers, which are exact where doubles are not: 0.1 is a tenth, and
 * an integer has all its digits. */
#ifndef MCPI_JSON_DECIMAL_H
#define MCPI_JSON_DECIMAL_H

#include "base/str.h"
#include <mcp/json.h>

/* The value of a number: its digits, read as an integer, x 10^exponent. The
 * digits have no zeros at either end, so equal numbers have equal decimals.
 * Zero has no digits. A point among the digits does not count. */
typedef struct mcpi_decimal {
  mcpi_str digits;
  int64_t exponent;
  int is_negative;
  char text[40]; /* of a number that is kept as a double */
} mcpi_decimal;

/* Reads a number. The digits point into the value's own text or into `text`, so
 * the decimal must not be copied. */
void mcpi_decimal_read(mcpi_decimal *out, const mcp_json *number);

/* Returns how many digits there are, without the point. */
int64_t mcpi_decimal_digit_count(const mcpi_decimal *number);
/* Compares two numbers. Less than 0, 0, or more than 0. */
int mcpi_decimal_compare(const mcpi_decimal *a, const mcpi_decimal *b);

enum {
  /* Digits of the longest divisor. */
  MCPI_DECIMAL_DIVISOR_DIGITS = 144,
  /* Digits of the longest number that is divided; more would take too long. */
  MCPI_DECIMAL_QUOTIENT_DIGITS = 1000000
};

/* Tells whether the number is a whole multiple of the divisor, which is not
 * zero and within the limit above. 1, 0, or MCP_ERR_LIMIT: the number has too
 * many digits. */
int mcpi_decimal_is_multiple(const mcpi_decimal *number,
                             const mcpi_decimal *divisor);

#endif
