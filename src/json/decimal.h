/* SPDX-License-Identifier: MIT */
/* Numbers as people write them: exact, where a double is not. 0.1 is a tenth
 * here, and an integer has all its digits. */
#ifndef MCPI_JSON_DECIMAL_H
#define MCPI_JSON_DECIMAL_H

#include "base/str.h"
#include <mcp/json.h>

/* The value of a number: its digits, read as an integer, x 10^exponent. The
 * digits have no zeros at either end, so equal numbers have equal decimals;
 * none at all is zero. A point among them does not count. */
typedef struct mcpi_decimal {
  mcpi_str digits;
  int64_t exponent;
  int is_negative;
  char text[40]; /* of a number that JSON's reader has made a double of */
} mcpi_decimal;

/* Reads a number. The digits are those of the value's own text, or in `text`;
 * so the decimal stays where it is. */
void mcpi_decimal_read(mcpi_decimal *out, const mcp_json *number);

/* How many digits there are, without the point. */
int64_t mcpi_decimal_digit_count(const mcpi_decimal *number);
/* Less than 0, 0, or more than 0. */
int mcpi_decimal_compare(const mcpi_decimal *a, const mcpi_decimal *b);

enum {
  /* Digits that a divisor may have. */
  MCPI_DECIMAL_DIVISOR_DIGITS = 144,
  /* A quotient's digits that are worth the time. */
  MCPI_DECIMAL_QUOTIENT_DIGITS = 1000000
};

/* Whether the number is a whole multiple of the divisor, which is not zero and
 * within the limit above. 1, 0, or MCP_ERR_LIMIT: it is too long to tell. */
int mcpi_decimal_is_multiple(const mcpi_decimal *number,
                             const mcpi_decimal *divisor);

#endif
