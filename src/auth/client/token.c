/* SPDX-License-Identifier: MIT */
#include "auth/client/token.h"

#include "base/alloc.h"
#include <stddef.h>
#include <string.h>

/* The strings of a token, and their names in the JSON object; NULL: it does not
 * have the string. */
static const struct {
  const char *name;
  size_t offset;
} token_strings[] = {
    {"access_token", offsetof(mcpi_token, access)},
    {"refresh_token", offsetof(mcpi_token, refresh)},
    {"issuer", offsetof(mcpi_token, issuer)},
    {"resource", offsetof(mcpi_token, resource)},
    {"client_id", offsetof(mcpi_token, client_id)},
    {"scope", offsetof(mcpi_token, scopes)},
    {NULL, offsetof(mcpi_token, asked)},
    {"key", offsetof(mcpi_token, key)},
};

enum { TOKEN_STRINGS = sizeof(token_strings) / sizeof(token_strings[0]) };

static char **token_string(mcpi_token *token, size_t i) {
  return (char **)(void *)((char *)token + token_strings[i].offset);
}

static char *token_text(const mcpi_token *token, size_t i) {
  return *(char *const *)(const void *)((const char *)token +
                                        token_strings[i].offset);
}

int mcpi_token_can_be_sent(const char *access) {
  const char *at = access;
  while (*at > ' ' && *at <= '~') {
    at++;
  }
  return at > access && *at == '\0';
}

mcpi_token *mcpi_token_new(const mcp_allocator *allocator) {
  mcpi_token *token = mcpi_calloc(allocator, 1, sizeof(*token));
  if (token != NULL) {
    token->expires_ms = INT64_MAX;
  }
  return token;
}

void mcpi_token_free(mcpi_token *token, const mcp_allocator *allocator) {
  if (token == NULL) {
    return;
  }
  for (size_t i = 0; i < TOKEN_STRINGS; i++) {
    mcpi_strfree_wiped(allocator, *token_string(token, i));
  }
  mcpi_free(allocator, token, sizeof(*token));
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int token_set(mcpi_token *token, size_t i, const char *text,
                     const mcp_allocator *allocator) {
  char **to = token_string(token, i);
  *to = mcpi_strdup(allocator, text);
  return text != NULL && *to == NULL ? MCP_ERR_NOMEM : 0;
}

mcpi_token *mcpi_token_copy(const mcpi_token *token,
                            const mcp_allocator *allocator) {
  mcpi_token *copy = mcpi_token_new(allocator);
  int rc = copy != NULL ? 0 : MCP_ERR_NOMEM;
  for (size_t i = 0; rc == 0 && i < TOKEN_STRINGS; i++) {
    rc = token_set(copy, i, token_text(token, i), allocator);
  }
  if (rc != 0) {
    mcpi_token_free(copy, allocator);
    return NULL;
  }
  copy->expires_ms = token->expires_ms;
  return copy;
}

void mcpi_token_write(const mcpi_token *token, mcp_builder *builder) {
  mcp_builder_object(builder, NULL);
  for (size_t i = 0; i < TOKEN_STRINGS; i++) {
    if (token_strings[i].name != NULL && token_text(token, i) != NULL) {
      mcp_builder_string(builder, token_strings[i].name, token_text(token, i));
    }
  }
  if (token->expires_ms != INT64_MAX) {
    mcp_builder_int(builder, "expires_at_ms", token->expires_ms);
  }
  mcp_builder_end(builder);
}

mcpi_token *mcpi_token_read(const mcp_json *object,
                            const mcp_allocator *allocator) {
  mcpi_token *token = mcpi_token_new(allocator);
  int rc = token != NULL ? 0 : MCP_ERR_NOMEM;
  for (size_t i = 0; rc == 0 && i < TOKEN_STRINGS; i++) {
    const char *name = token_strings[i].name;
    if (name != NULL) {
      rc = token_set(token, i, mcp_json_string(mcp_json_get(object, name)),
                     allocator);
    }
  }
  if (rc != 0 || token->access == NULL || token->issuer == NULL) {
    mcpi_token_free(token, allocator);
    return NULL;
  }
  mcp_json_try_int(mcp_json_get(object, "expires_at_ms"), &token->expires_ms);
  return token;
}
