/* SPDX-License-Identifier: MIT */
/* Legacy: a ping after a long silence (MCP 2025-11-25, Ping). */
#ifndef MCPI_CLIENT_KEEPALIVE_H
#define MCPI_CLIENT_KEEPALIVE_H

#include "client/client.h"

void mcpi_keepalive_init(mcp_client *client);
/* The connection is open. Does nothing unless the program wants pings. */
void mcpi_keepalive_start(mcp_client *client);
void mcpi_keepalive_stop(mcp_client *client);

#endif
