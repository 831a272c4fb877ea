/* SPDX-License-Identifier: MIT */
/* MCP over HTTP, server side, without I/O (PROTOCOL 2.8, 3.4, 3.5):
 *
 *   HTTP server -> route.c      (path, Origin and Host, the program's hook)
 *               -> upgrade.c    (WebSockets: no exchange from then on)
 *               -> post.c       (parse, era, headers against body)
 *                  or wires/mcp_core/http.c (the same, of the mcp-core dialect)
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
#include "server/connection.h"
#include "server/dispatch.h"
#include "store/memory_events.h"

typedef struct mcpi_http_stream mcpi_http_stream;
typedef struct mcpi_http_session mcpi_http_session;
typedef struct mcpi_http_sse mcpi_http_sse;

/* ---- rates ------------------------------------------------------------- */

/* Who made how many requests in the last second (rate.c). */
typedef struct mcpi_http_rate {
  mcpi_map buckets;
  mcpi_list recent;
} mcpi_http_rate;

void mcpi_http_rate_init(mcpi_http_rate *rate, const mcp_allocator *allocator,
                         const uint64_t seed[2]);
void mcpi_http_rate_deinit(mcpi_http_rate *rate);
/* Counts a request. 1; 0: it is one too many. */
int mcpi_http_rate_admits(mcpi_http_rate *rate, mcpi_str key,
                          uint32_t per_second, int64_t now);

/* ---- the endpoint ------------------------------------------------------ */

/* place.c: clients by how many sessions they have, rounded down to a power of
 * two, so that the one to make room is found without a search. */
enum { MCPI_HTTP_RANKS = 33 };

typedef struct mcpi_http_ranks {
  mcpi_list accounts[MCPI_HTTP_RANKS]; /* mcpi_account, of 0, 1, 2, 4 ... */
  mcpi_list unknown; /* fresh sessions whose client is not known */
} mcpi_http_ranks;

struct mcp_http {
  mcp_server *server; /* a reference */
  mcpi_part *part;
  mcp_http_options options; /* strings copied, defaults filled in */
  size_t home;              /* its place among those that share an address */
  mcpi_map sessions;        /* id -> mcpi_http_session */
  mcpi_accounts accounts;   /* who has how many sessions, and events of them */
  mcpi_list recent;         /* sessions, the longest unused first */
  mcpi_list fresh;          /* those that had no second request, likewise */
  mcpi_timer expiry;        /* of the first of both */
  mcpi_http_ranks ranks;    /* the fresh ones by their clients */
  mcpi_map sse;             /* id -> mcpi_http_sse */
  mcpi_list channels;       /* mcpi_http_channel, the oldest first */
  mcpi_list silent; /* of them, those that may not have begun, likewise */
  mcpi_timer age;   /* of the first of both */
  mcpi_list exchanges;
  mcpi_http_rate rate;
  mcp_http_exchange *idle_exchanges; /* free lists */
  size_t idle_exchange_count;
  mcpi_http_stream *idle_streams;
  size_t idle_stream_count;
  mcpi_buf scratch;       /* see mcpi_http_take_scratch */
  mcpi_redactor redactor; /* of on_trace */
  mcpi_quota *waiting;    /* a reference; for answers that wait for others */
  mcp_event_store events;
  mcpi_memory_events memory; /* where they are, unless the program says */
  uint64_t evicted_reported; /* of memory.evicted */
  size_t refs; /* the program, each exchange, stream and session */
  int is_draining;
  int is_freed;
};

void mcpi_http_ref(mcp_http *http);
void mcpi_http_unref(mcp_http *http);

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
int mcpi_http_is_serving(const mcp_http *http);
/* Whether a request's target is at that path, with a query or without. */
int mcpi_http_path_is(const char *target, const char *path);
/* Whether legacy clients have sessions, and with them GET and DELETE. */
MCP_API int mcpi_http_has_sessions(const mcp_http *http);

/* An empty buffer to write one thing with, and back. It is the same one each
 * time, unless another use of it is not over. */
mcpi_buf mcpi_http_take_scratch(mcp_http *http);
void mcpi_http_give_scratch(mcp_http *http, mcpi_buf *scratch);

