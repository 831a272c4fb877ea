/* SPDX-License-Identifier: MIT */
/* Limits what a client does in a second: how many requests it makes, or how
 * many tokens of it are refused. */
#ifndef MCPI_ENDPOINT_RATE_H
#define MCPI_ENDPOINT_RATE_H

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"
#include "core/account.h"

typedef struct mcpi_endpoint_rate {
  mcpi_map buckets; /* of clients that did something lately */
  mcpi_list recent; /* the same, the least recently used one first */
} mcpi_endpoint_rate;

void mcpi_endpoint_rate_init(mcpi_endpoint_rate *rate,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2]);
void mcpi_endpoint_rate_deinit(mcpi_endpoint_rate *rate);
/* Returns the key of a client: its principal, or else its address, which is
 * written to `address`. "": both are unknown, and all such clients are one. */
mcpi_str mcpi_endpoint_rate_key(const char *principal, const char *peer,
                                char address[MCPI_ADDRESS_KEY_SIZE]);
/* Whether the client is below its limit. Counts nothing. `now` is in
 * milliseconds. */
int mcpi_endpoint_rate_has_room(const mcpi_endpoint_rate *rate, mcpi_str key,
                                uint32_t per_second, int64_t now);
/* Counts what a client has done, also beyond its limit: then the client must
 * wait longer. */
void mcpi_endpoint_rate_count(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now);
/* Counts a request if the client is below its limit, and returns whether it
 * is. */
int mcpi_endpoint_rate_admits(mcpi_endpoint_rate *rate, mcpi_str key,
                              uint32_t per_second, int64_t now);

#endif
