/* SPDX-License-Identifier: MIT */
/* Events of legacy sessions, kept in memory. Each session, and all together,
 * may have a limited number of bytes; the oldest events are dropped first. A
 * client whose sessions have more than one session may have gets a share of the
 * whole, and drops its own events for it, so that it cannot drop those of
 * others. */
#ifndef MCPI_STORE_MEMORY_EVENTS_H
#define MCPI_STORE_MEMORY_EVENTS_H

#include "base/list.h"
#include "base/map.h"
#include "core/account.h"
#include <mcp/http.h>

typedef struct mcpi_memory_events {
  const mcp_allocator *allocator;
  mcpi_map sessions; /* id -> its log */
  mcpi_list events;  /* of all, the oldest first */
  size_t bytes;
  size_t max_bytes;
  size_t max_session_bytes;
  uint64_t changes; /* events that came or went */
  uint64_t evicted; /* events dropped to make room for another session's */
  /* Finds the client of a session, borrowed while the session has events; NULL:
   * not known. The function may be NULL too. */
  mcpi_account *(*find_owner)(void *userdata, const char *session);
  void *userdata;
} mcpi_memory_events;

void mcpi_memory_events_init(mcpi_memory_events *store,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2], size_t max_bytes,
                             size_t max_session_bytes);
void mcpi_memory_events_deinit(mcpi_memory_events *store);
/* Returns the store as the endpoint sees it; every operation finishes at
 * once. */
mcp_event_store mcpi_memory_events_store(mcpi_memory_events *store);

#endif
