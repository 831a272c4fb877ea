/* SPDX-License-Identifier: MIT */
/* Requests that wait for the handshake with a server that was restarted
 * (MCP 2025-11-25, Transports: Session Management), in state
 * MCPI_REQUEST_AWAITS_SESSION. Some reached the server when the session had
 * ended, so that it has not acted on them; each is sent again, once. The others
 * were started by the program during the handshake. */
#ifndef MCPI_CLIENT_RESEND_H
#define MCPI_CLIENT_RESEND_H

#include "client/request.h"

/* 1 while the client introduces itself to a server that was restarted. */
int mcpi_resend_is_reconnecting(const mcp_client *client);
/* Lets a new request wait, and gives it the number that the program knows it
 * by. 0, MCP_ERR_LIMIT (max_pending) or MCP_ERR_NOMEM. */
int mcpi_resend_hold(mcpi_request *request, mcp_error *err);
/* Looks at a request whose message has failed with MCP_ERR_CLOSED. 1: the
 * request now waits for the next session; 0: it has failed. */
int mcpi_resend_keep(mcpi_request *request);
/* A handshake has just succeeded: ends the wait of each request, and gives it
 * to `resend`, which sends or fails it. */
void mcpi_resend_end_all(mcp_client *client,
                         void (*resend)(mcpi_request *request));

#endif
