/* SPDX-License-Identifier: MIT */
/* The deadlines of sessions, streams of HTTP+SSE and WebSockets: one timer, due
 * at the first of them. */
#ifndef MCPI_ENDPOINT_DEADLINES_H
#define MCPI_ENDPOINT_DEADLINES_H

#include "endpoint/endpoint.h"

void mcpi_endpoint_deadlines_init(mcp_http *http);
/* Moves the timer to the first deadline, or stops it if there is none. Returns
 * 0, or MCP_ERR_NOMEM, which only starting the timer can cause. */
int mcpi_endpoint_deadlines_schedule(mcp_http *http);
void mcpi_endpoint_deadlines_stop(mcp_http *http);

#endif
