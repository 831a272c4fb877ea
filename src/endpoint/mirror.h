/* SPDX-License-Identifier: MIT */
/* Headers that mirror the body (MCP 2026-07-28, Streamable HTTP: Request
 * Metadata). */
#ifndef MCPI_ENDPOINT_MIRROR_H
#define MCPI_ENDPOINT_MIRROR_H

#include "endpoint/exchange.h"
#include "server/dispatch.h"

/* Whether the headers agree with the body (MCP 2026-07-28, Streamable HTTP:
 * Server Validation). For a version that is not served, this checks only
 * headers that every version has: the client must learn which versions are
 * served. `version`: the one that the body names. Returns 1; or 0 and why:
 * MCP_ERR_PROTOCOL, or another code if the check itself failed. */
int mcpi_endpoint_headers_agree(const mcp_http_exchange *exchange,
                                const mcpi_incoming *in, mcpi_str version,
                                mcp_error *err);

#endif
