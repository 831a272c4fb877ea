/* SPDX-License-Identifier: MIT */
/* Structures set up for languages without designated initialisers. */
#include <mcp/client.h>

void mcp_client_options_init(mcp_client_options *options) {
  if (options != NULL) {
    *options = (mcp_client_options){.size = MCP_CLIENT_OPTIONS_INIT};
  }
}

void mcp_request_options_init(mcp_request_options *options) {
  if (options != NULL) {
    *options = (mcp_request_options){.size = MCP_REQUEST_OPTIONS_INIT};
  }
}

void mcp_listen_init(mcp_listen *listen) {
  if (listen != NULL) {
    *listen = (mcp_listen){.size = MCP_LISTEN_INIT};
  }
}
