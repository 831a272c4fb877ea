/* SPDX-License-Identifier: MIT */
/* Events in memory. Each event is in three lists: that of its session, for
 * replays, and those of its client and of all events, to make room. */
#include "store/memory_events.h"

typedef struct event_log {
  mcpi_list events; /* the oldest first */
  size_t bytes;
  mcpi_account *owner; /* NULL: not known */
  size_t id_len;       /* the length of the session's id, which follows */
} event_log;

typedef struct event {
  mcpi_list link; /* in its log */
  mcpi_list own;  /* in the list of its log's owner, if that is known */
  mcpi_list all;  /* in the store's list */
  event_log *log;
  uint64_t stream;
  uint64_t seq;
  size_t len; /* the length of the data, which follows */
} event;

/* --- logs --------------------------------------------------------------- */

static mcpi_str memory_events_id_of(event_log *log) {
  return mcpi_str_n((const char *)(log + 1), log->id_len);
}

static event_log *log_new(mcpi_memory_events *store, const char *session) {
  size_t len = strlen(session);
  event_log *log = mcpi_alloc(store->allocator, sizeof(*log) + len);
  if (log == NULL) {
    return NULL;
  }
  *log = (event_log){.id_len = len};
  if (store->find_owner != NULL) {
    log->owner = store->find_owner(store->userdata, session);
  }
  mcpi_list_init(&log->events);
  memcpy(log + 1, session, len);
  if (mcpi_map_add(&store->sessions, memory_events_id_of(log), log) != 0) {
    mcpi_free(store->allocator, log, sizeof(*log) + len);
    return NULL;
  }
  return log;
}

static void remove_event(mcpi_memory_events *store, event *gone) {
  size_t size = sizeof(*gone) + gone->len;
  mcpi_list_remove(&gone->link);
  mcpi_list_remove(&gone->own);
  mcpi_list_remove(&gone->all);
  if (gone->log->owner != NULL) {
    mcpi_holder_remove(&gone->log->owner->holder, MCPI_HELD_EVENT_BYTES, size);
  }
  gone->log->bytes -= size;
  store->bytes -= size;
  store->changes++;
  mcpi_free(store->allocator, gone, size);
}

static void log_free(mcpi_memory_events *store, event_log *log) {
  while (!mcpi_list_is_empty(&log->events)) {
    remove_event(store, MCPI_CONTAINER(log->events.next, event, link));
  }
  mcpi_map_remove(&store->sessions, memory_events_id_of(log));
  mcpi_free(store->allocator, log, sizeof(*log) + log->id_len);
}

/* --- the operations ----------------------------------------------------- */

static int has_too_much(const mcpi_memory_events *store,
                        const mcpi_account *owner) {
  return owner->holder.used[MCPI_HELD_EVENT_BYTES] > store->max_session_bytes &&
         !mcpi_holder_has_room(&owner->holder, MCPI_HELD_EVENT_BYTES,
                               store->max_bytes, 0);
}

static void memory_events_make_room(mcpi_memory_events *store, event_log *log) {
  mcpi_account *owner = log->owner;
  while (log->bytes > store->max_session_bytes) {
    remove_event(store, MCPI_CONTAINER(log->events.next, event, link));
  }
  while (owner != NULL && has_too_much(store, owner)) {
    remove_event(store, MCPI_CONTAINER(owner->events.next, event, own));
    store->evicted++;
  }
  while (store->bytes > store->max_bytes) {
    remove_event(store, MCPI_CONTAINER(store->events.next, event, all));
    store->evicted++;
  }
}

static void add_event(mcpi_memory_events *store, event_log *log, event *added) {
  size_t size = sizeof(*added) + added->len;
  added->log = log;
  mcpi_list_append(&log->events, &added->link);
  mcpi_list_init(&added->own);
  if (log->owner != NULL) {
    mcpi_list_append(&log->owner->events, &added->own);
    mcpi_holder_add(&log->owner->holder, MCPI_HELD_EVENT_BYTES, size);
  }
  mcpi_list_append(&store->events, &added->all);
  log->bytes += size;
  store->bytes += size;
  store->changes++;
  memory_events_make_room(store, log);
}

