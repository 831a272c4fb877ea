/* SPDX-License-Identifier: MIT */
/* POSTs: one message or a batch. */
#ifndef MCPI_ENDPOINT_POST_H
#define MCPI_ENDPOINT_POST_H

#include "endpoint/exchange.h"

void mcpi_endpoint_on_post(mcp_http_exchange *exchange, const char *text,
                           size_t len);

#endif
