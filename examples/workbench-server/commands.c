/* SPDX-License-Identifier: MIT */
/* The tool execute_command: runs programs that the command line allows by name,
 * without a shell, in the root folder.
 *
 * An operator who allows a program trusts it with all that its arguments can
 * make it do: `--allow-command sh` gives everything away. The tool refuses
 * arguments that name something outside the folder. That stops mistakes, but
 * not a program that finds its own way out. */
#include "process.h"
#include "text.h"
#include "workbench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64, MAX_OUTPUT = 64 * 1024, TIME_LIMIT_MS = 10000 };

/* --- what may be run ----------------------------------------------------- */

static int is_allowed(const workbench *bench, const char *name) {
  for (size_t i = 0; i < bench->command_count; i++) {
    if (strcmp(bench->commands[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Whether one of the components between slashes is "..". */
static int climbs(const char *path) {
  while (*path != '\0') {
    size_t len = strcspn(path, "/");
    if (len == 2 && memcmp(path, "..", 2) == 0) {
      return 1;
    }
    path += len;
    path += *path == '/';
  }
  return 0;
}

/* A link inside the folder may also lead out of it. */
static int leads_outside(const workbench *bench, const char *path) {
  char full[2 * PATH_SIZE];
  snprintf(full, sizeof full, "%s/%s", bench->root.path, path);
  char *real = realpath(full, NULL);
  size_t len = strlen(bench->root.path);
  int is_outside = real != NULL && (strncmp(real, bench->root.path, len) != 0 ||
                                    (real[len] != '/' && real[len] != '\0'));
  free(real);
  return is_outside;
}

static int is_inside(const workbench *bench, const char *path) {
  return path[0] != '/' && strlen(path) < PATH_SIZE && !climbs(path) &&
         !leads_outside(bench, path);
}

/* `--file=PATH` and `-fPATH` name a path as well as `PATH`. */
static int is_harmless(const workbench *bench, const char *arg) {
  const char *value = arg[0] == '-' ? strchr(arg, '=') : NULL;
  int is_short = arg[0] == '-' && arg[1] != '-' && arg[1] != '\0';
  return is_inside(bench, arg) &&
         (value == NULL || is_inside(bench, value + 1)) &&
         (!is_short || is_inside(bench, arg + 2));
}

/* --- arguments ----------------------------------------------------------- */

/* Fills `argv`. Returns NULL, or the argument that is refused. */
static const char *take_args(mcp_call *call, const workbench *bench,
                             const char *argv[MAX_ARGS + 2]) {
  mcp_json_iter iter;
  const mcp_json *item;
  size_t count = 0;
  argv[count++] = mcp_call_string(call, "command");
  mcp_json_iter_init(&iter, mcp_call_argument(call, "args"));
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    size_t len;
    const char *arg = mcp_json_string_n(item, &len);
    /* The program would read an argument with a NUL in it as a shorter one. */
    if (strlen(arg) != len || !is_harmless(bench, arg)) {
      return arg;
    }
    argv[count++] = arg;
  }
  argv[count] = NULL;
  return NULL;
}

/* --- running and replying ------------------------------------------------ */

static int reply_ended(mcp_call *call, const process *p) {
  switch (p->ended) {
  case PROCESS_EXITED:
    return p->code == 0
               ? mcp_call_reply(call)
               : mcp_call_reply_failure(call, "exit status %d", p->code);
  case PROCESS_KILLED:
    return mcp_call_reply_failure(call, "ended by signal %d", p->code);
  case PROCESS_TIMEOUT:
    return mcp_call_reply_failure(call, "ended after %d seconds",
                                  TIME_LIMIT_MS / 1000);
  case PROCESS_TOO_LOUD:
    return mcp_call_reply_failure(call, "ended after %d bytes of output",
                                  MAX_OUTPUT);
  default:
    return mcp_call_reply_failure(call, "cancelled");
  }
}

static int run(mcp_call *call, const workbench *bench,
               const char *const *argv) {
  process p = {.argv = argv,
               .folder_fd = bench->root.fd,
               .time_limit_ms = TIME_LIMIT_MS,
               .max_output = MAX_OUTPUT,
               .should_stop = is_cancelled,
               .userdata = call};
  int rc = process_run(&p);
  if (rc != 0) {
    return mcp_call_reply_failure(call, "%s cannot be started", argv[0]);
  }
  text_clean(p.output, p.len);
  rc = mcp_call_add_text_n(call, p.output, p.len);
  free(p.output);
  return rc == 0 ? reply_ended(call, &p) : rc;
}

static int on_execute_command(mcp_call *call, void *userdata) {
  const workbench *bench = userdata;
  const char *command = mcp_call_string(call, "command");
  const char *argv[MAX_ARGS + 2];
  if (command == NULL) {
    return MCP_ERR_INVALID;
  }
  if (!is_allowed(bench, command)) {
    return mcp_call_reply_failure(
        call,
        "%s is not allowed: the server's --allow-command does not name it",
        command);
  }
  const char *refused = take_args(call, bench, argv);
  if (refused != NULL) {
    return mcp_call_reply_failure(
        call, "the argument %s leads out of the folder", refused);
  }
  mcp_call_logf(call, MCP_LOG_INFO, "running %s", command);
  return run(call, bench, argv);
}

void add_command_tool(mcp_server *server, workbench *bench) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "execute_command",
          .title = "Run a program",
          .description = "Runs one of the allowed programs in the folder, "
                         "without a shell, for at most ten seconds",
          .input = MCP_OBJECT(MCP_STRING("command", "The program's name"),
                              MCP_ARRAY("args", "Its arguments", .optional = 1,
                                        .schema = MCP_SCHEMA_TYPE("string"),
                                        .max_items = 64)),
          .hints = MCP_TOOL_DESTRUCTIVE | MCP_TOOL_OPEN_WORLD,
          .is_blocking = 1,
          .handler = on_execute_command,
          .userdata = bench},
      NULL);
}
