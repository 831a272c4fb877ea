/* SPDX-License-Identifier: MIT */
/* The options of an mcp_auth, copied and checked. */
#ifndef MCPI_AUTH_CLIENT_OPTIONS_H
#define MCPI_AUTH_CLIENT_OPTIONS_H

#include <mcp/auth.h>

/* Copies the options with their strings, and fills in the defaults; `store` is
 * NULL afterwards, and *store has a copy of it, or zeros. Returns 0; or with
 * err: MCP_ERR_INVALID, MCP_ERR_UNSUPPORTED, MCP_ERR_PLATFORM, MCP_ERR_NOMEM.
 * _deinit is legal after each result. */
int mcpi_auth_options_init(mcp_auth_options *options, mcp_auth_store *store,
                           mcp_loop *loop, const mcp_auth_options *given,
                           mcp_error *err);
/* Frees the strings, and overwrites the secrets. */
void mcpi_auth_options_deinit(mcp_auth_options *options, mcp_loop *loop);

#endif
