/* SPDX-License-Identifier: MIT */
/* DPoP (RFC 9449): a proof that the sender of a request holds a key. Both sides
 * use this: the client makes proofs, the server checks them. */
#ifndef MCPI_AUTH_DPOP_H
#define MCPI_AUTH_DPOP_H

#include "auth/jwk.h"
#include "auth/jwt.h"

/* What a proof is about. */
typedef struct mcpi_dpop_claims {
  const char *method;
  mcpi_str url;          /* with or without its query, which does not count */
  const char *nonce;     /* NULL: none */
  mcpi_str access_token; /* ptr NULL: none, at the token endpoint */
} mcpi_dpop_claims;

/* Appends a proof made with the loop's clock and a P-256 (ES256) or Ed25519
 * (EdDSA) private key. Returns 0; MCP_ERR_INVALID: the key is another one, or
 * the method, the URL or the nonce is not UTF-8; MCP_ERR_NOMEM,
 * MCP_ERR_PLATFORM or MCP_ERR_IO. */
int mcpi_dpop_put(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                  const mcpi_dpop_claims *claims);

/* A proof that is valid. */
typedef struct mcpi_dpop_proof {
  char thumbprint[MCPI_THUMBPRINT_SIZE]; /* of its key */
  char jti_hash[MCPI_THUMBPRINT_SIZE];   /* base64url of the SHA-256 of `jti` */
  char *nonce;                           /* owned; NULL: it has none */
  int64_t iat_ms;                        /* by the wall clock */
} mcpi_dpop_proof;

/* Reads a proof, and checks all (RFC 9449, 4.3) except its signature, its nonce
 * and whether it was used before. `window_ms` is how far `iat` may be from the
 * loop's wall clock. claims has what the request must prove; its nonce is not
 * used. Returns 0; MCP_ERR_INVALID with err, whose message does not quote the
 * proof: it is not valid for this request, or there is more than one;
 * MCP_ERR_NOMEM; MCP_ERR_PLATFORM. `text` must outlive *jwt. After 0 the caller
 * deinitialises both. */
int mcpi_dpop_read(mcpi_dpop_proof *out, mcpi_jwt *jwt, mcp_loop *loop,
                   mcpi_str text, const mcpi_dpop_claims *claims,
                   int64_t window_ms, mcp_error *err);
/* Checks the signature, which costs most, and sets the thumbprint. Results are
 * those of mcpi_dpop_read. */
int mcpi_dpop_verify(mcpi_dpop_proof *proof, const mcpi_jwt *jwt,
                     mcp_loop *loop, mcp_error *err);
void mcpi_dpop_proof_deinit(mcpi_dpop_proof *proof,
                            const mcp_allocator *allocator);

#endif
