/* SPDX-License-Identifier: MIT */
/* The record of an MCP server in a token store:
 *
 *     {"server": "https://example.com/mcp",   its key: record_key.h
 *      "token": {...},                        token.h; absent: no login yet
 *      "token_life_ms": 3600000,              absent: not known
 *      "client": {...},                       registration.h; likewise
 *      "scopes": "read write",                that logins have asked for
 *      "bound": {"client_id": "...",          the program's own client id, and
 *                "issuer": "..."}}            where it has been used
 */
#ifndef MCPI_AUTH_CLIENT_RECORD_H
#define MCPI_AUTH_CLIENT_RECORD_H

#include "auth/client/registration.h"
#include "auth/client/token.h"
#include "base/buf.h"

enum {
  /* Bytes of a record. Tokens have a few kilobytes. */
  MCPI_AUTH_RECORD_MAX = 256 * 1024
};

/* All of it is owned. */
typedef struct mcpi_auth_record {
  mcpi_token *token;        /* NULL: no login yet */
  int64_t life_ms;          /* how long the token was valid when it was new;
                               INT64_MAX: not known */
  mcpi_registration client; /* client_id NULL: not registered */
  char *scopes;             /* NULL: not known */
  char *bound_client;       /* NULL, as bound_issuer: not bound */
  char *bound_issuer;
} mcpi_auth_record;

/* Makes an empty record. */
void mcpi_auth_record_init(mcpi_auth_record *record);
/* Overwrites and frees what it holds, and makes it empty. */
void mcpi_auth_record_deinit(mcpi_auth_record *record,
                             const mcp_allocator *allocator);

/* Reads the record with that key into an empty one. text.ptr NULL: it stays
 * empty. Returns 0; MCP_ERR_PARSE: the text is not the record with this key, so
 * it must be replaced; MCP_ERR_NOMEM. A token or a registration that is not
 * valid counts as absent. */
int mcpi_auth_record_read(mcpi_auth_record *out, mcpi_str text, const char *key,
                          const mcp_allocator *allocator);
/* Appends the text of a record. `to` is secret, and holds its own error. */
void mcpi_auth_record_put(mcpi_buf *to, const mcpi_auth_record *record,
                          const char *key);
/* Whether it holds nothing that is worth keeping. */
int mcpi_auth_record_is_empty(const mcpi_auth_record *record);

#endif
