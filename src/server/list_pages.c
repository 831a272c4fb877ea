/* SPDX-License-Identifier: MIT */
/* The list methods' answers: entries serialised once, pages and cursors. */
#include "server/list_pages.h"

#include "base/base64.h"

void mcpi_list_cache_init(mcpi_list_cache *cache,
                          const mcp_allocator *allocator) {
  *cache = (mcpi_list_cache){.registry = NULL};
  mcpi_buf_init(&cache->bytes, allocator, SIZE_MAX);
}

static void list_pages_forget(mcpi_list_cache *cache) {
  mcpi_registry_unref(cache->registry);
  cache->registry = NULL;
  cache->count = 0;
  mcpi_buf_clear(&cache->bytes);
}

void mcpi_list_cache_deinit(mcpi_list_cache *cache) {
  list_pages_forget(cache);
  mcpi_free(cache->bytes.allocator, cache->starts,
            cache->cap * sizeof(*cache->starts));
  mcpi_buf_deinit(&cache->bytes);
  mcpi_list_cache_init(cache, cache->bytes.allocator);
}

static int list_pages_make_room(mcpi_list_cache *cache, size_t count) {
  if (count <= cache->cap) {
    return 0;
  }
  size_t *starts =
      mcpi_realloc(cache->bytes.allocator, cache->starts,
                   cache->cap * sizeof(*starts), count * sizeof(*starts));
  if (starts == NULL) {
    return MCP_ERR_NOMEM;
  }
  cache->starts = starts;
  cache->cap = count;
  return 0;
}

static int list_pages_fill(mcpi_list_cache *cache,
                           const mcpi_registry *registry,
                           const mcpi_revision *revision) {
  int rc = list_pages_make_room(cache, registry->count + 1);
  if (rc != 0) {
    return rc;
  }
  for (size_t i = 0; i < registry->count; i++) {
    if (i > 0) {
      mcpi_buf_putc(&cache->bytes, ',');
    }
    cache->starts[i] = cache->bytes.len;
    mcpi_entry_describe(registry->entries[i], revision, &cache->bytes);
  }
  cache->count = registry->count;
  cache->starts[cache->count] = cache->bytes.len + 1;
  return cache->bytes.error;
}

void mcpi_list_cache_expire(mcpi_list_cache *cache,
                            const mcpi_registry *registry) {
  if (cache->registry != registry) {
    list_pages_forget(cache);
  }
}

int mcpi_list_cache_refresh(mcpi_list_cache *cache, mcpi_registry *registry,
                            const mcpi_revision *revision) {
  if (cache->registry == registry) {
    return 0;
  }
  list_pages_forget(cache);
  int rc = list_pages_fill(cache, registry, revision);
  if (rc != 0) {
    list_pages_forget(cache);
    return rc;
  }
  cache->registry = mcpi_registry_ref(registry);
  return 0;
}

/* --- pages -------------------------------------------------------------- */

/* Returns the bytes of the entries from `first` up to, but not including,
 * `end`. */
static size_t bytes_between(const mcpi_list_cache *cache, size_t first,
                            size_t end) {
  return end > first ? cache->starts[end] - 1 - cache->starts[first] : 0;
}

/* Returns the end of the longest run from `first` that has at most that many
 * bytes, and at least one entry. */
static size_t fit_bytes(const mcpi_list_cache *cache, size_t first, size_t end,
                        uint32_t max_bytes) {
  size_t low = first + 1;
  while (low < end) {
    size_t middle = low + (end - low + 1) / 2;
    if (bytes_between(cache, first, middle) <= max_bytes) {
      low = middle;
    } else {
      end = middle - 1;
    }
  }
  return low;
}

mcpi_page mcpi_list_page(const mcpi_list_cache *cache, uint64_t first_seq,
                         uint32_t page_count, uint32_t page_bytes) {
  size_t first = mcpi_registry_seek(cache->registry, first_seq);
  size_t end = cache->count;
  if (first == end) {
    return (mcpi_page){{NULL, 0}, 0};
  }
  if (page_count > 0 && page_count < end - first) {
    end = first + page_count;
  }
  end = fit_bytes(cache, first, end, page_bytes);
  mcpi_page page = {{cache->bytes.data + cache->starts[first],
                     bytes_between(cache, first, end)},
                    0};
  if (end < cache->count) {
    page.next_seq = cache->registry->entries[end]->seq;
  }
  return page;
}

uint64_t mcpi_list_put_permitted(const mcpi_list_cache *cache,
                                 uint64_t first_seq, uint32_t page_count,
                                 uint32_t page_bytes, const mcpi_grant *grant,
                                 mcpi_buf *out) {
  const mcpi_registry *registry = cache->registry;
  size_t begin = out->len;
  size_t count = 0;
  for (size_t i = mcpi_registry_seek(registry, first_seq); i < cache->count;
       i++) {
    const mcpi_entry *entry = registry->entries[i];
    if (!mcpi_grant_covers(grant, entry->scopes)) {
      continue;
    }
    size_t len = bytes_between(cache, i, i + 1);
    size_t used = out->len - begin;
    if ((page_count > 0 && count == page_count) ||
        (count > 0 && (used >= page_bytes || len >= page_bytes - used))) {
      return entry->seq;
    }
    if (count++ > 0) {
      mcpi_buf_putc(out, ',');
    }
    mcpi_buf_put(out, cache->bytes.data + cache->starts[i], len);
  }
  return 0;
}

/* --- cursors ------------------------------------------------------------ */

/* The kind, and the seq with its high byte first, as URL-safe base64. */
enum { CURSOR_BYTES = 9, CURSOR_LEN = 12 };

void mcpi_cursor_put(mcpi_buf *buf, int kind, uint64_t seq) {
  unsigned char bytes[CURSOR_BYTES] = {(unsigned char)kind};
  for (int i = 1; i < CURSOR_BYTES; i++) {
    bytes[i] = (unsigned char)(seq >> (8 * (CURSOR_BYTES - 1 - i)));
  }
  mcpi_base64url_put(buf, bytes, sizeof(bytes));
}

int mcpi_cursor_read(mcpi_str cursor, int kind, uint64_t *seq) {
  unsigned char bytes[CURSOR_LEN] = {0};
  mcpi_buf buf = {
      .data = (char *)bytes, .cap = sizeof(bytes), .max = sizeof(bytes)};
  if (cursor.len != CURSOR_LEN || mcpi_base64url_decode(&buf, cursor) != 0 ||
      buf.len != CURSOR_BYTES || bytes[0] != kind) {
    return MCP_ERR_INVALID;
  }
  uint64_t number = 0;
  for (int i = 1; i < CURSOR_BYTES; i++) {
    number = number << 8 | bytes[i];
  }
  if (number == 0) {
    return MCP_ERR_INVALID;
  }
  *seq = number;
  return 0;
}