/* ---- headers ----------------------------------------------------------- */

/* Those that matter, as the request has them; NULL: absent. */
typedef struct mcpi_http_head {
  const char *host;
  const char *origin;
  const char *content_type;
  const char *content_encoding;
  const char *protocol_version;
  const char *mcp_method;
  const char *mcp_name;
  const char *session_id;
  const char *last_event_id;
  const char *repeated; /* the name of one that came twice, else NULL */
  int is_ambiguous;     /* it is one that must not, in any era */
  int accepts_json;
  int accepts_events;
  int names_events; /* by their name, not by a range */
} mcpi_http_head;

void mcpi_http_read_head(const mcp_http_request *request, mcpi_http_head *head);

/* guard.c: whether a request to this host, from a page of this origin, is
 * served. 1; 0: err says why not. *origin_is_named: there is an Origin, and it
 * is allowed. */
int mcpi_http_guard(const mcp_http_options *options, const mcpi_http_head *head,
                    int *origin_is_named, mcp_error *err);

/* options.c */
int mcpi_http_copy_options(const mcp_allocator *allocator,
                           const mcp_http_options *options,
                           mcp_http_options *out, mcp_error *err);
void mcpi_http_free_options(const mcp_allocator *allocator,
                            mcp_http_options *options);

/* ---- exchanges --------------------------------------------------------- */

struct mcp_http_exchange {
  mcpi_list link;
  mcp_http *http; /* a reference */
  const mcp_http_responder *responder;
  void *context;                   /* the responder's */
  const mcp_http_request *request; /* borrowed: until the body has come */
  mcpi_http_head head;             /* likewise */
  int method;                      /* MCPI_HTTP_* */
  int place;                       /* MCPI_HTTP_AT_* */
  const char *origin;    /* to be named in the answer (CORS); NULL: none */
  const char *principal; /* NULL: nobody known */
  mcpi_buf origin_text;  /* hold them */
  mcpi_buf principal_text;
  mcpi_buf peer_text;       /* empty when nobody traces */
  mcp_http_exchange *next;  /* in the free list */
  mcpi_http_stream *stream; /* that it shows, or NULL */
  mcpi_http_sse *sse;       /* likewise */
  int has_begun;            /* an answer in pieces is on its way */
  int is_done;              /* the responder may not be called any more */
  size_t refs;              /* whoever still answers, and frames that use it */
};

enum {
  MCPI_HTTP_POST,
  MCPI_HTTP_GET,
  MCPI_HTTP_DELETE,
  MCPI_HTTP_OPTIONS,
  MCPI_HTTP_HEAD,
  MCPI_HTTP_OTHER
};

enum { MCPI_HTTP_AT_ENDPOINT, MCPI_HTTP_AT_SSE, MCPI_HTTP_AT_MESSAGES };

/* With one reference, which the end of the answer takes. NULL when out of
 * memory. */
mcp_http_exchange *mcpi_http_exchange_new(mcp_http *http);
void mcpi_http_exchange_unref(mcp_http_exchange *exchange);
/* One of the free list. */
void mcpi_http_exchange_free(mcp_http_exchange *exchange,
                             const mcp_allocator *allocator);

enum {
  MCPI_HTTP_MORE = 3,
  /* Bytes that may wait for a client: see mcpi_http_is_congested and
   * _is_unread. */
  MCPI_HTTP_CONGESTED_BYTES = 1024 * 1024,
  MCPI_HTTP_UNREAD_BYTES = 16 * 1024 * 1024
};

/* Each of these ends the answer, and lets go of the exchange. */

/* A whole answer; an empty body is none. `more`: up to MCPI_HTTP_MORE headers.
 */
void mcpi_http_respond(mcp_http_exchange *exchange, int status,
                       const char *type, mcpi_str body,
                       const mcp_http_header *more, size_t more_count);
/* 405, with what is served. */
void mcpi_http_refuse_method(mcp_http_exchange *exchange);
/* Whether a GET accepts what there is for it, a stream of events. 1; 0: it has
 * been refused. */
