/* SPDX-License-Identifier: MIT */
/* Structures set up for languages without designated initialisers. */
#include <mcp/main.h>
#include <mcp/socket.h>

void mcp_loop_options_init(mcp_loop_options *options) {
  if (options != NULL) {
    *options = (mcp_loop_options){.size = MCP_LOOP_OPTIONS_INIT};
  }
}

void mcp_stream_options_init(mcp_stream_options *options) {
  if (options != NULL) {
    *options = (mcp_stream_options){.size = MCP_STREAM_OPTIONS_INIT};
  }
}

void mcp_process_options_init(mcp_process_options *options) {
  if (options != NULL) {
    *options = (mcp_process_options){.size = MCP_PROCESS_OPTIONS_INIT};
  }
}

void mcp_main_options_init(mcp_main_options *options) {
  if (options != NULL) {
    *options = (mcp_main_options){.size = MCP_MAIN_OPTIONS_INIT};
  }
}

void mcp_socket_options_init(mcp_socket_options *options) {
  if (options != NULL) {
    *options = (mcp_socket_options){.size = MCP_SOCKET_OPTIONS_INIT};
  }
}

void mcp_socket_listen_options_init(mcp_socket_listen_options *options) {
  if (options != NULL) {
    *options =
        (mcp_socket_listen_options){.size = MCP_SOCKET_LISTEN_OPTIONS_INIT};
  }
}
