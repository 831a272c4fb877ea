/* SPDX-License-Identifier: MIT */
/* Finds seats among the sessions of an endpoint. */
#ifndef MCPI_ENDPOINT_EVICT_H
#define MCPI_ENDPOINT_EVICT_H

#include "endpoint/exchange.h"
#include "endpoint/seat.h"

/* Takes a seat for the sender of a request. If none is free, it takes the seat
 * of a session that never had a second request. Returns 0; MCP_ERR_LIMIT,
 * MCP_ERR_CLOSED (the server is shutting down) or MCP_ERR_NOMEM, with err. */
int mcpi_endpoint_find_seat(mcp_http_exchange *exchange,
                            mcpi_endpoint_seat *seat, mcp_error *err);

#endif
