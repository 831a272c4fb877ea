/* SPDX-License-Identifier: MIT */
/* Requests that become WebSockets. */
#ifndef MCPI_ENDPOINT_UPGRADE_H
#define MCPI_ENDPOINT_UPGRADE_H

#include "endpoint/exchange.h"

/* Whether a request asks for a WebSocket, and the endpoint has them. */
MCP_API int mcpi_endpoint_is_upgrade(const mcp_http *http,
                                     const mcp_http_request *request);
void mcpi_endpoint_on_upgrade(mcp_http_exchange *exchange);

#endif
