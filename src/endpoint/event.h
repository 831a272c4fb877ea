/* SPDX-License-Identifier: MIT */
/* The events of streams: writes them with their ids, and stores them. */
#ifndef MCPI_ENDPOINT_EVENT_H
#define MCPI_ENDPOINT_EVENT_H

#include "endpoint/stream.h"

/* Returns 1 if the server may ask the stream's client to come back later. */
int mcpi_endpoint_polls(const mcpi_endpoint_stream *stream);
/* Sends such a client an event id, with which it can come back. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_endpoint_prime(mcpi_endpoint_stream *stream);
/* Writes an event with its id on the exchange. Returns 0 or MCP_ERR_NOMEM: the
 * caller must break the stream, so that the client learns that it missed an
 * event. */
int mcpi_endpoint_write_event(mcpi_endpoint_stream *stream, uint64_t seq,
                              mcpi_str data);
/* Stores the message at its place in the stream's log. Returns 0, or why it
 * could not be stored; the caller reports that. */
int mcpi_endpoint_keep(mcpi_endpoint_stream *stream, mcpi_str message);
void mcpi_endpoint_report_lost(const mcp_http *http, int rc);
/* Reports that events were dropped to make room for those of other sessions, if
 * they were. */
void mcpi_endpoint_report_evicted(mcp_http *http);

#endif
