/* SPDX-License-Identifier: MIT */
/* The program's structures, for languages without designated initialisers. */
#include <mcp/http_client.h>

void mcp_http_client_options_init(mcp_http_client_options *options) {
  if (options != NULL) {
    *options = (mcp_http_client_options){.size = MCP_HTTP_CLIENT_OPTIONS_INIT};
  }
}
