/* SPDX-License-Identifier: MIT */
/* A complete MCP server with one tool. Try it:
 *
 *     build/bin/mcpctl call add a:=2 b:=3 -- build/bin/hello-server
 */
#include <mcp/mcp.h>

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("calculator", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "add",
                  .description = "Adds two numbers",
                  .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                      MCP_NUMBER("b", "second")),
                  .handler = on_add},
      NULL);
  return mcp_main(server, argc, argv);
}
