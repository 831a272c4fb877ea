/* SPDX-License-Identifier: MIT */
/* The answer to a tools/call. If the arguments travel in headers as well, and
 * the server says that the headers are wrong, its tools have changed: the
 * client lists them and sends the call once more (MCP 2026-07-28, Streamable
 * HTTP: Client Behavior). */
#ifndef MCPI_CLIENT_TOOL_H
#define MCPI_CLIENT_TOOL_H

#include "client/request.h"

/* tools/call. */
extern const mcpi_request_kind mcpi_request_tool;

#endif
