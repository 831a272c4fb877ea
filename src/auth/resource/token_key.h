/* SPDX-License-Identifier: MIT */
/* By what a token is looked up: its hash, so that no table holds tokens, and
 * that the time of a search says nothing about them. */
#ifndef MCPI_AUTH_RESOURCE_TOKEN_KEY_H
#define MCPI_AUTH_RESOURCE_TOKEN_KEY_H

#include "core/loop.h"
#include <mcp/sys/crypto.h>

typedef struct mcpi_token_key {
  uint8_t bytes[2 * MCP_SHA256_SIZE]; /* of the token, then of the resource */
  size_t len;
} mcpi_token_key;

/* The last resource that was hashed: most requests are for the same one. All
 * zero: none. */
typedef struct mcpi_last_resource {
  char text[128];
  size_t len;
  uint8_t hash[MCP_SHA256_SIZE];
} mcpi_last_resource;

/* Makes the key of a token. resource.ptr NULL: all tokens are for one resource;
 * otherwise what is known of a token counts only for that one. `last` is used
 * only then. Returns 0, MCP_ERR_NOMEM or MCP_ERR_PLATFORM. */
int mcpi_token_key_make(mcpi_token_key *out, mcp_loop *loop, mcpi_str token,
                        mcpi_str resource, mcpi_last_resource *last);

static inline mcpi_str mcpi_token_key_str(const mcpi_token_key *key) {
  return mcpi_str_n((const char *)key->bytes, key->len);
}

#endif
