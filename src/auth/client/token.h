/* SPDX-License-Identifier: MIT */
/* What a login brings: an access token with all that belongs to it. It is kept
 * in a token store as a JSON object. */
#ifndef MCPI_AUTH_CLIENT_TOKEN_H
#define MCPI_AUTH_CLIENT_TOKEN_H

#include <mcp/allocator.h>
#include <mcp/json.h>

/* Each string is owned, or NULL. */
typedef struct mcpi_token {
  char *access;
  char *refresh;
  char *issuer;       /* the authorization server that gave it */
  char *resource;     /* the server that it is for, as its metadata name it */
  char *client_id;    /* the client to which it was given */
  char *scopes;       /* granted, or else asked for, with spaces between them */
  char *asked;        /* the scopes that the login has asked for; not in the
                        store; NULL: none, or it is not new from a login */
  char *key;          /* the private key to which it is bound (DPoP), in PEM;
                        NULL: a bearer token */
  int64_t expires_ms; /* by the wall clock; INT64_MAX: not known */
} mcpi_token;

/* Whether a header can carry an access token: it is not empty, and has only
 * visible ASCII characters. */
int mcpi_token_can_be_sent(const char *access);

/* Makes an empty token. NULL when out of memory. */
mcpi_token *mcpi_token_new(const mcp_allocator *allocator);
/* NULL when out of memory. */
mcpi_token *mcpi_token_copy(const mcpi_token *token,
                            const mcp_allocator *allocator);
/* Overwrites and frees it. NULL is accepted. */
void mcpi_token_free(mcpi_token *token, const mcp_allocator *allocator);

/* Adds the token to a builder, as one object without `asked`. Errors are in the
 * builder. */
void mcpi_token_write(const mcpi_token *token, mcp_builder *builder);
/* Reads what mcpi_token_write wrote. NULL: the object is not a token, or there
 * is no memory. */
mcpi_token *mcpi_token_read(const mcp_json *object,
                            const mcp_allocator *allocator);

#endif
