/* SPDX-License-Identifier: MIT */
/* Tools that change what the server offers. The server notifies each client
 * that listens. The tools undo their changes, so that lists are the same in
 * every scenario. */
#include "conformance.h"

static int on_passing_tool(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "You were quick.");
}

static int on_tool_change(mcp_call *call, void *userdata) {
  mcp_server *server = userdata;
  int rc =
      mcp_server_add_tool(server,
                          &(mcp_tool){.size = sizeof(mcp_tool),
                                      .name = "test_passing_tool",
                                      .description = "Is there for a moment",
                                      .handler = on_passing_tool},
                          NULL);
  if (rc == 0) {
    rc = mcp_server_remove_tool(server, "test_passing_tool");
  }
  return rc != 0 ? rc : mcp_call_reply_text(call, "The tools have changed.");
}

static int on_prompt_change(mcp_call *call, void *userdata) {
  mcp_server *server = userdata;
  int rc = mcp_server_add_prompt(
      server,
      &(mcp_prompt){.size = sizeof(mcp_prompt),
                    .name = "test_passing_prompt",
                    .description = "Is there for a moment",
                    .handler = on_passing_tool},
      NULL);
  if (rc == 0) {
    rc = mcp_server_remove_prompt(server, "test_passing_prompt");
  }
  return rc != 0 ? rc : mcp_call_reply_text(call, "The prompts have changed.");
}

void add_change_tools(mcp_server *server) {
  add_plain_tool(server, "test_trigger_tool_change",
                 "Adds a tool and removes it", on_tool_change);
  add_plain_tool(server, "test_trigger_prompt_change",
                 "Adds a prompt and removes it", on_prompt_change);
}
