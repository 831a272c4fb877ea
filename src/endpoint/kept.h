/* SPDX-License-Identifier: MIT */
/* A request whose token is still being checked when its body has come: a copy
 * of all that the HTTP server has lent. */
#ifndef MCPI_ENDPOINT_KEPT_H
#define MCPI_ENDPOINT_KEPT_H

#include "core/quota.h"
#include "endpoint/exchange.h"

struct mcpi_endpoint_kept {
  mcp_allocator allocator;
  size_t size; /* of this memory */
  mcpi_share share;
  mcp_http_request request;
  char *body;
  size_t body_len;
};

/* Copies the request of the exchange, which has the copy from then on, and the
 * body. Returns 0; MCP_ERR_LIMIT: too many bytes wait already;
 * MCP_ERR_NOMEM. */
int mcpi_endpoint_keep_request(mcp_http_exchange *exchange, const char *body,
                               size_t len);
/* NULL is accepted. */
void mcpi_endpoint_kept_free(mcpi_endpoint_kept *kept);

#endif
