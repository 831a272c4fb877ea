/* SPDX-License-Identifier: MIT */
#include "client/cache.h"

#include "client/result.h"

enum {
  /* There are at most six lists; the rest are resources, and entries of
   * skills. */
  MAX_ENTRIES = 256
};

typedef struct cache_entry {
  mcpi_list link; /* in cache->by_use */
  mcp_result *result;
  int64_t until_ms;
  size_t bytes;
  size_t key_len;
  char key[];
} cache_entry;

/* --- entries -------------------------------------------------------------- */

static mcpi_str entry_key(const cache_entry *entry) {
  return mcpi_str_n(entry->key, entry->key_len);
}

static void entry_free(mcpi_cache *cache, cache_entry *entry) {
  if (entry != NULL) {
    cache->bytes -= entry->bytes;
    mcpi_map_remove(&cache->by_key, entry_key(entry));
    mcpi_list_remove(&entry->link);
    mcp_result_unref(entry->result);
    mcpi_free(cache->allocator, entry, sizeof(*entry) + entry->key_len);
  }
}

static cache_entry *oldest_entry(const mcpi_cache *cache) {
  return MCPI_CONTAINER(cache->by_use.next, cache_entry, link);
}

mcp_result *mcpi_cache_get(mcpi_cache *cache, mcpi_str key, int64_t now_ms) {
  cache_entry *entry = mcpi_map_get(&cache->by_key, key);
  if (entry == NULL) {
    return NULL;
  }
  if (entry->until_ms <= now_ms) {
    entry_free(cache, entry);
    return NULL;
  }
  mcpi_list_remove(&entry->link);
  mcpi_list_append(&cache->by_use, &entry->link);
  return entry->result;
}

void mcpi_cache_put(mcpi_cache *cache, mcpi_str key, mcp_result *result,
                    int64_t until_ms, size_t max_bytes) {
  size_t size = sizeof(cache_entry) + key.len;
  size_t bytes = size + mcpi_result_size(result);
  if (bytes > max_bytes) {
    return;
  }
  while (!mcpi_list_is_empty(&cache->by_use) &&
         (cache->by_key.count >= MAX_ENTRIES ||
          cache->bytes > max_bytes - bytes)) {
    entry_free(cache, oldest_entry(cache));
  }
  cache_entry *entry = mcpi_alloc(cache->allocator, size);
  if (entry == NULL) {
    return;
  }
  *entry =
      (cache_entry){.until_ms = until_ms, .bytes = bytes, .key_len = key.len};
  memcpy(entry->key, key.ptr, key.len);
  if (mcpi_map_add(&cache->by_key, entry_key(entry), entry) != 0) {
    mcpi_free(cache->allocator, entry, size);
    return;
  }
  entry->result = mcp_result_ref(result);
  mcpi_list_append(&cache->by_use, &entry->link);
  cache->bytes += bytes;
}

void mcpi_cache_drop(mcpi_cache *cache, mcpi_str key) {
  entry_free(cache, mcpi_map_get(&cache->by_key, key));
}

/* --- changes at the server ------------------------------------------------ */

/* Begins a key with the method. */
static void put_method(mcpi_buf *prefix, mcpi_method_id id) {
  mcpi_buf_clear(prefix);
  mcpi_buf_puts(prefix, mcpi_str_z(mcpi_methods[id].name));
  mcpi_buf_putc(prefix, '\n');
}

static void drop_beginning_with(mcpi_cache *cache, const mcpi_buf *prefix) {
  cache->drops++;
  if (prefix->error != 0) {
    mcpi_cache_clear(cache);
    return;
  }
  mcpi_list *link = cache->by_use.next;
  while (link != &cache->by_use) {
    cache_entry *entry = MCPI_CONTAINER(link, cache_entry, link);
    link = link->next;
    if (entry->key_len >= prefix->len &&
        memcmp(entry->key, prefix->data, prefix->len) == 0) {
      entry_free(cache, entry);
    }
  }
}

void mcpi_cache_drop_all_of(mcpi_cache *cache, mcpi_method_id id,
                            mcpi_buf *scratch) {
  put_method(scratch, id);
  drop_beginning_with(cache, scratch);
}

void mcpi_cache_drop_resource(mcpi_cache *cache, mcpi_str uri,
                              mcpi_buf *scratch) {
  put_method(scratch, MCPI_M_RESOURCES_READ);
  mcpi_buf_lit(scratch, "\"uri\":");
  mcpi_json_put_string(scratch, uri);
  mcpi_buf_putc(scratch, '\n');
  drop_beginning_with(cache, scratch);
}

void mcpi_cache_drop_skills(mcpi_cache *cache, mcpi_buf *scratch) {
  mcpi_buf_clear(scratch);
  mcpi_buf_lit(scratch, "skills/");
  drop_beginning_with(cache, scratch);
}

/* --- life ----------------------------------------------------------------- */

void mcpi_cache_init(mcpi_cache *cache, const mcp_allocator *allocator,
                     const uint64_t seed[2]) {
  cache->allocator = allocator;
  mcpi_map_init(&cache->by_key, allocator, seed);
  mcpi_list_init(&cache->by_use);
}

void mcpi_cache_clear(mcpi_cache *cache) {
  while (!mcpi_list_is_empty(&cache->by_use)) {
    entry_free(cache, oldest_entry(cache));
  }
  mcpi_map_deinit(&cache->by_key);
  cache->drops++;
}
