/* SPDX-License-Identifier: MIT */
/* The tokens that were accepted. A token leaves the cache when its grant
 * expires, or when there are too many and it is the one that was not used for
 * longest. */
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

/* Returns what a token permits, borrowed from the cache; NULL: it is not there,
 * or must be asked about again. */
mcpi_grant *mcpi_token_cache_get(mcpi_token_cache *cache,
                                 const mcpi_token_key *key);
/* Whether the token was accepted and has not expired. It may be that it must be
 * asked about again. */
int mcpi_token_cache_has(mcpi_token_cache *cache, const mcpi_token_key *key);
void mcpi_token_cache_drop(mcpi_token_cache *cache, const mcpi_token_key *key);
/* Remembers a grant. After `fresh_ms` milliseconds the token must be asked
 * about again; INT64_MAX: never; 0: at once. Remembers nothing if there is no
 * memory. */
void mcpi_token_cache_put(mcpi_token_cache *cache, const mcpi_token_key *key,
                          mcpi_grant *grant, int64_t fresh_ms);

#endif
