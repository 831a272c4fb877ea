/* SPDX-License-Identifier: MIT */
/* Starting requests, and sending their messages (MCP, Progress; MCP,
 * Cancellation). */
#ifndef MCPI_CLIENT_SEND_H
#define MCPI_CLIENT_SEND_H

#include "client/request.h"

/* Takes a request of the program's: checks that it can be made now, and reads
 * the options. The request keeps err, which may be NULL, until it has been
 * started. 0, MCP_ERR_INVALID, MCP_ERR_CLOSED, MCP_ERR_UNSUPPORTED,
 * MCP_ERR_NOMEM. */
int mcpi_request_open(mcpi_request **out, mcp_client *client,
                      const mcpi_method *row, const mcpi_request_kind *kind,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata, mcp_error *err);
/* Sends it, or completes it later when the server did not declare what it
 * needs. On failure the request is gone. */
int mcpi_request_start(mcpi_request *request);

/* Sends a message of it. On failure the caller must fail the request, unless it
 * has ended meanwhile. */
int mcpi_request_send(mcpi_request *request, mcp_error *err);
/* The same for the second and later messages: a failure ends the request. */
void mcpi_request_resend(mcpi_request *request);
/* Sends it again, in another session, if the server has what it needs. */
void mcpi_request_relaunch(mcpi_request *request);

#endif
