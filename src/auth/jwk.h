/* SPDX-License-Identifier: MIT */
/* JSON Web Keys (RFC 7517, 7518, 8037): public keys for signatures. */
#ifndef MCPI_AUTH_JWK_H
#define MCPI_AUTH_JWK_H

#include "core/loop.h"
#include <mcp/json.h>
#include <mcp/sys/crypto.h>

enum {
  /* The keys of a set beyond this number are ignored, also if some before them
   * cannot be used. An issuer has two or three at a time. */
  MCPI_JWKS_MAX = 64,
  /* base64url of a SHA-256 hash, and NUL. */
  MCPI_THUMBPRINT_SIZE = 44
};

/* Writes base64url of the SHA-256 of a text. Returns 0, MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM. */
int mcpi_hash_text(mcp_loop *loop, mcpi_str text,
                   char out[MCPI_THUMBPRINT_SIZE]);

/* Makes the public key of a JWK. Ignores private members. Returns 0;
 * MCP_ERR_INVALID: it is not a key for signatures of a kind that we know
 * (`kty`, `crv`, `alg`, `use`, `key_ops`, or a number in it); MCP_ERR_NOMEM;
 * MCP_ERR_PLATFORM. *out is owned: free it with the platform's key_free. */
int mcpi_jwk_read(mcp_loop *loop, const mcp_json *jwk, mcp_key **out);
/* Adds the public key as a member with this name (NULL: in an array), with only
 * the members that RFC 7638 requires. Errors are in the builder. */
void mcpi_jwk_write(mcp_loop *loop, const mcp_key *key, mcp_builder *builder,
                    const char *name);
/* Writes the thumbprint of a public key (RFC 7638) with SHA-256. Returns 0,
 * MCP_ERR_NOMEM or MCP_ERR_PLATFORM. */
int mcpi_jwk_thumbprint(mcp_loop *loop, const mcp_key *key,
                        char out[MCPI_THUMBPRINT_SIZE]);

/* One key of a set. */
typedef struct mcpi_jwk {
  mcp_key *key;
  uint32_t kind;      /* MCP_KEY_* */
  uint32_t algorithm; /* MCP_SIGN_*; 0: any that fits the kind */
  char *kid;          /* NULL: it has none */
} mcpi_jwk;

/* A set of keys. */
typedef struct mcpi_jwks {
  mcp_loop *loop;
  mcpi_jwk *keys;
  size_t count;
} mcpi_jwks;

/* Reads a set. Keys that we cannot use are left out. Returns 0; MCP_ERR_PARSE
 * with err, whose message does not quote the text: it is not a set of keys, or
 * a member occurs twice in an object; MCP_ERR_NOMEM; MCP_ERR_PLATFORM. _deinit
 * is needed only after 0. */
int mcpi_jwks_read(mcpi_jwks *out, mcp_loop *loop, mcpi_str text,
                   mcp_error *err);
void mcpi_jwks_deinit(mcpi_jwks *jwks);
/* Returns the key after `after` (NULL: the first) that may have made a
 * signature with this algorithm and `kid`. kid.ptr NULL: the token names no
 * key, so each key with the right kind fits. NULL: no further key. */
const mcpi_jwk *mcpi_jwks_find(const mcpi_jwks *jwks, const mcpi_jwk *after,
                               uint32_t algorithm, mcpi_str kid);

#endif
