/* SPDX-License-Identifier: MIT */
/* What the clients on a loop have found out of servers' eras. */
#include "core/verdicts.h"

typedef struct verdict {
  const mcpi_revision *revision;
  size_t len;
  char origin[];
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

const mcpi_revision *mcpi_verdicts_get(const mcp_loop *loop,
                                       const char *origin) {
  const verdict *entry = mcpi_map_get(&loop->verdicts, mcpi_str_z(origin));
  return entry != NULL ? entry->revision : NULL;
}

static void add(mcp_loop *loop, const char *origin,
                const mcpi_revision *revision) {
  size_t len = strlen(origin);
  verdict *entry = mcpi_alloc(&loop->allocator, sizeof(*entry) + len);
  if (entry == NULL) {
    return;
  }
  *entry = (verdict){.revision = revision, .len = len};
  memcpy(entry->origin, origin, len);
  if (mcpi_map_add(&loop->verdicts, mcpi_str_n(entry->origin, entry->len),
                   entry) != 0) {
    verdict_free(loop, entry);
  }
}

void mcpi_verdicts_set(mcp_loop *loop, const char *origin,
                       const mcpi_revision *revision) {
  verdict_free(loop, mcpi_map_remove(&loop->verdicts, mcpi_str_z(origin)));
  if (loop->verdicts.count >= MCPI_VERDICTS_MAX) {
    mcpi_verdicts_deinit(loop);
  }
  if (revision != NULL) {
    add(loop, origin, revision);
  }
}
