/* SPDX-License-Identifier: MIT */
/* Answers that the server lets us keep for a while (MCP 2026-07-28, Caching):
 * whole lists, resources that were read, and entries of skills.
 *
 * They belong to one client and end with its connection, and with the identity
 * of its transport (cached.c): a "private" answer is as safe here as a "public"
 * one.
 *
 *     entry: [ cache_entry | method \n params \n _meta ] */
#ifndef MCPI_CLIENT_CACHE_H
#define MCPI_CLIENT_CACHE_H

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "core/method.h"
#include <mcp/client.h>

typedef struct mcpi_cache {
  const mcp_allocator *allocator;
  mcpi_map by_key;
  mcpi_list by_use; /* the same entries, the least recently used first */
  size_t bytes;
  /* Counts the times that an answer was dropped as wrong: answers to earlier
   * requests may be wrong as well. */
  uint64_t drops;
} mcpi_cache;

/* `allocator` and `seed` are borrowed. */
void mcpi_cache_init(mcpi_cache *cache, const mcp_allocator *allocator,
                     const uint64_t seed[2]);
/* Drops all answers: the server or the authorization has changed, or the client
 * may have missed changes. */
void mcpi_cache_clear(mcpi_cache *cache);

/* Finds an answer that is still fresh. Borrowed until the cache changes; NULL:
 * there is none. */
mcp_result *mcpi_cache_get(mcpi_cache *cache, mcpi_str key, int64_t now_ms);
/* Keeps an answer, with a reference. Does nothing without memory, or if the
 * answer is longer than max_bytes. */
void mcpi_cache_put(mcpi_cache *cache, mcpi_str key, mcp_result *result,
                    int64_t until_ms, size_t max_bytes);
/* Drops one answer, because a newer one has come. */
void mcpi_cache_drop(mcpi_cache *cache, mcpi_str key);

/* The server reports that these have changed. `scratch` is overwritten. */
void mcpi_cache_drop_all_of(mcpi_cache *cache, mcpi_method_id id,
                            mcpi_buf *scratch);
void mcpi_cache_drop_resource(mcpi_cache *cache, mcpi_str uri,
                              mcpi_buf *scratch);
/* Drops `skills/list` and each `skills/get`: a resource has changed, and so may
 * the digests that they have. */
void mcpi_cache_drop_skills(mcpi_cache *cache, mcpi_buf *scratch);

#endif
