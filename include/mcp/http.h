/* SPDX-License-Identifier: MIT */
/** @file
 * Streamable HTTP for servers: one endpoint for every revision, sessions and
 * streams of the legacy era and the single requests of the modern one. Beside
 * it WebSockets at the same place, and for clients of 2024-11-05 HTTP+SSE.
 *
 * Two ways to have it:
 * - mcp_server_listen_http: our own HTTP server, on a port or a Unix socket;
 * - mcp_http_new: the endpoint alone, behind an HTTP server that the program
 *   has already. It hands each request over (mcp_http_begin, mcp_http_body) and
 *   is told through a table of functions what to answer.
 *
 * (Specification: basic/transports, Streamable HTTP.)
 */
#ifndef MCP_HTTP_H
#define MCP_HTTP_H

#include <mcp/server.h>
#include <mcp/transport.h>

MCP_BEGIN_DECLS

/* ---- requests and answers ---------------------------------------------- */

/** One line of a head. This structure does not grow. */
typedef struct mcp_http_header {
  const char *name;
  const char *value;
} mcp_http_header;

/** The head of a request, as its HTTP server has read it. */
typedef struct mcp_http_request {
  /** sizeof(mcp_http_request); MCP_HTTP_REQUEST_INIT sets it. */
  size_t size;
  /** "POST", "GET", ... */
  const char *method;
  /** As it was sent: path and query. */
  const char *target;
  /** Names in any case; values without blanks around them. One entry for each
   * line that was sent. */
  const mcp_http_header *headers;
  size_t header_count;
  /** Where it came from, such as "127.0.0.1:4711"; NULL: not known. */
  const char *peer;
  /** Who sent it, where the HTTP server knows (a client certificate, a login of
   * its own); NULL: nobody known. */
  const char *principal;
} mcp_http_request;

#define MCP_HTTP_REQUEST_INIT MCP_INIT_(mcp_http_request)

/**
 * How a request is answered: filled in by whoever has the socket, called by the
 * endpoint on its loop's thread. `exchange` is what was given to
 * mcp_http_begin. One answer is either one call of `respond`, or `begin`, any
 * number of `write`, and `end`. Headers and bodies are borrowed until return.
 *
 * Content-Length, Transfer-Encoding, Connection and Date are the HTTP server's
 * to add.
 *
 * Inside each of these functions the program may free the endpoint and the
 * server. If the answer has not ended by then, the endpoint ends it inside
 * mcp_http_free, by another of these functions.
 */
typedef struct mcp_http_responder {
  /** sizeof(mcp_http_responder); MCP_HTTP_RESPONDER_INIT sets it. */
  size_t size;
  /** The whole answer. len 0: it has no body. In answer to HEAD the HTTP server
   * leaves the body out. */
  void (*respond)(void *exchange, int status, const mcp_http_header *headers,
                  size_t header_count, const char *body, size_t len);
  /** Begins an answer that comes in pieces, each to be sent at once. */
  void (*begin)(void *exchange, int status, const mcp_http_header *headers,
                size_t header_count);
  void (*write)(void *exchange, const char *bytes, size_t len);
  void (*end)(void *exchange);
  /** Bytes written that are not on their way yet: past 1 MB of them the
   * endpoint drops what can be dropped, and past 16 MB gives the client up.
   * NULL: unknown, taken for none. */
  size_t (*queued)(void *exchange);
  /** Breaks the answer off, the connection too: the client must not take it for
   * whole. NULL: `end` is called instead, or where nothing has begun `respond`
   * with 500. */
  void (*abort)(void *exchange);
  /** The whole answer to a GET that asks for a WebSocket, called inside
   * mcp_http_body: checks its handshake, answers 101, and turns the connection
   * into a channel of messages (RFC 6455). What is wrong with a handshake it
   * answers itself.
   *
   * @param max_message bytes of the longest message that is taken
   * @return owned; NULL: it has been answered. NULL for the function: this HTTP
   *         server has none, and such a request is an ordinary one. */
  mcp_transport *(*upgrade)(void *exchange, size_t max_message);
  /** Ends the answer like `end`, and closes the connection when the answer is
   * sent. The endpoint calls it for the stream of a GET whose session has
   * ended. NULL: the endpoint calls `end`. */
  void (*close)(void *exchange);
} mcp_http_responder;

