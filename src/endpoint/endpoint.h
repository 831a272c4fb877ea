/* SPDX-License-Identifier: MIT */
/* MCP over HTTP, server side, without I/O (MCP, Transports: Streamable HTTP):
 *
 *   HTTP server -> route.c      (path, Origin and Host, the program's hook)
 *                  and protect.c (its token)
 *               -> upgrade.c    (WebSockets: no exchange from then on)
 *               -> get.c        (GET and DELETE of a session)
 *               -> post.c       (era, headers against body; body.c parses)
 *                  or mcp_core/tool_post.c (the same, in its dialect)
 *               -> server/dispatch.h, with a stream as the sink
 *               <- stream.c     (JSON or server-sent events)
 *               <- answer.c or event.c (the program's trace)
 *               <- exchange.c   (the responder's calls)
 *
 * HTTP+SSE (sse.c) has the same beginning and end; between them it is an
 * ordered transport like any other. A session, a stream of HTTP+SSE and a
 * WebSocket are channels: they outlive the request that began them (channel.c).
 *
 * An exchange is one HTTP request with its answer. A stream carries the
 * messages that answer the request. In the modern era it lives as long as
 * its exchange. In the legacy era it belongs to a session; it may outlive
 * the exchange that began it, and another exchange may resume it. Each
 * session has one more stream, for messages that answer no request. The
 * event store keeps the events of a session's streams, so that a client can
 * resume a stream (replay.c).
 *
 * No file calls one that calls it back: docs/ARCHITECTURE.md has their
 * order. */
#ifndef MCPI_ENDPOINT_ENDPOINT_H
#define MCPI_ENDPOINT_ENDPOINT_H

#include "auth/resource/verifier.h"
#include "core/quota.h"
#include "core/redact.h"
#include "endpoint/host_origin.h"
#include "endpoint/rate.h"
#include "endpoint/seat.h"
#include "server/shard.h"
#include "store/memory_events.h"

typedef struct mcpi_endpoint_stream mcpi_endpoint_stream;

struct mcp_http {
  mcp_server *server; /* a reference */
  mcpi_shard *shard;
  mcp_http_options options; /* with copies of the strings, and defaults */
  mcpi_verifier *verifier;  /* owned; NULL: it demands no tokens */
  int hides_forbidden;      /* its lists depend on the token */
  int is_secure;            /* its HTTP server speaks TLS */
  /* Where it is reached. port 0: not known. host "": not known, or at several
   * addresses. */
  int port;
  char host[MCPI_ADDRESS_KEY_SIZE];
  /* Its place among the endpoints that share an address. */
  size_t home;
  mcpi_map sessions; /* id -> mcpi_endpoint_session */
  /* Counts sessions, and their events, for each client. */
  mcpi_accounts accounts;
  mcpi_list recent; /* sessions, the least recently used first */
  /* Sessions without a second request, in the same order. */
  mcpi_list fresh;
  mcpi_endpoint_ranks ranks; /* the fresh sessions by client */
  mcpi_map sse;              /* id -> mcpi_endpoint_sse */
  mcpi_list channels;        /* mcpi_endpoint_channel, the oldest first */
  /* Channels that may not have begun a session, in the same order. */
  mcpi_list silent;
  /* Due at the first deadline of a channel or session: deadlines.c. */
  mcpi_timer deadline;
  mcpi_list exchanges;
  mcpi_endpoint_rate rate;
  mcpi_endpoint_rate token_rate;     /* of invalid tokens */
  size_t max_idle;                   /* of each free list; 0 after the end */
  mcp_http_exchange *idle_exchanges; /* free lists */
  size_t idle_exchange_count;
  mcpi_endpoint_stream *idle_streams;
  size_t idle_stream_count;
  mcpi_endpoint_accept_line last_accept;
  mcpi_endpoint_host_line last_host; /* the last host line that was allowed */
  mcpi_buf scratch;                  /* see mcpi_endpoint_take_scratch */
  mcpi_redactor redactor;            /* for on_trace */
  mcpi_quota *waiting;               /* a reference; counts answers that wait */
  mcp_event_store events;
  /* The event store, unless the program has its own. */
  mcpi_memory_events memory;
  /* The value of memory.evicted at the last report. */
  uint64_t evicted_reported;
  size_t refs; /* held by the program, each exchange, stream and session */
  int is_draining;
  int is_freed;
};

static inline void mcpi_endpoint_ref(mcp_http *http) {
  http->refs++;
}

/* Frees an endpoint without references. */
void mcpi_endpoint_destroy(mcp_http *http);

static inline void mcpi_endpoint_unref(mcp_http *http) {
  if (--http->refs == 0) {
    mcpi_endpoint_destroy(http);
  }
}

/* Reports that its HTTP server has refused a connection because of
 * max_connections. The program may free the server in its on_report: the
 * endpoint may be gone on return. */
MCP_API void mcpi_endpoint_connection_refused(const mcp_http *http,
                                              const char *peer,
                                              const mcp_error *err);
/* Reports that its HTTP server closes a connection because of what the client
 * did. The endpoint may be gone on return. */
MCP_API void mcpi_endpoint_connection_ended(const mcp_http *http,
                                            const char *peer,
                                            const mcp_error *err);
/* Does what mcp_http_new does, for a caller that sets the address. */
MCP_API mcp_http *mcpi_endpoint_new(mcp_server *server, mcp_loop *loop,
                                    const mcp_http_options *options,
                                    mcp_error *err);
/* Where its HTTP server listens, such as "127.0.0.1:8080". Call it before the
 * first request. */
MCP_API void mcpi_endpoint_set_address(mcp_http *http, const char *address);
/* Its HTTP server speaks TLS, so its URL begins with https. */
MCP_API void mcpi_endpoint_set_secure(mcp_http *http);
/* The endpoint is one of several that share an address: all accept the nonces
 * that one has made, and a DPoP proof can be used only once. `first` is one of
 * the others, and exists. Call it before the first request. */
MCP_API void mcpi_endpoint_share_proofs(mcp_http *http, const mcp_http *first);
/* Counts the bytes that wait in the endpoint together with those that wait in
 * its HTTP server. */
MCP_API void mcpi_endpoint_count(mcp_http *http, mcpi_quota *waiting);

enum {
  /* The bytes that an idle exchange keeps, and the scratch buffer. */
  MCPI_ENDPOINT_KEPT_BYTES = 256,
  MCPI_ENDPOINT_SCRATCH_KEPT = 64 * 1024
};

/* Whether it takes requests. */
static inline int mcpi_endpoint_is_serving(const mcp_http *http) {
  return !http->is_freed && !http->is_draining && !http->server->is_draining &&
         !http->server->is_freed;
}

/* Whether legacy clients have sessions, and with them GET and DELETE. */
MCP_API int mcpi_endpoint_has_sessions(const mcp_http *http);

/* The first returns an empty buffer to write one text with, the second returns
 * it. It is the same buffer each time, unless another use of it is not
 * finished. */
mcpi_buf mcpi_endpoint_take_scratch(mcp_http *http);
void mcpi_endpoint_give_scratch(mcp_http *http, mcpi_buf *scratch);

#endif
