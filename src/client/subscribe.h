/* SPDX-License-Identifier: MIT */
/* Subscriptions to resources, of both eras.
 *
 * Legacy: a request each. Modern: one listen, the watch, with all URIs. When
 * they change, a new watch is opened, and the old one is ended once the new one
 * is acknowledged, so that no change of a resource is missed between. */
#ifndef MCPI_CLIENT_SUBSCRIBE_H
#define MCPI_CLIENT_SUBSCRIBE_H

#include "client/request.h"

/* A watch is acknowledged. */
void mcpi_subscribe_granted(mcpi_request *watch, mcpi_message *message,
                            const mcp_json *granted);
/* A request ends, which may be a watch or the program's subscribe. */
void mcpi_subscribe_ended(mcpi_request *request);
/* A legacy server was started again: it is told all once more. */
void mcpi_subscribe_renew(mcp_client *client);
/* The connection is over. */
void mcpi_subscribe_forget_all(mcp_client *client);

#endif
