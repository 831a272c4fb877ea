/* SPDX-License-Identifier: MIT */
/* Fixed tokens (mcp_protect_options.tokens). Only their hashes are kept. */
#ifndef MCPI_AUTH_RESOURCE_TOKENS_H
#define MCPI_AUTH_RESOURCE_TOKENS_H

#include "auth/resource/grant.h"
#include "auth/resource/token_key.h"

enum {
  /* Each token is compared with all of them: this many take about 5 us. */
  MCPI_FIXED_TOKENS_MAX = 1024,
  /* Shorter tokens can be guessed. */
  MCPI_FIXED_TOKEN_MIN = 16
};

typedef struct mcpi_fixed_token {
  uint8_t hash[MCP_SHA256_SIZE];
  mcpi_grant *grant; /* a hold */
} mcpi_fixed_token;

typedef struct mcpi_fixed_tokens {
  const mcp_allocator *allocator;
  mcpi_fixed_token *tokens;
  size_t count;
  size_t cap;
} mcpi_fixed_tokens;

/* Reads the text. Returns 0; MCP_ERR_INVALID with err, whose message names the
 * line and has nothing of its text; MCP_ERR_LIMIT with err: there are too many;
 * MCP_ERR_NOMEM; MCP_ERR_PLATFORM. _deinit is needed only after 0. */
int mcpi_fixed_tokens_read(mcpi_fixed_tokens *out, mcp_loop *loop,
                           mcpi_str text, mcp_error *err);
/* Legal for one that is cleared. */
void mcpi_fixed_tokens_deinit(mcpi_fixed_tokens *tokens);
/* Returns what a token permits, borrowed; NULL: it is not one of them. Takes
 * the same time for each token. */
mcpi_grant *mcpi_fixed_tokens_find(const mcpi_fixed_tokens *tokens,
                                   const mcpi_token_key *key);

#endif
