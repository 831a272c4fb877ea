/* SPDX-License-Identifier: MIT */
/* A server on one loop: its snapshots, its connections, and its end. */
#include "server/shard.h"

#include "base/error.h"
#include "server/call.h"
#include "server/listen.h"
#include "server/notify.h"

#include <inttypes.h>

/* --- reports --- */

/* All connections together may cause this many times as many reports as one
 * connection. A client that connects again and again reaches this limit: sixty
 * lines a second are at most 17 KB of log. */
enum { CONNECTIONS_REPORTS = 3 };

void mcpi_shard_report(mcpi_shard *shard, int code, const char *format, ...) {
  mcp_error err;
  va_list args;
  if (!mcpi_reports_admit(&shard->reports)) {
    return;
  }
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  mcpi_server_report(shard->server, code, "%s", err.message);
}

static void shard_on_reports_held(mcpi_reports *reports, uint64_t held) {
  mcpi_shard *shard = MCPI_CONTAINER(reports, mcpi_shard, reports);
  mcpi_shard_enter(shard);
  mcpi_server_report(shard->server, MCP_ERR_LIMIT,
                     "%" PRIu64 " more reports within a second were left out",
                     held);
  mcpi_shard_leave(shard);
}

static void init_reports(mcpi_shard *shard) {
  uint32_t max = shard->server->limits.max_reports;
  max = max < UINT32_MAX / CONNECTIONS_REPORTS ? max * CONNECTIONS_REPORTS
                                               : UINT32_MAX;
  mcpi_reports_init(&shard->reports, shard->loop, max, shard_on_reports_held);
}

/* --- life --------------------------------------------------------------- */

static void on_change_due(mcpi_timer *timer);

/* The change timer always runs, due at the end of time if nothing has changed:
 * starting a timer may fail, moving one never does. */
static int park_change_timer(mcpi_shard *shard) {
  return mcpi_loop_start_timer(shard->loop, &shard->change_timer, INT64_MAX);
}

static mcpi_shard *shard_new(mcp_server *server, mcp_loop *loop) {
  mcpi_shard *shard = mcpi_calloc(&server->allocator, 1, sizeof(*shard));
  if (shard == NULL) {
    return NULL;
  }
  shard->server = server;
  shard->loop = loop;
  shard->change_timer.on_due = on_change_due;
  if (park_change_timer(shard) != 0) {
    mcpi_free(&server->allocator, shard, sizeof(*shard));
    return NULL;
  }
  atomic_init(&shard->stale, 1);
  init_reports(shard);
  mcpi_accounts_init(&shard->accounts, &server->allocator, loop->hash_seed);
  mcpi_identities_init(shard);
  mcpi_list_init(&shard->callers);
  mcpi_list_init(&shard->closed);
  mcpi_list_init(&shard->left_calls);
  mcpi_list_init(&shard->cancelled_calls);
  mcpi_list_init(&shard->listens);
  mcpi_server_ref(server);
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_list_append(&server->shards, &shard->link);
  mcpi_server_unlock(lock);
  if (server->tasks != NULL) {
    server->tasks->begin(server->tasks, shard);
  }
  return shard;
}

static mcpi_shard *shard_find(const mcp_server *server, const mcp_loop *loop) {
  for (mcpi_list *link = server->shards.next; link != &server->shards;
       link = link->next) {
    mcpi_shard *shard = MCPI_CONTAINER(link, mcpi_shard, link);
    if (shard->loop == loop) {
      return shard;
    }
  }
  return NULL;
}

static mcpi_shard *find_locked(mcp_server *server, const mcp_loop *loop) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_shard *shard = lock != NULL ? shard_find(server, loop) : NULL;
  mcpi_server_unlock(lock);
  return shard;
}

/* Only this thread makes or frees a shard for that loop. */
mcpi_shard *mcpi_shard_get(mcp_server *server, mcp_loop *loop) {
  if (mcpi_server_make_lock(server, &loop->platform) != 0) {
    return NULL;
  }
  mcpi_shard *shard = find_locked(server, loop);
  return shard != NULL ? shard : shard_new(server, loop);
}

