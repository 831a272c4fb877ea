/* SPDX-License-Identifier: MIT */
/* This libmcp was built without plain POSTs (MCP_PLAIN_POST). */
#include <mcp/http_client.h>

mcp_transport *mcp_transport_post(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  (void)loop;
  (void)url;
  (void)options;
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "this libmcp was built without plain POSTs (MCP_PLAIN_POST)");
  return NULL;
}
