/* SPDX-License-Identifier: MIT */
/* Endpoints that demand access tokens (mcp/protect.h): the check of a request's
 * token, and what clients learn about it (MCP, Authorization; RFC 9728). */
#ifndef MCPI_ENDPOINT_PROTECT_H
#define MCPI_ENDPOINT_PROTECT_H

#include "endpoint/exchange.h"
#include "server/caller.h"

/* Makes the verifier of an endpoint, of the program's options in
 * http->options.protect. Does nothing if there are none. Returns 0, or an
 * MCP_ERR_* with err, whose message names the member. */
int mcpi_endpoint_protect(mcp_http *http, mcp_error *err);

/* An endpoint that does not know its port cannot make its URL, for which tokens
 * must be. Returns 0 if it needs none, or has one; or MCP_ERR_INVALID. */
int mcpi_endpoint_check_unknown_port(const mcp_http *http, mcp_error *err);

/* Checks the token of a request to an endpoint that demands one. */
int mcpi_endpoint_check_token(mcp_http_exchange *exchange,
                              void (*on_admitted)(mcp_http_exchange *exchange));
/* The same if the endpoint demands one. Returns 1 if the request goes on.
 * Returns 0 if it has been answered, or if the check goes on: then on_admitted
 * is called when the token has been accepted, and the exchange is CHECKING
 * until then. */
static inline int
mcpi_endpoint_admit_token(mcp_http_exchange *exchange,
                          void (*on_admitted)(mcp_http_exchange *exchange)) {
  return exchange->pass == NULL ||
         mcpi_endpoint_check_token(exchange, on_admitted);
}

/* The messages of a request are received with its token. Returns the caller's
 * grant until now, which the function that called this one restores when it has
 * handed them over. */
static inline mcpi_grant *
mcpi_endpoint_lend_grant(const mcp_http_exchange *exchange,
                         mcpi_caller *caller) {
  mcpi_grant *before = caller->grant;
  caller->grant = mcpi_endpoint_grant_of(exchange);
  return before;
}

/* Refuses a call whose token lacks one of these scopes, with status 403. The
 * answer is JSON, whatever the client accepts, because only its status and its
 * header tell the client what to do. `session`: the header with the session's
 * id, or NULL. Without memory the status is 500. The endpoint demands
 * tokens. */
void mcpi_endpoint_respond_forbidden(mcp_http_exchange *exchange,
                                     const char *scopes, mcpi_str body,
                                     const mcp_http_header *session);

/* Whether the metadata of the protected resource are at a request's target. The
 * endpoint demands tokens. */
int mcpi_endpoint_is_metadata(const mcp_http *http, const char *target);
void mcpi_endpoint_on_metadata(mcp_http_exchange *exchange);

#endif
