/* SPDX-License-Identifier: MIT */
/* The server of hello-server.c, in C++17. */
#include <iostream>
#include <mcp/mcp.hpp>

int main(int argc, char **argv) try {
  mcp::server server("calculator", "1.0.0");
  server.add_tool(
      "add", "Adds two numbers",
      mcp_object({mcp_number("a", "first"), mcp_number("b", "second")}),
      [](mcp::call call) {
        call.reply_number(call.number("a") + call.number("b"));
      });
  return server.main(argc, argv);
} catch (const std::exception &why) {
  std::cerr << "hello-server-cpp: " << why.what() << '\n';
  return 1;
}
