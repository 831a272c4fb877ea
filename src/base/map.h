/* SPDX-License-Identifier: MIT */
/* A hash map from a run of bytes to a pointer: registries, pending calls,
 * sessions. Open addressing, linear probing, deletion by shifting back, so a
 * map that entries come to and go from does not grow. The key's bytes belong
 * to the value and must stay as long as it is in the map. */
#ifndef MCPI_BASE_MAP_H
#define MCPI_BASE_MAP_H

#include "base/alloc.h"
#include "base/str.h"

typedef struct mcpi_map_slot {
  mcpi_str key;
  uint64_t hash;
  void *value; /* NULL: the slot is free */
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
/* The values are the caller's to free, before or after. */
void mcpi_map_deinit(mcpi_map *map);

/* The value, or NULL. */
void *mcpi_map_get(const mcpi_map *map, mcpi_str key);
/* 0, MCP_ERR_EXISTS or MCP_ERR_NOMEM. value is not NULL. */
int mcpi_map_add(mcpi_map *map, mcpi_str key, void *value);
/* The value that was there, or NULL. */
void *mcpi_map_remove(mcpi_map *map, mcpi_str key);
/* Only when it is that one: the key may be another value's by now. */
void mcpi_map_remove_value(mcpi_map *map, mcpi_str key, const void *value);
/* Walks all values in no order: start with *index 0; NULL at the end. The map
 * must not change meanwhile. */
void *mcpi_map_next(const mcpi_map *map, size_t *index);

#endif
