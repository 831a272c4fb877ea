/* SPDX-License-Identifier: MIT */
/* Tools of the extension io.modelcontextprotocol/tasks (2026-07-28): some are
 * tasks from the start, some become tasks, and one never is. */
#include "conformance.h"

#include <stdio.h>
#include <time.h>

static int on_greet(mcp_call *call, void *userdata) {
  const char *name = mcp_call_string(call, "name");
  (void)userdata;
  return name == NULL ? MCP_ERR_INVALID
                      : mcp_call_reply_textf(call, "Hello, %s!", name);
}

/* Works for so many seconds, on the pool. A cancelled call ends soon. */
static void work(mcp_call *call, double seconds) {
  enum { STEP_MS = 50, STEPS_A_SECOND = 1000 / STEP_MS };
  double steps = seconds * STEPS_A_SECOND;
  for (double step = 0; step < steps && !mcp_call_is_cancelled(call); step++) {
    nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
  }
}

static int on_slow_compute(mcp_call *call, void *userdata) {
  const char *label = "something";
  (void)userdata;
  if (mcp_call_argument(call, "label") != NULL) {
    label = mcp_call_string(call, "label");
  }
  if (label == NULL) {
    return MCP_ERR_INVALID;
  }
  work(call, mcp_call_number(call, "seconds"));
  return mcp_call_reply_textf(call, "Computed %s.", label);
}

static int on_failing_job(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "The job has failed.");
}

static int on_protocol_error_job(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR,
                              "the job cannot be run", NULL);
}

static int ask_one(mcp_call *call, const char *key, const char *message,
                   const mcp_schema *form, const mcp_json **answer) {
  return mcp_call_ask_elicit(call, key,
                             &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                                                .message = message,
                                                .form = form},
                             answer);
}

static int on_confirm_delete(mcp_call *call, void *userdata) {
  const char *filename = mcp_call_string(call, "filename");
  const mcp_json *answer;
  char message[200];
  (void)userdata;
  if (filename == NULL) {
    return MCP_ERR_INVALID;
  }
  snprintf(message, sizeof(message), "Delete %s?", filename);
  int rc = ask_one(call, "confirm", message,
                   MCP_OBJECT(MCP_BOOLEAN("confirm", NULL)), &answer);
  return rc != 0 ? rc : reply_elicited(call, "Deleting", answer);
}

static int on_multi_input(mcp_call *call, void *userdata) {
  const mcp_json *name;
  const mcp_json *confirmed;
  (void)userdata;
  int rc =
      together(ask_one(call, "name", "What is your name?",
                       MCP_OBJECT(MCP_STRING("name", NULL)), &name),
               ask_one(call, "confirm", "Do you agree?",
                       MCP_OBJECT(MCP_BOOLEAN("confirm", NULL)), &confirmed));
  return rc != 0 ? rc : reply_elicited(call, "Both came", confirmed);
}

/* Asks before it becomes a task: the client answers in its next request. */
static int on_ask_then_work(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = ask_one(call, "user_name", "What is your name?",
                   MCP_OBJECT(MCP_STRING("name", NULL)), &answer);
  if (rc == 0) {
    rc = mcp_call_make_task(call);
  }
  return rc != 0 ? rc : reply_elicited(call, "Worked for you", answer);
}

static void add_task_tool(mcp_server *server, const char *name, int task,
                          const mcp_schema *input, mcp_call_cb handler) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = name,
                                  .description = "Is, or becomes, a task",
                                  .input = input,
                                  .task = task,
                                  .is_blocking = handler == on_slow_compute,
                                  .handler = handler},
                      NULL);
}

void add_task_tools(mcp_server *server) {
  mcp_server_enable_tasks(
      server,
      &(mcp_tasks_options){.size = sizeof(mcp_tasks_options), .poll_ms = 200},
      NULL);
  add_task_tool(server, "greet", MCP_TASK_FORBIDDEN,
                MCP_OBJECT(MCP_STRING("name", "Whom to greet")), on_greet);
  add_task_tool(
      server, "slow_compute", MCP_TASK_OPTIONAL,
      MCP_OBJECT(MCP_NUMBER("seconds", "How long to work"),
                 MCP_STRING("label", "What is computed", .optional = 1)),
      on_slow_compute);
  add_task_tool(server, "failing_job", MCP_TASK_REQUIRED, NULL, on_failing_job);
  add_task_tool(server, "protocol_error_job", MCP_TASK_OPTIONAL, NULL,
                on_protocol_error_job);
  add_task_tool(server, "confirm_delete", MCP_TASK_OPTIONAL,
                MCP_OBJECT(MCP_STRING("filename", "What to delete")),
                on_confirm_delete);
  add_task_tool(server, "multi_input", MCP_TASK_OPTIONAL, NULL, on_multi_input);
  add_task_tool(server, "test_tool_with_task", MCP_TASK_FORBIDDEN, NULL,
                on_ask_then_work);
}
