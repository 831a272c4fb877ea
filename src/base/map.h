/* SPDX-License-Identifier: MIT */
/* A hash map from byte strings to pointers, for registries, pending calls and
 * sessions. A few entries are searched one by one. More have open addressing
 * with linear probing; a removal shifts entries back. So a map does not grow
 * when entries come and go. The map borrows the key's bytes as long as the
 * entry is in it: usually they are part of the value. */
#ifndef MCPI_BASE_MAP_H
#define MCPI_BASE_MAP_H

#include "base/alloc.h"
#include "base/str.h"

typedef struct mcpi_map_slot {
  mcpi_str key;
  uint64_t hash; /* of a table's entry */
  void *value;   /* NULL: the slot is free */
} mcpi_map_slot;

typedef struct mcpi_map {
  const mcp_allocator *allocator;
  const uint64_t *seed; /* two words, borrowed */
  mcpi_map_slot *slots;
  size_t cap; /* a power of two, or 0 */
  size_t count;
} mcpi_map;

void mcpi_map_init(mcpi_map *map, const mcp_allocator *allocator,
                   const uint64_t seed[2]);
/* Does not free the values. */
void mcpi_map_deinit(mcpi_map *map);

/* Returns the value, or NULL. */
void *mcpi_map_get(const mcpi_map *map, mcpi_str key);
/* Adds an entry; value is not NULL. 0, MCP_ERR_EXISTS or MCP_ERR_NOMEM. */
int mcpi_map_add(mcpi_map *map, mcpi_str key, void *value);
/* Removes an entry. Returns its value, or NULL if there was none. */
void *mcpi_map_remove(mcpi_map *map, mcpi_str key);
/* Removes an entry if it has this value: the key may have got another. */
void mcpi_map_remove_value(mcpi_map *map, mcpi_str key, const void *value);
/* Returns the next of all values, in no order; NULL at the end. Start with
 * *index 0. The map must not change meanwhile. */
void *mcpi_map_next(const mcpi_map *map, size_t *index);

#endif
