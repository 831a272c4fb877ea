/* SPDX-License-Identifier: MIT */
/* How a server refuses a request: the challenge that goes with it (RFC 6750, 3;
 * RFC 9449, 7.1; RFC 9728, 5.1). */
#ifndef MCPI_AUTH_RESOURCE_CHALLENGE_H
#define MCPI_AUTH_RESOURCE_CHALLENGE_H

#include "auth/resource/nonce.h"
#include "base/buf.h"
#include <mcp/protect.h>

typedef struct mcpi_refusal {
  int status;                  /* 400, 401, 403 or 503; 0: not refused */
  const char *error;           /* the code; NULL: no token was sent */
  const char *description;     /* NULL: there is none */
  mcpi_str scopes;             /* that are needed; len 0: not known */
  int is_dpop;                 /* the client uses DPoP, or must */
  int is_bearer;               /* with is_dpop: it has used Bearer */
  char nonce[MCPI_NONCE_SIZE]; /* "": none */
} mcpi_refusal;

/* Appends the value of WWW-Authenticate. There is none with status 503. */
void mcpi_refusal_put_challenge(mcpi_buf *buf,
                                const mcp_protect_options *options,
                                const mcpi_refusal *refusal, mcpi_str resource);
/* Appends the URL at which the metadata of a resource are. */
void mcpi_resource_put_metadata_url(mcpi_buf *buf, mcpi_str resource);
/* The algorithms of proofs, with spaces between them. */
const char *mcpi_refusal_algorithms(void);

#endif
