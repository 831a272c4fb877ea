/* SPDX-License-Identifier: MIT */
/* For builds without libmcp-sqlite. */
#include "workbench.h"

#include <stdio.h>

int open_tasks(mcp_task_store *out, const char *path, mcp_error *err) {
  (void)out;
  err->code = MCP_ERR_UNSUPPORTED;
  snprintf(err->message, sizeof err->message,
           "--tasks %.80s: this program was built without libmcp-sqlite "
           "(MCP_SQLITE); without --tasks, tasks are kept in memory",
           path);
  return MCP_ERR_UNSUPPORTED;
}
