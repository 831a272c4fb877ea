/* SPDX-License-Identifier: MIT */
/* This libmcp was built without WebSockets (MCP_WEBSOCKET). */
#include "http1/http1.h"

int mcpi_http1_load_websocket(mcp_error *err) {
  return mcp_error_set(
      err, MCP_ERR_UNSUPPORTED,
      "this libmcp was built without WebSockets (MCP_WEBSOCKET)");
}

mcp_transport *(*const mcpi_http1_upgrade)(void *exchange,
                                           size_t max_message) = NULL;