static void free_lists(mcpi_shard *shard) {
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
      mcpi_list_cache *cache = shard->lists[kind][i];
      if (cache != NULL) {
        mcpi_list_cache_deinit(cache);
        mcpi_free(&shard->server->allocator, cache, sizeof(*cache));
      }
    }
    mcpi_registry_unref(shard->registries[kind]);
  }
}

static void shard_free(mcpi_shard *shard) {
  mcp_server *server = shard->server;
  mcpi_loop_stop_timer(shard->loop, &shard->change_timer);
  mcpi_loop_stop_timer(shard->loop, &shard->reports.timer);
  mcpi_limits_deinit(shard);
  mcpi_calls_free_idle(shard);
  mcpi_identities_deinit(shard);
  mcpi_accounts_deinit(&shard->accounts);
  free_lists(shard);
  mcpi_free(&server->allocator, shard, sizeof(*shard));
  mcpi_server_unref(server);
}

/* --- coming in and going out -------------------------------------------- */

void mcpi_shard_enter(mcpi_shard *shard) {
  shard->depth++;
  shard->loop->frames++;
}

static int is_ending(const mcpi_shard *shard) {
  return shard->is_leaving || atomic_load(&shard->server->is_freed);
}

static void sweep_callers(mcpi_shard *shard) {
  while (!mcpi_list_is_empty(&shard->closed)) {
    mcpi_caller_free(
        MCPI_CONTAINER(shard->closed.next, mcpi_caller, closed_link));
  }
  while (is_ending(shard) && !mcpi_list_is_empty(&shard->callers)) {
    mcpi_caller_free(MCPI_CONTAINER(shard->callers.next, mcpi_caller, link));
  }
}

/* Calls that go on without their client end with the shard. A callback may take
 * others off the list, so each round looks at the first that was not seen. */
static void sweep_left_calls(mcpi_shard *shard) {
  mcpi_list seen;
  mcpi_list_init(&seen);
  while (!mcpi_list_is_empty(&shard->left_calls)) {
    mcp_call *call = MCPI_CONTAINER(shard->left_calls.next, mcp_call, link);
    mcpi_list_remove(&call->link);
    mcpi_list_append(&seen, &call->link);
    mcpi_call_cancel(call);
  }
  mcpi_list_move(&shard->left_calls, &seen);
}

/* The program may close more connections in its callbacks: the next round takes
 * those. Only a sweep takes connections off the list, and no sweep runs inside
 * another. If the shard ends, this also reports the counts that it has not
 * reported yet. */
static void sweep(mcpi_shard *shard) {
  while (shard->wants_sweep) {
    shard->wants_sweep = 0;
    mcpi_calls_tell_cancelled(shard);
    mcpi_listens_free_ended(shard);
    sweep_callers(shard);
    if (is_ending(shard)) {
      sweep_left_calls(shard);
      mcpi_reports_flush(&shard->reports);
      mcpi_limits_flush(shard);
    }
  }
}

/* Takes the shard off the server's list, unless letters (shards.c) are on their
 * way to it. Returns 1 if it is off the list. Both happen under the lock, and
 * only a shard on the list gets letters: so no letter can come afterwards. */
static int take_off_list(mcpi_shard *shard) {
  mcp_server *server = shard->server;
  const mcpi_lock *lock = mcpi_server_lock(server);
  int is_free = atomic_load(&shard->letters) == 0;
  if (is_free) {
    mcpi_list_remove(&shard->link);
  }
  mcpi_server_unlock(lock);
  return is_free;
}

void mcpi_shard_leave(mcpi_shard *shard) {
  if (shard->depth == 1) {
    sweep(shard);
  }
  shard->depth--;
  shard->loop->frames--;
  if (shard->depth == 0 && is_ending(shard) && shard->call_count == 0 &&
      shard->holds == 0 && mcpi_list_is_empty(&shard->callers) &&
      take_off_list(shard)) {
    shard_free(shard);
  }
}

void mcpi_server_leave_loop(mcp_server *server, mcp_loop *loop) {
  mcpi_shard *shard = find_locked(server, loop);
  if (shard != NULL) {
    mcpi_shard_enter(shard);
    shard->is_leaving = 1;
    shard->wants_sweep = 1;
    mcpi_shard_leave(shard);
  }
}