int mcpi_http_check_events(mcp_http_exchange *exchange);
/* One that is a message, or a batch of them. */
void mcpi_http_respond_json(mcp_http_exchange *exchange, int status,
                            mcpi_str message, const mcp_http_header *more,
                            size_t more_count);
/* Answers with a JSON-RPC error. An empty id_text leaves the id out. */
void mcpi_http_refuse(mcp_http_exchange *exchange, int status, int rpc_code,
                      mcpi_str id_text, const char *format, ...)
    MCP_PRINTF(5, 6);
/* Answers a message without an id with MCP_RPC_UNSUPPORTED_VERSION and its
 * data.
 */
void mcpi_http_refuse_version(mcp_http_exchange *exchange,
                              const mcpi_refusal *refusal);
/* {"error":TEXT}, as the mcp-core dialect refuses what has no id. */
void mcpi_http_refuse_plainly(mcp_http_exchange *exchange, int status,
                              mcpi_str text, const mcp_http_header *more,
                              size_t more_count);
void mcpi_http_end(mcp_http_exchange *exchange);
/* The same, and its connection closes where the responder can do that. */
void mcpi_http_close(mcp_http_exchange *exchange);
/* The connection becomes a WebSocket. NULL: it did not. */
mcp_transport *mcpi_http_upgrade(mcp_http_exchange *exchange,
                                 size_t max_message);
/* Breaks it off; where the responder cannot, it ends. */
void mcpi_http_abort(mcp_http_exchange *exchange);
/* It has broken off. */
void mcpi_http_drop(mcp_http_exchange *exchange);

/* The pieces of an event stream. */
void mcpi_http_begin_events(mcp_http_exchange *exchange,
                            const mcp_http_header *more, size_t more_count);
void mcpi_http_write(mcp_http_exchange *exchange, mcpi_str bytes);
/* Bytes that wait for the client. The responder says so, and may free the
 * endpoint meanwhile: the exchange has ended then, and may be gone. */
size_t mcpi_http_queued(const mcp_http_exchange *exchange);
/* It does not read as fast as we write: what it can do without is left out. */
int mcpi_http_is_congested(const mcp_http_exchange *exchange);
/* It does not read at all. */
int mcpi_http_is_unread(const mcp_http_exchange *exchange);

/* trace.c: shows the program's on_trace a message that has come, or that the
 * exchange is about to send. 1; 0: the program has ended the exchange there, by
 * freeing the endpoint or its listener. */
int mcpi_http_trace(mcp_http_exchange *exchange, int is_sent, mcpi_str message);

/* ---- channels ---------------------------------------------------------- */

/* A caller that outlives the exchange which began it. It ends when it is
 * session_max_ms old, if not before. */
typedef struct mcpi_http_channel {
  mcpi_list link;      /* in http->channels */
  mcp_http *http;      /* a reference */
  mcpi_caller *caller; /* NULL: it has not begun, or has ended */
  int64_t due_ms;
  mcpi_list silent_link; /* in http->silent */
  int64_t begin_due_ms;
} mcpi_http_channel;

/* For a connection with whoever sent the request; strings borrowed from it. */
mcp_connection_options mcpi_http_sender(const mcp_http_exchange *exchange);
/* The rules of all callers of an endpoint: their calls count together. */
mcpi_caller_rules mcpi_http_rules(const mcp_http *http);

void mcpi_http_channel_init(mcpi_http_channel *channel, mcp_http *http);
/* Frees what it is the beginning or a part of. */
void mcpi_http_channel_free(mcpi_http_channel *channel, void *whole,
                            size_t size);
/* From here on it ages. 0 or MCP_ERR_NOMEM. */
int mcpi_http_channel_begin(mcpi_http_channel *channel);
/* The same, with a connection over the transport, which is taken. 0 or why
 * not. */
int mcpi_http_channel_connect(mcpi_http_channel *channel,
                              mcp_transport *transport,
                              const mcp_connection_options *options);
/* Ends it, once open, if its client does not begin a session in
 * initialized_ms. */
void mcpi_http_channel_await(mcpi_http_channel *channel);
/* Its caller has ended. */
void mcpi_http_channel_forget(mcpi_http_channel *channel);
/* Whether the request is of the same principal's. */
int mcpi_http_channel_is_of(const mcpi_http_channel *channel,
                            const mcp_http_exchange *exchange);
