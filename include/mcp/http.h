/* SPDX-License-Identifier: MIT */
/** @file
 * Serves MCP over HTTP. One endpoint speaks Streamable HTTP with clients of all
 * revisions. It can also serve WebSockets at the same path, and HTTP+SSE for
 * clients of 2024-11-05.
 *
 * There are two ways to use it:
 * - mcp_server_listen_http: the library's own HTTP server, on a port or a Unix
 *   socket;
 * - mcp_http_new: the endpoint alone, for a program that has an HTTP server.
 *   The program passes each request to the endpoint (mcp_http_begin,
 *   mcp_http_body). The endpoint calls functions of the program to answer
 *   (mcp_http_responder).
 *
 * (Specification: basic/transports, Streamable HTTP.)
 */
#ifndef MCP_HTTP_H
#define MCP_HTTP_H

#include <mcp/protect.h>
#include <mcp/server.h>
#include <mcp/transport.h>

MCP_BEGIN_DECLS

/* ---- requests and answers ---------------------------------------------- */

/** One header of a request or an answer. This structure does not grow. */
typedef struct mcp_http_header {
  /** The name, in any case. */
  const char *name;
  /** The value, without blanks around it. */
  const char *value;
} mcp_http_header;

/** The head of a request, as the HTTP server has read it. */
typedef struct mcp_http_request {
  /** sizeof(mcp_http_request); MCP_HTTP_REQUEST_INIT sets it. */
  size_t size;
  /** "POST", "GET", ... */
  const char *method;
  /** The path and query, as the client sent them. */
  const char *target;
  /** The headers, one entry for each line that the client sent. Names are in
   * any case; values have no blanks around them. */
  const mcp_http_header *headers;
  size_t header_count;
  /** The client's address, such as "127.0.0.1:4711"; NULL: not known. */
  const char *peer;
  /** The verified identity of the client, from a client certificate or a login
   * of the HTTP server; NULL: not known. */
  const char *principal;
} mcp_http_request;

#define MCP_HTTP_REQUEST_INIT MCP_INIT_(mcp_http_request)

/**
 * Functions by which the endpoint answers a request. The program's HTTP server
 * provides them, and the endpoint calls them on its loop's thread. `exchange`
 * is the pointer that the program passed to mcp_http_begin. One answer is
 * either one call of `respond`, or one call of `begin`, any number of calls of
 * `write`, and one call of `end`. Headers and bodies are borrowed until return.
 *
 * The HTTP server adds the headers Content-Length, Transfer-Encoding,
 * Connection and Date. The endpoint does not set them.
 *
 * Inside each of these functions the program may free the endpoint and the
 * server. If the answer has not ended, mcp_http_free then ends it by calling
 * another of these functions.
 */
typedef struct mcp_http_responder {
  /** sizeof(mcp_http_responder); MCP_HTTP_RESPONDER_INIT sets it. */
  size_t size;
  /** Sends a complete answer. `body` may be NULL if len is 0. The HTTP server
   * does not send the body in answer to HEAD. */
  void (*respond)(void *exchange, int status, const mcp_http_header *headers,
                  size_t header_count, const char *body, size_t len);
  /** Begins an answer that comes in pieces. The HTTP server sends each piece at
   * once. */
  void (*begin)(void *exchange, int status, const mcp_http_header *headers,
                size_t header_count);
  /** Sends the next bytes of the body. */
  void (*write)(void *exchange, const char *bytes, size_t len);
  /** Ends an answer that `begin` began. */
  void (*end)(void *exchange);
  /** Returns how many bytes of `write` have not been sent yet. Above 1 MB the
   * endpoint drops progress and log messages. Above 16 MB it aborts the answer.
   * NULL: the endpoint assumes 0. */
  size_t (*queued)(void *exchange);
  /** Aborts the answer and closes the connection, so that the client sees that
   * the answer is incomplete. NULL: the endpoint calls `end`, or `respond` with
   * status 500 if the answer has not begun. */
  void (*abort)(void *exchange);
  /** Answers a GET that asks for a WebSocket. The endpoint calls it inside
   * mcp_http_body, or later if it waits for the check of a token
   * (mcp_http_options.protect). The function checks the handshake (RFC 6455),
   * answers with status 101, and returns a transport over the connection. If
   * the handshake is not valid, it answers with an error status and returns
   * NULL. If this member is NULL, the endpoint treats such a request as an
   * ordinary GET.
   *
   * @param max_message the longest message that the transport accepts, in bytes
   * @return the endpoint owns the transport and releases it; NULL: the function
   *         has answered */
  mcp_transport *(*upgrade)(void *exchange, size_t max_message);
  /** Ends the answer like `end`, and closes the connection when the answer is
   * sent. The endpoint calls it for the stream of a GET whose session has
   * ended. NULL: the endpoint calls `end`. */
  void (*close)(void *exchange);
} mcp_http_responder;

