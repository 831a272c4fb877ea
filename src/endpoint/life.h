/* SPDX-License-Identifier: MIT */
/* The life of an endpoint. mcp/http.h declares its beginning and its end. */
#ifndef MCPI_ENDPOINT_LIFE_H
#define MCPI_ENDPOINT_LIFE_H

#include <mcp/http.h>

/* Takes no new requests, and lets the present ones end. Streams, listens and
 * channels, which do not end by themselves, end when their calls have ended. */
MCP_API void mcpi_endpoint_drain(mcp_http *http);

#endif
