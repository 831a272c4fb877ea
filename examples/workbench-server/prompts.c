/* SPDX-License-Identifier: MIT */
/* The prompts: git-commit, explain-code, analyze-project, debug-error. */
#include "workbench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- git-commit ---------------------------------------------------------- */

static int on_git_commit(mcp_call *call, void *userdata) {
  const char *changes = mcp_call_string(call, "changes");
  (void)userdata;
  if (changes == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_call_add_textf(call,
                     "Generate a concise but descriptive commit message for "
                     "these changes:\n\n%s",
                     changes);
  return mcp_call_reply(call);
}

static void add_git_commit(mcp_server *server) {
  static const mcp_prompt_argument arguments[] = {
      {.name = "changes",
       .description = "Git diff or description of changes",
       .required = 1},
  };
  mcp_server_add_prompt(
      server,
      &(mcp_prompt){.size = sizeof(mcp_prompt),
                    .name = "git-commit",
                    .title = "Commit message",
                    .description = "Generate a Git commit message",
                    .arguments = arguments,
                    .argument_count = 1,
                    .handler = on_git_commit},
      NULL);
}

/* --- explain-code -------------------------------------------------------- */

static int on_explain_code(mcp_call *call, void *userdata) {
  const char *code = mcp_call_string(call, "code");
  const char *language;
  (void)userdata;
  if (code == NULL || get_optional(call, "language", &language) != 0) {
    return MCP_ERR_INVALID;
  }
  mcp_call_add_textf(call, "Explain how this %s code works:\n\n%s",
                     language != NULL ? language : "unknown", code);
  return mcp_call_reply(call);
}

static int on_complete_language(mcp_call *call, void *userdata) {
  static const char *const languages[] = {"C",    "C++",    "Go",   "Java",
                                          "Rust", "Python", "Shell"};
  const char *typed = mcp_call_complete_value(call);
  int is_language = strcmp(mcp_call_complete_argument(call), "language") == 0;
  (void)userdata;
  if (typed == NULL) {
    return MCP_ERR_INVALID;
  }
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
    if (is_language && strncmp(languages[i], typed, strlen(typed)) == 0) {
      mcp_call_add_completion(call, languages[i]);
    }
  }
  return mcp_call_reply(call);
}

static void add_explain_code(mcp_server *server) {
  static const mcp_prompt_argument arguments[] = {
      {.name = "code", .description = "Code to explain", .required = 1},
      {.name = "language", .description = "Programming language"},
  };
  mcp_server_add_prompt(server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "explain-code",
                                      .title = "Explain code",
                                      .description = "Explain how code works",
                                      .arguments = arguments,
                                      .argument_count = 2,
                                      .handler = on_explain_code,
                                      .complete = on_complete_language},
                        NULL);
}

/* --- analyze-project ----------------------------------------------------- */

static int fail(mcp_call *call, const char *argument, int rc) {
  char message[80];
  snprintf(message, sizeof message, "%s: %s", argument, file_error(rc));
  return mcp_call_reply_error(call, MCP_RPC_INVALID_PARAMS, message, NULL);
}

static int add_log_message(mcp_call *call, const workbench *bench,
                           const char *timeframe) {
  char uri[64];
  char *text;
  int rc = log_recent(bench, timeframe, &text);
  if (rc != 0) {
    return rc;
  }
  /* log_recent has refused any other text: a timeframe needs no escaping. */
  snprintf(uri, sizeof uri, "logs://recent?timeframe=%s", timeframe);
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE,
                                            .uri = uri,
                                            .mime_type = "text/plain",
                                            .text = text});
  free(text);
  return 0;
}

static void add_file_content(mcp_call *call, const char *uri,
                             const char *relative, const file *loaded) {
  const char *type = file_mime_type(relative);
  mcp_content content = {.size = sizeof(mcp_content),
                         .type = MCP_CONTENT_RESOURCE,
                         .uri = uri,
                         .mime_type = type};
  if (file_is_text(loaded)) {
    content.text = loaded->bytes;
  } else {
    content.data = loaded->bytes;
    content.data_len = loaded->len;
  }
  if (type == NULL) {
    content.mime_type =
        content.text != NULL ? "text/plain" : "application/octet-stream";
  }
  mcp_call_add_content(call, &content);
}

static int add_file_message(mcp_call *call, const workbench *bench,
                            const char *uri) {
  char relative[PATH_SIZE];
  file loaded;
  int rc = path_from_uri(bench->root.path, uri, relative);
  if (rc == 0) {
    rc = file_load(&bench->root, relative, MAX_FILE, &loaded);
  }
  if (rc == 0) {
    add_file_content(call, uri, relative, &loaded);
    file_free(&loaded);
  }
  return rc;
}

static int on_analyze_project(mcp_call *call, void *userdata) {
  const workbench *bench = userdata;
  const char *timeframe = mcp_call_string(call, "timeframe");
  const char *uri = mcp_call_string(call, "fileUri");
  if (timeframe == NULL || uri == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_call_add_text(call, "Analyze these system logs and the code file for any "
                          "issues:");
  int rc = add_log_message(call, bench, timeframe);
  if (rc != 0) {
    return fail(call, "timeframe", rc);
  }
  rc = add_file_message(call, bench, uri);
  return rc == 0 ? mcp_call_reply(call) : fail(call, "fileUri", rc);
}

static int on_complete_project(mcp_call *call, void *userdata) {
  if (strcmp(mcp_call_complete_argument(call), "fileUri") == 0) {
    return complete_path(call, userdata, 1);
  }
  return mcp_call_reply(call);
}

static void add_analyze_project(mcp_server *server, workbench *bench) {
  static const mcp_prompt_argument arguments[] = {
      {.name = "timeframe",
       .description = "Time period to analyze logs, such as 1h",
       .required = 1},
      {.name = "fileUri",
       .description = "URI of code file to review",
       .required = 1},
  };
  mcp_server_add_prompt(
      server,
      &(mcp_prompt){.size = sizeof(mcp_prompt),
                    .name = "analyze-project",
                    .title = "Analyze the project",
                    .description = "Analyze project logs and code",
                    .arguments = arguments,
                    .argument_count = 2,
                    .is_blocking = 1,
                    .handler = on_analyze_project,
                    .complete = on_complete_project,
                    .userdata = bench},
      NULL);
}

/* --- debug-error --------------------------------------------------------- */

static int on_debug_error(mcp_call *call, void *userdata) {
  const char *error = mcp_call_string(call, "error");
  (void)userdata;
  if (error == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_call_add_textf(call, "Here's an error I'm seeing: %s", error);
  mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
  mcp_call_add_text(
      call, "I'll help analyze this error. What have you tried so far?");
  mcp_call_set_role(call, MCP_ROLE_USER);
  mcp_call_add_text(
      call, "I've tried restarting the service, but the error persists.");
  return mcp_call_reply(call);
}

static void add_debug_error(mcp_server *server) {
  static const mcp_prompt_argument arguments[] = {
      {.name = "error", .description = "The error's text", .required = 1},
  };
  mcp_server_add_prompt(
      server,
      &(mcp_prompt){.size = sizeof(mcp_prompt),
                    .name = "debug-error",
                    .title = "Debug an error",
                    .description = "A conversation about an error",
                    .arguments = arguments,
                    .argument_count = 1,
                    .handler = on_debug_error},
      NULL);
}

void add_prompts(mcp_server *server, workbench *bench) {
  add_git_commit(server);
  add_explain_code(server);
  add_analyze_project(server, bench);
  add_debug_error(server);
}
