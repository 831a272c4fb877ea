/* SPDX-License-Identifier: MIT */
/* Subscriptions to resources, of both eras.
 *
 * Legacy: a request each. Modern: one listen, the watch, with all URIs. When
 * they change, a new watch is opened, and the old one is ended once the new one
 * is acknowledged, so that no change of a resource is missed between. */
#ifndef MCPI_CLIENT_SUBSCRIBE_H
#define MCPI_CLIENT_SUBSCRIBE_H

#include "client/client.h"

/* A legacy server was started again: sends it all subscriptions, and the log
 * level, once more. */
void mcpi_subscribe_renew(mcp_client *client);
/* The connection has ended. */
void mcpi_subscribe_forget_all(mcp_client *client);

#endif
