/* SPDX-License-Identifier: MIT */
/* A server on one loop: its snapshots, its connections, and when they go. */
#include "server/part.h"

#include "base/error.h"
#include "server/listen.h"
#include "server/notify.h"

#include <inttypes.h>

/* --- reports --- */

/* All connections together report so many times as much as one. A client that
 * connects again and again reaches this limit: sixty lines a second are at most
 * 17 KB of log. */
enum { CONNECTIONS_REPORTS = 3 };

void mcpi_part_report(mcpi_part *part, int code, const char *format, ...) {
  mcp_error err;
  va_list args;
  if (!mcpi_reports_admit(&part->reports)) {
    return;
  }
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  mcpi_server_report(part->server, code, "%s", err.message);
}

static void part_on_reports_held(mcpi_reports *reports, uint64_t held) {
  mcpi_part *part = MCPI_CONTAINER(reports, mcpi_part, reports);
  mcpi_part_enter(part);
  mcpi_server_report(part->server, MCP_ERR_LIMIT,
                     "%" PRIu64 " more reports within a second were left out",
                     held);
  mcpi_part_leave(part);
}

static void init_reports(mcpi_part *part) {
  uint32_t max = part->server->limits.max_reports;
  max = max < UINT32_MAX / CONNECTIONS_REPORTS ? max * CONNECTIONS_REPORTS
                                               : UINT32_MAX;
  mcpi_reports_init(&part->reports, part->loop, max, part_on_reports_held);
}

/* --- life --------------------------------------------------------------- */

static void on_change_due(mcpi_timer *timer);

static void init_lists(mcpi_part *part) {
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
      mcpi_list_cache_init(&part->lists[kind][i], &part->server->allocator);
    }
  }
}

/* The change timer always runs, due at the end of time when nothing has
 * changed: starting a timer may fail, moving one never does. */
static int park_change_timer(mcpi_part *part) {
  return mcpi_loop_start_timer(part->loop, &part->change_timer, INT64_MAX);
}

static mcpi_part *part_new(mcp_server *server, mcp_loop *loop) {
  mcpi_part *part = mcpi_calloc(&server->allocator, 1, sizeof(*part));
  if (part == NULL) {
    return NULL;
  }
  part->server = server;
  part->loop = loop;
  part->change_timer.on_due = on_change_due;
  if (park_change_timer(part) != 0) {
    mcpi_free(&server->allocator, part, sizeof(*part));
    return NULL;
  }
  atomic_init(&part->stale, 1);
  init_reports(part);
  mcpi_limits_init(part);
  init_lists(part);
  mcpi_accounts_init(&part->accounts, &server->allocator, loop->hash_seed);
  mcpi_identities_init(part);
  mcpi_list_init(&part->callers);
  mcpi_list_init(&part->closed);
  mcpi_list_init(&part->listens);
  mcpi_server_ref(server);
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_list_append(&server->parts, &part->link);
  mcpi_server_unlock(lock);
  return part;
}

static mcpi_part *part_find(const mcp_server *server, const mcp_loop *loop) {
  for (mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    if (part->loop == loop) {
      return part;
    }
  }
  return NULL;
}

static mcpi_part *find_locked(mcp_server *server, const mcp_loop *loop) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_part *part = lock != NULL ? part_find(server, loop) : NULL;
  mcpi_server_unlock(lock);
  return part;
}

/* None else makes or frees a part for that loop: this is its thread. */
mcpi_part *mcpi_part_get(mcp_server *server, mcp_loop *loop) {
  if (mcpi_server_make_lock(server, &loop->platform) != 0) {
    return NULL;
  }
  mcpi_part *part = find_locked(server, loop);
  return part != NULL ? part : part_new(server, loop);
}

static void free_lists(mcpi_part *part) {
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
      mcpi_list_cache_deinit(&part->lists[kind][i]);
    }
    mcpi_registry_unref(part->registries[kind]);
  }
}

static void part_free(mcpi_part *part) {
  mcp_server *server = part->server;
  mcpi_loop_stop_timer(part->loop, &part->change_timer);
  mcpi_loop_stop_timer(part->loop, &part->reports.timer);
  mcpi_limits_stop(part);
  mcpi_calls_free_idle(part);
  mcpi_identities_deinit(part);
  mcpi_accounts_deinit(&part->accounts);
  mcp_builder_free(part->violations);
  free_lists(part);
  mcpi_free(&server->allocator, part, sizeof(*part));
  mcpi_server_unref(server);
}

/* --- coming in and going out -------------------------------------------- */

void mcpi_part_enter(mcpi_part *part) {
  part->depth++;
  part->loop->frames++;
}

static int is_ending(const mcpi_part *part) {
  return part->is_leaving || atomic_load(&part->server->is_freed);
}

