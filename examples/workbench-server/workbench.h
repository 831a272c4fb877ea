/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the workbench: one folder, the commands that the
 * operator allows, and the functions that register what each file offers. */
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include "files.h"
#include <mcp/mcp.h>

enum {
  /* The limit of a file that is read as a resource or searched, in bytes: more
   * than a model can use. */
  MAX_FILE = 1024 * 1024,
  /* Bytes of a table. */
  MAX_TABLE = 16 * 1024 * 1024
};

typedef struct workbench {
  folder root;
  const char **commands; /* those that may be run */
  size_t command_count;
  mcp_server *server;
  listing resources; /* the files that are registered; the loop's thread */
  int is_over;       /* the server is being freed; the loop's thread */
} workbench;

/* resources.c */
void add_resources(mcp_server *server, workbench *bench);
/* Registers what is new in the list and removes what has gone. Takes `list`. On
 * the loop's thread. */
void update_resources(workbench *bench, listing *list);
/* Completes a path, for templates and prompts. */
int complete_path(mcp_call *call, const workbench *bench, int wants_uri);

/* logs.c */
void add_log(mcp_server *server, workbench *bench);
/* Returns the part of app.log that lies in the last `timeframe` ("30m", "24h",
 * "7d"). *out is owned: end it with free. Returns a negative errno, -EINVAL for
 * any other timeframe. */
int log_recent(const workbench *bench, const char *timeframe, char **out);

/* tasks.c: lets tools be called as tasks, which are kept in the file; NULL: in
 * memory. Before the tools are added. Returns 0; else it has said why. */
int enable_tasks(mcp_server *server, const char *path);
/* tasks_file.c, or tasks_file_none.c in a build without libmcp-sqlite: opens
 * the file. */
int open_tasks(mcp_task_store *out, const char *path, mcp_error *err);

/* csv_tool.c, plot_tool.c, search.c, commands.c, tools.c, prompts.c */
void add_csv_tool(mcp_server *server, workbench *bench);
void add_plot_tools(mcp_server *server, workbench *bench);
void add_search_tool(mcp_server *server, workbench *bench);
void add_command_tool(mcp_server *server, workbench *bench);
void add_small_tools(mcp_server *server, workbench *bench);
void add_prompts(mcp_server *server, workbench *bench);

/* For process_run and listing_load: 1 when no client waits for `call`. */
int is_cancelled(void *call);

/* Sets a string argument, or NULL when the client did not send it. Returns 0,
 * or MCP_ERR_INVALID when it contains NUL. */
int get_optional(mcp_call *call, const char *name, const char **out);

/* Replies to the model why a tool cannot use the path that it was given. */
int reply_path_failure(mcp_call *call, const char *path, int rc);

/* Resolves the path argument `name` and loads the file. Returns 0; else the
 * tool has replied, and *rc is the handler's return value. */
int load_argument(mcp_call *call, const workbench *bench, const char *name,
                  size_t max, file *out, int *rc);

#endif
