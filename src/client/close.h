/* SPDX-License-Identifier: MIT */
/* The end of a connection. */
#ifndef MCPI_CLIENT_CLOSE_H
#define MCPI_CLIENT_CLOSE_H

#include "client/client.h"

/* Ends all requests and forgets all questions: nothing more will come. */
void mcpi_client_fail_all(mcp_client *client, const mcp_error *err);
/* Starts closing the connection; err tells why. */
void mcpi_client_hang_up(mcp_client *client, const mcp_error *err);
/* Forgets all that was learnt from the server. */
void mcpi_client_forget_server(mcp_client *client);

#endif
