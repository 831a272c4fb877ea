/* SPDX-License-Identifier: MIT */
/* The deadlines of sessions, streams of HTTP+SSE and WebSockets: one timer, due
 * at the first of them. life.c ends what is due. */
#ifndef MCPI_ENDPOINT_DEADLINES_H
#define MCPI_ENDPOINT_DEADLINES_H

#include "endpoint/endpoint.h"

/* Lets the timer be due at due_ms at the latest; INT64_MAX: changes nothing.
 * Returns 0, or MCP_ERR_NOMEM, which only starting the timer can cause. */
int mcpi_endpoint_deadlines_add(mcp_http *http, int64_t due_ms);
void mcpi_endpoint_deadlines_stop(mcp_http *http);

#endif
