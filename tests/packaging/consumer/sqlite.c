/* SPDX-License-Identifier: MIT */
/* A program on libmcp-sqlite: keeps a task in the file, and gives the store to
 * a server, which releases it. */
#include <mcp/mcp.h>
#include <mcp/sqlite.h>
#include <stdio.h>

static void on_done(void *argument, int status) {
  *(int *)argument = status;
}

int main(int argc, char **argv) {
  mcp_error err = {0};
  int status = 1;
  mcp_task_store store = MCP_TASK_STORE_INIT;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  if (argc < 2 || mcp_task_store_sqlite(&store, argv[1], NULL, &err) != 0) {
    fprintf(stderr, "sqlite: %s\n", err.message);
    mcp_loop_free(loop);
    return 1;
  }
  const mcp_task_record task = {.id = "one",
                                .owner = "",
                                .version = 1,
                                .expires_ms = INT64_MAX,
                                .data = "{}",
                                .data_len = 2};
  store.create(store.userdata, loop, &task, on_done, &status);
  while (status == 1) {
    mcp_loop_wait(loop, -1);
  }
  mcp_server *server = mcp_server_new("tasks", "1.0.0", NULL, NULL);
  const mcp_tasks_options options = {.size = sizeof(options), .store = &store};
  if (mcp_server_enable_tasks(server, &options, &err) != 0) {
    fprintf(stderr, "sqlite: %s\n", err.message);
    return 1;
  }
  mcp_server_free(server);
  mcp_loop_free(loop);
  printf("%s\n", status == 0 ? "stored" : mcp_error_name(status));
  return 0;
}
