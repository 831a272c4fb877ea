/* SPDX-License-Identifier: MIT */
/* A JWT with which a program proves who it is: private_key_jwt (RFC 7523, 2.2
 * and 3; OpenID Connect Core, 9). */
#ifndef MCPI_AUTH_CLIENT_CLIENT_JWT_H
#define MCPI_AUTH_CLIENT_CLIENT_JWT_H

#include "base/buf.h"
#include "core/loop.h"
#include <mcp/auth.h>

enum {
  /* How long the JWT is valid. It is sent at once, and only once. */
  MCPI_CLIENT_JWT_LIFETIME_S = 180
};

/* Appends a JWT for the authorization server with this issuer, signed with
 * private_key of the options (key_algorithm and key_id count as well). Returns
 * 0; or with err: MCP_ERR_INVALID (the key cannot be read, or cannot make such
 * signatures), MCP_ERR_NOMEM, MCP_ERR_PLATFORM, MCP_ERR_IO. */
int mcpi_client_jwt_put(mcpi_buf *to, mcp_loop *loop,
                        const mcp_auth_options *options, const char *client_id,
                        const char *issuer, mcp_error *err);

#endif
