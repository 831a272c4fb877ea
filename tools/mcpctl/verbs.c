/* SPDX-License-Identifier: MIT */
/* The verbs. */
#include "verbs.h"
#include "args.h"
#include "bench.h"
#include "session.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

static int start_tools(ctl_session *session,
                       const mcp_request_options *options) {
  return mcp_client_list_tools(session->client, options, ctl_session_done,
                               session);
}

static int start_call(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_call_tool(session->client, session->options->args[0],
                              session->arguments, options, ctl_session_done,
                              session);
}

static int start_resources(ctl_session *session,
                           const mcp_request_options *options) {
  return mcp_client_list_resources(session->client, options, ctl_session_done,
                                   session);
}

static int start_templates(ctl_session *session,
                           const mcp_request_options *options) {
  return mcp_client_list_resource_templates(session->client, options,
                                            ctl_session_done, session);
}

static int start_read(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_read_resource(session->client, session->options->args[0],
                                  options, ctl_session_done, session);
}

static int start_prompts(ctl_session *session,
                         const mcp_request_options *options) {
  return mcp_client_list_prompts(session->client, options, ctl_session_done,
                                 session);
}

static int start_prompt(ctl_session *session,
                        const mcp_request_options *options) {
  return mcp_client_get_prompt(session->client, session->options->args[0],
                               session->arguments, options, ctl_session_done,
                               session);
}

/* A URI template is told from a prompt's name by what names do not have. */
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
      session);
  free(argument);
  return error;
}

static int start_ping(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_ping(session->client, options, ctl_session_done, session);
}

/* The library sends what it knows in the direction and the revisions that it
 * has, and any method that it does not know. */
static int refuse_raw(ctl_session *session, const char *method) {
  const char *revision = mcp_client_revision(session->client);
  if (strncmp(method, "notifications/", 14) == 0) {
    return mcp_error_set(&session->error, MCP_ERR_INVALID,
                         "raw %s: a notification has no answer; raw sends "
                         "requests",
                         method);
  }
  int is_modern = strcmp(revision, MCP_REVISION_2025_11_25) > 0;
  return mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                       "raw %s: revision %s has no such request to a server; "
                       "try --era %s",
                       method, revision, is_modern ? "legacy" : "modern");
}

static int start_raw(ctl_session *session, const mcp_request_options *options) {
  const char *method = session->options->args[0];
  int error = mcp_client_request(session->client, method, session->arguments,
                                 options, ctl_session_done, session);
  return error == MCP_ERR_UNSUPPORTED ? refuse_raw(session, method) : error;
}

const ctl_verb ctl_verbs[] = {
    {"info", "info", "what the server tells of itself", 0, 0, -1, NULL,
     ctl_show_info},
    {"tools", "tools [NAME]", "list the tools, or describe one", 0, 1, -1,
     start_tools, ctl_show_tools},
    {"call", "call NAME [ARGS]", "call a tool", 1, -1, 1, start_call,
     ctl_show_call},
    {"resources", "resources", "list the resources", 0, 0, -1, start_resources,
     ctl_show_resources},
    {"templates", "templates", "list the resource templates", 0, 0, -1,
     start_templates, ctl_show_templates},
    {"read", "read URI", "print a resource", 1, 1, -1, start_read,
     ctl_show_contents},
    {"prompts", "prompts", "list the prompts", 0, 0, -1, start_prompts,
     ctl_show_prompts},
    {"prompt", "prompt NAME [ARGS]", "print a prompt", 1, -1, 1, start_prompt,
     ctl_show_messages},
    {"complete", "complete REF ARG=START [ARGS]",
     "complete an argument of a prompt or template", 2, -1, 2, start_complete,
     ctl_show_completion},
    {"ping", "ping", "time an empty request", 0, 0, -1, start_ping,
     ctl_show_ping},
    {"bench", "bench [NAME [ARGS]]", "measure a tool, or empty requests", 0, -1,
     1, ctl_bench_start, ctl_bench_show},
    {"raw", "raw METHOD [ARGS]", "send any request", 1, -1, 1, start_raw,
     ctl_show_raw},
    {NULL, NULL, NULL, 0, 0, -1, NULL, NULL},
};

const ctl_verb *ctl_verb_find(const char *name) {
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    if (strcmp(verb->name, name) == 0) {
      return verb;
    }
  }
  return NULL;
}
