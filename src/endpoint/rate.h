/* SPDX-License-Identifier: MIT */
/* Limits how many requests a client makes in a second, or how many checks of
 * tokens it causes. */
#ifndef MCPI_ENDPOINT_RATE_H
#define MCPI_ENDPOINT_RATE_H

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"

/* How many requests each client may make now. */
typedef struct mcpi_endpoint_rate {
  mcpi_map buckets; /* of clients that made a request lately */
  mcpi_list recent; /* the same, the least recently used one first */
} mcpi_endpoint_rate;

void mcpi_endpoint_rate_init(mcpi_endpoint_rate *rate,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2]);
void mcpi_endpoint_rate_deinit(mcpi_endpoint_rate *rate);
/* Counts a request. Returns 1; 0: the client has made too many. */
int mcpi_endpoint_rate_admits(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now);
/* Subtracts what the function above has counted. */
void mcpi_endpoint_rate_give_back(mcpi_endpoint_rate *rate, mcpi_str key,
                                  uint32_t per_second);

#endif
