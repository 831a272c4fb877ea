/* SPDX-License-Identifier: MIT */
/* MCP over HTTP, server side, without I/O (PROTOCOL 2.8, 3.4, 3.5):
 *
 *   HTTP server -> route.c      (path, Origin and Host, the program's hook)
 *               -> upgrade.c    (WebSockets: no exchange from then on)
 *               -> post.c       (parse, era, headers against body)
 *                  or mcp_core/tool_post.c (the same, in its dialect)
 *               -> server/dispatch.h, with a stream as the sink
 *               <- stream.c     (JSON or server-sent events)
 *               <- exchange.c   (the responder's calls)
 *
 * HTTP+SSE (sse.c) has the same beginning and end; between them it is an
 * ordered transport like any other. What outlives the request that began it, a
 * session, a stream of HTTP+SSE, a WebSocket, is a channel (channel.c).
 *
 * An exchange is one HTTP request with its answer. A stream is where the
 * messages that answer it go: in the modern era it lives as long as its
 * exchange, in the legacy one it belongs to a session, may outlive the exchange
 * that began it, and be taken up by another. Each session has one more, for
 * what goes out unasked. What goes out as events on a session's streams is kept
 * in the event store, so that a stream can be taken up where its client has
 * lost it (replay.c). */
#ifndef MCPI_ENDPOINT_ENDPOINT_H
#define MCPI_ENDPOINT_ENDPOINT_H

#include "core/quota.h"
#include "core/redact.h"
#include "endpoint/guard.h"
#include "endpoint/place.h"
#include "endpoint/rate.h"
#include "server/shard.h"
#include "store/memory_events.h"

typedef struct mcpi_http_stream mcpi_http_stream;

struct mcp_http {
  mcp_server *server; /* a reference */
  mcpi_shard *shard;
  mcp_http_options options; /* strings copied, defaults filled in */
  size_t home;              /* its place among those that share an address */
  mcpi_map sessions;        /* id -> mcpi_http_session */
  mcpi_accounts accounts;   /* who has how many sessions, and events of them */
  mcpi_list recent;         /* sessions, the longest unused first */
  mcpi_list fresh;          /* those that had no second request, likewise */
  mcpi_http_ranks ranks;    /* the fresh ones by their clients */
  mcpi_map sse;             /* id -> mcpi_http_sse */
  mcpi_list channels;       /* mcpi_http_channel, the oldest first */
  mcpi_list silent;    /* of them, those that may not have begun, likewise */
  mcpi_timer deadline; /* of the first channel or session: deadlines.c */
  mcpi_list exchanges;
  mcpi_http_rate rate;
  mcp_http_exchange *idle_exchanges; /* free lists */
  size_t idle_exchange_count;
  mcpi_http_stream *idle_streams;
  size_t idle_stream_count;
  mcpi_http_accept_line last_accept;
  mcpi_http_host_line last_host; /* that was allowed */
  mcpi_buf scratch;              /* see mcpi_http_take_scratch */
  mcpi_redactor redactor;        /* of on_trace */
  mcpi_quota *waiting; /* a reference; for answers that wait for others */
  mcp_event_store events;
  mcpi_memory_events memory; /* where they are, unless the program says */
  uint64_t evicted_reported; /* of memory.evicted */
  size_t refs; /* the program, each exchange, stream and session */
  int is_draining;
  int is_freed;
};

static inline void mcpi_http_ref(mcp_http *http) {
  http->refs++;
}

/* Frees an endpoint that nothing refers to. */
void mcpi_http_destroy(mcp_http *http);

static inline void mcpi_http_unref(mcp_http *http) {
  if (--http->refs == 0) {
    mcpi_http_destroy(http);
  }
}

/* Reports that its HTTP server has refused a connection for max_connections.
 * The program may free the server in its on_report: the endpoint may be gone on
 * return. */
MCP_API void mcpi_http_connection_refused(const mcp_http *http,
                                          const char *peer,
                                          const mcp_error *err);
/* Reports that its HTTP server closes a connection for what the client did. The
 * same. */
MCP_API void mcpi_http_connection_ended(const mcp_http *http, const char *peer,
                                        const mcp_error *err);
/* Counts what waits in the endpoint together with what its HTTP server
 * keeps. */
MCP_API void mcpi_http_count(mcp_http *http, mcpi_quota *waiting);

enum {
  /* Idle exchanges of an endpoint, and streams: enough for many at once. */
  MCPI_HTTP_MAX_IDLE = 64,
  /* Bytes that each keeps, and the scratch buffer. */
  MCPI_HTTP_KEPT_BYTES = 256,
  MCPI_HTTP_SCRATCH_KEPT = 64 * 1024
};

/* Takes no new requests, and lets what it has end: what would last by itself
 * ends when its calls have. */
MCP_API void mcpi_http_drain(mcp_http *http);
/* Whether it takes requests. */
static inline int mcpi_http_is_serving(const mcp_http *http) {
  return !http->is_freed && !http->is_draining && !http->server->is_draining &&
         !http->server->is_freed;
}

/* Whether legacy clients have sessions, and with them GET and DELETE. */
MCP_API int mcpi_http_has_sessions(const mcp_http *http);

/* An empty buffer to write one thing with, and back. It is the same one each
 * time, unless another use of it is not over. */
mcpi_buf mcpi_http_take_scratch(mcp_http *http);
void mcpi_http_give_scratch(mcp_http *http, mcpi_buf *scratch);

#endif
