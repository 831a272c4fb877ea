/* SPDX-License-Identifier: MIT */
/* The tasks of a server (mcp/tasks.h): what mcp_server_enable_tasks sets. */
#ifndef MCPI_EXT_TASKS_TASKS_H
#define MCPI_EXT_TASKS_TASKS_H

#include "base/list.h"
#include "base/map.h"
#include "server/call.h"
#include <mcp/tasks.h>

typedef struct mcpi_tasks {
  mcpi_task_maker maker;
  mcp_server *server; /* owns this */
  mcp_task_store store;
  uint32_t max_tasks;
  uint32_t poll_ms;
  int64_t ttl_ms;
  int64_t max_ttl_ms;
  /* mcp_tasks_options */
  int (*on_resume)(mcp_server *server, const char *tool,
                   const mcp_json *arguments, const mcp_json *state,
                   void *userdata);
  void *userdata;
  atomic_int has_begun; /* a loop looks for tasks of an earlier process */
  /* By the wall clock: when the store last forgot expired records. Only the low
   * bits, because not every processor has atomic operations on 64. */
  _Atomic uint32_t expired_ms;
  /* id -> mcpi_running_task, of all loops; under the server's lock. */
  mcpi_map running;
  mcpi_list waiters; /* waiter.c, likewise */
} mcpi_tasks;

static inline mcpi_tasks *mcpi_tasks_of(mcp_server *server) {
  return (mcpi_tasks *)server->tasks; /* its first member */
}

/* While the store works on a request: neither the shard nor its loop ends
 * before the completion has run. */
static inline void mcpi_tasks_hold(mcpi_shard *shard) {
  shard->holds++;
  shard->loop->awaited_posts++;
}

static inline void mcpi_tasks_let_go(mcpi_shard *shard) {
  shard->holds--;
  shard->loop->awaited_posts--;
}

#endif
