/* SPDX-License-Identifier: MIT */
/* A client on libmcp-http, as one file. */
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>

int main(void) {
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client = mcp_client_new(loop, "consumer", "1.0.0", NULL, NULL);
  int rc = mcp_sync_connect_url(client, "http://127.0.0.1:1/mcp", NULL, &err);
  printf("client: %s: %s\n", mcp_error_name(rc), err.message);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return rc == 0;
}
