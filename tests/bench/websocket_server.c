/* SPDX-License-Identifier: MIT */
/* A server to be measured over WebSockets: the tool `add`, as hello-server has
 * it.
 *
 *     bench-websocket_server     prints where it listens, and serves until killed
 */
#include <mcp/http.h>
#include <mcp/mcp.h>
#include <stdio.h>

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

int main(void) {
  const mcp_http_options http = {.size = MCP_HTTP_OPTIONS_INIT,
                                 .wires =
                                     MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET};
  const mcp_http_listen_options options = {.size = MCP_HTTP_LISTEN_OPTIONS_INIT,
                                           .address = "127.0.0.1:0",
                                           .http = &http};
  mcp_loop *loop = mcp_loop_new(NULL);
  mcp_server *server = mcp_server_new("calculator", "1.0.0");
  mcp_server_add_tool(
      server, &(mcp_tool){MCP_TOOL_INIT, .name = "add",
                          .description = "Adds two numbers",
                          .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                              MCP_NUMBER("b", "second")),
                          .handler = on_add});
  const mcp_http_listener *listener =
      mcp_server_listen_http(server, loop, &options, NULL);
  if (listener == NULL) {
    return 1;
  }
  printf("%s\n", mcp_http_listener_url(listener));
  fflush(stdout);
  return mcp_loop_run(loop);
}
