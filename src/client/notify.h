/* SPDX-License-Identifier: MIT */
/* Notifications from the server: checks them, and calls the program. */
#ifndef MCPI_CLIENT_NOTIFY_H
#define MCPI_CLIENT_NOTIFY_H

#include "client/client.h"

void mcpi_client_notified(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope);

#endif