#define MCP_HTTP_RESPONDER_INIT MCP_INIT_(mcp_http_responder)

/* ---- stored events ----------------------------------------------------- */

/** Reports the end of an operation that returned MCP_PENDING. The event store
 * calls it once, on the thread of the loop that called the operation.
 * @param rc       0 or an MCP_ERR_*
 * @param argument the `argument` that the library passed to the operation */
typedef void (*mcp_event_done_cb)(int rc, void *argument);
/** Gets one event of a replay.
 * @param data     borrowed until return
 * @param argument the `argument` that the library passed to `replay` */
typedef void (*mcp_event_each_cb)(uint64_t seq, const char *data, size_t len,
                                  void *argument);

/**
 * Stores the events that legacy sessions send on their streams. A client that
 * lost its connection can then get the events that it missed, with
 * Last-Event-ID.
 *
 * Each function is called on the thread of the loop that serves the session:
 * with several threads (mcp_http_listen_options.threads), on several threads at
 * once. Strings and data are borrowed until return.
 *
 * `append` and `replay` return 0 when they are done; MCP_PENDING if they go on
 * and will call `done`; or an MCP_ERR_* if they fail. A replay must include
 * each event that was passed to `append` before `replay` was called, also if
 * that `append` has not called `done` yet. It may leave out events that the
 * store dropped to make room.
 */
typedef struct mcp_event_store {
  /** sizeof(mcp_event_store); MCP_EVENT_STORE_INIT sets it. */
  size_t size;
  /** Stores the event `seq` (1, 2, ...) of a session's stream. */
  int (*append)(void *userdata, const char *session, uint64_t stream,
                uint64_t seq, const char *data, size_t len,
                mcp_event_done_cb done, void *argument);
  /** Calls `each` for each event of the stream after the event `after`, in
   * order. */
  int (*replay)(void *userdata, const char *session, uint64_t stream,
                uint64_t after, mcp_event_each_cb each, mcp_event_done_cb done,
                void *argument);
  /** Drops the events of a session that has ended. */
  void (*forget)(void *userdata, const char *session);
  /** Passed to the functions. */
  void *userdata;
} mcp_event_store;

#define MCP_EVENT_STORE_INIT MCP_INIT_(mcp_event_store)

/* ---- the endpoint (libmcp-core) ---------------------------------------- */

/** How requests of the legacy era are served. */
enum {
  /** With sessions: all features of the client's revision. The default. */
  MCP_HTTP_SESSIONS = 0,
  /** Without sessions: each request is independent. There is no GET stream, and
   * handlers cannot ask the client. Use it if several processes serve one
   * address. */
  MCP_HTTP_STATELESS = 1,
  /** Like MCP_HTTP_STATELESS, for clients that only send a POST and read its
   * answer, such as custom transports of the AI SDK:
   * - a request is answered with application/json, whatever its Accept says;
   *   progress and log messages are left out;
   * - notifications and responses are answered with status 204, without a body;
   * - initialize accepts any date of the legacy era as the version, even if
   *   there is no such revision, and answers with the same date. The server
   *   then uses the newest revision up to this date ("2025-08-01" is served as
   *   2025-06-18), or the oldest revision if all are later;
   * - a request without MCP-Protocol-Version is served as the newest legacy
   *   revision, because the server does not store the result of initialize. */
  MCP_HTTP_PLAIN = 2
};

