/* SPDX-License-Identifier: MIT */
/* Streams of messages that answer a POST, or that the server sends to a
 * session. */
#ifndef MCPI_ENDPOINT_STREAM_H
#define MCPI_ENDPOINT_STREAM_H

#include "core/quota.h"
#include "endpoint/exchange.h"
#include "server/caller.h"
#include "server/sink.h"

typedef struct mcpi_endpoint_session mcpi_endpoint_session;

/* Which messages it carries, from its beginning to its end. */
typedef enum mcpi_endpoint_stream_kind {
  /* Of one request of the modern era, also a listen; it ends with the
   * request. */
  MCPI_STREAM_MODERN,
  MCPI_STREAM_STATELESS, /* of a POST of the legacy era without a session */
  MCPI_STREAM_POST,      /* of a POST in a session */
  MCPI_STREAM_STANDALONE /* of a session: messages that answer no POST */
} mcpi_endpoint_stream_kind;

/* What becomes of the messages that are sent on a stream.
 *
 *                 .------ the client has lost it, -----.
 *                 |       and comes back               v
 *     READING -> LIVE <------------------------- REPLAYING
 *                 ^       all has been replayed,       |
 *                 |       or the exchange is gone      | the last request
 *     standalone -'                                    | is answered
 *                                                      v
 *     an ended stream is asked for again ----------> PAST
 *
 * ENDED follows from each stage: from READING and LIVE when the last request is
 * answered, from PAST when all is shown or the exchange is gone, and from all
 * of them with the caller. REPLAYING follows from READING as well, if the
 * program lets its client come back while the POST is still being read. */
typedef enum mcpi_endpoint_stream_stage {
  MCPI_STREAM_LIVE, /* 0, as in a new stream: messages are shown at once */
  /* The same, but a batch's answers are gathered: the POST's messages are being
   * dispatched. */
  MCPI_STREAM_READING,
  MCPI_STREAM_REPLAYING, /* messages are only stored, and replayed in order */
  MCPI_STREAM_PAST,      /* the same, and no others will come */
  MCPI_STREAM_ENDED      /* nothing is sent; the last reference is still held */
} mcpi_endpoint_stream_stage;

/* Lifetime: counted. References are held by the stream itself until
 * mcpi_endpoint_stream_end, by the exchange that shows it, by `single` from
 * mcpi_caller_init to its `free`, by a replay, and by frames that use it. The
 * last one puts it into the endpoint's free list. Everything happens on the
 * loop's thread. */
struct mcpi_endpoint_stream {
  mcpi_sink sink;
  mcp_http *http;      /* a reference */
  mcpi_caller *caller; /* the session's, or `single`; NULL once it has ended */
  mcpi_caller single;  /* for one request; it holds a reference to the stream */
  mcpi_endpoint_session *session; /* a reference; NULL: modern, or stateless */
  mcpi_list link;                 /* in the session's streams */
  mcp_http_exchange *exchange; /* the exchange that shows it; NULL: none now */
  size_t waiting;              /* requests that are not answered yet */
  mcpi_endpoint_stream_kind kind;
  mcpi_endpoint_stream_stage stage;
  int is_batch;      /* the POST is a batch, which gets one answer */
  mcpi_buf gathered; /* answers to a batch, until events begin */
  mcpi_share share;  /* counts `gathered`; all zero before the first answer */
  /* The status of an error that is the whole answer; 0: by its code. */
  int error_status;
  mcpi_timer keepalive;

  /* Of a session's stream; an event's id is NUMBER-SEQ, see event.c. */
  uint64_t number;    /* set at its first event; the standalone one has 0 */
  uint64_t last_seq;  /* of the last event */
  uint64_t shown_seq; /* the last one that an exchange was given */
  uint64_t showing;   /* counts exchanges: a replay is for one of them */
  /* The client knows the id of an event of this stream, so it can come back:
   * in a session the stream accepts messages even if no exchange shows it. */
  int can_resume;
  size_t refs;
  mcpi_endpoint_stream *next; /* in the free list */

  int form; /* the form of the request, MCPI_TOOL_*: mcp_core/tool_post.c */
};

/* Makes a LIVE stream, with the reference that its end drops. NULL when out of
 * memory. */
mcpi_endpoint_stream *mcpi_endpoint_stream_new(mcp_http *http,
                                               mcpi_endpoint_stream_kind kind);
/* Makes a stream with its own caller: MCPI_STREAM_MODERN or
 * MCPI_STREAM_STATELESS. Returns 0, MCP_ERR_CLOSED (the server is draining) or
 * MCP_ERR_NOMEM. */
int mcpi_endpoint_stream_open(mcp_http_exchange *exchange,
                              mcpi_endpoint_stream_kind kind,
                              mcpi_endpoint_stream **out);
/* Nothing more will be sent. Does nothing if it has ended. */
void mcpi_endpoint_stream_end(mcpi_endpoint_stream *stream);
/* Puts a stream without references into the free list. */
void mcpi_endpoint_stream_recycle(mcpi_endpoint_stream *stream);

static inline void mcpi_endpoint_stream_unref(mcpi_endpoint_stream *stream) {
  if (--stream->refs == 0) {
    mcpi_endpoint_stream_recycle(stream);
  }
}

/* The exchange is DONE: it drops the stream. No exchange shows the stream until
 * another resumes it. */
void mcpi_endpoint_stream_hide(mcp_http_exchange *exchange);

/* From now on the exchange shows what the stream sends. */
static inline void mcpi_endpoint_stream_attach(mcpi_endpoint_stream *stream,
                                               mcp_http_exchange *exchange) {
  stream->refs++;
  stream->showing++;
  stream->exchange = exchange;
  exchange->stream = stream;
  exchange->on_done = mcpi_endpoint_stream_hide;
}

/* The client has left its exchange. In the modern era that ends the stream. */
void mcpi_endpoint_stream_detach(mcpi_endpoint_stream *stream);
/* Breaks off its exchange, with the same consequence. */
void mcpi_endpoint_stream_break(mcpi_endpoint_stream *stream);
/* Sends a message of the session that answers nothing. Returns 0, or
 * MCP_ERR_GONE: it was neither shown nor stored. */
int mcpi_endpoint_stream_send(mcpi_endpoint_stream *stream, const char *message,
                              size_t len);
/* From now on the exchange shows events. */
void mcpi_endpoint_stream_begin(mcpi_endpoint_stream *stream);
/* All its messages were sent: it ends when they are shown. */
void mcpi_endpoint_stream_finish(mcpi_endpoint_stream *stream);
/* Whether a message sent on it can reach its client, now or later. */
int mcpi_endpoint_stream_carries(const mcpi_endpoint_stream *stream);
/* Starts the keep-alive timer anew. Call it when answers are still to come, and
 * after each message that the client gets. Also begins the events for a client
 * that must know an event id. */
void mcpi_endpoint_stream_restart_keepalive(mcpi_endpoint_stream *stream);

#endif
