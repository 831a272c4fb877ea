/* SPDX-License-Identifier: MIT */
/* What a server offers: counted snapshots of entries. */
#include "server/registry.h"

mcpi_registry *mcpi_registry_new(const mcp_allocator *allocator,
                                 const uint64_t seed[2]) {
  mcpi_registry *registry = mcpi_calloc(allocator, 1, sizeof(*registry));
  if (registry != NULL) {
    atomic_init(&registry->refs, 1);
    registry->allocator = allocator;
    mcpi_map_init(&registry->by_key, allocator, seed);
  }
  return registry;
}

mcpi_registry *mcpi_registry_ref(mcpi_registry *registry) {
  atomic_fetch_add_explicit(&registry->refs, 1, memory_order_relaxed);
  return registry;
}

static void free_entries(mcpi_registry *registry) {
  for (size_t i = 0; i < registry->count; i++) {
    mcpi_entry_unref(registry->entries[i]);
  }
  mcpi_free(registry->allocator, registry->entries,
            registry->cap * sizeof(mcpi_entry *));
}

void mcpi_registry_unref(mcpi_registry *registry) {
  if (registry == NULL ||
      atomic_fetch_sub_explicit(&registry->refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  mcpi_map_deinit(&registry->by_key);
  free_entries(registry);
  mcpi_free(registry->allocator, registry, sizeof(*registry));
}

size_t mcpi_registry_seek(const mcpi_registry *registry, uint64_t seq) {
  size_t low = 0;
  size_t high = registry->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (registry->entries[middle]->seq < seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* --- changes ------------------------------------------------------------ */

static int registry_make_room(mcpi_registry *registry, size_t count) {
  if (count <= registry->cap) {
    return 0;
  }
  size_t cap = registry->cap > 0 ? registry->cap : 8;
  while (cap < count) {
    cap *= 2;
  }
  mcpi_entry **entries = mcpi_realloc(registry->allocator, registry->entries,
                                      registry->cap * sizeof(mcpi_entry *),
                                      cap * sizeof(mcpi_entry *));
  if (entries == NULL) {
    return MCP_ERR_NOMEM;
  }
  registry->entries = entries;
  registry->cap = cap;
  return 0;
}

/* Appends an entry; its reference is taken on success. */
static int registry_append(mcpi_registry *registry, mcpi_entry *entry) {
  int rc = registry_make_room(registry, registry->count + 1);
  if (rc == 0) {
    rc = mcpi_map_add(&registry->by_key, entry->key, entry);
  }
  if (rc == 0) {
    registry->entries[registry->count++] = entry;
    registry->has_http_params |= entry->http_params != NULL;
    registry->has_scopes |= entry->scopes != NULL;
  }
  return rc;
}

static mcpi_registry *registry_copy(const mcpi_registry *from) {
  mcpi_registry *to = mcpi_registry_new(from->allocator, from->by_key.seed);
  if (to == NULL || registry_make_room(to, from->count) != 0) {
    mcpi_registry_unref(to);
    return NULL;
  }
  for (size_t i = 0; i < from->count; i++) {
    if (registry_append(to, from->entries[i]) != 0) {
      mcpi_registry_unref(to);
      return NULL;
    }
    mcpi_entry_ref(from->entries[i]);
  }
  return to;
}

/* Makes *registry one that nothing else holds. */
static int make_own(mcpi_registry **registry) {
  if (atomic_load_explicit(&(*registry)->refs, memory_order_acquire) == 1) {
    return 0;
  }
  mcpi_registry *own = registry_copy(*registry);
  if (own == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_registry_unref(*registry);
  *registry = own;
  return 0;
}

int mcpi_registry_add(mcpi_registry **registry, mcpi_entry *entry) {
  if (mcpi_registry_find(*registry, entry->key) != NULL) {
    return MCP_ERR_EXISTS;
  }
  int rc = make_own(registry);
  return rc != 0 ? rc : registry_append(*registry, entry);
}

static void remove_at(mcpi_registry *registry, size_t place) {
  mcpi_entry *entry = registry->entries[place];
  mcpi_map_remove(&registry->by_key, entry->key);
  registry->count--;
  memmove(&registry->entries[place], &registry->entries[place + 1],
          (registry->count - place) * sizeof(mcpi_entry *));
  mcpi_entry_unref(entry);
}

int mcpi_registry_remove(mcpi_registry **registry, mcpi_str key) {
  const mcpi_entry *entry = mcpi_registry_find(*registry, key);
  if (entry == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  uint64_t seq = entry->seq;
  int rc = make_own(registry);
  if (rc == 0) {
    remove_at(*registry, mcpi_registry_seek(*registry, seq));
  }
  return rc;
}
