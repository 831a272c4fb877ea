/* SPDX-License-Identifier: MIT */
/* Streams of notifications, modern (MCP 2026-07-28, Subscriptions): a request
 * that is answered when the stream ends. One that was granted is opened again
 * when it breaks. */
#ifndef MCPI_CLIENT_LISTEN_H
#define MCPI_CLIENT_LISTEN_H

#include "client/request.h"

/* Makes a listen of a request that is not started. The request itself has no
 * limit of time then; its acknowledgement has one, which runs from now. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_client_listen_prepare(mcpi_request *request);
/* Its on_reply and its on_end. */
void mcpi_client_listen_reply(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err);
void mcpi_client_listen_end(mcpi_request *request);

/* notifications/subscriptions/acknowledged came. */
void mcpi_client_listen_acknowledged(mcp_client *client, mcpi_message *message,
                                     const mcpi_envelope *envelope);
/* Ends a listen of the client's own, and says so to the server. */
void mcpi_client_listen_close(mcpi_request *request);
/* The far side was replaced: sends the lost listens again at once. */
void mcpi_client_listen_reopen_all(mcp_client *client);

#endif
