/* SPDX-License-Identifier: MIT */
/* usage: tasks-client ERA TOOL ARGUMENTS ANSWER TEXT COMMAND [ARGUMENT]...
 *        tasks-client ERA TOOL ARGUMENTS ANSWER TEXT URL | unix:PATH
 *
 * A client for the tasks of other people's servers: what mcpctl does not do.
 * Calls of TOOL with ARGUMENTS are tasks, which ask for ANSWER (both JSON) and
 * give a result with TEXT in it. Prints a line for each test. */
#include "report.h"

#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT_S = 20, ID_SIZE = 200 };

typedef struct tasks_client {
  mcp_client *client;
  mcp_loop *loop;
  const char *tool;
  const char *arguments;
  const char *answer;
  const char *text;
  int is_modern;
  int withdraws; /* the server has a tool that does */
  mcp_question *kept;
  char id[ID_SIZE]; /* of the task that was cancelled */
  int questions;
  int messages; /* about the status of a task that is followed */
  int status;   /* of the last call that is done; 1: it is not */
  int errors;
} tasks_client;

/* ---- callbacks --------------------------------------------------------- */

static void on_elicit(mcp_question *question, void *userdata) {
  tasks_client *me = userdata;
  const mcp_json *params = mcp_question_params(question);
  const char *message = mcp_json_string(mcp_json_get(params, "message"));
  me->questions++;
  if (message != NULL && strcmp(message, "Never mind") == 0) {
    me->kept = question;
  } else {
    mcp_question_accept(question, me->answer, NULL);
  }
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  tasks_client *me = userdata;
  (void)client;
  me->errors++;
  fprintf(stderr, "tasks-client: %s\n", err->message);
}

static void on_status(mcp_client *client, double progress, double total,
                      const char *message, void *userdata) {
  tasks_client *me = userdata;
  (void)client;
  me->messages += message != NULL && progress == 0 && total == 0;
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  tasks_client *me = userdata;
  (void)client;
  me->status = outcome->status;
}

static int is_in_time(time_t since) {
  return time(NULL) - since < LIMIT_S;
}

/* ---- asking ------------------------------------------------------------ */

/* Returns the status of the task; "" if the result is not about a task. */
static const char *status_of(const mcp_result *result) {
  const char *status = mcp_result_task_status(result);
  return status != NULL ? status : "";
}

static int is_running(const char *status) {
  return strcmp(status, "working") == 0 ||
         strcmp(status, "input_required") == 0;
}

static const char *text_of(const mcp_result *result) {
  const char *text = mcp_result_text(result);
  return text != NULL ? text : "";
}

static int has_text(const tasks_client *me, const mcp_result *result) {
  return strstr(text_of(result), me->text) != NULL;
}

static int start(tasks_client *me, mcp_result **out, mcp_error *err) {
  return mcp_sync_start_task(me->client, me->tool, me->arguments, NULL, out,
                             err);
}

/* Waits until the task has another status than those of a task that runs. */
static int wait_for_end(tasks_client *me, char *status, size_t size,
                        mcp_error *err) {
  const time_t since = time(NULL);
  int rc = 0;
  do {
    mcp_result *result = NULL;
    rc = mcp_sync_get_task(me->client, me->id, NULL, &result, err);
    snprintf(status, size, "%s", status_of(result));
    mcp_result_unref(result);
    mcp_loop_wait(me->loop, 50);
  } while (rc == 0 && is_running(status) && is_in_time(since));
  return rc;
}

/* How many tasks of the list have this status, and whether one has this id. */
static int list(tasks_client *me, const char *status, int *has_id,
                mcp_error *err) {
  mcp_result *result = NULL;
  int count = mcp_sync_list_tasks(me->client, NULL, &result, err);
  *has_id = 0;
  if (count == 0) {
    for (size_t i = 0; i < mcp_result_count(result); i++) {
      const mcp_json *task = mcp_result_item(result, i);
      const char *found = mcp_json_string(mcp_json_get(task, "status"));
      const char *id = mcp_json_string(mcp_json_get(task, "taskId"));
      count += found != NULL && strcmp(found, status) == 0;
      *has_id |= id != NULL && strcmp(id, me->id) == 0;
    }
  }
  mcp_result_unref(result);
  return count;
}

/* ---- tests ------------------------------------------------------------- */

