/* SPDX-License-Identifier: MIT */
/* The table of verbs, and how each sends its request. */
#include "line/verbs.h"
#include "bench/bench.h"
#include "config/edit.h"
#include "config/servers.h"
#include "connection/login.h"
#include "connection/requests.h"
#include "connection/session.h"
#include "connection/suggest.h"
#include "diff/diff.h"
#include "diff/snapshot.h"
#include "doctor/doctor.h"
#include "generate/generate.h"
#include "keep/start.h"
#include "keep/status.h"
#include "line/args.h"
#include "line/usage.h"
#include "mock/mock.h"
#include "pack/describe.h"
#include "pack/pack.h"
#include "pack/verify.h"
#include "record/record.h"
#include "record/replay.h"
#include "schema/check.h"
#include "shell/shell.h"
#include "show/show.h"
#include "skill.h"
#include "suite/suite.h"
#include "task.h"
#include "watch.h"

#include <stdlib.h>
#include <string.h>

static int start_read(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_read_resource(session->client, session->options->args[0],
                                  options, ctl_session_done, session,
                                  &session->error);
}

static int start_prompt(ctl_session *session,
                        const mcp_request_options *options) {
  return mcp_client_get_prompt(session->client, session->options->args[0],
                               session->arguments, options, ctl_session_done,
                               session, &session->error);
}

/* A reference with a colon or a brace is a URI template; any other is a
 * prompt's name. */
static int start_complete(ctl_session *session,
                          const mcp_request_options *options) {
  char *const *args = session->options->args;
  int is_template = strpbrk(args[0], ":{") != NULL;
  ctl_pair pair;
  if (ctl_pair_split(args[1], &pair) != 0 || pair.is_json) {
    return mcp_error_set(&session->error, MCP_ERR_INVALID,
                         "'%s' is not ARGUMENT=BEGINNING", args[1]);
  }
  char *argument = strndup(pair.key, pair.key_len);
  if (argument == NULL) {
    return MCP_ERR_NOMEM;
  }
  int error = mcp_client_complete(
      session->client, is_template ? "ref/resource" : "ref/prompt", args[0],
      argument, pair.value, session->arguments, options, ctl_session_done,
      session, &session->error);
  free(argument);
  return error;
}

static int start_ping(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_ping(session->client, options, ctl_session_done, session,
                         &session->error);
}

/* Says why the library refused a method. It refuses a method that it knows for
 * the other direction or for other revisions only; it sends unknown methods. */
static int refuse_raw(ctl_session *session, const char *method) {
  const char *revision = mcp_client_revision(session->client);
  if (strncmp(method, "notifications/", 14) == 0) {
    return mcp_error_set(&session->error, MCP_ERR_INVALID,
                         "raw %s: this is a notification, which has no "
                         "answer; raw sends requests only",
                         method);
  }
  int is_modern = mcp_revision_era(revision) == MCP_ERA_MODERN;
  return mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                       "raw %s: revision %s has no such request to a server; "
                       "try --era %s",
                       method, revision, is_modern ? "legacy" : "modern");
}

static int start_raw(ctl_session *session, const mcp_request_options *options) {
  const char *method = session->options->args[0];
  int error =
      mcp_client_request(session->client, method, session->arguments, options,
                         ctl_session_done, session, &session->error);
  return error == MCP_ERR_UNSUPPORTED ? refuse_raw(session, method) : error;
}

