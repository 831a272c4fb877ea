/* SPDX-License-Identifier: MIT */
/* Lists: all pages of one, as one result (PROTOCOL 4.1). */
#ifndef MCPI_CLIENT_LIST_H
#define MCPI_CLIENT_LIST_H

#include "client/request.h"

/* The on_reply of a request that lists. */
void mcpi_pages_reply(mcpi_request *request, int status, mcpi_message *message,
                      const mcpi_envelope *reply, const mcp_error *err);

#endif
