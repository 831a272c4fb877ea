/* SPDX-License-Identifier: MIT */
/* The events of streams (MCP 2025-11-25, Transports: Resumability and
 * Redelivery): each event of a session has an id that names its stream, and the
 * store keeps the event for a client that comes back. */
#include "endpoint/event.h"

#include "codec/sse.h"
#include "endpoint/endpoint.h"
#include "endpoint/session.h"
#include "endpoint/trace.h"
#include "server/session.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  /* room for three numbers of 20 digits */
  EVENT_ID_SIZE = 64
};

/* --- writing ------------------------------------------------------------ */

static mcpi_str put_id(char id[EVENT_ID_SIZE],
                       const mcpi_endpoint_stream *stream, uint64_t seq) {
  if (stream->session == NULL) {
    return mcpi_str_z(NULL);
  }
  snprintf(id, EVENT_ID_SIZE, "%" PRIu64 "-%" PRIu64, stream->number, seq);
  return mcpi_str_z(id);
}

static int write_text(const mcpi_endpoint_stream *stream,
                      const mcpi_buf *text) {
  if (text->error == 0) {
    mcpi_endpoint_write(stream->exchange, mcpi_str_n(text->data, text->len));
  }
  return text->error;
}

int mcpi_endpoint_write_event(mcpi_endpoint_stream *stream, uint64_t seq,
                              mcpi_str data) {
  char id[EVENT_ID_SIZE];
  mcp_http *http = stream->http;
  if (!mcpi_endpoint_trace(stream->exchange, 1, data)) {
    return 0;
  }
  mcpi_buf text = mcpi_endpoint_take_scratch(http);
  mcpi_sse_put_event(&text, put_id(id, stream, seq), mcpi_str_z(NULL), data);
  stream->can_resume = stream->session != NULL;
  stream->shown_seq = seq;
  int rc = write_text(stream, &text);
  mcpi_endpoint_give_scratch(http, &text);
  return rc;
}

int mcpi_endpoint_polls(const mcpi_endpoint_stream *stream) {
  const mcpi_endpoint_session *session = stream->session;
  return session != NULL && mcpi_endpoint_session_is_open(session) &&
         session->caller.session != NULL &&
         mcpi_revision_has(session->caller.session->revision, MCPI_HAS_POLLING);
}

/* No two events of a session have the same id. NUMBER-SEQ-COUNT means the place
 * NUMBER-SEQ, in the COUNT-th event without data. */
static mcpi_str put_priming_id(char id[EVENT_ID_SIZE],
                               mcpi_endpoint_stream *stream) {
  snprintf(id, EVENT_ID_SIZE, "%" PRIu64 "-%" PRIu64 "-%" PRIu64,
           stream->number, stream->shown_seq, ++stream->session->primings);
  return mcpi_str_z(id);
}

/* Sends an event without data, so that the client knows where to continue even
 * if nothing else reaches it. Clients of revisions without polling may not
 * understand such an event. */
int mcpi_endpoint_prime(mcpi_endpoint_stream *stream) {
  char id[EVENT_ID_SIZE];
  mcpi_buf text;
  if (!mcpi_endpoint_polls(stream)) {
    return 0;
  }
  mcpi_buf_init(&text, &stream->http->server->allocator, SIZE_MAX);
  mcpi_sse_put_retry(&text, stream->http->options.retry_ms);
  mcpi_sse_put_event(&text, put_priming_id(id, stream), mcpi_str_z(NULL),
                     mcpi_str_z(NULL));
  stream->can_resume = 1;
  int rc = write_text(stream, &text);
  mcpi_buf_deinit(&text);
  return rc;
}

/* --- keeping ------------------------------------------------------------ */

void mcpi_endpoint_report_lost(const mcp_http *http, int rc) {
  mcpi_shard_report(http->shard, rc, "an event could not be kept: %s",
                    mcp_error_text(rc));
}

void mcpi_endpoint_report_evicted(mcp_http *http) {
  if (http->memory.evicted != http->evicted_reported) {
    http->evicted_reported = http->memory.evicted;
    mcpi_shard_evicted(
        http->shard, MCPI_LIMIT_EVENT_BYTES, NULL,
        "the oldest events were dropped to make room: their client "
        "had used its share of replay_bytes, or all clients "
        "together keep %zu bytes; clients that come back for "
        "the dropped events miss them",
        http->memory.bytes);
  }
}

static void on_kept(int rc, void *argument) {
  mcp_http *http = argument;
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  if (rc != 0) {
    mcpi_endpoint_report_lost(http, rc);
  }
  mcpi_endpoint_unref(http);
  mcpi_shard_leave(shard);
}

int mcpi_endpoint_keep(mcpi_endpoint_stream *stream, mcpi_str message) {
  mcp_http *http = stream->http;
  const mcp_event_store *events = &http->events;
  mcpi_endpoint_ref(http);
  stream->last_seq++;
  int rc =
      events->append(events->userdata, stream->session->id, stream->number,
                     stream->last_seq, message.ptr, message.len, on_kept, http);
  if (rc != MCP_PENDING) {
    mcpi_endpoint_unref(http);
  }
  return rc < 0 ? rc : 0;
}