/** The wires of an endpoint, as bits. */
enum {
  /** Streamable HTTP, at `path`. */
  MCP_HTTP_STREAMABLE = 1,
  /** WebSocket, also at `path`: a GET that asks for an upgrade. A WebSocket is
   * an ordered transport, like standard input and output, and serves both eras.
   * An HTTP server of the program needs mcp_http_responder.upgrade. */
  MCP_HTTP_WEBSOCKET = 2,
  /** HTTP+SSE, for clients of 2024-11-05. A GET at `sse_path` opens an event
   * stream, which is one session. The first event names the URL to which the
   * client posts messages (`messages_path` with an id). HTTP+SSE is an ordered
   * transport, like standard input and output, and serves both eras. */
  MCP_HTTP_SSE = 4
};

/** Serves requests of one HTTP server at one path. */
typedef struct mcp_http mcp_http;

/**
 * The details of a decision of mcp_http_options.on_request, beside its return
 * value. The library initialises the structure before the call, and the program
 * sets the members that it needs.
 *
 * Later versions of the structure have more members at its end. A program that
 * was built with newer headers than the library compares `size` before it sets
 * a newer member.
 */
typedef struct mcp_http_decision {
  /** sizeof(mcp_http_decision) as the library knows it. */
  size_t size;
  /** If on_request accepts the request: the identity of the client; copied. The
   * library initialises it to mcp_http_request.principal. NULL: not known. */
  const char *principal;
  /** If on_request refuses the request: a text for the body of the answer,
   * borrowed until on_request is called again on this thread. NULL, the initial
   * value: no text. */
  const char *reason;
  /** If on_request refuses the request: the value of the answer's
   * WWW-Authenticate header, borrowed until on_request is called again on this
   * thread. NULL, the initial value: the answer does not have this header. */
  const char *challenge;
} mcp_http_decision;