int mcpi_server_is_on(mcp_server *server, const mcp_loop *loop) {
  return find_locked(server, loop) != NULL;
}

/* --- snapshots ---------------------------------------------------------- */

/* Peers are notified in the next turn: if a program adds a hundred tools, they
 * ask again only once. */
static void start_change_timer(mcpi_shard *shard) {
  if (atomic_load(&shard->changed_kinds) != 0) {
    mcpi_loop_start_timer(shard->loop, &shard->change_timer, 0);
  }
}

static void expire_lists(mcpi_shard *shard) {
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
      if (shard->lists[kind][i] != NULL) {
        mcpi_list_cache_expire(shard->lists[kind][i], shard->registries[kind]);
      }
    }
  }
}

/* Most requests find nothing changed, and take no lock. Others replace a letter
 * for which there was no memory. */
void mcpi_shard_refresh(mcpi_shard *shard) {
  mcpi_registry *before[MCPI_KIND_COUNT];
  if (!atomic_load_explicit(&shard->stale, memory_order_acquire)) {
    return;
  }
  memcpy(before, shard->registries, sizeof(before));
  const mcpi_lock *lock = mcpi_server_lock(shard->server);
  atomic_store(&shard->stale, 0);
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    shard->registries[kind] =
        mcpi_registry_ref(shard->server->registries[kind]);
  }
  mcpi_server_unlock(lock);
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    mcpi_registry_unref(before[kind]);
  }
  expire_lists(shard);
  start_change_timer(shard);
}

/* Templates count as resources. */
static void on_change_due(mcpi_timer *timer) {
  mcpi_shard *shard = MCPI_CONTAINER(timer, mcpi_shard, change_timer);
  uint32_t kinds = atomic_exchange(&shard->changed_kinds, 0);
  park_change_timer(shard); /* there is room: it has just been taken out */
  mcpi_shard_enter(shard);
  mcpi_shard_refresh(shard);
  if ((kinds & 1u << MCPI_TOOLS) != 0) {
    mcpi_notify_list_changed(shard, MCPI_TOOLS);
  }
  if ((kinds & 1u << MCPI_PROMPTS) != 0) {
    mcpi_notify_list_changed(shard, MCPI_PROMPTS);
  }
  if ((kinds & (1u << MCPI_RESOURCES | 1u << MCPI_TEMPLATES)) != 0) {
    mcpi_notify_list_changed(shard, MCPI_RESOURCES);
  }
  mcpi_shard_leave(shard);
}

void mcpi_shards_mark(mcp_server *server, int kind) {
  atomic_fetch_or(&server->declared, 1u << kind);
  for (mcpi_list *link = server->shards.next; link != &server->shards;
       link = link->next) {
    mcpi_shard *shard = MCPI_CONTAINER(link, mcpi_shard, link);
    atomic_fetch_or(&shard->changed_kinds, 1u << kind);
    atomic_store(&shard->stale, 1);
  }
}

static int start_telling(mcpi_shard *shard, mcpi_str bytes) {
  (void)bytes;
  start_change_timer(shard);
  return 0;
}

/* If there is no memory for the letter of a shard, the shard notifies its peers
 * at its next request. */
void mcpi_shards_tell_changes(mcp_server *server) {
  mcpi_shards_run(server, start_telling, MCPI_STR(""));
}

static int cancel_left(mcpi_shard *shard, mcpi_str bytes) {
  (void)bytes;
  mcpi_shard_enter(shard);
  sweep_left_calls(shard);
  mcpi_shard_leave(shard);
  return 0;
}

void mcpi_server_cancel_left(mcp_server *server) {
  mcpi_shards_run(server, cancel_left, MCPI_STR(""));
}

const char *mcpi_shard_left_call(const mcpi_shard *shard) {
  return mcpi_list_is_empty(&shard->left_calls)
             ? NULL
             : mcpi_call_what_runs(
                   MCPI_CONTAINER(shard->left_calls.next, mcp_call, link));
}
