/* SPDX-License-Identifier: MIT */
/* Tasks in memory, for as long as the process lives (mcp_task_store). All tasks
 * together may have a limited number of bytes. Those that ended first make room
 * for others; tasks that go on do not. */
#ifndef MCPI_STORE_MEMORY_TASKS_H
#define MCPI_STORE_MEMORY_TASKS_H

#include <mcp/tasks.h>

/* Makes a store, which *out holds: call its `release` once. Any thread may use
 * it. `seed` is copied. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_memory_tasks_make(mcp_task_store *out, const mcp_allocator *allocator,
                           const uint64_t seed[2], size_t max_bytes);

#endif