/** Policy of an endpoint. Zero and NULL mean the default. */
typedef struct mcp_http_options {
  /** sizeof(mcp_http_options); MCP_HTTP_OPTIONS_INIT sets it. */
  size_t size;
  /** The path of the endpoint; default "/mcp". Requests to other paths get
   * status 404. */
  const char *path;
  /** The path at which the endpoint reports the server's health; default
   * "/health"; "": there is no such path. The endpoint answers GET and HEAD
   * with a line of text:
   * - 200 "ok": the server accepts requests;
   * - 200 "degraded: LIMIT": the server accepts requests, but the named limit
   *   has refused a client in the last ten seconds. LIMIT is max_calls,
   *   max_sessions, max_kept_bytes, max_subscriptions or max_connections; or
   *   max_total_calls, if the server also serves other transports on this loop.
   *   With several threads, this shows only the limits of the loop that answers
   *   the request;
   * - 503 "shutting down": the server does not accept new requests.
   *
   * A Host or Origin that is not allowed is refused here too. */
  const char *health_path;
  /** How the legacy era is served: MCP_HTTP_SESSIONS, MCP_HTTP_STATELESS or
   * MCP_HTTP_PLAIN. mcp_server_options.eras selects which eras are served. */
  uint32_t legacy;
  /** What the endpoint serves: a combination of MCP_HTTP_STREAMABLE,
   * MCP_HTTP_WEBSOCKET and MCP_HTTP_SSE; default MCP_HTTP_STREAMABLE. */
  uint32_t wires;

  /** The host names, without port, to which a client may send a request; the
   * array ends with NULL; "*": any. Default: the names of the loopback
   * interface. This protects against DNS rebinding: a web page that reaches the
   * server under a host name of its own is refused. */
  const char *const *allowed_hosts;
  /** The origins of web pages that may use the endpoint, such as
   * "https://app.example.org"; the array ends with NULL; "*": any. The endpoint
   * sends them CORS headers. Default: the origins of the loopback interface. A
   * request without Origin is accepted, because it does not come from a web
   * page. */
  const char *const *allowed_origins;

  /** Limits the legacy sessions that exist at once, together with the streams
   * of HTTP+SSE; default 10,000. Clients share this limit as mcp_limits
   * describes. A client may have up to 16 sessions even if its share is
   * smaller, as long as the other clients leave room for them in the limit.
   *
   * When the limit or the share of a client is reached, the endpoint makes room
   * for a new session: it ends another session. It chooses only among sessions
   * that had no request after `initialize`, in this order:
   * - the sessions of clients that have more sessions than the client of the
   *   new session; clients with the most sessions come first (the numbers are
   *   rounded down to a power of two before they are compared);
   * - the sessions of the client of the new session.
   *
   * Of the sessions of one client, the endpoint ends the one that was idle for
   * the longest time. If there is no such session, the endpoint refuses the new
   * session with status 503. */
  uint32_t max_sessions;
  /** Ends a session after this time without a request, in milliseconds; default
   * 1,800,000 (half an hour). The time does not run while a stream of the
   * session is open: a GET, or a POST without its answer. The end of a session
   * cancels its calls, also calls whose client has disconnected. */
  uint32_t session_idle_ms;
  /** The longest life of a session, of a stream of HTTP+SSE, and of a WebSocket
   * (which is closed with code 1001), in milliseconds; default 86,400,000 (a
   * day). The limit exists because the endpoint identifies a client only when
   * one of these begins. */
  uint32_t session_max_ms;
  /** How many bytes of events the endpoint keeps for each session, for
   * Last-Event-ID; default 256 KB. All sessions together may have 64 MB, which
   * clients share as mcp_limits describes. When a client has reached its share,
   * its own oldest events are dropped first. */
  uint32_t replay_bytes;
  /** When a stream has had no output for this many milliseconds, the endpoint
   * sends a comment on it; default 10,000. If a call has no answer after this
   * time, and its client accepts text/event-stream, the answer becomes an event
   * stream.
   */
  uint32_t keepalive_ms;
  /** How long a client should wait before it connects again (`retry`), in
   * milliseconds; default 1000. */
  uint32_t retry_ms;
  /** Limits the requests of one client in a second; default: no limit. Further
   * requests get status 429. The endpoint tells clients apart by their
   * principal, or, if there is none, by their address (the first 64 bits of an
   * IPv6 address). An endpoint that demands tokens also limits invalid tokens
   * (mcp_protect_options.max_checks). */
  uint32_t max_rate;
  /** Limits the calls of all clients on one loop at once, also calls whose
   * client has disconnected while the handler still runs; default 10,000.
   * Clients share this limit as mcp_limits describes. Further calls get status
   * 503, over a WebSocket the error -32603. */
  uint32_t max_calls;

  /** Called with the head of each request to the endpoint, before its body.
   * Returns 0 to accept the request, or an HTTP status from 200 to 599 to
   * refuse it. All other numbers are reserved for later versions; in this
   * version the answer to them has status 500. `server` is the server of the
   * endpoint; after mcp_server_free the endpoint refuses requests without this
   * call. `decision` holds details of the answer. With several threads, each of
   * them calls this function. NULL: the endpoint accepts all requests. */
  int (*on_request)(mcp_server *server, const mcp_http_request *request,
                    mcp_http_decision *decision, void *userdata);
  /** Passed to on_request and on_trace. */
  void *userdata;
  /** The event store; NULL: in memory. The structure is copied. Its functions
   * and its userdata must stay valid until its last operation has ended. All
   * operations must have ended before the loop is freed. */
  const mcp_event_store *events;
  /** Called for each message that is received or sent, with `userdata`; NULL:
   * no trace. `server` is the server of the endpoint; NULL once the program has
   * called mcp_server_free. With one thread, the function may free the endpoint
   * or the listener; the message is then dropped. With several threads, each of
   * them calls this function, and it must not free the listener, because
   * mcp_http_listener_free would wait for these threads. */
  void (*on_trace)(mcp_server *server, const mcp_traced_message *message,
                   void *userdata);
  /** The dialect at `path` (mcp/transport.h): MCP_DIALECT_MCP, or one of the
   * three MCP_DIALECT_MCP_CORE*. A server treats these three alike. With
   * mcp-core, a POST calls a tool, and nothing else is served. The answer is
   * JSON, or an event stream if the client's Accept names text/event-stream;
   * keepalive_ms must be less than 30,000. A WebSocket also uses the dialect
   * (mcp_transport_dialect). mcp-core together with MCP_HTTP_SSE is
   * MCP_ERR_INVALID. docs/TRANSPORTS.md shows the messages and the statuses. */
  uint32_t dialect;
  uint32_t reserved2;
  /** With MCP_HTTP_SSE: the path of the event stream; default "/sse". */
  const char *sse_path;
  /** With MCP_HTTP_SSE: the path to which clients post; default "/messages". */
  const char *messages_path;
  /** How long a client may send nothing after `initialize`, in milliseconds;
   * default 60,000. If neither notifications/initialized nor another request
   * arrives in this time, the endpoint ends the session. For a stream of
   * HTTP+SSE or a WebSocket the time begins when it opens, and `initialize` and
   * pings do not count. */
  uint32_t initialized_ms;
  uint32_t reserved3;
  /** These three members say how the program's users set the allowed hosts, the
   * allowed origins and the path, such as "--allow-host". The message of a
   * refusal names the setting. Defaults "allowed_hosts", "allowed_origins" and
   * "path". */
  const char *host_setting;
  /** As host_setting, for the allowed origins. */
  const char *origin_setting;
  /** As host_setting, for the path. */
  const char *path_setting;
  /** Demands an access token of each request; NULL: no token is needed. Copied
   * with all that it points to. mcp/protect.h says how tokens are checked.
   *
   * The endpoint checks the token before on_request is called: a request whose
   * token is refused does not reach on_request. on_request may still refuse a
   * request whose token is accepted. mcp_http_request.principal is then the
   * identity of the token, in place of that of a client certificate; on_request
   * may set another one. While a check waits, such as for keys, the endpoint
   * keeps the request.
   *
   * Health, CORS preflights and the metadata of the protected resource (GET
   * /.well-known/oauth-protected-resource, and the same with the endpoint's
   * path after it) need no token, and on_request is not called for the
   * metadata.
   *
   * A WebSocket uses the token of the request that began it for all its
   * messages. When the token of a request expires, its stream ends:
   * - The endpoint closes a WebSocket (code 1001), and the connection of a
   *   stream of HTTP+SSE. Their calls are cancelled.
   * - The answer to a GET of a session ends. The session and its calls go on. A
   *   client that sends the GET again, with a new token and Last-Event-ID, gets
   *   what it has missed.
   * - A `subscriptions/listen` gets its result, and its stream ends. The client
   *   sends it again, with a new token.
   *
   * The answer to another request is not broken off: a call may end, and may
   * send progress, after its token has expired. mcp_protect_options.stream_ms
   * also limits streams with a token that may be revoked without notice. */
  const mcp_protect_options *protect;
} mcp_http_options;

