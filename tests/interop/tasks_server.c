/* SPDX-License-Identifier: MIT */
/* A server for the tasks of other people's clients: what count_slowly of
 * workbench-server does not do. It asks its questions as tasks, if the client
 * can run them. */
#include "tools.h"

#include <mcp/mcp.h>

static int on_wait(mcp_call *call, void *userdata) {
  (void)userdata;
  return tool_wait(call, 3);
}

/* ---- questions --------------------------------------------------------- */

static int reply_unanswered(mcp_call *call, int rc) {
  return rc == MCP_ERR_UNANSWERED ? mcp_call_reply_text(call, "no answer") : rc;
}

static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  return reply_unanswered(
      call, tool_ask_age(call, MCP_OBJECT(MCP_STRING("name", "Your name"))));
}

static int on_think(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *model;
  int rc = mcp_call_ask_sample(call, "capital",
                               &(mcp_sampling){.size = sizeof(mcp_sampling),
                                               .prompt = "Capital of France?",
                                               .system_prompt = "Be brief",
                                               .max_tokens = 100},
                               &model);
  if (rc != 0) {
    return reply_unanswered(call, rc);
  }
  return mcp_call_reply_text(
      call, mcp_json_string(mcp_json_pointer(model, "/content/text")));
}

/* ------------------------------------------------------------------------ */

static void add_tools(mcp_server *server) {
  const struct {
    const char *name;
    mcp_call_cb handler;
    int task;
  } tools[] = {
      {"fail", tool_fail, MCP_TASK_OPTIONAL},
      {"refuse", tool_refuse, MCP_TASK_OPTIONAL},
      {"wait", on_wait, MCP_TASK_OPTIONAL},
      {"cancelled", tool_cancelled, MCP_TASK_FORBIDDEN},
      {"ask", on_ask, MCP_TASK_REQUIRED},
      {"think", on_think, MCP_TASK_OPTIONAL},
      {"ask_now", on_ask, MCP_TASK_FORBIDDEN},
      {"think_now", on_think, MCP_TASK_FORBIDDEN},
  };
  for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
    mcp_server_add_tool(server,
                        &(mcp_tool){.size = sizeof(mcp_tool),
                                    .name = tools[i].name,
                                    .task = tools[i].task,
                                    .handler = tools[i].handler},
                        NULL);
  }
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("tasks", "1.0.0", NULL, NULL);
  mcp_server_enable_tasks(
      server,
      &(mcp_tasks_options){
          .size = sizeof(mcp_tasks_options), .poll_ms = 200, .ask_as_tasks = 1},
      NULL);
  add_tools(server);
  return mcp_main(server, argc, argv);
}
