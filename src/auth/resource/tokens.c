/* SPDX-License-Identifier: MIT */
#include "auth/resource/tokens.h"

#include "auth/resource/credentials.h"
#include "auth/scopes.h"
#include "base/error.h"

#include <stdio.h>

/* --- lines -------------------------------------------------------------- */

static int tokens_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static mcpi_str tokens_take_line(mcpi_str *text) {
  const char *end = memchr(text->ptr, '\n', text->len);
  size_t len = end != NULL ? (size_t)(end - text->ptr) : text->len;
  mcpi_str line = mcpi_str_take(text, len);
  mcpi_str_take_char(text, '\n');
  return line;
}

/* Takes the next word of a line; "" at its end. */
static mcpi_str tokens_take_word(mcpi_str *line) {
  size_t len = 0;
  while (line->len > 0 && tokens_is_blank(line->ptr[0])) {
    mcpi_str_take(line, 1);
  }
  while (len < line->len && !tokens_is_blank(line->ptr[len])) {
    len++;
  }
  return mcpi_str_take(line, len);
}

static int tokens_check_token(mcpi_str token, size_t line, mcp_error *err) {
  if (token.len < MCPI_FIXED_TOKEN_MIN) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tokens: line %zu: the token has %zu characters; it "
                         "needs at least %d",
                         line, token.len, MCPI_FIXED_TOKEN_MIN);
  }
  if (!mcpi_credentials_is_token(token)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tokens: line %zu: the token has a character that "
                         "tokens do not have; use letters, digits and "
                         "\"-._~+/\"",
                         line);
  }
  return 0;
}

/* Without a name in the line, the line's number is the principal. */
static mcpi_str tokens_principal(mcpi_str word, size_t line, char *out,
                                 size_t size) {
  if (word.len > 0) {
    return word;
  }
  snprintf(out, size, "token:%zu", line);
  return mcpi_str_z(out);
}

static int tokens_read_scopes(mcpi_buf *scopes, mcpi_str line) {
  mcpi_str word = tokens_take_word(&line);
  while (word.len > 0) {
    mcpi_scopes_add(scopes, word);
    word = tokens_take_word(&line);
  }
  return scopes->error;
}

static mcpi_grant *tokens_read_grant(const mcp_allocator *allocator,
                                     mcpi_str line, size_t number) {
  char name[32];
  mcpi_buf scopes;
  mcpi_grant *grant = NULL;
  mcpi_str principal =
      tokens_principal(tokens_take_word(&line), number, name, sizeof(name));
  mcpi_buf_init(&scopes, allocator, SIZE_MAX);
  if (tokens_read_scopes(&scopes, line) == 0) {
    grant = mcpi_grant_new(allocator, principal, mcpi_buf_str(&scopes));
  }
  mcpi_buf_deinit(&scopes);
  return grant;
}

/* --- the list ----------------------------------------------------------- */

static int tokens_make_room(mcpi_fixed_tokens *tokens, mcp_error *err) {
  if (tokens->count < tokens->cap) {
    return 0;
  }
  if (tokens->count == MCPI_FIXED_TOKENS_MAX) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "tokens: there are more than %d tokens",
                         MCPI_FIXED_TOKENS_MAX);
  }
  size_t size = sizeof(tokens->tokens[0]);
  size_t cap = tokens->cap > 0 ? tokens->cap * 2 : 16;
  mcpi_fixed_token *more = mcpi_realloc(tokens->allocator, tokens->tokens,
                                        tokens->cap * size, cap * size);
  if (more == NULL) {
    mcpi_no_memory(err);
    return MCP_ERR_NOMEM;
  }
  tokens->tokens = more;
  tokens->cap = cap;
  return 0;
}

static int tokens_add(mcpi_fixed_tokens *tokens, const mcpi_token_key *key,
                      mcpi_str line, size_t number, mcp_error *err) {
  if (mcpi_fixed_tokens_find(tokens, key) != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tokens: line %zu: an earlier line has the same token",
                         number);
  }
  int rc = tokens_make_room(tokens, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_grant *grant = tokens_read_grant(tokens->allocator, line, number);
  if (grant == NULL) {
    return mcpi_no_memory(err);
  }
  mcpi_fixed_token *added = &tokens->tokens[tokens->count++];
  memcpy(added->hash, key->bytes, sizeof(added->hash));
  added->grant = grant;
  return 0;
}

static int tokens_read_line(mcpi_fixed_tokens *tokens, mcp_loop *loop,
                            mcpi_str line, size_t number, mcp_error *err) {
  mcpi_token_key key;
  mcpi_str token = tokens_take_word(&line);
  if (token.len == 0 || token.ptr[0] == '#') {
    return 0;
  }
  if (mcpi_str_has_nul(line)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "tokens: line %zu has a NUL",
                         number);
  }
  int rc = tokens_check_token(token, number, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_token_key_make(&key, loop, token, mcpi_str_z(NULL), NULL);
  if (rc != 0) {
    return mcpi_error_complete(err, rc);
  }
  return tokens_add(tokens, &key, line, number, err);
}

int mcpi_fixed_tokens_read(mcpi_fixed_tokens *out, mcp_loop *loop,
                           mcpi_str text, mcp_error *err) {
  mcpi_fixed_tokens tokens = {.allocator = &loop->allocator};
  int rc = 0;
  for (size_t number = 1; rc == 0 && text.len > 0; number++) {
    mcpi_str line = tokens_take_line(&text);
    rc = tokens_read_line(&tokens, loop, line, number, err);
  }
  if (rc == 0 && tokens.count == 0) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "tokens: the text has no token; write a token in each "
                       "line");
  }
  if (rc != 0) {
    mcpi_fixed_tokens_deinit(&tokens);
    return rc;
  }
  *out = tokens;
  return 0;
}

void mcpi_fixed_tokens_deinit(mcpi_fixed_tokens *tokens) {
  for (size_t i = 0; i < tokens->count; i++) {
    mcpi_grant_unref(tokens->tokens[i].grant);
  }
  if (tokens->tokens != NULL) {
    mcpi_free(tokens->allocator, tokens->tokens,
              tokens->cap * sizeof(tokens->tokens[0]));
  }
  *tokens = (mcpi_fixed_tokens){0};
}

/* --- finding ------------------------------------------------------------ */

/* Returns 1 if they are equal, else 0, in the same time. */
static size_t tokens_is_equal(const uint8_t *a, const uint8_t *b) {
  uint32_t differs = 0;
  for (size_t i = 0; i < MCP_SHA256_SIZE; i++) {
    differs |= (uint32_t)(a[i] ^ b[i]);
  }
  return (size_t)((differs - 1) >> 31);
}

mcpi_grant *mcpi_fixed_tokens_find(const mcpi_fixed_tokens *tokens,
                                   const mcpi_token_key *key) {
  size_t found = 0; /* the place, from 1 */
  for (size_t i = 0; i < tokens->count; i++) {
    size_t is_equal = tokens_is_equal(tokens->tokens[i].hash, key->bytes);
    found |= (0 - is_equal) & (i + 1);
  }
  return found > 0 ? tokens->tokens[found - 1].grant : NULL;
}
