/* SPDX-License-Identifier: MIT */
/* Calls that go on after their request has been answered (docs/TASKS.md):
 * count_slowly can be a task. Tasks are in memory, or in the file that --tasks
 * names. */
#include "workbench.h"

#include <stdio.h>

int enable_tasks(mcp_server *server, const char *path) {
  mcp_task_store store = MCP_TASK_STORE_INIT;
  mcp_tasks_options options = MCP_TASKS_OPTIONS_INIT;
  mcp_error why = {0};
  int rc = 0;
  if (path != NULL) {
    rc = open_tasks(&store, path, &why);
    options.store = &store;
  }
  if (rc == 0) {
    rc = mcp_server_enable_tasks(server, &options, &why);
  }
  if (rc != 0) {
    fprintf(stderr, "workbench-server: %s\n", why.message);
  }
  return rc;
}
