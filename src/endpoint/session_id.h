/* SPDX-License-Identifier: MIT */
/* The ids of sessions and of streams of HTTP+SSE. */
#ifndef MCPI_ENDPOINT_SESSION_ID_H
#define MCPI_ENDPOINT_SESSION_ID_H

#include <mcp/http.h>

enum {
  /* In base64url: the session's home, and 186 random bits. */
  MCPI_ENDPOINT_SESSION_ID_LEN = 32,
  MCPI_HTTP1_MAX_HOMES = 64
};

/* Makes a new id, which names this endpoint. Returns 0, or the error of the
 * platform's random. */
int mcpi_endpoint_make_id(const mcp_http *http,
                          char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1]);
/* Returns the `home` of the endpoint that made the id; MCPI_HTTP1_MAX_HOMES: no
 * endpoint did. */
MCP_API size_t mcpi_endpoint_session_home(const char *id);
/* Returns the session id in the query of a request that brings messages to
 * HTTP+SSE. NULL: the request brings no messages, or names no session. The id
 * is not NUL-terminated; it ends with the parameter. */
MCP_API const char *mcpi_endpoint_sse_id(const mcp_http *http,
                                         const char *target);

#endif