void mcpi_http_channels_init(mcp_http *http);
/* Ends each when its calls have ended; or all at once. */
void mcpi_http_channels_drain(mcp_http *http);
void mcpi_http_channels_end(mcp_http *http);

/* ---- streams ----------------------------------------------------------- */

struct mcpi_http_stream {
  mcpi_sink sink;
  mcp_http *http;      /* a reference */
  mcpi_caller *caller; /* the session's, or `single`; NULL once it has ended */
  mcpi_caller single;  /* of one request; it holds a reference to the stream */
  mcpi_http_session *session;  /* a reference; NULL: modern, or stateless */
  mcpi_list link;              /* in the session's streams */
  mcp_http_exchange *exchange; /* who shows it; NULL: nobody now */
  size_t waiting;              /* requests that are not answered yet */
  int is_ended;
  int is_modern;     /* ends with its exchange */
  int is_batch;      /* of a batch: answered by one */
  int is_reading;    /* the POST's messages are being handed over */
  mcpi_buf gathered; /* answers to a batch, before events begin, ... */
  mcpi_share share;  /* ... which count there, from the first one on */
  int error_status;  /* of an error that is the whole answer; 0: as
                                  its code says */
  mcpi_timer keepalive;

  /* Of a session's stream; an event's id is NUMBER-SEQ, see replay.c. */
  uint64_t number;    /* from its first event on; the standalone one has 0 */
  uint64_t last_seq;  /* of the last event */
  uint64_t shown_seq; /* of the last that an exchange was given */
  uint64_t showing;   /* counts exchanges: a replay is for one of them */
  int has_ids;        /* a client knows it: what it does not see is kept */
  int is_replaying;   /* what is sent meanwhile is kept, and replayed too */
  int is_past;        /* nothing is added: when all is shown, it ends */
  size_t refs;
  mcpi_http_stream *next; /* in the free list */

  int form; /* wires/mcp_core/http.c: MCPI_TOOL_*, of the request */
};

/* With one reference, which its end takes. NULL when out of memory. */
mcpi_http_stream *mcpi_http_stream_new(mcp_http *http);
/* One with a caller of its own: for a request of the modern era, or of the
 * legacy one without session. 0, MCP_ERR_CLOSED (the server is draining),
 * MCP_ERR_NOMEM. */
int mcpi_http_stream_open(mcp_http_exchange *exchange, int is_modern,
                          mcpi_http_stream **out);
/* Nothing more will be sent. Harmless when it has ended. */
void mcpi_http_stream_end(mcpi_http_stream *stream);
void mcpi_http_stream_unref(mcpi_http_stream *stream);
/* From now on the exchange shows what the stream sends. */
void mcpi_http_stream_attach(mcpi_http_stream *stream,
                             mcp_http_exchange *exchange);
/* The exchange is gone. In the modern era that ends the stream. */
void mcpi_http_stream_detach(mcpi_http_stream *stream);
/* Breaks off its exchange, with the same consequence. */
void mcpi_http_stream_break(mcpi_http_stream *stream);
/* A message of the session's that answers nothing. 0, or MCP_ERR_GONE: it was
 * neither shown nor kept. */
int mcpi_http_stream_send(mcpi_http_stream *stream, const char *message,
                          size_t len);
/* The exchange shows events from now on. */
void mcpi_http_stream_begin(mcpi_http_stream *stream);
/* All its messages were sent: it ends when they are shown. */
void mcpi_http_stream_finish(mcpi_http_stream *stream);
/* Whether what is sent on it can reach its client, now or later. */
int mcpi_http_stream_carries(const mcpi_http_stream *stream);
/* Whatever is dispatched has been: what is not answered yet may take time. */
void mcpi_http_stream_wait(mcpi_http_stream *stream);

/* ---- replays ----------------------------------------------------------- */

/* Whether the stream's client can be told to come back later. */
int mcpi_http_polls(const mcpi_http_stream *stream);
/* Tells such a client where the stream is. */
void mcpi_http_prime(mcpi_http_stream *stream);
/* Gives the message its place in the stream's log. 0 or why it could not be
 * kept, which is the caller's to report. */
