/* SPDX-License-Identifier: MIT */
/* Shows the program its messages. */
#ifndef MCPI_ENDPOINT_TRACE_H
#define MCPI_ENDPOINT_TRACE_H

#include "endpoint/exchange.h"

/* Shows the program's on_trace a message that has come, or that the exchange is
 * about to send. Returns 1; 0: the program has ended the exchange there, by
 * freeing the endpoint or its listener. */
int mcpi_endpoint_trace(mcp_http_exchange *exchange, int is_sent,
                        mcpi_str message);

#endif
