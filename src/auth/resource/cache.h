/* SPDX-License-Identifier: MIT */
/* The tokens that have been checked. A token leaves it when its grant expires,
 * when it must be asked about again, or when there are too many and it is the
 * one that was not used for longest. */
#ifndef MCPI_AUTH_RESOURCE_CACHE_H
#define MCPI_AUTH_RESOURCE_CACHE_H

#include "auth/resource/grant.h"
#include "auth/resource/token_key.h"

typedef struct mcpi_token_cache {
  mcp_loop *loop;
  size_t max;
  mcpi_map map;
  mcpi_list entries; /* the least recently used first */
} mcpi_token_cache;

void mcpi_token_cache_init(mcpi_token_cache *cache, mcp_loop *loop, size_t max);
void mcpi_token_cache_deinit(mcpi_token_cache *cache);
/* Forgets all tokens. */
void mcpi_token_cache_clear(mcpi_token_cache *cache);

/* Returns what a token permits, borrowed from the cache; NULL: it is not
 * there. */
mcpi_grant *mcpi_token_cache_get(mcpi_token_cache *cache,
                                 const mcpi_token_key *key);
/* Remembers a grant for `fresh_ms` milliseconds, and not after it expires.
 * INT64_MAX: as long as it does not expire; 0: not at all. Remembers nothing if
 * there is no memory. */
void mcpi_token_cache_put(mcpi_token_cache *cache, const mcpi_token_key *key,
                          mcpi_grant *grant, int64_t fresh_ms);

#endif
