/* SPDX-License-Identifier: MIT */
/* The server of hello-server.c, in C++17. */
#include <mcp/mcp.hpp>

int main(int argc, char **argv) {
  mcp::server server("calculator", "1.0.0");
  server.add_tool(
      "add", "Adds two numbers",
      mcp_object({mcp_number("a", "first"), mcp_number("b", "second")}),
      [](mcp::call call) {
        call.reply_number(call.number("a") + call.number("b"));
      });
  return server.main(argc, argv);
}
