/* SPDX-License-Identifier: MIT */
/* Resumes a stream that its client has lost. */
#ifndef MCPI_ENDPOINT_REPLAY_H
#define MCPI_ENDPOINT_REPLAY_H

#include "endpoint/session.h"
#include "endpoint/stream.h"

/* The exchange shows what follows that event, and then new messages. Ends an
 * exchange that showed the stream before. */
void mcpi_endpoint_resume(mcpi_endpoint_stream *stream,
                          mcp_http_exchange *exchange, uint64_t after);
/* Finds the stream and the event that a Last-Event-ID names. If the stream has
 * ended, makes it again, only to send its stored events. Returns 0;
 * MCP_ERR_INVALID: the session never had such an event; MCP_ERR_NOMEM. */
int mcpi_endpoint_find_event(mcpi_endpoint_session *session, const char *id,
                             mcpi_endpoint_stream **out, uint64_t *seq);

#endif
