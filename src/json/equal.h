/* SPDX-License-Identifier: MIT */
/* Equality of values as JSON Schema defines it, within a budget of steps. */
#ifndef MCPI_JSON_EQUAL_H
#define MCPI_JSON_EQUAL_H

#include <mcp/json.h>

/* Takes `cost` from the steps that are left. Returns 0 when they are used up,
 * and in all later calls. */
static inline int mcpi_json_spend(size_t *steps_left, size_t cost) {
  *steps_left = cost < *steps_left ? *steps_left - cost : 0;
  return *steps_left > 0;
}

/* mcp_json_equal for values that a peer chose. It spends a step on each value,
 * and more on long texts and large objects. Returns 0 also when the steps are
 * used up. */
int mcpi_json_equal(const mcp_json *a, const mcp_json *b, size_t *steps_left);

#endif