static void test_start(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *made = NULL;
  mcp_result *got = NULL;
  int rc = start(me, &made, &err);
  const char *id = rc == 0 ? mcp_result_task_id(made) : NULL;
  report("starting a task", id != NULL && is_running(status_of(made)),
         "%s; id '%s', status '%s'", err.message, id != NULL ? id : "none",
         status_of(made));
  snprintf(me->id, sizeof(me->id), "%s", id != NULL ? id : "none");
  rc = mcp_sync_get_task(me->client, me->id, NULL, &got, &err);
  id = rc == 0 ? mcp_result_task_id(got) : NULL;
  report("asking for it",
         id != NULL && strcmp(id, me->id) == 0 && is_running(status_of(got)),
         "%s; status '%s'", err.message, status_of(got));
  mcp_result_unref(made);
  mcp_result_unref(got);
}

static void test_list(tasks_client *me) {
  mcp_error err = {0};
  int has_id;
  int count = list(me, "cancelled", &has_id, &err);
  if (me->is_modern) {
    report("there is no list", count == MCP_ERR_UNSUPPORTED, "%s", err.message);
  } else {
    report("the list has it", count == 0 && has_id, "%s; %d are cancelled",
           err.message, count);
  }
}

/* In 2026-07-28 a server may cancel later than it answers. */
static void test_cancel(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  char status[32] = "";
  int rc = mcp_sync_cancel_task(me->client, me->id, NULL, &result, &err);
  report("cancelling it",
         rc == 0 &&
             (me->is_modern || strcmp(status_of(result), "cancelled") == 0),
         "%s; status '%s'", err.message, status_of(result));
  mcp_result_unref(result);
  rc = wait_for_end(me, status, sizeof(status), &err);
  report("it is cancelled", rc == 0 && strcmp(status, "cancelled") == 0,
         "%s; status '%s'", err.message, status);
  rc = mcp_sync_wait_task(me->client, me->id, me->tool, NULL, NULL, &err);
  report("it has no result", rc == MCP_ERR_CANCELLED, "%s: %s",
         mcp_error_name(rc), err.message);
  rc = mcp_sync_cancel_task(me->client, me->id, NULL, NULL, &err);
  report("cancelling it again", rc == (me->is_modern ? 0 : MCP_ERR_REMOTE),
         "%s: %s", mcp_error_name(rc), err.message);
}

static void test_unknown(tasks_client *me) {
  mcp_error err = {0};
  int rc = mcp_sync_get_task(me->client, "nobody", NULL, NULL, &err);
  report("an unknown id", rc == MCP_ERR_REMOTE, "%s: %s", mcp_error_name(rc),
         err.message);
}

static void test_wait(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *made = NULL;
  mcp_result *result = NULL;
  mcp_result *got = NULL;
  int rc = start(me, &made, &err);
  const char *id = rc == 0 ? mcp_result_task_id(made) : NULL;
  me->questions = 0;
  if (id != NULL) {
    rc = mcp_sync_wait_task(me->client, id, me->tool, NULL, &result, &err);
  }
  report("waiting for a task by its id",
         id != NULL && rc == 0 && has_text(me, result) && me->questions == 1,
         "%s: %s; asked %d times, '%s'", mcp_error_name(rc), err.message,
         me->questions, text_of(result));
  if (id != NULL) {
    rc = mcp_sync_get_task(me->client, id, NULL, &got, &err);
    report("it is completed",
           rc == 0 && strcmp(status_of(got), "completed") == 0,
           "%s; status '%s'", err.message, status_of(got));
  }
  mcp_result_unref(made);
  mcp_result_unref(result);
  mcp_result_unref(got);
}

static void test_follow(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_status,
                                       .progress_userdata = me};
  me->questions = 0;
  me->messages = 0;
  int rc = mcp_sync_call_tool(me->client, me->tool, me->arguments, &options,
                              &result, &err);
  report("a call that follows its task",
         rc == 0 && has_text(me, result) && me->questions == 1 &&
             me->messages > 0,
         "%s: %s; asked %d times, %d status messages, '%s'", mcp_error_name(rc),
         err.message, me->questions, me->messages, text_of(result));
  mcp_result_unref(result);
}

/* The server has one more task that is cancelled. */
static int is_listed_cancelled(tasks_client *me, mcp_error *err) {
  const time_t since = time(NULL);
  int has_id;
  int count;
  do {
    count = list(me, "cancelled", &has_id, err);
    mcp_loop_wait(me->loop, 50);
  } while (count >= 0 && count != 2 && is_in_time(since));
  return count == 2;
}