static int on_append(void *userdata, const char *session, uint64_t stream,
                     uint64_t seq, const char *data, size_t len,
                     mcp_event_done_cb done, void *argument) {
  mcpi_memory_events *store = userdata;
  size_t max = store->max_session_bytes;
  (void)done;
  (void)argument;
  if (max < sizeof(event) || len > max - sizeof(event)) {
    return MCP_ERR_LIMIT;
  }
  event *added = mcpi_alloc(store->allocator, sizeof(*added) + len);
  if (added == NULL) {
    return MCP_ERR_NOMEM;
  }
  *added = (event){.stream = stream, .seq = seq, .len = len};
  memcpy(added + 1, data, len);
  event_log *log = mcpi_map_get(&store->sessions, mcpi_str_z(session));
  if (log == NULL) {
    log = log_new(store, session);
  }
  if (log == NULL) {
    mcpi_free(store->allocator, added, sizeof(*added) + len);
    return MCP_ERR_NOMEM;
  }
  add_event(store, log, added);
  return 0;
}

static const event *next_event(const mcpi_memory_events *store,
                               const char *session, uint64_t stream,
                               uint64_t after) {
  const event_log *log = mcpi_map_get(&store->sessions, mcpi_str_z(session));
  if (log == NULL) {
    return NULL;
  }
  for (const mcpi_list *link = log->events.next; link != &log->events;
       link = link->next) {
    const event *candidate = MCPI_CONTAINER(link, event, link);
    if (candidate->stream == stream && candidate->seq > after) {
      return candidate;
    }
  }
  return NULL;
}

/* Returns the next event of the same list, if nothing has changed meanwhile. */
static const event *memory_events_go_on(const event *from) {
  const event *next = from;
  for (const mcpi_list *link = from->link.next; link != &from->log->events;
       link = link->next) {
    next = MCPI_CONTAINER(link, event, link);
    if (next->stream == from->stream) {
      return next;
    }
  }
  return NULL;
}

/* The callback that gets an event may cause others to come and go. */
static int on_replay(void *userdata, const char *session, uint64_t stream,
                     uint64_t after, mcp_event_each_cb each,
                     mcp_event_done_cb done, void *argument) {
  const mcpi_memory_events *store = userdata;
  const event *next = next_event(store, session, stream, after);
  (void)done;
  while (next != NULL) {
    uint64_t changes = store->changes;
    uint64_t seq = next->seq;
    each(seq, (const char *)(next + 1), next->len, argument);
    next = store->changes == changes ? memory_events_go_on(next)
                                     : next_event(store, session, stream, seq);
  }
  return 0;
}

static void on_forget(void *userdata, const char *session) {
  mcpi_memory_events *store = userdata;
  event_log *log = mcpi_map_get(&store->sessions, mcpi_str_z(session));
  if (log != NULL) {
    log_free(store, log);
  }
}

/* --- life --------------------------------------------------------------- */

void mcpi_memory_events_init(mcpi_memory_events *store,
                             const mcp_allocator *allocator,
                             const uint64_t seed[2], size_t max_bytes,
                             size_t max_session_bytes) {
  *store = (mcpi_memory_events){.allocator = allocator,
                                .max_bytes = max_bytes,
                                .max_session_bytes = max_session_bytes};
  mcpi_list_init(&store->events);
  mcpi_map_init(&store->sessions, allocator, seed);
}

void mcpi_memory_events_deinit(mcpi_memory_events *store) {
  size_t index = 0;
  event_log *log;
  while ((log = mcpi_map_next(&store->sessions, &index)) != NULL) {
    log_free(store, log);
    index = 0; /* the map has changed */
  }
  mcpi_map_deinit(&store->sessions);
}

mcp_event_store mcpi_memory_events_store(mcpi_memory_events *store) {
  return (mcp_event_store){.size = sizeof(mcp_event_store),
                           .append = on_append,
                           .replay = on_replay,
                           .forget = on_forget,
                           .userdata = store};
}
