/* SPDX-License-Identifier: MIT */
/* What a token says of itself: the claims of a JWT (RFC 7519, 9068), or the
 * answer of an introspection endpoint, whose members have the same names (RFC
 * 7662, 2.2). */
#ifndef MCPI_AUTH_RESOURCE_CLAIMS_H
#define MCPI_AUTH_RESOURCE_CLAIMS_H

#include "auth/resource/grant.h"
#include "core/loop.h"
#include <mcp/protect.h>

/* What claims are checked against. */
typedef struct mcpi_claims_rules {
  mcp_loop *loop;
  const mcp_protect_options *options;
  mcpi_str resource;    /* the URL of this server */
  const char *issuer;   /* goes before the principal; NULL: nothing does */
  int is_introspection; /* an answer: `exp` is not needed */
} mcpi_claims_rules;

/* Checks the times, the audience, the kind of token and how it is bound.
 * Returns 0; or MCP_ERR_REFUSED with err, whose message is ASCII and may go to
 * the client. */
int mcpi_claims_check(const mcp_json *claims, const mcpi_claims_rules *rules,
                      mcp_error *err);
/* Makes a grant of claims that have been checked. `claims` is taken on success.
 * Returns 0; MCP_ERR_REFUSED with err: they name neither a subject nor a
 * client; MCP_ERR_NOMEM. */
int mcpi_claims_grant(mcpi_grant **out, mcp_doc *claims,
                      const mcpi_claims_rules *rules, mcp_error *err);

/* Reads the key to which a token is bound (`cnf`, RFC 9449, 6). Writes "" if it
 * is not bound. Returns 0; MCP_ERR_REFUSED with err: it is bound in a way that
 * we cannot check. */
int mcpi_claims_binding(const mcp_json *claims,
                        char thumbprint[MCPI_THUMBPRINT_SIZE], mcp_error *err);

#endif
