/* SPDX-License-Identifier: MIT */
/* A server on one loop: its snapshots, its connections, and when they go. */
#include "server/server.h"

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
  part->stale = 1;
  init_lists(part);
  mcpi_list_init(&part->connections);
  mcpi_list_init(&part->closed);
  mcpi_list_init(&part->listens);
  mcpi_list_append(&server->parts, &part->link);
  mcpi_server_ref(server);
  return part;
}

mcpi_part *mcpi_part_get(mcp_server *server, mcp_loop *loop) {
  for (mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    if (part->loop == loop) {
      return part;
    }
  }
  mcpi_part *part = part_new(server, loop);
  if (part != NULL && atomic_load(&server->home) == NULL) {
    atomic_store(&server->home, part);
  }
  return part;
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
  mcpi_calls_free_idle(part);
  mcpi_connections_free_idle(part);
  mcp_builder_free(part->violations);
  free_lists(part);
  mcpi_list_remove(&part->link);
  if (atomic_load(&server->home) == part) {
    atomic_store(&server->home, NULL);
  }
  mcpi_free(&server->allocator, part, sizeof(*part));
  mcpi_server_unref(server);
}

/* --- coming in and going out -------------------------------------------- */

void mcpi_part_enter(mcpi_part *part) {
  part->depth++;
}

static void sweep_connections(mcpi_part *part) {
  while (!mcpi_list_is_empty(&part->closed)) {
    mcpi_connection_free(
        MCPI_CONTAINER(part->closed.next, mcp_connection, closed_link));
  }
  while (part->server->is_freed && !mcpi_list_is_empty(&part->connections)) {
    mcpi_connection_free(
        MCPI_CONTAINER(part->connections.next, mcp_connection, link));
  }
}

/* What the program is told of meanwhile may close more: those wait for the next
 * round. Nothing but a sweep takes connections off the list, and no sweep runs
 * inside another. */
static void sweep(mcpi_part *part) {
  while (part->wants_sweep) {
    part->wants_sweep = 0;
    mcpi_listens_free_ended(part);
    sweep_connections(part);
  }
}

void mcpi_part_leave(mcpi_part *part) {
  if (part->depth == 1) {
    sweep(part);
  }
  part->depth--;
  if (part->depth == 0 && part->server->is_freed && part->call_count == 0 &&
      part->holds == 0 && mcpi_list_is_empty(&part->connections)) {
    part_free(part);
  }
}

/* --- snapshots ---------------------------------------------------------- */

void mcpi_part_refresh(mcpi_part *part) {
  if (!part->stale) {
    return;
  }
  part->stale = 0;
  for (size_t kind = 0; kind < MCPI_KIND_COUNT; kind++) {
    mcpi_registry *mine = part->registries[kind];
    part->registries[kind] = mcpi_registry_ref(part->server->registries[kind]);
    mcpi_registry_unref(mine);
  }
}

/* Peers are told in the next turn, so that a program that adds a hundred tools
 * makes them ask again once. Templates count as resources. */
static void on_change_due(mcpi_timer *timer) {
  mcpi_part *part = MCPI_CONTAINER(timer, mcpi_part, change_timer);
  uint32_t kinds = part->changed_kinds;
  park_change_timer(part); /* there is room: it has just been taken out */
  part->changed_kinds = 0;
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

void mcpi_server_changed(mcp_server *server, int kind) {
  server->declared |= 1u << kind;
  for (mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    part->stale = 1;
    part->changed_kinds |= 1u << kind;
    mcpi_loop_start_timer(part->loop, &part->change_timer, 0);
  }
}
