/* SPDX-License-Identifier: MIT */
/* Resumes a stream that its client has lost. */
#ifndef MCPI_ENDPOINT_REPLAY_H
#define MCPI_ENDPOINT_REPLAY_H

#include "endpoint/session.h"
#include "endpoint/stream.h"

/* Returns 1 if the server may ask the stream's client to come back later. */
int mcpi_endpoint_polls(const mcpi_endpoint_stream *stream);
/* Sends such a client an event id, with which it can come back. */
void mcpi_endpoint_prime(mcpi_endpoint_stream *stream);
/* Stores the message at its place in the stream's log. Returns 0, or why it
 * could not be stored; the caller reports that. */
int mcpi_endpoint_keep(mcpi_endpoint_stream *stream, mcpi_str message);
void mcpi_endpoint_report_lost(const mcp_http *http, int rc);
/* Reports that events were dropped to make room for those of other sessions, if
 * they were. */
void mcpi_endpoint_report_evicted(mcp_http *http);
/* Writes an event with its id on the exchange. */
void mcpi_endpoint_write_event(mcpi_endpoint_stream *stream, uint64_t seq,
                               mcpi_str data);
/* The exchange shows what follows that event, and then new messages. Ends an
 * exchange that showed the stream before. */
void mcpi_endpoint_resume(mcpi_endpoint_stream *stream,
                          mcp_http_exchange *exchange, uint64_t after);
/* Finds the stream and the event that a Last-Event-ID names. If the stream has
 * ended, resumes it for its stored events. Returns 0; MCP_ERR_INVALID: the
 * session never had it; MCP_ERR_NOMEM. */
int mcpi_endpoint_find_event(mcpi_endpoint_session *session, const char *id,
                             mcpi_endpoint_stream **out, uint64_t *seq);

#endif
