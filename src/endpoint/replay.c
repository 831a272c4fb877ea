/* SPDX-License-Identifier: MIT */
/* Streams that outlive their connections (MCP 2025-11-25, Transports:
 * Resumability and Redelivery): a client that names the last event it saw gets
 * the later ones again.
 *
 * During a replay, new messages of the stream are only stored, not sent. When
 * the replay ends and there are such messages, another replay sends them. */
#include "endpoint/replay.h"

#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
#include "endpoint/event.h"
#include "endpoint/session_life.h"

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
  if (is_current(r) && seq > stream->shown_seq &&
      mcpi_endpoint_write_event(stream, seq, mcpi_str_n(data, len)) != 0) {
    mcpi_endpoint_stream_break(stream);
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

/* Only the exchange ends, because its token has expired. A client that asks for
 * the stream again, with a new token, gets what it has missed. */
static void replay_on_expired(mcpi_grant_expiry *expiry) {
  mcp_http_exchange *exchange =
      MCPI_CONTAINER(expiry, mcpi_endpoint_pass, expiry)->exchange;
  mcpi_endpoint_stream *stream = exchange->stream;
  mcpi_shard *shard = exchange->http->shard;
  mcpi_shard_enter(shard);
  stream->refs++;
  mcpi_endpoint_end(exchange);
  mcpi_endpoint_stream_detach(stream);
  mcpi_endpoint_stream_unref(stream);
  mcpi_shard_leave(shard);
}

/* Also for a GET that shows the answer to a POST: its call goes on. */
static int replay_watch_token(mcp_http_exchange *exchange) {
  mcpi_endpoint_pass *pass = exchange->pass;
  if (pass == NULL) {
    return 0;
  }
  return mcpi_grant_expiry_start(&pass->expiry, exchange->http->shard->loop,
                                 pass->grant, replay_on_expired);
}

void mcpi_endpoint_resume(mcpi_endpoint_stream *stream,
                          mcp_http_exchange *exchange, uint64_t after) {
  replay *r = replay_new(stream);
  if (r != NULL && replay_watch_token(exchange) != 0) {
    replay_free(r);
    r = NULL;
  }
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

/* Finds the stream with this number among those that the session has now. */
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
  /* 0 is the standalone stream. A stream that has ended is made again with
   * this number. */
  mcpi_endpoint_stream *live =
      number == 0 ? session->standalone : find_live(session, number);
  if (live == NULL) {
    return take_up(session, number, out);
  }
  /* A stream that was made again does not know its last event. */
  if (live->stage != MCPI_STREAM_PAST && *seq > live->last_seq) {
    return MCP_ERR_INVALID;
  }
  *out = live;
  return 0;
}
