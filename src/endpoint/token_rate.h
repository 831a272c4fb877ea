/* SPDX-License-Identifier: MIT */
/* Limits how many invalid tokens a client sends in a second, because it may be
 * guessing (mcp_protect_options.max_checks). */
#ifndef MCPI_ENDPOINT_TOKEN_RATE_H
#define MCPI_ENDPOINT_TOKEN_RATE_H

#include "endpoint/exchange.h"

/* Whether the client is below its limit. */
int mcpi_endpoint_may_send_tokens(const mcp_http_exchange *exchange);
/* Counts an invalid token, also beyond the limit. */
void mcpi_endpoint_count_invalid_token(const mcp_http_exchange *exchange);

#endif
