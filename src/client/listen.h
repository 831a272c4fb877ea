/* SPDX-License-Identifier: MIT */
/* Streams of notifications, modern (PROTOCOL 6.4): a request that is answered
 * when the stream ends. One that was granted is opened again when it breaks. */
#ifndef MCPI_CLIENT_LISTEN_H
#define MCPI_CLIENT_LISTEN_H

#include "client/request.h"

/* Makes a listen of a request that is not started: it has no clock, but its
 * acknowledgement has, which runs from now. 0 or MCP_ERR_NOMEM. */
int mcpi_listen_prepare(mcpi_request *request);

/* notifications/subscriptions/acknowledged came. */
void mcpi_listen_acknowledged(mcp_client *client, mcpi_message *message,
                              const mcpi_envelope *envelope);
/* A request ends, which may be a listen: its number means nothing any more. */
void mcpi_listen_untrack(mcpi_request *request);
/* Ends a listen of the client's own, and tells the server. */
void mcpi_listen_close(mcpi_request *request);
/* The far side was replaced: those that were lost are sent again at once. */
void mcpi_listen_reopen_all(mcp_client *client);

#endif