const ctl_verb ctl_verbs[] = {
    {.name = "info",
     .synopsis = "info",
     .summary = "describe the server",
     .show = ctl_show_info},
    {.name = "tools",
     .synopsis = "tools [NAME]",
     .summary = "list the tools, or describe one",
     .max_args = 1,
     .start = ctl_request_tools,
     .show = ctl_show_tools},
    {.name = "call",
     .synopsis = "call NAME [ARGS]",
     .summary = "call a tool",
     .min_args = 1,
     .max_args = -1,
     .arguments_at = 1,
     .is_validated = 1,
     .start = ctl_call_start,
     .follow = ctl_call_follow,
     .show = ctl_call_show},
    {.name = "tasks",
     .synopsis = "tasks",
     .summary = "list the tasks (2025-11-25)",
     .start = ctl_tasks_start,
     .explain = ctl_tasks_explain,
     .show = ctl_tasks_show},
    {.name = "task",
     .synopsis = "task ID",
     .summary = "show, await, cancel or answer a task",
     .min_args = 1,
     .max_args = 1,
     .start = ctl_task_start,
     .follow = ctl_task_follow,
     .explain = ctl_task_explain,
     .show = ctl_task_show},
    {.name = "resources",
     .synopsis = "resources",
     .summary = "list the resources",
     .start = ctl_request_resources,
     .show = ctl_show_resources},
    {.name = "templates",
     .synopsis = "templates",
     .summary = "list the resource templates",
     .start = ctl_request_templates,
     .show = ctl_show_templates},
    {.name = "read",
     .synopsis = "read URI",
     .summary = "print a resource",
     .min_args = 1,
     .max_args = 1,
     .start = start_read,
     .suggest = ctl_suggest_resource,
     .show = ctl_show_contents},
    {.name = "prompts",
     .synopsis = "prompts",
     .summary = "list the prompts",
     .start = ctl_request_prompts,
     .show = ctl_show_prompts},
    {.name = "prompt",
     .synopsis = "prompt NAME [ARGS]",
     .summary = "print a prompt",
     .min_args = 1,
     .max_args = -1,
     .arguments_at = 1,
     .start = start_prompt,
     .suggest = ctl_suggest_prompt,
     .show = ctl_show_messages},
    {.name = "skills",
     .synopsis = "skills",
     .summary = "list the skills",
     .start = ctl_skills_start,
     .explain = ctl_skills_explain,
     .show = ctl_skills_show},
    {.name = "skill",
     .synopsis = "skill NAME [FILE]",
     .summary = "print SKILL.md, or another file of a skill",
     .min_args = 1,
     .max_args = 2,
     .start = ctl_skill_start,
     .follow = ctl_skill_follow,
     .explain = ctl_skills_explain,
     .show = ctl_skill_show},
    {.name = "complete",
     .synopsis = "complete REF ARG=START [ARGS]",
     .summary = "list completions of an argument",
     .min_args = 2,
     .max_args = -1,
     .arguments_at = 2,
     .start = start_complete,
     .show = ctl_show_completion},
    {.name = "ping",
     .synopsis = "ping",
     .summary = "time an empty request",
     .start = start_ping,
     .show = ctl_show_ping},
    {.name = "watch",
     .synopsis = "watch [URIS]",
     .summary = "show changes, resources and logs as they come",
     .max_args = -1,
     .is_own = 1,
     .run = ctl_watch_run},
    {.name = "shell",
     .synopsis = "shell",
     .summary = "run many verbs on one connection, each a line",
     .is_own = 1,
     .run = ctl_shell_run},
    {.name = "test",
     .synopsis = "test FILE...",
     .summary = "run the tests in files",
     .min_args = 1,
     .max_args = -1,
     .is_own = 1,
     .run = ctl_suite_run},
    {.name = "start",
     .synopsis = "start",
     .summary = "keep a server running for later commands",
     .server = CTL_SERVER_NAMED,
     .is_own = 1,
     .run = ctl_keep_start},
    {.name = "stop",
     .synopsis = "stop",
     .summary = "end a server that start keeps running",
     .server = CTL_SERVER_NAMES,
     .is_own = 1,
     .run = ctl_keep_stop_run},
    {.name = "status",
     .synopsis = "status",
     .summary = "show the servers that start keeps running",
     .server = CTL_SERVER_NAMES,
     .is_own = 1,
     .run = ctl_keep_status},
    {.name = "bench",
     .synopsis = "bench [NAME [ARGS]]",
     .summary = "measure calls of a tool, or empty requests",
     .is_own = 1,
     .is_direct = 1,
     .max_args = -1,
     .arguments_at = 1,
     .is_validated = 1,
     .start = ctl_bench_start,
     .show = ctl_bench_show},
    {.name = "doctor",
     .synopsis = "doctor [TOOL[=JSON]...]",
     .summary = "find what is wrong with a server",
     .max_args = -1,
     .is_own = 1,
     .run = ctl_doctor_run},
    {.name = "raw",
     .synopsis = "raw METHOD [ARGS]",
     .summary = "send any request",
     .min_args = 1,
     .max_args = -1,
     .arguments_at = 1,
     .start = start_raw,
     .show = ctl_show_raw},
    {.name = "snapshot",
     .synopsis = "snapshot FILE",
     .summary = "save what the server lists",
     .min_args = 1,
     .max_args = 1,
     .follow = ctl_snapshot_follow,
     .show = ctl_snapshot_show},
    {.name = "diff",
     .synopsis = "diff A B",
     .summary = "compare two servers or snapshots",
     .min_args = 1,
     .max_args = 2,
     .server = CTL_SERVER_WORDS,
     .run = ctl_diff_run},
    {.name = "generate",
     .synopsis = "generate c",
     .summary = "write C code that calls the tools",
     .min_args = 1,
     .max_args = 1,
     .start = ctl_request_tools,
     .show = ctl_generate_show},
    {.name = "login",
     .synopsis = "login",
     .summary = "log in to the server at URL",
     .server = CTL_SERVER_WEB,
     .run = ctl_login_run},
    {.name = "logout",
     .synopsis = "logout",
     .summary = "forget the login, and revoke it",
     .server = CTL_SERVER_WEB,
     .run = ctl_logout_run},
    {.name = "auth",
     .synopsis = "auth",
     .summary = "list the logins, or that of URL",
     .server = CTL_SERVER_MAYBE,
     .run = ctl_auth_run},
    {.name = "servers",
     .synopsis = "servers",
     .summary = "list the servers of the configuration files",
     .server = CTL_SERVER_NONE,
     .run = ctl_servers_run},
    {.name = "add",
     .synopsis = "add NAME [URL]",
     .summary = "add a server to mcpctl's configuration",
     .min_args = 1,
     .max_args = 2,
     .server = CTL_SERVER_WRITTEN,
     .run = ctl_add_run},
    {.name = "remove",
     .synopsis = "remove NAME",
     .summary = "remove a server from it",
     .min_args = 1,
     .max_args = 1,
     .server = CTL_SERVER_NONE,
     .run = ctl_remove_run},
    {.name = "export",
     .synopsis = "export NAME [URL]",
     .summary = "print a server's entry for another host",
     .min_args = 1,
     .max_args = 2,
     .server = CTL_SERVER_WRITTEN,
     .run = ctl_export_run},
    {.name = "record",
     .synopsis = "record FILE",
     .summary = "pass on messages, and write them down",
     .min_args = 1,
     .max_args = 1,
     .run = ctl_record_run},
    {.name = "replay",
     .synopsis = "replay FILE",
     .summary = "be a recorded server, or compare one with it",
     .min_args = 1,
     .max_args = 1,
     .server = CTL_SERVER_EITHER,
     .run = ctl_replay_run},
    {.name = "mock",
     .synopsis = "mock FILE",
     .summary = "be the server that FILE describes",
     .min_args = 1,
     .max_args = 1,
     .server = CTL_SERVER_ITSELF,
     .run = ctl_mock_run},
    {.name = "pack",
     .synopsis = "pack DIR|PROGRAM",
     .summary = "make a bundle (.mcpb) of a server",
     .min_args = 1,
     .max_args = 1,
     .server = CTL_SERVER_PACKED,
     .is_own = 1,
     .run = ctl_pack_run},
    {.name = "verify",
     .synopsis = "verify FILE.mcpb",
     .summary = "check a bundle, and start its server",
     .min_args = 1,
     .max_args = 1,
     .server = CTL_SERVER_NONE,
     .is_own = 1,
     .run = ctl_verify_run},
    {.name = "describe",
     .synopsis = "describe",
     .summary = "write server.json for a registry",
     .show = ctl_describe_show},
    {.name = "schema",
     .synopsis = "schema check SCHEMA [FILES]",
     .summary = "check a JSON Schema, or files against it",
     .min_args = 2,
     .max_args = -1,
     .server = CTL_SERVER_NONE,
     .run = ctl_schema_check},
    {.name = "help",
     .synopsis = "help [VERB]",
     .summary = "print this help, or the help of one verb",
     .max_args = 1,
     .server = CTL_SERVER_NONE,
     .run = ctl_help},
    {.name = NULL},
};

int ctl_verb_is_for_shell(const ctl_verb *verb) {
  return verb->server <= CTL_SERVER_NONE && !verb->is_own;
}

const ctl_verb *ctl_verb_find(const char *name) {
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    if (strcmp(verb->name, name) == 0) {
      return verb;
    }
  }
  return NULL;
}
