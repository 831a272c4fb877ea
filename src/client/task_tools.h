/* SPDX-License-Identifier: MIT */
/* Which tools can be tasks in 2025-11-25, as the server last listed them
 * (`execution.taskSupport`). */
#ifndef MCPI_CLIENT_TASK_TOOLS_H
#define MCPI_CLIENT_TASK_TOOLS_H

#include "client/key_set.h"
#include <mcp/client.h>

typedef struct mcpi_task_tools {
  /* The names of those that could, or had to, be tasks when they were
   * listed. A name that the list had twice may be in both. */
  mcpi_key_set optional;
  mcpi_key_set required;
  int is_current; /* the list has not changed since */
} mcpi_task_tools;

enum { MCPI_TASK_SUPPORT_UNKNOWN = -1 };

/* `allocator` and `seed` are borrowed. */
void mcpi_task_tools_init(mcpi_task_tools *tools,
                          const mcp_allocator *allocator,
                          const uint64_t seed[2]);
void mcpi_task_tools_forget(mcpi_task_tools *tools);
/* Replaces what is known. Without memory, nothing is known. */
void mcpi_task_tools_learn(mcpi_task_tools *tools, const mcp_result *list,
                           int is_current);
/* Returns MCP_TASK_* or MCPI_TASK_SUPPORT_UNKNOWN. If the list is not current,
 * the answer is the best guess. */
int mcpi_task_tools_find(const mcpi_task_tools *tools, mcpi_str name);

#endif
