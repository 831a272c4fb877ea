/* SPDX-License-Identifier: MIT */
/* An endpoint that speaks the mcp-core dialect (docs/TRANSPORTS.md): one POST
 * for each call of a tool. */
#ifndef MCPI_ENDPOINT_MCP_CORE_TOOL_POST_H
#define MCPI_ENDPOINT_MCP_CORE_TOOL_POST_H

#include "endpoint/exchange.h"

void mcpi_endpoint_on_tool(mcp_http_exchange *exchange, const char *body,
                           size_t len);

#endif
