/* SPDX-License-Identifier: MIT */
/* What the clients on a loop have learnt about servers. */
#include "core/verdicts.h"

typedef struct verdict {
  const mcpi_revision *revision; /* NULL: not known */
  int is_sse;
  size_t len;
  char name[]; /* an origin or a URL */
} verdict;

static void verdict_free(mcp_loop *loop, verdict *entry) {
  if (entry != NULL) {
    mcpi_free(&loop->allocator, entry, sizeof(*entry) + entry->len);
  }
}

void mcpi_verdicts_init(mcp_loop *loop) {
  mcpi_map_init(&loop->verdicts, &loop->allocator, loop->hash_seed);
}

void mcpi_verdicts_deinit(mcp_loop *loop) {
  size_t index = 0;
  verdict *entry;
  while ((entry = mcpi_map_next(&loop->verdicts, &index)) != NULL) {
    verdict_free(loop, entry);
  }
  mcpi_map_deinit(&loop->verdicts);
}

static const verdict *verdicts_find(const mcp_loop *loop, const char *name) {
  return mcpi_map_get(&loop->verdicts, mcpi_str_z(name));
}

static void verdicts_add(mcp_loop *loop, const char *name,
                         const mcpi_revision *revision, int is_sse) {
  size_t len = strlen(name);
  verdict *entry = mcpi_alloc(&loop->allocator, sizeof(*entry) + len);
  if (entry == NULL) {
    return;
  }
  *entry = (verdict){.revision = revision, .is_sse = is_sse, .len = len};
  memcpy(entry->name, name, len);
  if (mcpi_map_add(&loop->verdicts, mcpi_str_n(entry->name, entry->len),
                   entry) != 0) {
    verdict_free(loop, entry);
  }
}

static void change(mcp_loop *loop, const char *name,
                   const mcpi_revision *revision, int is_sse) {
  verdict_free(loop, mcpi_map_remove(&loop->verdicts, mcpi_str_z(name)));
  if (loop->verdicts.count >= MCPI_VERDICTS_MAX) {
    mcpi_verdicts_deinit(loop);
  }
  if (revision != NULL || is_sse) {
    verdicts_add(loop, name, revision, is_sse);
  }
}

const mcpi_revision *mcpi_verdicts_get(const mcp_loop *loop,
                                       const char *origin) {
  const verdict *entry = verdicts_find(loop, origin);
  return entry != NULL ? entry->revision : NULL;
}

void mcpi_verdicts_set(mcp_loop *loop, const char *origin,
                       const mcpi_revision *revision) {
  change(loop, origin, revision, mcpi_verdicts_is_sse(loop, origin));
}

int mcpi_verdicts_is_sse(const mcp_loop *loop, const char *url) {
  const verdict *entry = verdicts_find(loop, url);
  return entry != NULL && entry->is_sse;
}

void mcpi_verdicts_set_sse(mcp_loop *loop, const char *url, int is_sse) {
  change(loop, url, mcpi_verdicts_get(loop, url), is_sse);
}
