/* SPDX-License-Identifier: MIT */
/* The handshake: which era and revision the server speaks (PROTOCOL 2.1, 2.5,
 * 2.9).
 *
 *                  legacy                               another version,
 *        +--------------------------+                   once
 *        |                          v                  +----+
 *     connect --> server/discover --+--> initialize ---+----+--> OPEN
 *        |  ^         |    |  no                              ^
 *        |  +---------+    +-----------------------------------+
 *        |   corrected, once           DiscoverResult
 */
#ifndef MCPI_CLIENT_CONNECT_H
#define MCPI_CLIENT_CONNECT_H

#include "client/client.h"

/* The transport is open: the first step. */
void mcpi_handshake_begin(mcp_client *client);
/* The far side was replaced by one that knows nothing. */
void mcpi_handshake_restart(mcp_client *client);
/* The server said, without an id, that it could not read something. */
void mcpi_handshake_misread(mcp_client *client, const mcp_error *err);
/* What the server told of itself is forgotten. */
void mcpi_handshake_forget(mcp_client *client);

#endif
