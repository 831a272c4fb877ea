/* SPDX-License-Identifier: MIT */
/* From an HTTP request to what answers it. */
#ifndef MCPI_ENDPOINT_ROUTE_H
#define MCPI_ENDPOINT_ROUTE_H

#include "endpoint/exchange.h"

/* Answers 405, with the methods that are served. */
void mcpi_endpoint_refuse_method(mcp_http_exchange *exchange);
/* Refuses a GET that does not accept a stream of events, the only answer.
 * Returns 1; 0: it has been refused. */
int mcpi_endpoint_admit_events(mcp_http_exchange *exchange);

#endif
