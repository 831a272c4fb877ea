/* SPDX-License-Identifier: MIT */
/* A workbench: one folder, and what a model can do with it. Its files are
 * resources; tools compute, search, run programs, ask the user and the model;
 * prompts include files. Try it:
 *
 *     build/bin/mcpctl call analyze_csv path=sales.csv operation=sum \
 *         -- build/bin/workbench-server examples/data
 *
 * The server reads nothing outside the folder, and starts only the programs
 * that --allow-command names. */
#include "watch.h"
#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct program {
  workbench bench;
  const char *path;   /* of the folder */
  const char *skills; /* the folder of skills, or NULL */
  const char *tasks;  /* the file of --tasks; NULL: in memory */
  watch *watch;
} program;

static int on_folder(const mcp_main_option *option, const char *value,
                     void *userdata) {
  (void)option;
  program *self = userdata;
  self->path = value;
  return 0;
}

static int on_skills(const mcp_main_option *option, const char *value,
                     void *userdata) {
  (void)option;
  program *self = userdata;
  self->skills = value;
  return 0;
}

static int on_tasks(const mcp_main_option *option, const char *value,
                    void *userdata) {
  (void)option;
  program *self = userdata;
  self->tasks = value;
  return 0;
}

static int on_allow_command(const mcp_main_option *option, const char *value,
                            void *userdata) {
  (void)option;
  program *self = userdata;
  workbench *bench = &self->bench;
  size_t size = (bench->command_count + 1) * sizeof *bench->commands;
  const char **commands = realloc(bench->commands, size);
  if (commands == NULL) {
    fprintf(stderr, "workbench-server: out of memory\n");
    return -1;
  }
  bench->commands = commands;
  bench->commands[bench->command_count++] = value;
  return 0;
}

/* A failure keeps the program from starting, as that of each registration. */
static void add_skills(mcp_server *server, mcp_loop *loop, const char *dir) {
  mcp_server_add_skills(
      server, dir,
      &(mcp_skills_options){.size = sizeof(mcp_skills_options),
                            .loop = loop,
                            .directory_read = 1},
      NULL);
}

/* Registers the tools, resources and prompts, which depend on the folder:
 * mcp_main calls this when it has read the options. */
static int on_start(mcp_server *server, mcp_loop *loop, void *userdata) {
  program *self = userdata;
  workbench *bench = &self->bench;
  int rc = folder_open(&bench->root, self->path);
  if (rc != 0) {
    fprintf(stderr, "workbench-server: %s: %s\n", self->path, file_error(rc));
    return MCP_ERR_IO;
  }
  bench->server = server;
  rc = enable_tasks(server, self->tasks);
  if (rc != 0) {
    return rc;
  }
  mcp_server_enable_logging(server);
  add_resources(server, bench);
  add_log(server, bench);
  add_small_tools(server, bench);
  add_csv_tool(server, bench);
  add_plot_tools(server, bench);
  add_search_tool(server, bench);
  add_command_tool(server, bench);
  add_prompts(server, bench);
  if (self->skills != NULL) {
    add_skills(server, loop, self->skills);
  }
  self->watch = watch_start(bench, loop);
  return 0;
}

static void on_stop(mcp_server *server, mcp_loop *loop, void *userdata) {
  program *self = userdata;
  (void)server;
  (void)loop;
  watch_stop(self->watch);
}

static int run(program *self, mcp_server *server, int argc, char **argv) {
  const mcp_main_option options[] = {
      {.value_name = "DIR",
       .description = "the folder to serve (default: the current one)",
       .on_value = on_folder,
       .userdata = self},
      {.name = "allow-command",
       .value_name = "NAME",
       .description = "let execute_command run this program; repeatable",
       .on_value = on_allow_command,
       .userdata = self},
      {.name = "skills",
       .value_name = "DIR",
       .description = "serve the skills of this folder",
       .on_value = on_skills,
       .userdata = self},
      {.name = "tasks",
       .value_name = "FILE",
       .description = "keep tasks in this file, so that they survive the "
                      "server (default: in memory)",
       .on_value = on_tasks,
       .userdata = self},
  };
  return mcp_main_with(
      server, argc, argv,
      &(mcp_main_options){.size = sizeof(mcp_main_options),
                          .summary = "Serves a folder's files, and tools to "
                                     "work with them.",
                          .options = options,
                          .option_count = sizeof(options) / sizeof(options[0]),
                          .on_start = on_start,
                          .on_stop = on_stop,
                          .userdata = self});
}

int main(int argc, char **argv) {
  program self = {.bench = {.root = {.fd = -1}}, .path = "."};
  const mcp_server_options options = {
      .size = sizeof(mcp_server_options),
      .title = "Workbench",
      .description = "One folder, and what a model can do with it",
      .instructions =
          "Paths are relative to the served folder. Read files as resources; "
          "use search_files to find them and analyze_csv for tables."};
  mcp_server *server = mcp_server_new("workbench", "1.0.0", &options, NULL);
  int exit_code = run(&self, server, argc, argv);
  listing_free(&self.bench.resources);
  folder_close(&self.bench.root);
  free(self.bench.commands);
  return exit_code;
}