#define MCP_HTTP_OPTIONS_INIT MCP_INIT_(mcp_http_options)

/**
 * Makes an endpoint.
 *
 * @param server  may be freed before or after the endpoint
 * @param options copied; NULL: the defaults
 * @param err     says why there is no endpoint; may be NULL
 * @return owned: free it with mcp_http_free before the loop is freed. NULL with
 *         err: MCP_ERR_INVALID (the message names the member), MCP_ERR_PLATFORM
 *         (sessions need random bytes), MCP_ERR_UNSUPPORTED (a libmcp without
 *         the dialect), MCP_ERR_NOMEM
 */
MCP_API mcp_http *mcp_http_new(mcp_server *server, mcp_loop *loop,
                               const mcp_http_options *options, mcp_error *err);

/** Frees an endpoint: ends its sessions, and aborts unfinished answers. Call it
 * on the loop's thread. Legal in any callback of its loop, and in the functions
 * of a responder. A callback that runs before this function returns may call it
 * again; that does nothing. NULL is accepted. */
MCP_API void mcp_http_free(mcp_http *http);

/** A request that is being answered. */
typedef struct mcp_http_exchange mcp_http_exchange;

/**
 * Passes the head of a request to the endpoint, which may refuse it at once.
 * Call it on the loop's thread. If `http`, `request` (or its method or target)
 * or `responder` is NULL, nothing happens and the responder is not called.
 *
 * @param request   borrowed until mcp_http_body or mcp_http_gone returns
 * @param responder borrowed until the answer has ended
 * @param exchange  passed to the functions of the responder
 * @return NULL: the endpoint has answered the request, and does not need the
 *         body. Otherwise the program calls mcp_http_body with the whole body,
 *         or mcp_http_gone. The program must not use the returned exchange
 *         after the answer has ended
 */
