/* SPDX-License-Identifier: MIT */
#include "client/key_set.h"

#include <mcp/error.h>

typedef struct set_key {
  size_t len;
  char text[];
} set_key;

void mcpi_key_set_init(mcpi_key_set *set, const mcp_allocator *allocator,
                       const uint64_t seed[2]) {
  mcpi_map_init(&set->map, allocator, seed);
}

static void set_key_free(mcpi_key_set *set, set_key *key) {
  mcpi_free(set->map.allocator, key, sizeof(*key) + key->len);
}

void mcpi_key_set_deinit(mcpi_key_set *set) {
  size_t index = 0;
  set_key *key;
  while ((key = mcpi_map_next(&set->map, &index)) != NULL) {
    set_key_free(set, key);
  }
  mcpi_map_deinit(&set->map);
}

int mcpi_key_set_has(const mcpi_key_set *set, mcpi_str key) {
  return mcpi_map_get(&set->map, key) != NULL;
}

int mcpi_key_set_add(mcpi_key_set *set, mcpi_str text) {
  set_key *key = mcpi_alloc(set->map.allocator, sizeof(*key) + text.len);
  if (key == NULL) {
    return MCP_ERR_NOMEM;
  }
  key->len = text.len;
  memcpy(key->text, text.ptr, text.len);
  int rc = mcpi_map_add(&set->map, mcpi_str_n(key->text, key->len), key);
  if (rc != 0) {
    set_key_free(set, key);
  }
  return rc;
}
