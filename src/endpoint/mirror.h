/* SPDX-License-Identifier: MIT */
/* Headers that mirror the body (PROTOCOL 3.5). */
#ifndef MCPI_ENDPOINT_MIRROR_H
#define MCPI_ENDPOINT_MIRROR_H

#include "endpoint/exchange.h"
#include "server/dispatch.h"

/* Whether the headers say what the body says (PROTOCOL 3.5). Of a version that
 * is not served only what every version has is looked at: the client is to
 * learn which are. `version`: the one that the body names. 1, or 0 and why:
 * MCP_ERR_PROTOCOL, or another code when that could not be found out. */
int mcpi_http_check_headers(const mcp_http_exchange *exchange,
                            const mcpi_incoming *in, mcpi_str version,
                            mcp_error *err);

#endif
