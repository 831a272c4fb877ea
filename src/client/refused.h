/* SPDX-License-Identifier: MIT */
/* Requests that reached a server whose session had ended, so that it has not acted
 * on them (PROTOCOL 3.4). Each waits for the next handshake and is then sent again,
 * once. */
#ifndef MCPI_CLIENT_REFUSED_H
#define MCPI_CLIENT_REFUSED_H

#include "client/request.h"

/* Looks at a request whose message has failed with `status`. 1: the request now
 * waits for the next session; 0: it has failed. */
int mcpi_refused_keep(mcpi_request *request, int status);
/* Sends all that wait. A handshake has just succeeded. */
void mcpi_refused_resend_all(mcp_client *client);

#endif
