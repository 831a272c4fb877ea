/* SPDX-License-Identifier: MIT */
/* When sessions, streams of HTTP+SSE and WebSockets end by themselves: one
 * timer, due when the first of them is. */
#ifndef MCPI_ENDPOINT_DEADLINES_H
#define MCPI_ENDPOINT_DEADLINES_H

#include "endpoint/endpoint.h"

void mcpi_http_deadlines_init(mcp_http *http);
/* Moves the timer to the first deadline, or stops it when there is none. It
 * fails only when the timer does not run: 0 or MCP_ERR_NOMEM. */
int mcpi_http_deadlines_schedule(mcp_http *http);
void mcpi_http_deadlines_stop(mcp_http *http);

#endif
