// SPDX-License-Identifier: MIT
// The C++ headers in a program that links libmcp-core only: a server and a
// client on a manual loop.
#include "unit/cpp/kit.hpp"

TEST(a_call_on_a_manual_loop) {
  mcp::loop loop = mcp::loop::manual();
  mcp::server server("s", "1");
  server.add_tool("add", "Adds",
                  mcp_object({mcp_number("a", ""), mcp_number("b", "")}),
                  [](mcp::call call) {
                    call.reply_number(call.number("a") + call.number("b"));
                  });
  auto [a, b] = mcp::transport::memory_pair(loop);
  server.connect(loop, std::move(a));
  mcp::client client(loop, "c", "1");
  std::string sum;
  client.async_connect(std::move(b), [&](mcp::outcome connected) {
    connected.result();
    client.async_call_tool("add", MCP_JSON({"a": 2, "b": 3}),
                                           [&](mcp::outcome added) {
                                             sum = added.result().text();
                                           });
  });
  for (int64_t now = 0; sum.empty(); now++) {
    assert_true(now < 1000);
    loop.advance(now, now);
  }
  assert_text(sum, "5");
}

TEST(a_blocking_handler_that_never_ran_ends_with_its_server) {
  int freed = 0;
  {
    mcp::loop loop = mcp::loop::manual();
    {
      mcp::server server("s", "1");
      mcp_tool tool = MCP_TOOL_INIT;
      tool.name = "block";
      tool.is_blocking = 1;
      server.add_tool(tool, [w = witness(&freed)](mcp::call) {});
      auto [a, b] = mcp::transport::memory_pair(loop);
      server.connect(loop, std::move(a));
      mcp::client client(loop, "c", "1");
      int status = 0;
      client.async_connect(std::move(b), [&](mcp::outcome) {
        client.async_call_tool("block", nullptr, [&](mcp::outcome ended) {
          status = ended.error().code();
        });
      });
      int64_t now = 0;
      while (status == 0) {
        assert_true(now < 1000);
        loop.advance(now, now);
        now++;
      }
      // This platform has no threads.
      assert_int_equal(status, MCP_ERR_REMOTE);
      assert_int_equal(freed, 0);
    }
    assert_int_equal(freed, 1);
    loop.advance(1000, 1000);
  }
  assert_int_equal(freed, 1);
}
