/* SPDX-License-Identifier: MIT */
/* A client for a server that supports only a POST and its answer, and no other
 * part of Streamable HTTP. Lists the server's tools and calls one. Try it:
 *
 *     build/bin/hello-server --http 127.0.0.1:8080 --legacy plain
 *     build/bin/plain-client http://127.0.0.1:8080/mcp add '{"a":2,"b":3}'
 */
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>

static int connect_plainly(mcp_client *client, const char *url,
                           mcp_error *err) {
  mcp_transport *transport =
      mcp_transport_post(mcp_client_loop(client), url, NULL, err);
  return transport != NULL ? mcp_sync_connect(client, transport, err)
                           : err->code;
}

static int use(mcp_client *client, const char *name, const char *arguments,
               mcp_error *err) {
  mcp_result *tools = NULL;
  mcp_result *result = NULL;
  int rc = mcp_sync_list_tools(client, NULL, &tools, err);
  for (size_t i = 0; rc == 0 && i < mcp_result_count(tools); i++) {
    printf("tool: %s\n",
           mcp_json_string(mcp_json_get(mcp_result_item(tools, i), "name")));
  }
  if (rc == 0) {
    rc = mcp_sync_call_tool(client, name, arguments, NULL, &result, err);
  }
  if (rc == 0) {
    printf("%s\n", mcp_result_text(result));
  }
  mcp_result_unref(result);
  mcp_result_unref(tools);
  return rc;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: plain-client URL TOOL [ARGUMENTS]\n");
    return 1;
  }
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  /* Such servers are of the legacy era, so the client sends no probe. */
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = MCP_POLICY_LEGACY};
  mcp_client *client =
      mcp_client_new(loop, "plain-client", "1.0.0", &options, NULL);
  int rc = connect_plainly(client, argv[1], &err);
  if (rc == 0) {
    rc = use(client, argv[2], argc > 3 ? argv[3] : NULL, &err);
  }
  if (rc != 0) {
    fprintf(stderr, "plain-client: %s\n", err.message);
  }
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return rc == 0 ? 0 : 1;
}
