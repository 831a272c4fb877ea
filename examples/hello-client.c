/* SPDX-License-Identifier: MIT */
/* A complete MCP client: starts a server, lists its tools, calls one. Try it:
 *
 *     build/bin/hello-client build/bin/hello-server
 */
#include <mcp/mcp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: hello-client COMMAND [ARGUMENT]...\n");
    return 1;
  }
  mcp_error err = {0};
  mcp_result *tools = NULL;
  mcp_result *sum = NULL;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client =
      mcp_client_new(loop, "hello-client", "1.0.0", NULL, NULL);

  if (mcp_sync_connect_command(client, (const char *const *)argv + 1, &err) ==
          0 &&
      mcp_sync_list_tools(client, NULL, &tools, &err) == 0 &&
      mcp_sync_call_tool(client, "add",
                         MCP_JSON({"a": 2, "b": 3}), NULL, &sum, &err) == 0) {
    for (size_t i = 0; i < mcp_result_count(tools); i++) {
      printf("tool: %s\n",
             mcp_json_string(mcp_json_get(mcp_result_item(tools, i), "name")));
    }
    printf("2 + 3 = %s\n", mcp_result_text(sum));
  } else {
    fprintf(stderr, "hello-client: %s\n", err.message);
  }

  mcp_result_unref(sum);
  mcp_result_unref(tools);
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return err.code == 0 ? 0 : 1;
}
