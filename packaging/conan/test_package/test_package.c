/* SPDX-License-Identifier: MIT */
/* A client calls the tool of a server in the same process. */
#include <mcp/mcp.h>
#include <stdio.h>

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

int main(void) {
  mcp_error err = {0};
  mcp_result *sum = NULL;
  mcp_transport *near = NULL;
  mcp_transport *far = NULL;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_server *server = mcp_server_new("adder", "1.0.0", NULL, NULL);
  mcp_client *client = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "add",
                  .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                      MCP_NUMBER("b", "second")),
                  .handler = on_add},
      NULL);
  if (mcp_memory_pair(loop, &near, &far, &err) == 0 &&
      mcp_server_connect(server, loop, far, NULL, NULL, &err) == 0 &&
      mcp_sync_connect(client, near, &err) == 0 &&
      mcp_sync_call_tool(client, "add", "{\"a\":2,\"b\":3}", NULL, &sum,
                         &err) == 0) {
    printf("libmcp %s: 2 + 3 = %s\n", mcp_version(), mcp_result_text(sum));
  } else {
    fprintf(stderr, "test_package: %s\n", err.message);
  }
  mcp_result_unref(sum);
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_server_free(server);
  mcp_loop_free(loop);
  return err.code == 0 ? 0 : 1;
}