int mcpi_http_keep(mcpi_http_stream *stream, mcpi_str message);
void mcpi_http_report_lost(const mcp_http *http, int rc);
/* Reports that events were dropped for those of other sessions, if they
 * were. */
void mcpi_http_report_evicted(mcp_http *http);
/* An event with its id, on the exchange. */
void mcpi_http_write_event(mcpi_http_stream *stream, uint64_t seq,
                           mcpi_str data);
/* The exchange shows what follows that event, and goes on with what comes. Ends
 * an exchange that showed it before. */
void mcpi_http_resume(mcpi_http_stream *stream, mcp_http_exchange *exchange,
                      uint64_t after);
/* The stream, and the event, that a Last-Event-ID names; one that has ended is
 * taken up for what is kept of it. 0; MCP_ERR_INVALID:
 * the session never had it; MCP_ERR_NOMEM. */
int mcpi_http_find_event(mcpi_http_session *session, const char *id,
                         mcpi_http_stream **out, uint64_t *seq);

/* ---- places (place.c) ---------------------------------------------------- */

/* What a session, or a stream of HTTP+SSE, takes of max_sessions. */
typedef struct mcpi_http_place {
  int is_taken;
  mcpi_account *account; /* a reference; NULL: its client is not known */
} mcpi_http_place;

/* Takes a place for the sender of a request, where need be that of a session
 * which never had a second request. 0; MCP_ERR_LIMIT, MCP_ERR_CLOSED (the
 * server is shutting down) or MCP_ERR_NOMEM, with err. */
int mcpi_http_place_take(mcp_http_exchange *exchange, mcpi_http_place *place,
                         mcp_error *err);
void mcpi_http_ranks_init(mcpi_http_ranks *ranks);
/* Lets a session that was just opened be ended for another, until it has had a
 * second request, or has ended. */
void mcpi_http_place_offer(mcpi_http_session *session);
void mcpi_http_place_withdraw(mcpi_http_session *session);
/* Gives it back, if it was taken. */
void mcpi_http_place_give(mcp_http *http, mcpi_http_place *place);

/* ---- sessions ---------------------------------------------------------- */

enum {
  /* In base64url: the session's home, and 186 random bits. */
  MCPI_HTTP_SESSION_ID_LEN = 32,
  MCPI_HTTP_MAX_HOMES = 64
};

struct mcpi_http_session {
  char id[MCPI_HTTP_SESSION_ID_LEN + 1];
  mcpi_list link;  /* in http->recent, or fresh */
  mcpi_list offer; /* among those of its client, while it is fresh */
  mcpi_http_channel channel;
  mcpi_caller caller;           /* holds a reference to the session */
  mcpi_http_stream *standalone; /* for what goes out unasked */
  mcpi_list streams;            /* of its POSTs, not ended */
  mcpi_http_stream *current;    /* of the POST that is being read, or NULL */
  mcpi_http_place place;
  int is_fresh; /* it had no request after initialize */
  int64_t used_ms;
  uint64_t next_stream;
  uint64_t primings; /* events without data so far, of all streams */
  size_t refs;       /* until it ends, its transport and streams, frames */
};

/* A new id of this endpoint's. 0 or what the platform's random says. */
int mcpi_http_make_id(const mcp_http *http,
                      char id[MCPI_HTTP_SESSION_ID_LEN + 1]);
/* The `home` of the endpoint that gave a session this id; MCPI_HTTP_MAX_HOMES:
 * none did. */
MCP_API size_t mcpi_http_session_home(const char *id);
/* For an initialize request. 0, or with err MCP_ERR_LIMIT, MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM. */
int mcpi_http_session_new(mcp_http_exchange *exchange, mcpi_http_session **out,
                          mcp_error *err);
/* Whether an exchange shows one of its streams. */
int mcpi_http_session_is_in_use(const mcpi_http_session *session);
/* An exchange has ended that showed one of its streams: from now on it
 * idles. */
void mcpi_http_session_left(mcpi_http_session *session);
/* Finds the session that the request names and its principal may use. 0, or the
 * status to refuse the request with, and err says why. */
