/* SPDX-License-Identifier: MIT */
/* How a server refuses a request: the challenge that goes with it (RFC 6750, 3;
 * RFC 9449, 7.1; RFC 9728, 5.1). */
#ifndef MCPI_AUTH_RESOURCE_CHALLENGE_H
#define MCPI_AUTH_RESOURCE_CHALLENGE_H

#include "base/buf.h"
#include <mcp/protect.h>

typedef struct mcpi_refusal {
  int status;              /* 400, 401, 403, 429 or 503 */
  const char *error;       /* the code; NULL: no token was sent */
  const char *description; /* NULL: there is none */
  mcpi_str scopes;         /* that are needed; len 0: not known */
  int is_dpop;             /* the client uses DPoP, or must */
  int is_bearer;           /* with is_dpop: it has used Bearer */
  int is_invalid;          /* the token or its proof is not valid */
} mcpi_refusal;

/* Appends the value of WWW-Authenticate. There is none with status 429 and
 * 503. */
void mcpi_refusal_put_challenge(mcpi_buf *buf,
                                const mcp_protect_options *options,
                                const mcpi_refusal *refusal, mcpi_str resource);
/* Whether the resource publishes metadata. MCP demands that they name an
 * authorization server, so without an issuer there are none. */
int mcpi_resource_has_metadata(const mcp_protect_options *options);
/* The algorithms of proofs, with spaces between them. */
const char *mcpi_refusal_algorithms(void);

#endif
