/* SPDX-License-Identifier: MIT */
/* Compares a value with the one that a test expects. */
#ifndef CTL_EXPECTED_H
#define CTL_EXPECTED_H

#include <mcp/json.h>

/* The first difference. */
typedef struct ctl_difference {
  char pointer[512];        /* the JSON pointer to it; if that is longer, to an
                             * enclosing place */
  const mcp_json *expected; /* borrowed from the values; NULL: nothing */
  const mcp_json *got;      /* the same */
  /* For an item that an array lacks, the number of items that the array has;
   * `got` is NULL. 0: another difference, or an empty array. */
  size_t items;
} ctl_difference;

/* Whether two values are equal: 1, or 0 with the first difference. */
int ctl_expected_equals(const mcp_json *expected, const mcp_json *got,
                        ctl_difference *out);

/* Whether a value contains the expected one: 1, or 0 with the first difference.
 * An object contains the members of another: each is there, and contains the
 * expected one. An array contains the items of another: each is there, and they
 * come in the same order; others may be between them. Any other value is
 * equal. */
int ctl_expected_is_contained(const mcp_json *expected, const mcp_json *got,
                              ctl_difference *out);

#endif