int mcpi_http_session_find(const mcp_http_exchange *exchange,
                           mcpi_http_session **out, mcp_error *err);
/* One for a POST of the session. 0 or MCP_ERR_NOMEM. */
int mcpi_http_session_stream(mcpi_http_session *session,
                             mcpi_http_stream **out);
void mcpi_http_session_end(mcpi_http_session *session);
void mcpi_http_session_unref(mcpi_http_session *session);
/* Ends those that were not used for too long, or not taken up in time. */
void mcpi_http_sessions_expire(mcp_http *http);
/* GET and DELETE. */
void mcpi_http_on_get(mcp_http_exchange *exchange);
void mcpi_http_on_delete(mcp_http_exchange *exchange);

/* ---- WebSockets -------------------------------------------------------- */

/* Whether a request asks for a WebSocket, and there are any. */
MCP_API int mcpi_http_is_upgrade(const mcp_http *http,
                                 const mcp_http_request *request);
void mcpi_http_on_upgrade(mcp_http_exchange *exchange);

/* ---- POST -------------------------------------------------------------- */

/* The body of one, as it was read: one message or a batch. */
typedef struct mcpi_http_post {
  mcp_http_exchange *exchange;
  mcpi_message *message;
  mcpi_envelope envelope; /* all zero for a batch */
  int is_batch;
  size_t request_count;
} mcpi_http_post;

void mcpi_http_on_post(mcp_http_exchange *exchange, const char *body,
                       size_t len);
/* Parses a body. 0, or the status to refuse it with, and why. */
int mcpi_http_parse(const mcp_http_exchange *exchange, const char *body,
                    size_t len, mcpi_message **out, mcp_error *err);
/* The code of JSON-RPC that goes with that. */
int mcpi_http_parse_code(int status);
/* Reads the body. 1; 0: it has been refused. The message is to be let go of in
 * any case. */
int mcpi_http_post_read(mcpi_http_post *post, const char *body, size_t len);
/* Whether the caller may have its calls. 1; 0: it has been refused. */
int mcpi_http_post_has_room(const mcpi_http_post *post,
                            const mcpi_caller *caller);
/* Refuses it, with the id of what it says where that could be read. */
void mcpi_http_post_refuse(const mcpi_http_post *post, int status, int rpc_code,
                           const char *text);

/* ---- HTTP+SSE (PROTOCOL 3.3) ------------------------------------------- */

struct mcpi_http_sse {
  char id[MCPI_HTTP_SESSION_ID_LEN + 1];
  mcpi_http_channel channel;
  mcpi_http_place place;
  mcp_transport transport;
  mcp_http_exchange *exchange; /* whose answer it is; NULL: that is gone */
  mcpi_timer timer;            /* the next comment; without exchange the end */
  size_t refs;                 /* until it ends, its transport, frames */
};

/* The id in the query of a request that brings messages; NULL: it is none such,
 * or has none. Not NUL-terminated: it ends with the parameter. */
MCP_API const char *mcpi_http_sse_id(const mcp_http *http, const char *target);
/* A GET, whose answer is the stream. */
void mcpi_http_sse_on_get(mcp_http_exchange *exchange);
void mcpi_http_sse_on_post(mcp_http_exchange *exchange, const char *body,
                           size_t len);
/* Its exchange is gone. */
void mcpi_http_sse_lost(mcpi_http_sse *sse);

/* As if initialize had been before. 0 or MCP_ERR_NOMEM. */
int mcpi_http_assume_session(mcpi_caller *caller,
                             const mcpi_revision *revision);

/* ---- the mcp-core dialect ---------------------------------------------- */

void mcpi_http_on_tool(mcp_http_exchange *exchange, const char *body,
                       size_t len);

/* mirror.c: whether the headers say what the body says (PROTOCOL 3.5). Of a
 * version that is not served only what every version has is looked at: the
 * client is to learn which are. 1, or 0 and why: MCP_ERR_PROTOCOL, or another
 * code when that could not be found out. */
int mcpi_http_check_headers(const mcp_http_exchange *exchange,
                            const mcpi_envelope *envelope, int is_served,
                            mcp_error *err);

#endif
