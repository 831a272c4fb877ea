/* SPDX-License-Identifier: MIT */
/* Nonces that a server demands in DPoP proofs (RFC 9449, 8 and 9). A nonce is
 * the time at which it was made, sealed with a key, so that nothing must be
 * remembered. */
#ifndef MCPI_AUTH_RESOURCE_NONCE_H
#define MCPI_AUTH_RESOURCE_NONCE_H

#include "core/loop.h"

enum {
  /* How long a nonce is accepted. After half of it clients get a new one. */
  MCPI_NONCE_MS = 5 * 60 * 1000,
  /* base64url of 8 bytes and what a seal adds, and NUL. */
  MCPI_NONCE_SIZE = (8 + MCP_SEAL_OVERHEAD) / 3 * 4 + 1
};

typedef struct mcpi_nonces {
  mcp_loop *loop;
  const uint8_t *key;         /* MCP_SEAL_KEY_SIZE bytes, borrowed */
  int64_t made_ms;            /* by the wall clock */
  char last[MCPI_NONCE_SIZE]; /* "": there is none */
} mcpi_nonces;

void mcpi_nonces_init(mcpi_nonces *nonces, mcp_loop *loop, const uint8_t *key);
/* Writes a nonce that is good for at least half of MCPI_NONCE_MS. Returns 0,
 * MCP_ERR_NOMEM or MCP_ERR_IO. */
int mcpi_nonces_get(mcpi_nonces *nonces, char out[MCPI_NONCE_SIZE]);
/* Checks the nonce of a proof (NULL: it has none). Returns 0; MCP_ERR_REFUSED;
 * MCP_ERR_NOMEM. After 0, *is_old says whether the client should get a new
 * one. */
int mcpi_nonces_check(const mcpi_nonces *nonces, const char *nonce,
                      int *is_old);

#endif
