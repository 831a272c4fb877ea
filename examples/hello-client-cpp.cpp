/* SPDX-License-Identifier: MIT */
/* The client of hello-client.c, in C++17. It also answers questions of the
 * server's, and shows progress. Try it:
 *
 *     build/bin/hello-client-cpp build/bin/hello-server
 */
#include <iostream>
#include <mcp/mcp.hpp>

int main(int argc, char **argv) try {
  if (argc < 2) {
    std::cerr << "usage: hello-client-cpp COMMAND [ARGUMENT]...\n";
    return 1;
  }
  mcp::client_hooks hooks;
  hooks.on_elicit = [](mcp::question question) {
    std::cout << question.params()["message"].string() << '\n';
    question.decline();
  };
  mcp::request_options options;
  options.progress = [](double done, double, std::string_view message) {
    std::cout << "progress: " << done << ' ' << message << '\n';
  };

  mcp::loop loop;
  mcp::client client(loop, "hello-client-cpp", "1.0.0", {}, std::move(hooks));
  client.connect_command({argv + 1, argv + argc});
  for (mcp::json tool : client.list_tools()) {
    std::cout << "tool: " << tool["name"].string() << '\n';
  }
  mcp::result sum =
      client.call_tool("add", MCP_JSON({"a": 2, "b": 3}), options);
  std::cout << "2 + 3 = " << sum.text() << '\n';
  client.close();
  return 0;
} catch (const std::exception &why) {
  std::cerr << "hello-client-cpp: " << why.what() << '\n';
  return 1;
}
