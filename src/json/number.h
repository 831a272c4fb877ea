/* SPDX-License-Identifier: MIT */
/* Comparing numbers by their exact values, whatever form they are kept in. */
#ifndef MCPI_JSON_NUMBER_H
#define MCPI_JSON_NUMBER_H

#include <mcp/json.h>

/* Returns 1 when two numbers have the same value. A number that is kept as its
 * text equals a double when that is the double nearest to it. */
int mcpi_json_number_equal(const mcp_json *a, const mcp_json *b);

/* Compares two numbers. Less than 0, 0, or more than 0. */
int mcpi_json_number_compare(const mcp_json *a, const mcp_json *b);

/* Tells whether a number is a whole multiple of a divisor above 0, both taken
 * as they are written: 0.3 is a multiple of 0.1. The divisor has at most
 * MCPI_DECIMAL_DIVISOR_DIGITS. 1, 0, or MCP_ERR_LIMIT: the number has too many
 * digits to divide. */
int mcpi_json_is_multiple(const mcp_json *number, const mcp_json *divisor);

#endif
