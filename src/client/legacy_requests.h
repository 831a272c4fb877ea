/* SPDX-License-Identifier: MIT */
/* Requests of a legacy server: questions for the program, and ping
 * (MCP 2025-11-25, Client Features). */
#ifndef MCPI_CLIENT_LEGACY_REQUESTS_H
#define MCPI_CLIENT_LEGACY_REQUESTS_H

#include "client/client.h"

/* Answers a request, now or when the program has. */
void mcpi_legacy_request_receive(mcp_client *client, mcpi_message *message,
                                 const mcpi_envelope *envelope);

#endif
