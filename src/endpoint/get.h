/* SPDX-License-Identifier: MIT */
/* Requests of a session that bring no message. */
#ifndef MCPI_ENDPOINT_GET_H
#define MCPI_ENDPOINT_GET_H

#include "endpoint/exchange.h"

void mcpi_endpoint_on_get(mcp_http_exchange *exchange);
void mcpi_endpoint_on_delete(mcp_http_exchange *exchange);

#endif
