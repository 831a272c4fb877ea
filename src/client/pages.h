/* SPDX-License-Identifier: MIT */
/* Lists: all pages of one, as one result (MCP, Pagination). */
#ifndef MCPI_CLIENT_PAGES_H
#define MCPI_CLIENT_PAGES_H

#include "client/request.h"

/* A list, for which mcpi_pages_begin is called before it is started. */
extern const mcpi_request_kind mcpi_request_list;

void mcpi_pages_begin(mcpi_request *request);
/* The functions of that kind. */
void mcpi_pages_reply(mcpi_request *request, int status, mcpi_message *message,
                      const mcpi_envelope *reply, const mcp_error *err);
void mcpi_pages_end(mcpi_request *request);

#endif
