/* SPDX-License-Identifier: MIT */
/* The life of a session: its beginning, its streams and its end. */
#ifndef MCPI_ENDPOINT_SESSION_LIFE_H
#define MCPI_ENDPOINT_SESSION_LIFE_H

#include "endpoint/session.h"

/* Makes a session for an initialize request. The seat is taken. Returns 0; or,
 * with err, MCP_ERR_NOMEM or the error of the platform's random. */
int mcpi_endpoint_session_new(mcp_http_exchange *exchange,
                              mcpi_endpoint_seat *seat,
                              mcpi_endpoint_session **out, mcp_error *err);
/* Makes a stream for a POST of the session. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_endpoint_session_stream(mcpi_endpoint_session *session,
                                 mcpi_endpoint_stream **out);
/* Ends the session. Does nothing if it has ended. */
void mcpi_endpoint_session_end(mcpi_endpoint_session *session);
/* Returns when the first session ends by itself; INT64_MAX: none does. */
int64_t mcpi_endpoint_sessions_due(const mcp_http *http);
/* Ends the sessions that were unused for too long, or not begun in time. */
void mcpi_endpoint_sessions_expire(mcp_http *http);

#endif
