/* SPDX-License-Identifier: MIT */
/* The key of a record in a token store. A server has one record for each grant
 * that programs use with it, because the tokens of a user, of a machine and of
 * a workload belong to different identities:
 *
 *     https://example.com/mcp                      MCP_AUTH_CODE
 *     https://example.com/mcp#client_credentials   MCP_AUTH_CLIENT_CREDENTIALS
 *     https://example.com/mcp#enterprise           MCP_AUTH_ENTERPRISE
 *     https://example.com/mcp#workload             MCP_AUTH_WORKLOAD
 *
 * The URL of a server has no fragment (server_url.h), so no two keys are
 * equal. */
#ifndef MCPI_AUTH_CLIENT_RECORD_KEY_H
#define MCPI_AUTH_CLIENT_RECORD_KEY_H

#include "base/str.h"
#include <mcp/allocator.h>
#include <mcp/auth.h>

enum { MCPI_GRANTS = MCP_AUTH_WORKLOAD + 1 };

/* Returns the key. Owned; NULL when out of memory. */
char *mcpi_record_key(const char *server_url, uint32_t grant,
                      const mcp_allocator *allocator);
/* Returns the server's URL in a key, borrowed from it. */
mcpi_str mcpi_record_key_url(const char *key);
/* Returns the grant of a key. An unknown one is MCP_AUTH_CODE. */
uint32_t mcpi_record_key_grant(const char *key);

#endif
