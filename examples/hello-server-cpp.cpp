/* SPDX-License-Identifier: MIT */
/* The server of hello-server.c, in C++17. */
#include <mcp/mcp.h>

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("calculator", "1.0.0", NULL, NULL);

  mcp_object input({mcp_number("a", "first"), mcp_number("b", "second")});
  mcp_tool add = MCP_TOOL_INIT;
  add.name = "add";
  add.description = "Adds two numbers";
  add.input = input;
  add.handler = [](mcp_call *call, void *) {
    return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                           mcp_call_number(call, "b"));
  };
  mcp_server_add_tool(server, &add, NULL);
  return mcp_main(server, argc, argv);
}
