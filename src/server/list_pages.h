/* SPDX-License-Identifier: MIT */
/* The list methods' answers (MCP, Pagination): every entry is serialised once
 * for a revision, into one run of bytes with commas between, and a page is a
 * slice of it. */
#ifndef MCPI_SERVER_LIST_PAGES_H
#define MCPI_SERVER_LIST_PAGES_H

#include "auth/resource/grant.h"
#include "server/registry.h"

typedef struct mcpi_list_cache {
  /* A reference to the registry that it was made from; NULL: not made yet. */
  mcpi_registry *registry;
  mcpi_buf bytes; /* entry,entry,entry */
  /* Count + 1 offsets; the last one is past a comma that does not exist. */
  size_t *starts;
  size_t count;
  size_t cap; /* room in starts */
} mcpi_list_cache;

void mcpi_list_cache_init(mcpi_list_cache *cache,
                          const mcp_allocator *allocator);
void mcpi_list_cache_deinit(mcpi_list_cache *cache);
/* Drops the answers, and the registry, if the cache was made from another one
 * than `registry`: else it would keep entries that were removed. */
void mcpi_list_cache_expire(mcpi_list_cache *cache,
                            const mcpi_registry *registry);
/* Brings the cache up to date with a registry. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_list_cache_refresh(mcpi_list_cache *cache, mcpi_registry *registry,
                            const mcpi_revision *revision);

/* One page. */
typedef struct mcpi_page {
  mcpi_str entries;  /* borrowed from the cache */
  uint64_t next_seq; /* the cursor's content; 0: the last page */
} mcpi_page;
/* The page that begins at the first entry whose seq is at least first_seq, of
 * at most page_count entries (0: no bound) and page_bytes bytes (at least one
 * entry). */
mcpi_page mcpi_list_page(const mcpi_list_cache *cache, uint64_t first_seq,
                         uint32_t page_count, uint32_t page_bytes);

/* Appends a page without the entries whose scopes the grant lacks. Such a page
 * is put together for each request. Returns its next_seq. */
uint64_t mcpi_list_put_permitted(const mcpi_list_cache *cache,
                                 uint64_t first_seq, uint32_t page_count,
                                 uint32_t page_bytes, const mcpi_grant *grant,
                                 mcpi_buf *out);

/* Cursors: opaque text that names the kind and a seq. */
void mcpi_cursor_put(mcpi_buf *buf, int kind, uint64_t seq);
/* 0 or MCP_ERR_INVALID. */
int mcpi_cursor_read(mcpi_str cursor, int kind, uint64_t *seq);

#endif
