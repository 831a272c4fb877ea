/* SPDX-License-Identifier: MIT */
/* The servers of an mcp_auth, by their URLs. */
#ifndef MCPI_AUTH_CLIENT_SERVERS_H
#define MCPI_AUTH_CLIENT_SERVERS_H

#include "auth/client/server.h"

enum {
  /* Servers that nobody uses are kept up to this number, with their tokens in
   * memory. */
  MCPI_SERVERS_KEPT = 64
};

/* Returns the server with this URL, and holds it for the caller. NULL with err:
 * MCP_ERR_INVALID, MCP_ERR_CLOSED, MCP_ERR_NOMEM. */
mcpi_auth_server *mcpi_servers_get(mcp_auth *auth, const char *url,
                                   mcp_error *err);
/* Whether mcpi_servers_close would lose a token. */
int mcpi_servers_are_renewing(const mcp_auth *auth);
/* mcp_auth_free: closes all of them, and drops the table's hold. */
void mcpi_servers_close(mcp_auth *auth, const mcp_error *err);

#endif
