/* SPDX-License-Identifier: MIT */
/* Headers that mirror the body (MCP 2026-07-28, Streamable HTTP: Request
 * Metadata). */
#ifndef MCPI_ENDPOINT_MIRROR_H
#define MCPI_ENDPOINT_MIRROR_H

#include "endpoint/exchange.h"
#include "server/dispatch.h"

/* Whether the headers agree with the body (MCP 2026-07-28, Streamable HTTP:
 * Server Validation). `version`: the version that the body names. If the server
 * does not serve it, checks only the headers that every modern version has. A
 * difference in the others must not hide the answer that names the versions
 * that are served. Returns 1; or 0, and err has the reason: MCP_ERR_PROTOCOL,
 * or another code if the check itself failed. */
int mcpi_endpoint_headers_agree(const mcp_http_exchange *exchange,
                                const mcpi_incoming *in, mcpi_str version,
                                mcp_error *err);

#endif