MCP_API mcp_http_exchange *mcp_http_begin(mcp_http *http,
                                          const mcp_http_request *request,
                                          const mcp_http_responder *responder,
                                          void *exchange);

/** Passes the whole body of the request; len 0: there is no body. Call it on
 * the loop's thread. The endpoint answers before this function returns, or
 * later. NULL for the exchange does nothing. */
MCP_API void mcp_http_body(mcp_http_exchange *exchange, const char *body,
                           size_t len);

/** Reports that the client disconnected before its answer ended. Call it on the
 * loop's thread. The endpoint does not call the responder for this request
 * again. In the modern era this cancels the call; in the legacy era the call
 * goes on. NULL does nothing. */
MCP_API void mcp_http_gone(mcp_http_exchange *exchange);

/* ---- the library's own HTTP server (libmcp) ---------------------------- */

/** Accepts connections and serves an endpoint on them. */
typedef struct mcp_http_listener mcp_http_listener;

/** Zero and NULL mean the default. */
typedef struct mcp_http_listen_options {
  /** sizeof(mcp_http_listen_options); MCP_HTTP_LISTEN_OPTIONS_INIT sets it. */
  size_t size;
  /** "HOST:PORT" ("127.0.0.1:8080", "[::1]:0"; port 0: any free port), or
   * "unix:PATH". Default "127.0.0.1:8080". */
  const char *address;
  /** The options of the endpoint; NULL: the defaults. */
  const mcp_http_options *http;
  /** The number of threads that serve; default 1: only the given loop; at most
   * 64. With more than one, each thread has its own loop, and the given loop
   * only accepts connections. Then several threads may call the handlers, the
   * callbacks of mcp_http_options and mcp_server_options, and the allocators at
   * the same time.
   *
   * A legacy session stays on the loop on which it began, with all its
   * handlers. A request that arrives on another loop is forwarded, and
   * on_request is called on the loop of the session.
   *
   * Each loop has an equal part, rounded up, of max_connections, and of these
   * members of mcp_http_options: max_rate, max_sessions, max_calls and the
   * memory for events. */
  uint32_t threads;
  /** Limits the connections that are open at once; default 16,384. Clients
   * share this limit as mcp_limits describes. A client may have 16 connections,
   * whatever its share is, if the other clients leave that many. The server
   * tells clients apart by the principal of their certificate, or, if there is
   * none, by their address (the first 64 bits of an IPv6 address).
   *
   * The server closes further connections at once, and reports that to
   * mcp_server_options.on_report. Behind a proxy all connections have the
   * proxy's address, so at most half of the limit can be used. */
  uint32_t max_connections;
  /** Limits the request line and the headers of a request, in bytes; default 16
   * KB. A longer request gets status 431, or 414 if the request line is too
   * long. */
  uint32_t max_head;
  /** The most headers of a request; default 100. */
  uint32_t max_headers;
  /** Limits a request's body, and a WebSocket's message, in bytes; default 4
   * MB. A longer body gets status 413. A longer message closes the WebSocket
   * with code 1009. */
  size_t max_body;
  /** The most bytes of answers, or of a WebSocket's messages, that may wait for
   * a client that does not read; default 16 MB. Beyond that, the server closes
   * the connection. */
  size_t max_queue;
  /** Limits the time from the first byte of a request to the end of its head,
   * in milliseconds; default 10,000. After this time the request gets status
   * 408. */
  uint32_t head_ms;
  /** Limits the time to receive a request's body, in milliseconds; default
   * 30,000. After this time the request gets status 408. The same limit holds
   * for a WebSocket's message; after this time the server closes the WebSocket
   * with code 1008. */
  uint32_t body_ms;
  /** The server closes a connection that has had no request for this many
   * milliseconds; default 75,000. */
  uint32_t idle_ms;
  /** The server closes the connection of a client that reads nothing of its
   * waiting answers for this many milliseconds; default 30,000. */
  uint32_t write_ms;
  /** The path of a PEM file with the server's certificate and its chain. With
   * tls_cert and tls_key the server uses TLS 1.2 or newer. One without the
   * other is MCP_ERR_INVALID. mcp_http_listener_reload reads both files again.
   */
  const char *tls_cert;
  /** The path of a PEM file with the key of the certificate. */
  const char *tls_key;
  /** The path of a PEM file of certificate authorities; needs tls_cert and
   * tls_key. NULL: the server asks for no client certificates. A client must
   * present a certificate that one of the authorities signed. The subject of
   * this certificate is the principal ("CN=agent,O=Example"). If the subject is
   * empty, the first alternative name is the principal
   * ("URI:spiffe://example.org/agent"). A certificate without any name is
   * refused. */
  const char *tls_client_ca;
  /** Limits the bytes that wait in all connections of a loop together, for all
   * wires; default: 64 times max_body:
   * - incomplete bodies and messages;
   * - answers that clients have not read;
   * - answers to a batch;
   * - answers that wait for an earlier answer, because a client of the mcp-core
   *   dialect sends no ids.
   *
   * Clients share this limit as mcp_limits describes, and a connection may have
   * at most half of the bytes of its client. The server tells clients apart by
   * the principal of their certificate, or, if there is none, by their address
   * (the first 64 bits of an IPv6 address). When the limit is reached:
   * - the server answers a body with 503;
   * - it closes a WebSocket with code 1013 if the bytes of its unfinished
   *   message no longer fit in the limit;
   * - it closes a connection whose client does not read its answers.
   *
   * With several threads, each loop has another limit of the same value for
   * messages that are on their way to it from other threads. An endpoint of
   * mcp_http_new counts only answers that wait for other answers, up to
   * 256 MB. */
  size_t max_waiting;
  /** When the client of a WebSocket has sent nothing for this many
   * milliseconds, the server sends a ping; default 30,000. UINT32_MAX: never.
   */
  uint32_t ping_ms;
  /** When the client sends nothing for this many milliseconds after a ping, the
   * server closes the WebSocket; default 10,000. UINT32_MAX: never. */
  uint32_t pong_ms;
  /** Sets the permissions of a Unix socket's file, such as 0660, whatever the
   * umask is; default 0600: only its owner can connect. A value above 0777 is
   * MCP_ERR_INVALID. So a decimal 660, written by mistake for the octal 0660,
   * is refused.
   */
  uint32_t socket_mode;
  uint32_t reserved;
} mcp_http_listen_options;