#define MCP_HTTP_RESPONDER_INIT MCP_INIT_(mcp_http_responder)

/* ---- events that are kept ---------------------------------------------- */

/** Ends an operation that has returned MCP_PENDING. The store calls it once, on
 * the loop's thread.
 * @param rc       0 or an MCP_ERR_*
 * @param argument as the operation was given it */
typedef void (*mcp_event_done_cb)(int rc, void *argument);
/** Takes one event of a replay.
 * @param data     borrowed until return
 * @param argument as the replay was given it */
typedef void (*mcp_event_each_cb)(uint64_t seq, const char *data, size_t len,
                                  void *argument);

/**
 * Where legacy sessions keep what was sent on their streams, for a client that
 * comes back with Last-Event-ID. All are called on the loop's thread; strings
 * and data are borrowed until return. `append` and `replay` return 0: it is
 * done; MCP_PENDING: it will be, and then calls `done`; or a negative code: it
 * has failed.
 *
 * A replay sees each event whose append was asked for before it, unless that
 * was dropped to make room for later ones.
 */
typedef struct mcp_event_store {
  /** sizeof(mcp_event_store); MCP_EVENT_STORE_INIT sets it. */
  size_t size;
  /** The event `seq` (1, 2, ...) of a session's stream. */
  int (*append)(void *userdata, const char *session, uint64_t stream,
                uint64_t seq, const char *data, size_t len,
                mcp_event_done_cb done, void *argument);
  /** Gives each event of the stream after the event `after` to `each`, in
   * order.
   */
  int (*replay)(void *userdata, const char *session, uint64_t stream,
                uint64_t after, mcp_event_each_cb each, mcp_event_done_cb done,
                void *argument);
  /** The session has ended: nobody will ask for its events again. */
  void (*forget)(void *userdata, const char *session);
  void *userdata;
} mcp_event_store;

#define MCP_EVENT_STORE_INIT MCP_INIT_(mcp_event_store)

/* ---- the endpoint (libmcp-core) ---------------------------------------- */

/** How requests of the legacy era are served. */
enum {
  /** With sessions: everything that revision has. The default. */
  MCP_HTTP_SESSIONS = 0,
  /** Each request alone: no session, no stream of the client's to listen on, no
   * questions to it. For many processes behind one address. */
  MCP_HTTP_STATELESS = 1,
  /** The same for clients that know a POST and its answer and nothing else of
   * HTTP, such as the custom transports that people write for the AI SDK:
   * - a request is answered with application/json, whatever it accepts;
   *   progress and log messages are left out;
   * - notifications and responses are answered with 204, without a body;
   * - initialize agrees to any version of this era's, known or not: to
   *   "2025-08-01" with "2025-08-01", and serves it as the newest revision that
   *   is not newer (before the first one: as the first);
   * - a request without MCP-Protocol-Version is of the newest revision of this
   *   era: nobody remembers what initialize agreed on. */
  MCP_HTTP_PLAIN = 2
};

/** The wires of an endpoint, as bits. */
enum {
  /** Streamable HTTP, at `path`. */
  MCP_HTTP_STREAMABLE = 1,
  /** WebSocket, at `path` too: a GET that asks to be upgraded. Each is an
   * ordered stream of messages, as standard input and output are, of both eras.
   * Needs an HTTP server that can (mcp_http_responder.upgrade). */
  MCP_HTTP_WEBSOCKET = 2,
  /** HTTP+SSE of 2024-11-05, for clients of that time: a GET at `sse_path`
   * opens a stream of events, which is the session; the first of them names the
   * address at `messages_path` that messages are posted to. It is an ordered
   * stream of messages, as standard input and output are, of both eras. */
  MCP_HTTP_SSE = 4
};

typedef struct mcp_http mcp_http;

