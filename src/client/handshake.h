/* SPDX-License-Identifier: MIT */
/* The handshake: which era and revision the server speaks (MCP 2025-11-25,
 * Lifecycle: Initialization; MCP 2026-07-28, Versioning).
 *
 *                  legacy                               another version,
 *        +--------------------------+                   once
 *        |                          v                  +----+
 *     connect --> server/discover --+--> initialize ---+----+--> OPEN
 *        |  ^         |    |  no                              ^
 *        |  +---------+    +-----------------------------------+
 *        |   corrected, once           DiscoverResult
 */
#ifndef MCPI_CLIENT_HANDSHAKE_H
#define MCPI_CLIENT_HANDSHAKE_H

#include "client/request.h"

/* Begins anew: `connect` is the program's request, or NULL when the far side
 * was replaced. */
void mcpi_handshake_reset(mcp_client *client, mcpi_request *connect);
/* The names of the revisions that this client accepts. Static, or as long as
 * the client. */
const char *const *mcpi_handshake_versions(const mcp_client *client,
                                           size_t *count);
/* The transport is open: the first step. */
void mcpi_handshake_begin(mcp_client *client);
/* The far side was replaced by one that knows nothing. */
void mcpi_handshake_restart(mcp_client *client);
/* The server said, without an id, that it could not read something. */
void mcpi_handshake_misread(mcp_client *client, const mcp_error *err);

#endif