static void sweep_callers(mcpi_part *part) {
  while (!mcpi_list_is_empty(&part->closed)) {
    mcpi_caller_free(
        MCPI_CONTAINER(part->closed.next, mcpi_caller, closed_link));
  }
  while (is_ending(part) && !mcpi_list_is_empty(&part->callers)) {
    mcpi_caller_free(MCPI_CONTAINER(part->callers.next, mcpi_caller, link));
  }
}

/* The program may close more in its callbacks: the next round takes those. Only
 * a sweep takes connections off the list, and no sweep runs inside another. A
 * loop that leaves before the server reports its last counts here. */
static void sweep(mcpi_part *part) {
  while (part->wants_sweep) {
    part->wants_sweep = 0;
    mcpi_listens_free_ended(part);
    sweep_callers(part);
    if (is_ending(part)) {
      mcpi_reports_flush(&part->reports);
      mcpi_limits_flush(part);
    }
  }
}

/* Letters are counted under the lock, to parts that are on the list. */
static int take_off_list(mcpi_part *part) {
  mcp_server *server = part->server;
  const mcpi_lock *lock = mcpi_server_lock(server);
  int is_free = atomic_load(&part->letters) == 0;
  if (is_free) {
    mcpi_list_remove(&part->link);
  }
  mcpi_server_unlock(lock);
  return is_free;
}

void mcpi_part_leave(mcpi_part *part) {
  if (part->depth == 1) {
    sweep(part);
  }
  part->depth--;
  part->loop->frames--;
  if (part->depth == 0 && is_ending(part) && part->call_count == 0 &&
      part->holds == 0 && mcpi_list_is_empty(&part->callers) &&
      take_off_list(part)) {
    part_free(part);
  }
}

void mcpi_server_leave_loop(mcp_server *server, mcp_loop *loop) {
  mcpi_part *part = find_locked(server, loop);
  if (part != NULL) {
    mcpi_part_enter(part);
    part->is_leaving = 1;
    part->wants_sweep = 1;
    mcpi_part_leave(part);
  }
}

int mcpi_server_is_on(mcp_server *server, const mcp_loop *loop) {
  return find_locked(server, loop) != NULL;
}

/* --- snapshots ---------------------------------------------------------- */

/* Peers are told in the next turn, so that a program that adds a hundred tools
 * makes them ask again once. */
static void start_change_timer(mcpi_part *part) {
  if (atomic_load(&part->changed_kinds) != 0) {
    mcpi_loop_start_timer(part->loop, &part->change_timer, 0);
  }
}

/* Most requests find nothing changed, and take no lock. Others make up for a
 * letter that there was no memory for. */
void mcpi_part_refresh(mcpi_part *part) {
  mcpi_registry *before[MCPI_KIND_COUNT];
  if (!atomic_load_explicit(&part->stale, memory_order_acquire)) {
    return;
  }
  memcpy(before, part->registries, sizeof(before));
  const mcpi_lock *lock = mcpi_server_lock(part->server);
  atomic_store(&part->stale, 0);
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    part->registries[kind] = mcpi_registry_ref(part->server->registries[kind]);
  }
  mcpi_server_unlock(lock);
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    mcpi_registry_unref(before[kind]);
  }
  start_change_timer(part);
}

/* Templates count as resources. */
static void on_change_due(mcpi_timer *timer) {
  mcpi_part *part = MCPI_CONTAINER(timer, mcpi_part, change_timer);
  uint32_t kinds = atomic_exchange(&part->changed_kinds, 0);
  park_change_timer(part); /* there is room: it has just been taken out */
  mcpi_part_enter(part);
  mcpi_part_refresh(part);
  if ((kinds & 1u << MCPI_TOOLS) != 0) {
    mcpi_notify_list_changed(part, MCPI_TOOLS);
  }
  if ((kinds & 1u << MCPI_PROMPTS) != 0) {
    mcpi_notify_list_changed(part, MCPI_PROMPTS);
  }
  if ((kinds & (1u << MCPI_RESOURCES | 1u << MCPI_TEMPLATES)) != 0) {
    mcpi_notify_list_changed(part, MCPI_RESOURCES);
  }
  mcpi_part_leave(part);
}

void mcpi_parts_mark(mcp_server *server, int kind) {
  atomic_fetch_or(&server->declared, 1u << kind);
  for (mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    atomic_fetch_or(&part->changed_kinds, 1u << kind);
    atomic_store(&part->stale, 1);
  }
}

static int start_telling(mcpi_part *part, mcpi_str bytes) {
  (void)bytes;
  start_change_timer(part);
  return 0;
}

/* A part whose letter there is no memory for tells with its next request. */
void mcpi_parts_tell_changes(mcp_server *server) {
  mcpi_parts_run(server, start_telling, MCPI_STR(""));
}
