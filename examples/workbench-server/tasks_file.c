/* SPDX-License-Identifier: MIT */
/* For builds with libmcp-sqlite: tasks in a file, which outlive the process. */
#include "workbench.h"
#include <mcp/sqlite.h>

#include <stdio.h>

/* On the store's thread: it only prints. */
static void on_store_error(const mcp_error *err, void *userdata) {
  (void)userdata;
  fprintf(stderr, "workbench-server: %s\n", err->message);
}

int open_tasks(mcp_task_store *out, const char *path, mcp_error *err) {
  mcp_sqlite_options options = MCP_SQLITE_OPTIONS_INIT;
  options.on_error = on_store_error;
  return mcp_task_store_sqlite(out, path, &options, err);
}
