/* SPDX-License-Identifier: MIT */
/* Requests of a legacy server: questions for the program, and ping
 * (PROTOCOL 5). */
#ifndef MCPI_CLIENT_ASKED_H
#define MCPI_CLIENT_ASKED_H

#include "client/client.h"

/* Answers a request, now or when the program has. */
void mcpi_asked_receive(mcp_client *client, mcpi_message *message,
                        const mcpi_envelope *envelope);

#endif
