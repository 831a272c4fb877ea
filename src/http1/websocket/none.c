/* SPDX-License-Identifier: MIT */
/* This libmcp was built without WebSockets (MCP_WEBSOCKET). */
#include "http1/http1.h"

mcp_transport *(*const mcpi_http1_upgrade)(void *exchange,
                                           size_t max_message) = NULL;