static void test_leave(tasks_client *me) {
  mcp_error err = {0};
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_status,
                                       .progress_userdata = me,
                                       .request = &number};
  const time_t since = time(NULL);
  me->status = 1;
  me->messages = 0;
  mcp_client_call_tool(me->client, me->tool, me->arguments, &options, on_done,
                       me, NULL);
  while (me->messages == 0 && is_in_time(since)) {
    mcp_loop_wait(me->loop, 100);
  }
  mcp_client_cancel(me->client, number, NULL);
  while (me->status == 1 && is_in_time(since)) {
    mcp_loop_wait(me->loop, 100);
  }
  report("cancelling a call that follows its task",
         me->messages > 0 && me->status == MCP_ERR_CANCELLED,
         "%s; %d status messages", mcp_error_name(me->status), me->messages);
  if (!me->is_modern) {
    int is_good = is_listed_cancelled(me, &err);
    report("its task is cancelled, too", is_good, "%s", err.message);
  }
}

/* The server asks by a task of the client, and cancels it. */
static void test_withdraw(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  int rc =
      mcp_sync_call_tool(me->client, "withdraw", NULL, NULL, &result, &err);
  const char *text = rc == 0 ? mcp_result_text(result) : err.message;
  report("a question that the server takes back",
         rc == 0 && me->kept != NULL && mcp_question_is_cancelled(me->kept) &&
             strcmp(text, "true, cancelled, cancelled, -32602") == 0,
         "%s; asked %d times", text, me->kept != NULL);
  if (me->kept != NULL) {
    mcp_question_decline(me->kept);
  }
  mcp_result_unref(result);
}

/* ------------------------------------------------------------------------ */

static int connect_to(tasks_client *me, char **target, mcp_error *err) {
  if (strncmp(target[0], "unix:", 5) == 0) {
    return mcp_sync_connect(
        me->client, mcp_transport_socket(me->loop, target[0], NULL, err), err);
  }
  if (strstr(target[0], "://") == NULL) {
    return mcp_sync_connect_command(me->client, (const char *const *)target,
                                    err);
  }
  return mcp_sync_connect_url(me->client, target[0], NULL, err);
}

/* The client must know which tools require tasks. */
static int test_tools(tasks_client *me) {
  mcp_error err = {0};
  mcp_result *result = NULL;
  int rc = mcp_sync_list_tools(me->client, NULL, &result, &err);
  report("listing the tools", rc == 0, "%s", err.message);
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const mcp_json *tool = mcp_result_item(result, i);
    const char *name = mcp_json_string(mcp_json_get(tool, "name"));
    me->withdraws |= name != NULL && strcmp(name, "withdraw") == 0;
  }
  mcp_result_unref(result);
  return rc;
}

static int test_connect(tasks_client *me, const char *era, char **target) {
  mcp_error err = {0};
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = strcmp(era, "modern") == 0
                                                    ? MCP_POLICY_MODERN
                                                    : MCP_POLICY_LEGACY,
                                      .userdata = me,
                                      .on_elicit = on_elicit,
                                      .on_error = on_error,
                                      .use_tasks = 1};
  me->client =
      mcp_client_new(me->loop, "tasks-client", "1.0.0", &options, &err);
  int rc = me->client != NULL ? 0 : err.code;
  if (rc == 0) {
    rc = connect_to(me, target, &err);
  }
  report("connecting", rc == 0, "%s", err.message);
  return rc;
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: tasks-client ERA TOOL ARGUMENTS ANSWER TEXT "
                    "COMMAND [ARGUMENT]...\n");
    return 1;
  }
  tasks_client me = {.tool = argv[2],
                     .arguments = argv[3],
                     .answer = argv[4],
                     .text = argv[5],
                     .is_modern = strcmp(argv[1], "modern") == 0};
  me.loop = mcp_loop_new(NULL, NULL);
  if (test_connect(&me, argv[1], argv + 6) == 0 && test_tools(&me) == 0) {
    test_start(&me);
    test_list(&me);
    test_cancel(&me);
    test_unknown(&me);
    test_wait(&me);
    test_follow(&me);
    test_leave(&me);
    if (me.withdraws) {
      test_withdraw(&me);
    }
    mcp_sync_close(me.client);
    report("no message of the server's was refused", me.errors == 0,
           "%d errors", me.errors);
  }
  mcp_client_free(me.client);
  mcp_loop_free(me.loop);
  return report_status();
}