/**
 * What mcp_http_options.on_request says about a request beside its return
 * value. The library initialises it before the call, and the program sets the
 * members that it needs.
 *
 * The structure grows at its end. A program that was built with newer headers
 * than the library compares `size` before it sets a newer member.
 */
typedef struct mcp_http_decision {
  /** sizeof(mcp_http_decision) as the library knows it. */
  size_t size;
  /** When the request passes: who sent it; copied. The library initialises it
   * to mcp_http_request.principal. NULL: nobody known. */
  const char *principal;
  /** When the request is refused: a sentence for the body of the answer;
   * borrowed until the next call. NULL, the initial value: no sentence. */
  const char *reason;
  /** When the request is refused: the value of the answer's WWW-Authenticate
   * header; borrowed until the next call. NULL, the initial value: the answer
   * has no such header. */
  const char *challenge;
} mcp_http_decision;

/** Policy of an endpoint. Zero and NULL mean the default. */
typedef struct mcp_http_options {
  /** sizeof(mcp_http_options); MCP_HTTP_OPTIONS_INIT sets it. */
  size_t size;
  /** Where it is; default "/mcp". Other paths are answered with 404. */
  const char *path;
  /** Names the path at which the endpoint reports the server's health; default
   * "/health"; "": no path. It answers GET and HEAD with a line of text:
   * - 200 "ok": the server takes requests;
   * - 200 "degraded: LIMIT": it takes requests, but in the last ten seconds the
   *   limit of that name (max_calls, max_sessions, max_kept_bytes,
   *   max_subscriptions) refused one, on the loop that answers;
   * - 503 "shutting down": it takes no new requests.
   * A Host or Origin that is not allowed is refused here too. */
  const char *health_path;
  /** MCP_HTTP_SESSIONS, MCP_HTTP_STATELESS or MCP_HTTP_PLAIN. Which eras are
   * served at all is the server's (mcp_server_options.eras). */
  uint32_t legacy;
  /** What is served, MCP_HTTP_STREAMABLE and others; default
   * MCP_HTTP_STREAMABLE. */
  uint32_t wires;

  /** Host names that a request may be sent to, without port, NULL at the end;
   * "*": any. Default: the names of the loopback interface, which keeps web
   * pages out that reach it by a name of their own (DNS rebinding). */
  const char *const *allowed_hosts;
  /** Origins of web pages that may use the endpoint, such as
   * "https://app.example.org", NULL at the end; "*": any. They get the CORS
   * headers that they need. Default: the loopback interface's. A request
   * without Origin comes from no web page. */
  const char *const *allowed_origins;

  /** Limits the legacy sessions at once, together with the streams of HTTP+SSE;
   * default 10,000. A client may have no more of them than are left for the
   * other clients, so one client alone may have half
   * (mcp_limits says what a client is); each may have
   * 16 in any case, as long as there are so many left. Past that the endpoint
   * ends a session that never had a second request: one of a client that has
   * most, if that is more than the new one's client has (numbers of sessions
   * are rounded down to a power of two), else one of the same client; of one
   * client's sessions the one that is idle for the longest. When no session may
   * end, the endpoint refuses the new one with 503. */
  uint32_t max_sessions;
  /** Ends a session after this time without a request, in milliseconds; default
   * 1,800,000 (half an hour). The time does not run while a stream of the
   * session is open: a GET's, or a POST's that is not answered yet. The end of
   * a session cancels its calls, those too whose clients went away before the
   * answer. */
  uint32_t session_idle_ms;
  /** A session this old ends, and so does a stream of HTTP+SSE, and a WebSocket
   * (code 1001): who it is was found out when it began; default 86,400,000 (a
   * day). */
  uint32_t session_max_ms;
  /** Events of one session that are kept for a client that comes back with
   * Last-Event-ID: bytes; default 256 KB. Of all sessions together no more than
   * 64 MB are kept, and of those of one client no more than is left for other
   * clients: then its own oldest events are dropped first. */
  uint32_t replay_bytes;
  /** A comment is sent on a stream that was silent for so long, and a call
   * turns to a stream; default 10,000. */
  uint32_t keepalive_ms;
  /** The pause that the server asks of a client that polls, in milliseconds;
   * default 1000. */
  uint32_t retry_ms;
  /** Limits the requests of one client in a second: of one principal, or where
   * none is known of one address (of IPv6 the first 64 bits); default: no
   * limit. More are answered with 429. */
  uint32_t max_rate;
  /** Limits the calls at once, of all clients on the loop, those included whose
   * clients are gone while their handlers go on; default 10,000. Each client
   * has a share (mcp_limits describes it). More are
   * answered with 503, over a WebSocket with -32603. */
  uint32_t max_calls;

  /** Sees the head of each request to the endpoint, before its body. Returns 0
   * to let it pass, or the HTTP status to refuse it with. `server` is the
   * server of the endpoint: requests that come after mcp_server_free are
   * refused without asking. `decision` says more about either answer. With
   * several threads it is called on each of them. */
  int (*on_request)(mcp_server *server, const mcp_http_request *request,
                    mcp_http_decision *decision, void *userdata);
  void *userdata;
  /** Where events are kept; copied, and what it points to is borrowed until the
   * last of its operations is done, which must be before the loop is freed;
   * default: in memory. */
  const mcp_event_store *events;
  /** Sees each message as it stands in a body or an event, both ways; with the
   * same `userdata`. `server` is the server of the endpoint; NULL once the
   * program has called mcp_server_free. It is called on each of the threads.
   * Without threads it may free the endpoint or its listener: the message is
   * then not sent, or not handled. With threads it may not, since freeing the
   * listener waits for them. NULL: nobody. */
  void (*on_trace)(mcp_server *server, const mcp_traced_message *message,
                   void *userdata);
  /** What is spoken at `path`: MCP_DIALECT_MCP, or any of the mcp-core
   * dialect's (mcp/transport.h), which are all the same here: a POST calls a
   * tool, and nothing else is served. Its answers are JSON, or events for a
   * client whose Accept names text/event-stream; keepalive_ms is then less than
   * 30,000. A WebSocket speaks it as any ordered wire (mcp_transport_dialect);
   * HTTP+SSE does not, and is refused beside it.
   * docs/TRANSPORTS.md shows the messages, and tells which status means
   * what. */
  uint32_t dialect;
  uint32_t reserved2;
  /** Where HTTP+SSE is, with MCP_HTTP_SSE; defaults "/sse" and "/messages". */
  const char *sse_path;
  const char *messages_path;
  /** Ends a session whose client sends nothing after `initialize` for this
   * long, neither notifications/initialized nor any other request, in
   * milliseconds; default 60,000. A stream of HTTP+SSE and a WebSocket end this
   * long after they opened when their client has sent nothing by then, or
   * `initialize` and pings alone. */
  uint32_t initialized_ms;
  uint32_t reserved3;
  /** Name the program's settings that allow a host, an origin or a path, such
   * as "--allow-host". A refusal names the setting, so that the reader knows
   * what to change. Defaults "allowed_hosts", "allowed_origins" and "path". */
  const char *host_setting;
  const char *origin_setting;
  const char *path_setting;
} mcp_http_options;

