/* SPDX-License-Identifier: MIT */
/* A hash map from byte strings to pointers.
 *
 * Up to LIST_CAP slots are a list: its entries are in the first slots, in no
 * order, and their hashes are not set. To compare a few keys is faster than to
 * hash one. A map that outgrows the list becomes a table and stays one.
 *
 * In a table an entry is in the slot that its hash names (its home) or, if that
 * was taken, in the next free slot; the first slot follows the last. So a
 * search may stop at the first free slot, and a removal must not leave a hole
 * between an entry and its home: it shifts back the entries that follow. */
#include "base/map.h"

#include "base/profile.h"

#include <mcp/error.h>

enum { LIST_CAP = 16 };

void mcpi_map_init(mcpi_map *map, const mcp_allocator *allocator,
                   const uint64_t seed[2]) {
  *map = (mcpi_map){.allocator = allocator, .seed = seed};
}

void mcpi_map_deinit(mcpi_map *map) {
  mcpi_free(map->allocator, map->slots, map->cap * sizeof(*map->slots));
  mcpi_map_init(map, map->allocator, map->seed);
}

static int map_is_list(const mcpi_map *map) {
  return map->cap <= LIST_CAP;
}

/* Returns the slot that holds the key, or NULL. */
static mcpi_map_slot *map_find_listed(const mcpi_map *map, mcpi_str key) {
  for (size_t i = 0; i < map->count; i++) {
    if (mcpi_str_eq(map->slots[i].key, key)) {
      return &map->slots[i];
    }
  }
  return NULL;
}

/* Returns the slot of a table that holds the key, or the free slot where it
 * would go. There always is a free slot. */
static mcpi_map_slot *map_find_slot(mcpi_map_slot *slots, size_t cap,
                                    mcpi_str key, uint64_t hash) {
  size_t i = (size_t)hash & (cap - 1);
  while (slots[i].value != NULL) {
    if (slots[i].hash == hash && mcpi_str_eq(slots[i].key, key)) {
      break;
    }
    i = (i + 1) & (cap - 1);
  }
  return &slots[i];
}

/* Copies the entries to the slots of a table. */
static void map_rehash(const mcpi_map *map, mcpi_map_slot *slots, size_t cap) {
  for (size_t i = 0; i < map->cap; i++) {
    mcpi_map_slot slot = map->slots[i];
    if (slot.value == NULL) {
      continue;
    }
    if (map_is_list(map)) {
      slot.hash = mcpi_str_hash(slot.key, map->seed);
    }
    *map_find_slot(slots, cap, slot.key, slot.hash) = slot;
  }
}

/* Above three quarters, searches get long. */
static int map_make_room(mcpi_map *map) {
  if (map->count + 1 <= map->cap - map->cap / 4) {
    return 0;
  }
  if (map->cap > SIZE_MAX / 2) {
    return MCP_ERR_NOMEM;
  }
  size_t cap = map->cap > 0 ? map->cap * 2 : MCPI_PROFILE_SLOTS;
  mcpi_map_slot *slots = mcpi_calloc(map->allocator, cap, sizeof(*slots));
  if (slots == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (cap > LIST_CAP) {
    map_rehash(map, slots, cap);
  } else if (map->count > 0) {
    memcpy(slots, map->slots, map->count * sizeof(*slots));
  }
  mcpi_free(map->allocator, map->slots, map->cap * sizeof(*map->slots));
  map->slots = slots;
  map->cap = cap;
  return 0;
}

/* Returns the slot that holds the key, or NULL. */
static mcpi_map_slot *map_find(const mcpi_map *map, mcpi_str key) {
  if (map_is_list(map)) {
    return map_find_listed(map, key);
  }
  if (map->count == 0) {
    return NULL;
  }
  uint64_t hash = mcpi_str_hash(key, map->seed);
  mcpi_map_slot *slot = map_find_slot(map->slots, map->cap, key, hash);
  return slot->value != NULL ? slot : NULL;
}

void *mcpi_map_get(const mcpi_map *map, mcpi_str key) {
  const mcpi_map_slot *slot = map_find(map, key);
  return slot != NULL ? slot->value : NULL;
}

int mcpi_map_add(mcpi_map *map, mcpi_str key, void *value) {
  if (map_find(map, key) != NULL) {
    return MCP_ERR_EXISTS;
  }
  int rc = map_make_room(map);
  if (rc != 0) {
    return rc;
  }
  if (map_is_list(map)) {
    map->slots[map->count] = (mcpi_map_slot){key, 0, value};
  } else {
    uint64_t hash = mcpi_str_hash(key, map->seed);
    *map_find_slot(map->slots, map->cap, key, hash) =
        (mcpi_map_slot){key, hash, value};
  }
  map->count++;
  return 0;
}

/* Whether the entry in slot `from` may move to a hole before it: its home must
 * not lie between the two; the first slot follows the last. */
static int map_may_move(const mcpi_map *map, size_t from, size_t hole) {
  size_t mask = map->cap - 1;
  size_t home = (size_t)map->slots[from].hash & mask;
  return ((from - home) & mask) >= ((from - hole) & mask);
}

static void map_shift_back(mcpi_map *map, size_t hole) {
  size_t mask = map->cap - 1;
  for (size_t i = (hole + 1) & mask; map->slots[i].value != NULL;
       i = (i + 1) & mask) {
    if (map_may_move(map, i, hole)) {
      map->slots[hole] = map->slots[i];
      hole = i;
    }
  }
  map->slots[hole] = (mcpi_map_slot){{NULL, 0}, 0, NULL};
}

static void map_clear_slot(mcpi_map *map, mcpi_map_slot *slot) {
  map->count--;
  if (map_is_list(map)) {
    *slot = map->slots[map->count];
    map->slots[map->count] = (mcpi_map_slot){{NULL, 0}, 0, NULL};
  } else {
    map_shift_back(map, (size_t)(slot - map->slots));
  }
}

void *mcpi_map_remove(mcpi_map *map, mcpi_str key) {
  mcpi_map_slot *slot = map_find(map, key);
  if (slot == NULL) {
    return NULL;
  }
  void *value = slot->value;
  map_clear_slot(map, slot);
  return value;
}

void mcpi_map_remove_value(mcpi_map *map, mcpi_str key, const void *value) {
  mcpi_map_slot *slot = map_find(map, key);
  if (slot != NULL && slot->value == value) {
    map_clear_slot(map, slot);
  }
}

void *mcpi_map_next(const mcpi_map *map, size_t *index) {
  while (*index < map->cap) {
    void *value = map->slots[(*index)++].value;
    if (value != NULL) {
      return value;
    }
  }
  return NULL;
}
