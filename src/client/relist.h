/* SPDX-License-Identifier: MIT */
/* Calls of tools whose arguments travel in headers as well: when the server
 * says that the headers are wrong, its tools have changed. The client lists
 * them and sends the call once more (PROTOCOL 3.5). */
#ifndef MCPI_CLIENT_RELIST_H
#define MCPI_CLIENT_RELIST_H

#include "client/request.h"

/* tools/call. */
extern const mcpi_request_kind mcpi_request_tool;

#endif
