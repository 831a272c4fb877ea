/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the mcp-core dialect (MCP_CORE_DIALECT). */
#include "endpoint/mcp_core/tool_post.h"

/* Never called: mcpi_dialect_check refuses the endpoint's option. */
void mcpi_endpoint_on_tool(mcp_http_exchange *exchange, const char *body,
                           size_t len) {
  (void)body;
  (void)len;
  mcpi_endpoint_respond(exchange, 500, NULL, mcpi_str_z(NULL), NULL, 0);
}
