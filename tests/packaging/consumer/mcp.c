/* SPDX-License-Identifier: MIT */
/* A server on libmcp. */
#include <mcp/mcp.h>

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("consumer", "1.0.0");
  mcp_server_add_tool(
      server, &(mcp_tool){MCP_TOOL_INIT, .name = "add",
                          .description = "Adds two numbers",
                          .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                              MCP_NUMBER("b", "second")),
                          .handler = on_add});
  return mcp_main(server, argc, argv);
}
