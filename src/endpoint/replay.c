/* SPDX-License-Identifier: MIT */
/* Streams that outlive their connections (MCP 2025-11-25, Transports:
 * Resumability and Redelivery): each event has an id that names its stream. The
 * store keeps the event, and a client that names the last event it saw gets the
 * later ones again.
 *
 * During a replay, messages are stored and not shown. If more messages were
 * stored when a replay ends, another replay follows. */
#include "endpoint/replay.h"

#include "codec/sse.h"
#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
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

static void write_text(mcpi_endpoint_stream *stream, const mcpi_buf *text) {
  if (text->error != 0) {
    /* The client must learn that it missed an event. */
    mcpi_endpoint_stream_break(stream);
  } else {
    mcpi_endpoint_write(stream->exchange, mcpi_str_n(text->data, text->len));
  }
}

void mcpi_endpoint_write_event(mcpi_endpoint_stream *stream, uint64_t seq,
                               mcpi_str data) {
  char id[EVENT_ID_SIZE];
  mcp_http *http = stream->http;
  if (!mcpi_endpoint_trace(stream->exchange, 1, data)) {
    return;
  }
  mcpi_buf text = mcpi_endpoint_take_scratch(http);
  mcpi_sse_put_event(&text, put_id(id, stream, seq), mcpi_str_z(NULL), data);
  stream->has_ids = stream->session != NULL;
  stream->shown_seq = seq;
  write_text(stream, &text);
  mcpi_endpoint_give_scratch(http, &text);
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
void mcpi_endpoint_prime(mcpi_endpoint_stream *stream) {
  char id[EVENT_ID_SIZE];
  mcpi_buf text;
  if (!mcpi_endpoint_polls(stream)) {
    return;
  }
  mcpi_buf_init(&text, &stream->http->server->allocator, SIZE_MAX);
  mcpi_sse_put_retry(&text, stream->http->options.retry_ms);
  mcpi_sse_put_event(&text, put_priming_id(id, stream), mcpi_str_z(NULL),
                     mcpi_str_z(NULL));
  stream->has_ids = 1;
  write_text(stream, &text);
  mcpi_buf_deinit(&text);
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

/* --- replaying ---------------------------------------------------------- */

typedef struct replay {
  mcpi_endpoint_stream *stream; /* a reference */
  uint64_t showing;             /* the exchange that it is for */
  uint64_t after;
} replay;

static int is_current(const replay *r) {
  const mcpi_endpoint_stream *stream = r->stream;
  return stream->exchange != NULL && stream->stage != MCPI_STREAM_ENDED &&
         stream->showing == r->showing;
}

static void on_each(uint64_t seq, const char *data, size_t len,
                    void *argument) {
  const replay *r = argument;
  mcpi_endpoint_stream *stream = r->stream;
  mcpi_shard *shard = stream->http->shard;
  mcpi_shard_enter(shard);
  if (is_current(r) && seq > stream->shown_seq) {
    mcpi_endpoint_write_event(stream, seq, mcpi_str_n(data, len));
  }
  mcpi_shard_leave(shard);
}

static void replay_start(replay *r);

/* Events that the store dropped during the replay are lost. */
static void go_live(mcpi_endpoint_stream *stream) {
  if (stream->shown_seq < stream->last_seq) {
    stream->shown_seq = stream->last_seq;
  }
  if (stream->stage == MCPI_STREAM_PAST) {
    mcpi_endpoint_stream_end(stream);
  } else {
    stream->stage = MCPI_STREAM_LIVE;
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
}

static void replay_free(replay *r) {
  mcpi_endpoint_stream *stream = r->stream;
  mcpi_free(&stream->http->server->allocator, r, sizeof(*r));
  mcpi_endpoint_stream_unref(stream);
}

static void on_replayed(int rc, void *argument) {
  replay *r = argument;
  mcpi_endpoint_stream *stream = r->stream;
  mcpi_shard *shard = stream->http->shard;
  mcpi_shard_enter(shard);
  int has_moved = stream->shown_seq > r->after;
  if (!is_current(r)) {
    replay_free(r);
  } else if (rc != 0) {
    mcpi_endpoint_stream_break(stream); /* the client may come back */
    replay_free(r);
  } else if (has_moved && stream->shown_seq < stream->last_seq) {
    replay_start(r);
  } else {
    go_live(stream);
    replay_free(r);
  }
  mcpi_shard_leave(shard);
}

static void replay_start(replay *r) {
  mcpi_endpoint_stream *stream = r->stream;
  const mcp_event_store *events = &stream->http->events;
  r->after = stream->shown_seq;
  int rc = events->replay(events->userdata, stream->session->id, stream->number,
                          r->after, on_each, on_replayed, r);
  if (rc != MCP_PENDING) {
    on_replayed(rc, r);
  }
}

static replay *replay_new(mcpi_endpoint_stream *stream) {
  replay *r = mcpi_alloc(&stream->http->server->allocator, sizeof(*r));
  if (r != NULL) {
    *r = (replay){.stream = stream};
    stream->refs++;
  }
  return r;
}

/* Takes the stream from another exchange. Ending that exchange may free
 * everything. */
static int take_over(mcpi_endpoint_stream *stream,
                     mcp_http_exchange *exchange) {
  if (stream->exchange != NULL) {
    mcpi_endpoint_end(stream->exchange);
  }
  if (stream->stage == MCPI_STREAM_ENDED) {
    mcpi_endpoint_refuse(exchange, 404, MCP_RPC_INVALID_REQUEST,
                         mcpi_str_z(NULL), "the session has ended");
  }
  return exchange->stage != MCPI_EXCHANGE_DONE;
}

static void show_again(replay *r, mcp_http_exchange *exchange, uint64_t after) {
  mcpi_endpoint_stream *stream = r->stream;
  stream->shown_seq = after;
  if (stream->stage != MCPI_STREAM_PAST) {
    stream->stage = MCPI_STREAM_REPLAYING;
  }
  mcpi_endpoint_stream_attach(stream, exchange);
  r->showing = stream->showing;
  mcpi_endpoint_stream_begin(stream);
  if (is_current(r)) {
    replay_start(r);
  } else {
    replay_free(r);
  }
}

void mcpi_endpoint_resume(mcpi_endpoint_stream *stream,
                          mcp_http_exchange *exchange, uint64_t after) {
  replay *r = replay_new(stream);
  if (r == NULL) {
    mcpi_endpoint_refuse(exchange, 500, MCP_RPC_INTERNAL_ERROR,
                         mcpi_str_z(NULL), "out of memory");
    mcpi_endpoint_stream_detach(stream);
  } else if (take_over(stream, exchange)) {
    show_again(r, exchange, after);
  } else {
    mcpi_endpoint_stream_detach(stream);
    replay_free(r);
  }
}

/* --- which stream ------------------------------------------------------- */

/* Reads digits, and moves past them. */
static int read_number(const char **text, uint64_t *number) {
  const char *at = *text;
  *number = 0;
  if (*at < '0' || *at > '9') {
    return MCP_ERR_INVALID;
  }
  for (; *at >= '0' && *at <= '9'; at++) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (*number > (UINT64_MAX - digit) / 10) {
      return MCP_ERR_INVALID;
    }
    *number = *number * 10 + digit;
  }
  *text = at;
  return 0;
}

/* Reads NUMBER-SEQ or NUMBER-SEQ-COUNT: both mean the same place. */
static int read_event_id(const char *id, uint64_t *number, uint64_t *seq) {
  uint64_t count;
  int rc = read_number(&id, number);
  if (rc == 0 && *id == '-') {
    id++;
    rc = read_number(&id, seq);
  } else {
    rc = MCP_ERR_INVALID;
  }
  if (rc == 0 && *id == '-') {
    id++;
    rc = read_number(&id, &count);
  }
  return rc == 0 && *id == '\0' ? 0 : MCP_ERR_INVALID;
}

static mcpi_endpoint_stream *find_live(const mcpi_endpoint_session *session,
                                       uint64_t number) {
  for (mcpi_list *link = session->streams.next; link != &session->streams;
       link = link->next) {
    mcpi_endpoint_stream *stream =
        MCPI_CONTAINER(link, mcpi_endpoint_stream, link);
    if (stream->number == number) {
      return stream;
    }
  }
  return NULL;
}

/* Resumes a stream that has ended: its stored events can still be shown. */
static int take_up(mcpi_endpoint_session *session, uint64_t number,
                   mcpi_endpoint_stream **out) {
  int rc = mcpi_endpoint_session_stream(session, out);
  if (rc == 0) {
    (*out)->number = number;
    (*out)->stage = MCPI_STREAM_PAST;
  }
  return rc;
}

int mcpi_endpoint_find_event(mcpi_endpoint_session *session, const char *id,
                             mcpi_endpoint_stream **out, uint64_t *seq) {
  uint64_t number;
  if (read_event_id(id, &number, seq) != 0 || number > session->next_stream) {
    return MCP_ERR_INVALID;
  }
  mcpi_endpoint_stream *live =
      number == 0 ? session->standalone : find_live(session, number);
  if (live == NULL) {
    return take_up(session, number, out);
  }
  if (live->stage != MCPI_STREAM_PAST && *seq > live->last_seq) {
    return MCP_ERR_INVALID;
  }
  *out = live;
  return 0;
}