#define MCP_HTTP_LISTEN_OPTIONS_INIT MCP_INIT_(mcp_http_listen_options)

/**
 * Serves HTTP on an address, until mcp_http_listener_free.
 *
 * @param server  may be freed before or after the listener
 * @param loop    of mcp_loop_new
 * @param options copied with all that it points to (but see
 *                mcp_http_options.events); NULL: the defaults
 * @param err     says why there is no listener; may be NULL
 * @return owned: free it with mcp_http_listener_free before the loop is freed.
 *         NULL with err: MCP_ERR_INVALID (the message names the member),
 *         MCP_ERR_IO (the address is taken, a file cannot be read, a thread
 *         cannot be started),
 *         MCP_ERR_UNSUPPORTED (a libmcp without HTTP, WebSockets or the
 *         dialect), MCP_ERR_PLATFORM (a libmcp without TLS, or no random
 *         bytes), MCP_ERR_NOMEM
 */
MCP_API mcp_http_listener *
mcp_server_listen_http(mcp_server *server, mcp_loop *loop,
                       const mcp_http_listen_options *options, mcp_error *err);

/** Returns the URL of the endpoint with the real port, such as
 * "http://127.0.0.1:8080/mcp"; for a Unix socket "unix:PATH". Borrowed until
 * mcp_http_listener_free. */