#define MCP_HTTP_OPTIONS_INIT MCP_INIT_(mcp_http_options)

/**
 * @param options copied; NULL: the defaults
 * @return owned: end it with mcp_http_free, before the loop; the server may be
 *         freed before it or after it;
 *         NULL with err: MCP_ERR_INVALID (which names the member),
 *         MCP_ERR_PLATFORM (sessions need random bytes), MCP_ERR_NOMEM
 */
MCP_API mcp_http *mcp_http_new(mcp_server *server, mcp_loop *loop,
                               const mcp_http_options *options, mcp_error *err);

/** Frees an endpoint: ends its sessions, and breaks off what is being answered.
 * Legal in any callback of its loop, and in the functions of a responder; those
 * that run before this returns may call it too, which then does nothing. Call
 * it on the loop's thread. NULL is accepted. */
MCP_API void mcp_http_free(mcp_http *http);

/** A request that is being answered. */
typedef struct mcp_http_exchange mcp_http_exchange;

/**
 * Begins a request, of which the head has come. The endpoint may refuse it at
 * once. If `http`, `request` (or its method or target) or `responder` is NULL,
 * nothing happens and the responder is not called.
 *
 * @param request   borrowed until mcp_http_body returns
 * @param responder borrowed until the answer has ended
 * @param exchange  handed to the responder
 * @return NULL: it has been answered, and its body is of no interest. Else
 *         hand the body to mcp_http_body, or say mcp_http_gone. Once the answer
 *         has ended it must not be used any more.
 */
