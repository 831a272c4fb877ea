/* SPDX-License-Identifier: MIT */
/* Calls that become tasks. The library follows a task to its end; `call
 * --detach` leaves it to a later `task ID`. */
#include "task.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/list.h"
#include "common/report.h"
#include "common/text.h"
#include "connection/session.h"
#include "show/show.h"

#include <mcp/tasks.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- call -------------------------------------------------------------- */

int ctl_call_start(ctl_session *session, const mcp_request_options *options) {
  const char *name = session->options->args[0];
  if (session->options->is_detached) {
    return mcp_client_start_task(session->client, name, session->arguments,
                                 options, ctl_session_done, session,
                                 &session->error);
  }
  return mcp_client_call_tool(session->client, name, session->arguments,
                              options, ctl_session_done, session,
                              &session->error);
}

/* The task that `call` leaves; NULL: there is none. */
static const char *detached_id(const ctl_session *session) {
  return session->options->is_detached ? mcp_result_task_id(session->result)
                                       : NULL;
}

/* A command ends with mcpctl, and its tasks may end with it. */
int ctl_call_follow(ctl_session *session) {
  if (session->options->command != NULL && !session->is_kept &&
      detached_id(session) != NULL) {
    ctl_report(0, "the server ends now: a later run finds this task only if "
                  "the server keeps tasks in a file or a database; otherwise "
                  "use a server at a URL or a socket");
  }
  return 0;
}

int ctl_call_show(ctl_session *session, const mcp_result *result) {
  const char *id = detached_id(session);
  if (id == NULL) {
    return ctl_show_call(session, result);
  }
  ctl_text_put_line(stdout, id, SIZE_MAX);
  fputc('\n', stdout);
  return CTL_OK;
}

/* ---- servers without tasks --------------------------------------------- */

static int server_has_tasks(const ctl_session *session) {
  const mcp_json *can = mcp_client_server_capabilities(session->client);
  const mcp_json *extensions = mcp_json_get(can, "extensions");
  return mcp_json_get(can, "tasks") != NULL ||
         mcp_json_get(extensions, MCP_TASKS_EXTENSION) != NULL;
}

static int explain_no_tasks(ctl_session *session) {
  return mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                       "the server has no tasks in revision %s: call its tools "
                       "without --detach, which waits for their results",
                       mcp_client_revision(session->client));
}

/* ---- tasks ------------------------------------------------------------- */

int ctl_tasks_start(ctl_session *session, const mcp_request_options *options) {
  return mcp_client_list_tasks(session->client, options, ctl_session_done,
                               session, &session->error);
}

/* A server may list tasks only if it can tell clients apart. */
int ctl_tasks_explain(ctl_session *session) {
  const char *revision = mcp_client_revision(session->client);
  if (!server_has_tasks(session)) {
    return explain_no_tasks(session);
  }
  if (mcp_revision_era(revision) == MCP_ERA_MODERN) {
    return mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                         "revision %s has no list of tasks: keep the ids that "
                         "call --detach prints",
                         revision);
  }
  return mcp_error_set(&session->error, MCP_ERR_UNSUPPORTED,
                       "the server does not list tasks for a client that it "
                       "cannot tell from others: log in if it has logins, or "
                       "keep the ids that call --detach prints");
}

int ctl_tasks_show(ctl_session *session, const mcp_result *result) {
  static const ctl_column columns[] = {
      {"ID", "taskId", NULL, CTL_CUT_TEXT},
      {"STATUS", "status", NULL, CTL_CUT_TEXT},
      {"CREATED", "createdAt", NULL, CTL_CUT_TEXT},
      {"MESSAGE", "statusMessage", NULL, CTL_CUT_TEXT}};
  (void)session;
  return ctl_list_print(result, "tasks", columns, 4);
}

/* ---- task -------------------------------------------------------------- */

static int start_get(ctl_session *session, const mcp_request_options *options) {
  return mcp_client_get_task(session->client, session->options->args[0],
                             options, ctl_session_done, session,
                             &session->error);
}

static int start_wait(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_wait_task(session->client, session->options->args[0], NULL,
                              options, ctl_session_done, session,
                              &session->error);
}

static int start_cancel(ctl_session *session,
                        const mcp_request_options *options) {
  return mcp_client_cancel_task(session->client, session->options->args[0],
                                options, ctl_session_done, session,
                                &session->error);
}

/* --answer has the answers (ask.h). */
static int start_answer(ctl_session *session,
                        const mcp_request_options *options) {
  const char *revision = mcp_client_revision(session->client);
  if (server_has_tasks(session) &&
      mcp_revision_era(revision) != MCP_ERA_MODERN) {
    return mcp_error_set(&session->error, MCP_ERR_INVALID,
                         "--answer without --wait does not work in revision "
                         "%s, where a task takes answers only while a client "
                         "waits for it: add --wait",
                         revision);
  }
  return mcp_client_answer_task(session->client, session->options->args[0],
                                NULL, options, ctl_session_done, session,
                                &session->error);
}

int ctl_task_start(ctl_session *session, const mcp_request_options *options) {
  const ctl_options *given = session->options;
  if (given->is_waiting) {
    return start_wait(session, options);
  }
  if (given->is_cancelling) {
    return start_cancel(session, options);
  }
  if (given->answers[0] != NULL) {
    return start_answer(session, options);
  }
  return start_get(session, options);
}

int ctl_task_explain(ctl_session *session) {
  return server_has_tasks(session) ? session->status
                                   : explain_no_tasks(session);
}

/* The answer to a cancellation, or to answers, may not say what the task is
 * now. */
int ctl_task_follow(ctl_session *session) {
  int is_known = session->options->is_waiting ||
                 mcp_result_task_status(session->result) != NULL;
  return is_known ? 0 : ctl_session_request(session, start_get);
}

static void show_questions(const mcp_json *task) {
  mcp_json_iter iter;
  const mcp_json *question;
  mcp_json_iter_init(&iter, mcp_json_get(task, "inputRequests"));
  while ((question = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *message =
        ctl_json_member(mcp_json_get(question, "params"), "message");
    ctl_show_field("Asks", message != NULL
                               ? message
                               : ctl_json_member(question, "method"));
  }
}

/* --wait prints the result itself. In 2025-11-25 it also gets the error of a
 * task that has failed, which the status has in 2026-07-28. */
static void show_end(const char *id, const char *status, const mcp_json *task) {
  const char *error = ctl_json_member(mcp_json_get(task, "error"), "message");
  ctl_show_field("Error", error);
  if (strcmp(status, "completed") == 0) {
    ctl_report(0, "task %s --wait prints the result", id);
  } else if (strcmp(status, "failed") == 0 && error == NULL) {
    ctl_report(0, "task %s --wait shows why it failed", id);
  }
}

int ctl_task_show(ctl_session *session, const mcp_result *result) {
  const mcp_json *task = mcp_result_json(result);
  const char *status = mcp_result_task_status(result);
  if (session->options->is_waiting) {
    return ctl_show_call(session, result);
  }
  ctl_show_field("Task", mcp_result_task_id(result));
  ctl_show_field("Status", status);
  ctl_show_field("Message", ctl_json_member(task, "statusMessage"));
  ctl_show_field("Created", ctl_json_member(task, "createdAt"));
  ctl_show_field("Updated", ctl_json_member(task, "lastUpdatedAt"));
  show_questions(task);
  if (status != NULL) { /* it may have a NUL */
    show_end(session->options->args[0], status, task);
  }
  return CTL_OK;
}
