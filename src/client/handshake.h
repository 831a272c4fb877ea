/* SPDX-License-Identifier: MIT */
/* The handshake: which era and revision the server speaks (MCP 2025-11-25,
 * Lifecycle: Initialization; MCP 2026-07-28, Versioning).
 *
 *                          +----+ corrected, once
 *                          |    v
 *     connect --------> server/discover --- DiscoverResult ----> OPEN
 *        |                 |    ^                                 ^
 *        |     not modern  |    |  perhaps modern                 |
 *        |                 v    |                                 |
 *        +------------> initialize -------- InitializeResult -----+
 *             legacy       |    ^
 *                          +----+ another version, once
 *
 * The client takes the edge "legacy" if the program demands the legacy era, or
 * if the server was a legacy one the last time. If no edge fits what the server
 * does, the connection fails. */
#ifndef MCPI_CLIENT_HANDSHAKE_H
#define MCPI_CLIENT_HANDSHAKE_H

#include "client/request.h"

/* Sets the state and the deadline for a new handshake, without sending
 * anything. `connect` is the program's request; NULL: the handshake is for a
 * server that has restarted. */
void mcpi_handshake_reset(mcp_client *client, mcpi_request *connect);
/* Returns the names of the revisions that this client accepts. Static. */
const char *const *mcpi_handshake_versions(const mcp_client *client,
                                           size_t *count);
/* Sends the first step. Call it when the transport is open. */
void mcpi_handshake_begin(mcp_client *client);
/* The transport begins or ceases to wait for something else than the server,
 * such as a user who logs in, which takes minutes: the handshake's deadline
 * stands still meanwhile. */
void mcpi_handshake_set_waiting(mcp_client *client, int is_waiting);
/* Moves the timer of the program's request to connect, if it runs, to the
 * handshake's deadline. */
void mcpi_handshake_limit_opening(mcp_client *client);
/* Call it when the transport reports that the server has restarted, and so
 * knows nothing of this client. The legacy era repeats the handshake. The
 * modern era, once OPEN, only sends listens and requests again. */
void mcpi_handshake_restart(mcp_client *client);
/* Call it when the server reports an error without an id: it could not read a
 * message. If the client waits for the answer to the probe, the probe has
 * failed. */
void mcpi_handshake_misread(mcp_client *client, const mcp_error *err);

#endif