MCP_API mcp_http_exchange *mcp_http_begin(mcp_http *http,
                                          const mcp_http_request *request,
                                          const mcp_http_responder *responder,
                                          void *exchange);

/** Takes the whole body of the request; len 0: it has none. The answer comes
 * before this returns, or later. NULL for the exchange does nothing. */
MCP_API void mcp_http_body(mcp_http_exchange *exchange, const char *body,
                           size_t len);

/** Says that the client has gone before its answer ended, or that its
 * connection broke. The endpoint does not call the responder any more. In the
 * modern era this cancels the call. NULL does nothing. */
MCP_API void mcp_http_gone(mcp_http_exchange *exchange);

/* ---- our own HTTP server (libmcp) -------------------------------------- */

typedef struct mcp_http_listener mcp_http_listener;

/** Zero and NULL mean the default. */
typedef struct mcp_http_listen_options {
  /** sizeof(mcp_http_listen_options); MCP_HTTP_LISTEN_OPTIONS_INIT sets it. */
  size_t size;
  /** "HOST:PORT" ("127.0.0.1:8080", "[::1]:0"; port 0: any free one), or
   * "unix:PATH". Default "127.0.0.1:8080". */
  const char *address;
  /** The endpoint's policy; NULL: the defaults. */
  const mcp_http_options *http;
  /** Loops that serve, each on a thread of its own, while the given loop takes
   * connections and deals them out; default 1: the given loop alone; at most
   * 64. More only when the program's handlers, and what mcp_http_options and
   * the server's options call, may run on several threads at once, and the
   * allocators too. A legacy session stays on the loop on which it began, with
   * all its handlers: requests that arrive elsewhere are relayed there, where
   * on_request is called, and those that arrive there already cost nothing
   * more. Each loop has its share, rounded up, of max_connections, and of
   * max_rate, max_sessions, max_calls and the memory for events of
   * mcp_http_options. */
  uint32_t threads;
  /** Limits the connections that are open at once; default 16,384. A client is
   * the principal of a certificate, or else an address (an IPv6 address by its
   * first 64 bits). Each client may have as many connections as it leaves for
   * the others, so half at most, and sixteen in any case as long as there are
   * so many left. The server closes a connection past that as it comes, and
   * reports it. Behind a proxy all connections come from one address: they have
   * half of the limit. */
  uint32_t max_connections;
  /** Bytes of a request's line and headers; default 16 KB. Past it: 431, or 414
   * for the line. */
  uint32_t max_head;
  /** Headers of a request; default 100. */
  uint32_t max_headers;
  /** Bytes of a request's body, and of a WebSocket's message; default 4 MB.
   * Past it: 413, and code 1009. */
  size_t max_body;
  /** Bytes of answers that may wait for a client that does not read; default
   * 16 MB. Past it the server closes the connection, also
   * when a WebSocket's messages wait. */
  size_t max_queue;
  /** From a request's first byte to the end of its head, and from there to the
   * end of its body, in milliseconds; defaults 10,000 and 30,000. Past it:
   * 408. A WebSocket's message has body_ms, too; past it: code 1008. */
  uint32_t head_ms;
  uint32_t body_ms;
  /** A connection without a request for so long is closed; default 75,000. */
  uint32_t idle_ms;
  /** The server closes the connection of a client that reads nothing of its
   * waiting answers for this long; default 30,000 milliseconds. */
  uint32_t write_ms;
  /** PEM files: a certificate with its chain, and its key. Both: the server
   * speaks TLS (1.2 and newer). Read again by mcp_http_listener_reload. */
  const char *tls_cert;
  const char *tls_key;
  /** A PEM file of authorities: clients must show a certificate of theirs. Its
   * subject is the principal ("CN=agent,O=Example"), or where that is empty the
   * first of its other names ("URI:spiffe://example.org/agent"); one without a
   * name is refused. */
  const char *tls_client_ca;
  /** Limits the bytes that wait in all connections of a loop together, whatever
   * the wire: bodies and messages that are not whole yet, answers that clients
   * do not read, answers to a batch, and answers that wait for an earlier one
   * because the client of the mcp-core dialect sends no ids. Default: 64 times
   * max_body.
   *
   * A client is the principal of a certificate, or else an address (an IPv6
   * address by its first 64 bits). Each client may have as many bytes as it
   * leaves for the others, so half at most, and each of its connections half of
   * that. Past it:
   * - the server answers a body with 503;
   * - it closes a WebSocket with 1013 when a message is too long;
   * - it closes a connection whose client does not read its answers.
   *
   * With several threads as many bytes again may be on their way between loops.
   * Behind another HTTP server, mcp_http_new counts only answers that wait for
   * others, up to 256 MB. */
  size_t max_waiting;
  /** Limits the silence of a WebSocket, in milliseconds. When its client has
   * sent nothing for ping_ms (default 30,000), the server sends a ping. When
   * the client then sends nothing for pong_ms (default 10,000), the server
   * closes the connection. UINT32_MAX: never. */
  uint32_t ping_ms;
  uint32_t pong_ms;
  /** Sets the permissions of a Unix socket's file, such as 0660, whatever the
   * umask is; default 0600: its owner alone connects. Past 0777, as for 660
   * without the 0 of octal numbers, it is MCP_ERR_INVALID. */
  uint32_t socket_mode;
  uint32_t reserved;
} mcp_http_listen_options;

