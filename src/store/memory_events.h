/* SPDX-License-Identifier: MIT */
/* Events of legacy sessions, kept in memory: of each session so many bytes, and
 * of all together, the oldest dropped first. */
#ifndef MCPI_STORE_MEMORY_EVENTS_H
#define MCPI_STORE_MEMORY_EVENTS_H

#include "base/list.h"
#include "base/map.h"
#include <mcp/http.h>

typedef struct mcpi_memory_events {
  const mcp_allocator *allocator;
  mcpi_map sessions; /* id -> its log */
  mcpi_list events;  /* of all, the oldest first */
  size_t bytes;
  size_t max_bytes;
  size_t max_session_bytes;
  uint64_t changes; /* events that came or went */
} mcpi_memory_events;

void mcpi_memory_events_init(mcpi_memory_events *store,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2], size_t max_bytes,
                             size_t max_session_bytes);
void mcpi_memory_events_deinit(mcpi_memory_events *store);
/* The store as the endpoint sees it; every operation is done at once. */
mcp_event_store mcpi_memory_events_store(mcpi_memory_events *store);

#endif
