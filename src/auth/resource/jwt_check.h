/* SPDX-License-Identifier: MIT */
/* Checks access tokens that are JWTs (RFC 7519, 8725, 9068) by the keys of the
 * configured issuers. */
#ifndef MCPI_AUTH_RESOURCE_JWT_CHECK_H
#define MCPI_AUTH_RESOURCE_JWT_CHECK_H

#include "auth/resource/grant.h"
#include "auth/resource/keys.h"

typedef struct mcpi_jwt_checker {
  mcp_loop *loop;
  const mcp_protect_options *options; /* borrowed */
  mcpi_keys **issuers;
  size_t count; /* 0: no JWT is accepted */
} mcpi_jwt_checker;

/* Returns 0, or what mcpi_keys_new says. _deinit is needed only after 0, and
 * legal for one that is cleared. */
int mcpi_jwt_checker_init(mcpi_jwt_checker *out, mcp_loop *loop,
                          const mcp_protect_options *options, mcp_error *err);
void mcpi_jwt_checker_deinit(mcpi_jwt_checker *checker);

/* Returns a number that grows when an issuer has changed its keys: then no
 * earlier result counts. */
uint64_t mcpi_jwt_checker_version(const mcpi_jwt_checker *checker);

/* Whether a token has the form of a JWT that is signed: three parts, of which
 * the first is a JSON object in base64url. */
int mcpi_jwt_checker_is_jwt(mcpi_str token);

/* Checks a token. `resource` is the URL of this server. Returns
 * - 0: *out is owned;
 * - MCP_PENDING: keys are fetched; wait->on_ready follows: check again;
 * - MCP_ERR_REFUSED with err, whose message may go to the client;
 * - MCP_ERR_IO with err: the keys of the issuer cannot be had;
 * - MCP_ERR_NOMEM, MCP_ERR_PLATFORM. */
int mcpi_jwt_checker_check(mcpi_jwt_checker *checker, mcpi_str token,
                           mcpi_str resource, mcpi_keys_wait *wait,
                           mcpi_grant **out, mcp_error *err);

#endif
