/* SPDX-License-Identifier: MIT */
#include "auth/resource/cache.h"

typedef struct cached_token {
  mcpi_list link;
  mcpi_token_key key;
  mcpi_grant *grant; /* a hold */
  int64_t until_ms;  /* monotonic: when it must be asked about again; INT64_MAX:
                        never */
} cached_token;

void mcpi_token_cache_init(mcpi_token_cache *cache, mcp_loop *loop,
                           size_t max) {
  *cache = (mcpi_token_cache){.loop = loop, .max = max};
  mcpi_map_init(&cache->map, &loop->allocator, loop->hash_seed);
  mcpi_list_init(&cache->entries);
}

static void token_cache_remove(mcpi_token_cache *cache, cached_token *entry) {
  mcpi_list_remove(&entry->link);
  mcpi_map_remove(&cache->map, mcpi_token_key_str(&entry->key));
  mcpi_grant_unref(entry->grant);
  mcpi_free(&cache->loop->allocator, entry, sizeof(*entry));
}

static cached_token *token_cache_oldest(mcpi_token_cache *cache) {
  return MCPI_CONTAINER(cache->entries.next, cached_token, link);
}

void mcpi_token_cache_clear(mcpi_token_cache *cache) {
  while (!mcpi_list_is_empty(&cache->entries)) {
    token_cache_remove(cache, token_cache_oldest(cache));
  }
}

void mcpi_token_cache_deinit(mcpi_token_cache *cache) {
  mcpi_token_cache_clear(cache);
  mcpi_map_deinit(&cache->map);
}

static cached_token *token_cache_find(mcpi_token_cache *cache,
                                      const mcpi_token_key *key) {
  cached_token *entry = mcpi_map_get(&cache->map, mcpi_token_key_str(key));
  if (entry != NULL && entry->grant->expires_ms != INT64_MAX &&
      mcpi_loop_wall(cache->loop) >= entry->grant->expires_ms) {
    token_cache_remove(cache, entry);
    return NULL;
  }
  return entry;
}

mcpi_grant *mcpi_token_cache_get(mcpi_token_cache *cache,
                                 const mcpi_token_key *key) {
  cached_token *entry = token_cache_find(cache, key);
  if (entry == NULL || (entry->until_ms != INT64_MAX &&
                        mcpi_loop_now(cache->loop) >= entry->until_ms)) {
    return NULL;
  }
  mcpi_list_remove(&entry->link);
  mcpi_list_append(&cache->entries, &entry->link);
  return entry->grant;
}

int mcpi_token_cache_has(mcpi_token_cache *cache, const mcpi_token_key *key) {
  return token_cache_find(cache, key) != NULL;
}

void mcpi_token_cache_drop(mcpi_token_cache *cache, const mcpi_token_key *key) {
  cached_token *entry = mcpi_map_get(&cache->map, mcpi_token_key_str(key));
  if (entry != NULL) {
    token_cache_remove(cache, entry);
  }
}

void mcpi_token_cache_put(mcpi_token_cache *cache, const mcpi_token_key *key,
                          mcpi_grant *grant, int64_t fresh_ms) {
  mcpi_token_cache_drop(cache, key);
  int64_t now_ms = mcpi_loop_now(cache->loop);
  cached_token *entry = mcpi_alloc(&cache->loop->allocator, sizeof(*entry));
  if (entry == NULL) {
    return;
  }
  if (cache->map.count >= cache->max) {
    token_cache_remove(cache, token_cache_oldest(cache));
  }
  *entry = (cached_token){.key = *key, .until_ms = INT64_MAX};
  if (fresh_ms < INT64_MAX - now_ms) {
    entry->until_ms = now_ms + fresh_ms;
  }
  if (mcpi_map_add(&cache->map, mcpi_token_key_str(&entry->key), entry) != 0) {
    mcpi_free(&cache->loop->allocator, entry, sizeof(*entry));
    return;
  }
  entry->grant = mcpi_grant_ref(grant);
  mcpi_list_append(&cache->entries, &entry->link);
}
