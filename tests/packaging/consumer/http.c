/* SPDX-License-Identifier: MIT */
/* A client on libmcp-http: calls `add` of the server at the URL. */
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  mcp_error err = {0};
  mcp_result *sum = NULL;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client = mcp_client_new(loop, "consumer", "1.0.0", NULL, NULL);
  if (argc > 1 && mcp_sync_connect_url(client, argv[1], NULL, &err) == 0 &&
      mcp_sync_call_tool(client, "add", "{\"a\":2,\"b\":3}", NULL, &sum,
                         &err) == 0) {
    printf("2 + 3 = %s\n", mcp_result_text(sum));
  } else {
    fprintf(stderr, "http: %s\n", err.message);
  }
  mcp_result_unref(sum);
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return err.code == 0 ? 0 : 1;
}
