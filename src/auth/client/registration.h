/* SPDX-License-Identifier: MIT */
/* What an authorization server knows of a program: its client id, and how it
 * proves that. It is kept in a token store as a JSON object. */
#ifndef MCPI_AUTH_CLIENT_REGISTRATION_H
#define MCPI_AUTH_CLIENT_REGISTRATION_H

#include "auth/metadata.h"
#include <mcp/allocator.h>
#include <mcp/json.h>

/* Each string is owned, or NULL. */
typedef struct mcpi_registration {
  char *issuer; /* the authorization server that knows it */
  char *client_id;
  char *client_secret;
  char *redirect_uri; /* that was registered */
  int method;         /* one of MCPI_CLIENT_* */
  int is_registered;  /* the program has registered by itself */
  int64_t expires_ms; /* of the secret, by the wall clock; INT64_MAX: never */
} mcpi_registration;

/* Overwrites and frees the strings, and clears it. */
void mcpi_registration_deinit(mcpi_registration *registration,
                              const mcp_allocator *allocator);

/* Adds it to a builder, as one object. Errors are in the builder. */
void mcpi_registration_write(const mcpi_registration *registration,
                             mcp_builder *builder);
/* Reads what mcpi_registration_write wrote. 0; MCP_ERR_INVALID: the
 * object is not such a text; MCP_ERR_NOMEM. */
int mcpi_registration_read(mcpi_registration *out, const mcp_json *object,
                           const mcp_allocator *allocator);

#endif