#define MCP_HTTP_LISTEN_OPTIONS_INIT MCP_INIT_(mcp_http_listen_options)

/**
 * Serves HTTP on an address, until mcp_http_listener_free.
 *
 * @param options NULL: the defaults
 * @return owned: free it before the loop; the server may be freed before it or
 *         after it; NULL with err:
 *         MCP_ERR_INVALID (which names the member), MCP_ERR_IO (the address is
 *         taken, a file cannot be read), MCP_ERR_NOMEM
 */
MCP_API mcp_http_listener *
mcp_server_listen_http(mcp_server *server, mcp_loop *loop,
                       const mcp_http_listen_options *options, mcp_error *err);

/** Where it listens, as a URL: "http://127.0.0.1:8080/mcp", the port that was
 * found included. Borrowed until freed. */
MCP_API const char *mcp_http_listener_url(const mcp_http_listener *listener);

/** Takes no more connections and requests, and lets those it has end: idle ones
 * now, others with their answer; WebSockets (code 1001), HTTP+SSE, sessions and
 * listens when what was called over them has been answered. It waits for calls
 * as long as they take: mcp_server_drain sets a limit.
 *
 * @param on_drained called once when the last has ended, perhaps before this
 *                   returns, and not after mcp_http_listener_free, which it may
 *                   call; may be NULL
 */
MCP_API void mcp_http_listener_drain(
    mcp_http_listener *listener,
    void (*on_drained)(mcp_http_listener *listener, void *userdata),
    void *userdata);

/** How many connections are open. */
MCP_API size_t
mcp_http_listener_connection_count(const mcp_http_listener *listener);

/** Reads certificate and key again; those of before stay when that fails.
 * @return 0, MCP_ERR_IO or MCP_ERR_INVALID, with err */
MCP_API int mcp_http_listener_reload(mcp_http_listener *listener,
                                     mcp_error *err);

/** Closes the address and all connections. Legal in any callback of the loop
 * that it was given; those that run before this returns may call it too, which
 * then does nothing. Threads of its own are ended first: handlers there that
 * still use their calls are waited for, up to a second, and then left behind
 * with their loop. Threads of the program's that reply to calls there must have
 * returned from it. NULL is accepted. */
MCP_API void mcp_http_listener_free(mcp_http_listener *listener);

MCP_END_DECLS

#endif