MCP_API const char *mcp_http_listener_url(const mcp_http_listener *listener);

/**
 * Stops accepting connections and requests. Idle connections are closed now,
 * others after their answer. WebSockets (code 1001), streams of HTTP+SSE,
 * sessions and listen streams end when their calls have been answered. This
 * function sets no time limit; mcp_server_drain does.
 *
 * @param on_drained called once, when the last connection has ended, perhaps
 *                   before this function returns. It may call
 *                   mcp_http_listener_free; after mcp_http_listener_free it is
 *                   not called. A second call of mcp_http_listener_drain
 *                   replaces on_drained. May be NULL
 */
MCP_API void mcp_http_listener_drain(
    mcp_http_listener *listener,
    void (*on_drained)(mcp_http_listener *listener, void *userdata),
    void *userdata);

/** Returns how many connections are open. */
MCP_API size_t
mcp_http_listener_connection_count(const mcp_http_listener *listener);

/**
 * Reads the files of tls_cert, tls_key and tls_client_ca again, for new
 * connections. If that fails, the old certificates stay in use. There is one
 * exception: with several threads, if memory runs out (MCP_ERR_NOMEM), some
 * threads may already use the new certificates.
 * @return 0; MCP_ERR_INVALID (the listener has no TLS, or a file is not valid),
 *         MCP_ERR_IO (a file cannot be read), MCP_ERR_NOMEM
 */
MCP_API int mcp_http_listener_reload(mcp_http_listener *listener,
                                     mcp_error *err);

/**
 * Frees the listener: closes the address and all connections. Legal in any
 * callback of the loop that the listener was made with. A callback that runs
 * before this function returns may call it again; that does nothing. NULL is
 * accepted.
 *
 * With several threads, this function first ends the listener's threads. It
 * waits at most one second for handlers that still use their calls on these
 * threads. If a handler still runs then, the function does not free the loop of
 * that thread, because the handler uses that loop: its memory is lost. While
 * mcp_http_listener_free runs, no thread of the program may be inside a
 * function of mcp/call.h for a call of this listener.
 */
MCP_API void mcp_http_listener_free(mcp_http_listener *listener);

MCP_END_DECLS

#endif
