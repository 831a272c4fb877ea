/* SPDX-License-Identifier: MIT */
/** @file
 * Transports: how whole messages travel.
 *
 * A transport is a table of functions that moves messages in both directions
 * and knows no MCP method. The functions below make the transports of libmcp
 * (stdio, a child process, a byte stream, the memory pair). A program can also
 * make its own transport: it fills in the same table, and uses the transport in
 * the same way.
 *
 * The contract, for authors of a transport:
 * - The library first sets the members that the transport will call (on_message
 *   and others). Then it calls `start`, once. The program does not call
 *   `start`. The transport delivers nothing before `start`.
 * - Some transports are open only after `start` has returned, for example
 *   because they connect to an address. Such a transport has the flag
 *   MCP_TRANSPORT_OPENS_LATER and calls `on_open` when it is open. A client
 *   sends nothing before that. If the transport cannot connect, it calls
 *   `on_close` with the reason. A transport without the flag is open when
 *   `start` returns.
 * - One message is one run of UTF-8 bytes: a JSON object (in 2025-03-26 and
 *   before also an array), without framing. Bytes are borrowed until the call
 *   returns, in both directions.
 * - After a successful `start` the transport calls `on_close` exactly once,
 *   however the channel ended: after `close`, at the end of input, on a fatal
 *   error. After `on_close` the transport calls no other function of the
 *   library. It may call `on_close` inside `close`.
 * - If the far side will send no further message, but can still receive, the
 *   transport calls `on_end` (if that member is not NULL), and waits for
 *   `close`.
 * - The transport calls `on_error` to report a failure after which the channel
 *   goes on: a line that is too long, a frame that is dropped. If the sender
 *   must see a failure, `send` returns it.
 * - All calls, in both directions, are made on the loop's thread.
 * - The library may call `send` inside `on_message`. Inside `send` the
 *   transport calls none of the functions that the library has set. It reports
 *   the consequences of `send`, also the end of the channel, in a later turn of
 *   the loop.
 * - A transport may call functions of the program, such as a trace or a log.
 *   So the server may be freed while any function of the transport runs, and
 *   the client while `start`, `close` or `release` runs. The client must not be
 *   freed while `send` runs, because mcp_client_free closes the transport at
 *   once, and may release it. Only the transport of mcp_transport_trace allows
 *   this inside `send` too.
 * - The library calls `release` once, when it no longer uses the transport. If
 *   `start` has succeeded, that is inside `on_close` or later. If `start` has
 *   failed, the library calls `release` after it. If connecting fails before
 *   `start`, the library calls only `release`. When the program frees a client
 *   or server, the library calls `close`, and calls `release` inside
 *   `on_close`.
 *
 * examples/custom-transport.c is a complete transport. docs/TRANSPORTS.md
 * explains how to run the test kit over yours.
 */
#ifndef MCP_TRANSPORT_H
#define MCP_TRANSPORT_H

#include <mcp/json.h>
#include <mcp/loop.h>

MCP_BEGIN_DECLS

/** A transport, which moves whole messages: the table of functions below. */
typedef struct mcp_transport mcp_transport;

/** Flag: each request has its own stream, as over Streamable HTTP. In
 * 2026-07-28 the library then cancels a request by `abort`, and sends no
 * notification. */
#define MCP_TRANSPORT_PER_REQUEST_STREAM 1u

/** Flag: `start` only begins to open the channel. The transport calls `on_open`
 * when the channel is open. */
#define MCP_TRANSPORT_OPENS_LATER 2u

/** The kinds of messages: mcp_send_info.kind. */
enum {
  /** The sender does not say; the message itself shows it. */
  MCP_MESSAGE_UNKNOWN = 0,
  MCP_MESSAGE_REQUEST = 1,
  MCP_MESSAGE_NOTIFICATION = 2,
  /** A response with a result. */
  MCP_MESSAGE_RESULT = 3,
  /** A response with an error. */
  MCP_MESSAGE_ERROR = 4
};

/** What the sender of a message knows about it, so that a transport need not
 * parse it. A transport may ignore all of it. Pointers are borrowed until
 * `send` returns. The library sets all members. A program that itself calls
 * `send` of a transport may set fewer members, or pass NULL; a transport of the
 * library then parses the message.
 *
 * Later versions of the structure have more members at its end. A transport
 * that was built with newer headers than the library compares `size` before it
 * reads a newer member. */
typedef struct mcp_send_info {
  /** sizeof(mcp_send_info) as the sender knows it. */
  size_t size;
  /** If the message is a request: the number of the request. The transport
   * passes it to on_request_failed and similar functions, and gets it in
   * `abort`. 0: the message is not a request. */
  uint64_t request;
  /** 2026-07-28: headers that an HTTP transport sends with the message,
   * Mcp-Param-*. struct mcp_http_header is in mcp/http.h. */
  const struct mcp_http_header *headers;
  size_t header_count;
  /** mcp_request_options.is_idempotent. */
  int32_t is_idempotent;
  /** Says what the client does if the far side's session ends before the
   * answer. 0: the client may send this message again. 1: the client does not
   * send it again, because the message asks for a further page of a list, or
   * was sent again already. */
  int32_t is_final;

  /** MCP_MESSAGE_*. With MCP_MESSAGE_UNKNOWN the members below are not set. */
  uint32_t kind;
  /** 1: the request asks for progress; its progress token is `request`. */
  int32_t wants_progress;
  /** The method of a request or notification, NUL-terminated; NULL: the message
   * is a response. */
  const char *method;
  /** The id of a request, or the id that a response answers, as JSON text of
   * id_len bytes; NULL: the message has no id. */
  const char *id;
  size_t id_len;
  /** The revision that the message names in its `_meta` (2026-07-28),
   * NUL-terminated; NULL: the message names none. */
  const char *revision;
  /** The member of the params that HTTP repeats in `Mcp-Name`: a tool's or
   * prompt's name, a resource's URI, or mcp_request_options.name_member. UTF-8
   * of name_len bytes, not NUL-terminated; NULL: the method has no such
   * member. */
  const char *name;
  size_t name_len;
  /** The member `arguments` of the params of a request (tools/call,
   * prompts/get); NULL: there is no such member. */
  const mcp_json *arguments;
  /** For notifications/cancelled: the number of the request that it cancels;
   * else 0. */
  uint64_t cancels;
} mcp_send_info;

/** The number of bytes after a lent message that the library may change. */
#define MCP_LENT_PADDING 4

/**
 * A received message that the transport lends to the library, so that it need
 * not be copied: mcp_transport.on_lent. The transport owns the structure and
 * the bytes. It neither changes nor frees them until the library has called
 * `done`, even if the transport has been released before. This structure does
 * not grow. Since 0.2.
 */
typedef struct mcp_lent_message mcp_lent_message;
/** The structure of mcp_lent_message. */
struct mcp_lent_message {
  /** `len` bytes, and MCP_LENT_PADDING more. The library changes all of
   * them. */
  char *bytes;
  /** The number of bytes of the message. */
  size_t len;
  /** Called once on the loop's thread, when the library no longer uses the
   * message: for most messages before on_lent returns, and for the request of a
   * call that answers later when the call ends. It must call no function of the
   * library; it may note that the bytes are free. */
  void (*done)(mcp_lent_message *message);
};

/** The table of a transport. The contract at the top of this header holds for
 * all of its functions. */
struct mcp_transport {
  /** sizeof(mcp_transport); MCP_TRANSPORT_INIT sets it. */
  size_t size;
  /** MCP_TRANSPORT_PER_REQUEST_STREAM, MCP_TRANSPORT_OPENS_LATER, both, or 0.
   */
  uint32_t flags;
  uint32_t reserved;
  /** For the transport; the library does not use it. */
  void *userdata;

  /** Required. Opens the channel. Returns 0 or an MCP_ERR_*. After an error the
   * transport must not call on_close. `err` may be NULL. */
  int (*start)(mcp_transport *transport, mcp_error *err);
  /** Required. Sends one message, or copies it and sends it later. `info` is
   * NULL only if the program itself calls `send`. Returns 0; MCP_ERR_CLOSED;
   * MCP_ERR_LIMIT: too much waits already; MCP_ERR_NOMEM. */
  int (*send)(mcp_transport *transport, const char *message, size_t len,
              const mcp_send_info *info);
  /** Required. Closes the channel after all accepted messages have been sent,
   * and then calls on_close. May be called twice. */
  void (*close)(mcp_transport *transport);
  /** Frees the transport. May be NULL. */
  void (*release)(mcp_transport *transport);

  /* Optional. */

  /** Called when the revision is known that both sides use. The string is
   * static. */
  void (*set_protocol_version)(mcp_transport *transport, const char *version);
  /** Called before `start` with the revisions that this side accepts, newest
   * first. Borrowed until the transport is released. */
  void (*set_supported_versions)(mcp_transport *transport,
                                 const char *const *versions, size_t count);
  /** Returns the channel's session id, or NULL. Borrowed until the next call of
   * a function of the transport. mcp_session_id and mcp_client_session_id
   * return it to the program. */
  const char *(*session_id)(mcp_transport *transport);
  /** With MCP_TRANSPORT_PER_REQUEST_STREAM: ends the stream of one request. */
  void (*abort)(mcp_transport *transport, uint64_t request);
  /** Returns the number of bytes that `send` has accepted and that are not sent
   * yet. */
  size_t (*queued)(mcp_transport *transport);

  /* Set by the library before `start`; the transport calls them. */

  /** Called by the transport for each message that it receives. */
  void (*on_message)(mcp_transport *transport, const char *message, size_t len);
  /** Called by the transport for each failure after which the channel goes on;
   * `err` is not NULL. */
  void (*on_error)(mcp_transport *transport, const mcp_error *err);
  /** Called by the transport when the channel has ended.
   * @param err why the channel ended; NULL or code 0: it ended without an
   * error */
  void (*on_close)(mcp_transport *transport, const mcp_error *err);
  /** A transport may call it, instead of on_close, when a new far side has
   * replaced the old one and knows nothing of earlier messages (a child process
   * was started again). Requests in flight complete with MCP_ERR_CLOSED. A
   * client then initializes the new far side and opens its listen streams
   * again. */
  void (*on_restart)(mcp_transport *transport);
  /** A transport may call it when the far side sends no further message but can
   * still receive. The library then answers the requests that it has, and calls
   * `close`. If on_end is NULL, the transport instead closes the channel
   * itself, and calls on_close. */
  void (*on_end)(mcp_transport *transport);
  /** Used only by the library. */
  void *owner;
  /** A transport may call it when one request has failed and the channel goes
   * on. The request completes with `err`. If the request has completed already,
   * nothing happens. Must not be called inside `send`. */
  void (*on_request_failed)(mcp_transport *transport, uint64_t request,
                            const mcp_error *err);
  /** A transport may call it. Returns 1 if the request still waits for its
   * answer, else 0. */
  int (*is_waiting)(mcp_transport *transport, uint64_t request);

  /* Optional. */

  /** Returns the origin of the server, such as "https://example.com:443". The
   * loop stores the era of the server under this origin, for later clients on
   * the loop. Borrowed until the transport is released. */
  const char *(*origin)(mcp_transport *transport);

  /** Set by the library, or NULL. A transport with MCP_TRANSPORT_OPENS_LATER
   * calls it once, when it is open: after `start` has returned, before the
   * first on_message, and not after `close`. The library may close and release
   * the transport inside it. */
  void (*on_open)(mcp_transport *transport);

  /** A transport may call it instead of on_request_failed, not inside `send`,
   * if all of this is true:
   * - the far side's session has ended;
   * - the far side has not acted on this request (otherwise the request would
   *   be carried out twice);
   * - the transport calls on_restart next.
   *
   * A client sends the request again, once, after it has initialized the new
   * session. The request waits for that until its own time limit ends, but at
   * most one minute. Then it completes with MCP_ERR_TIMEOUT. A request that
   * cannot be sent again (one that was refused before, a further page of a
   * list) completes with MCP_ERR_CLOSED and err's message. A listen stream is
   * opened again after on_restart, unless mcp_listen_filter.once is set. */
  void (*on_request_refused)(mcp_transport *transport, uint64_t request,
                             const mcp_error *err);

  /* Later versions add members here. If the `size` of a transport does not
   * include a member below, the library does not use this member. */

  /** Used only by the library; the transport leaves it NULL. The library sets
   * it before `start`, so that its own transports can pass on messages that
   * they have parsed already. */
  const void *internal;

  /** Optional. Returns a number that changes when later messages are sent with
   * another identity, such as another user's token. The client then forgets the
   * answers that it keeps. NULL: the identity never changes. */
  uint64_t (*identity)(mcp_transport *transport);
  /** Set by the library, or NULL. A transport may call it with 1 when it begins
   * to wait for something that is not the far side, such as a user who logs in,
   * and with 0 when it no longer waits. Meanwhile the time limit of connecting
   * stands still, and an unanswered ping does not end the connection. The time
   * limits of other requests go on. The transport may also call it inside
   * `start`, `send`, `abort` and `close`. */
  void (*on_waiting)(mcp_transport *transport, int32_t is_waiting);
  /** Set by the library, or NULL, as when another transport wraps this one. A
   * transport may call it instead of on_message, and then must not use the
   * bytes until the message is `done`. So a device needs no second copy of its
   * longest message. */
  void (*on_lent)(mcp_transport *transport, mcp_lent_message *message);
};

#define MCP_TRANSPORT_INIT MCP_INIT_(mcp_transport)

/**
 * Makes two linked transports in one process. Each end receives the messages of
 * the other end in order, in a later turn of the loop. Closing one end closes
 * both ends. Every other transport should behave as this pair does.
 * (libmcp-core)
 *
 * @param a,b set on success; owned: pass each end to a server or client, which
 *            releases it, or free it with mcp_transport_free
 * @param err says why there is no pair; may be NULL
 * @return 0; MCP_ERR_INVALID (loop, a or b is NULL); MCP_ERR_NOMEM
 */
MCP_API int mcp_memory_pair(mcp_loop *loop, mcp_transport **a,
                            mcp_transport **b, mcp_error *err);

/** Frees a transport that was never given to a server or client. NULL is
 * accepted. */
MCP_API void mcp_transport_free(mcp_transport *transport);

/**
 * One message that a trace shows, without its secrets. The library sets all
 * members; the pointers are borrowed until the callback returns.
 *
 * Later versions of the structure have more members at its end. A program that
 * was built with newer headers than the library compares `size` before it reads
 * a newer member.
 */
typedef struct mcp_traced_message {
  /** sizeof(mcp_traced_message) as the library knows it. */
  size_t size;
  /** 1: this side sends the message; 0: it has received the message. */
  int32_t is_sent;
  int32_t reserved;
  /** The message: `len` bytes of UTF-8, not NUL-terminated. "[redacted]"
   * replaces
   * - the values of members whose names suggest a secret (password, token,
   *   authorization, secret, api key, cookie, requestState, ...);
   * - within strings, the text after such a name (token=..., "Cookie: ...",
   *   {"token":"..."}) and after "Bearer", "DPoP" or "Basic";
   * - the user in a URL.
   *
   * If the message is not JSON, the text says only how long it is. */
  const char *text;
  size_t len;
  /** The address of the peer, in the form of mcp_call_peer; NULL: not known.
   * Only listeners and endpoints of servers set it. */
  const char *peer;
  /** Over HTTP to a server: the first characters of the session's id. The whole
   * id would let a reader of the trace use the session. NULL: the message
   * belongs to no session. */
  const char *session;
} mcp_traced_message;

/**
 * Called for each message of a transport.
 *
 * @param transport the one that mcp_transport_trace returned; the callback may
 *                  free the client or the server that uses the transport
 * @param message   borrowed until return
 */
typedef void (*mcp_trace_cb)(mcp_transport *transport,
                             const mcp_traced_message *message, void *userdata);

/**
 * Wraps a transport. Each message is passed to a callback before it is sent or
 * handled, until the transport is closed. (libmcp-core)
 *
 * @param inner taken, on failure too
 * @param err   says why there is no transport; may be NULL
 * @return owned: pass it to a server or client, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_INVALID (loop, inner or
 *         on_trace is NULL), MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_trace(mcp_loop *loop, mcp_transport *inner,
                                           mcp_trace_cb on_trace,
                                           void *userdata, mcp_error *err);

/** The dialects: the forms that the messages on a wire can have. */
enum {
  /** The Model Context Protocol. */
  MCP_DIALECT_MCP = 0,
  /** The mcp-core dialect: one JSON object for each call of a tool, one for its
   * answer, and no other messages. A server accepts all forms of a request, and
   * answers in the same form. A client sends
   * {"id":1,"name":...,"arguments":...} on ordered transports (a WebSocket
   * needs the id), and over HTTP a JSON-RPC tools/call (the "toolRequest"). */
  MCP_DIALECT_MCP_CORE = 1,
  /** Like MCP_DIALECT_MCP_CORE, but a client sends {"name":...,"arguments":...}
   * without an id. On an ordered transport it matches answers to requests by
   * their order. */
  MCP_DIALECT_MCP_CORE_BARE = 2,
  /** Like MCP_DIALECT_MCP_CORE, but a client sends the toolRequest (JSON-RPC's
   * tools/call) on every transport. */
  MCP_DIALECT_MCP_CORE_RPC = 3
};

/**
 * Wraps a transport whose far side speaks another dialect, so that a server or
 * client of this library can talk to it. (libmcp-core)
 *
 * With is_server 1: the server handles each request as a tools/call of
 * 2026-07-28. If the server serves only the legacy era, it handles the request
 * in a legacy session that opens automatically. Handlers cannot ask such a
 * client, and the client gets no progress and no log messages. The server
 * answers each line with one line. It answers requests without ids in the order
 * in which they came.
 *
 * With is_server 0: the client can call tools. It is connected when inner is
 * open, without a handshake. mcp_client_ping sends nothing, because the dialect
 * has no ping. Other methods fail with -32601: tools cannot be listed. The
 * client's ids are mapped to 1, 2, 3 and so on.
 *
 * docs/TRANSPORTS.md shows the messages.
 *
 * @param inner     taken, on failure too; an ordered transport (stdio, a
 *                  process, a socket, WebSocket). Its own options must not set
 *                  a dialect
 * @param dialect   MCP_DIALECT_*; MCP_DIALECT_MCP: the function returns inner
 *                  itself
 * @param is_server 1: for mcp_server_connect; 0: for mcp_client_connect
 * @param err       says why there is no transport; may be NULL
 * @return owned: pass it to a server or client, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_INVALID (loop or inner is
 *         NULL, or `dialect` is not a value of MCP_DIALECT_*),
 *         MCP_ERR_UNSUPPORTED (a libmcp without the dialect), MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_dialect(mcp_loop *loop,
                                             mcp_transport *inner,
                                             uint32_t dialect, int is_server,
                                             mcp_error *err);

/** The default of the longest line, in bytes: 10 MB. */
#define MCP_LINE_MAX_DEFAULT (10u * 1024 * 1024)

/**
 * Splits bytes into messages, one message a line, as on standard input and
 * output. A program uses it in its own transport, for example over a serial
 * line. The program passes bytes in pieces of any size, and gets whole lines
 * for `on_message`. The buffer skips blank lines, and removes a carriage return
 * at the end of a line. A line need not be JSON: the receiver of the message
 * checks it. (libmcp-core)
 *
 *     mcp_read_buffer_feed(buffer, bytes, len);
 *     while (is_open &&
 *            (rc = mcp_read_buffer_next(buffer, &line, &line_len, &err)) !=
 *                0) {
 *       if (rc > 0) {
 *         transport->on_message(transport, line, line_len);
 *       } else {
 *         transport->on_error(transport, &err);
 *       }
 *     }
 *
 * To send a message, write the message and then a line feed. A message never
 * contains a line feed.
 */
typedef struct mcp_read_buffer mcp_read_buffer;

/**
 * Makes an empty read buffer.
 *
 * @param allocator copied; NULL: the default
 * @param max_line  bytes of the longest line; 0: MCP_LINE_MAX_DEFAULT
 * @param err       says why there is no buffer; may be NULL
 * @return owned: free it with mcp_read_buffer_free; NULL with err:
 *         MCP_ERR_NOMEM
 */
MCP_API mcp_read_buffer *mcp_read_buffer_new(const mcp_allocator *allocator,
                                             size_t max_line, mcp_error *err);
/** Frees a read buffer. NULL is accepted. */
MCP_API void mcp_read_buffer_free(mcp_read_buffer *buffer);

/**
 * Passes bytes to the buffer. At the end of the input pass "\n", to end a last
 * line that has no line feed.
 *
 * @param bytes borrowed until mcp_read_buffer_next has returned 0
 * @return 0; MCP_ERR_BUSY: mcp_read_buffer_next has not returned 0 since the
 *         last bytes; MCP_ERR_INVALID
 */
MCP_API int mcp_read_buffer_feed(mcp_read_buffer *buffer, const char *bytes,
                                 size_t len);

/**
 * Returns the next whole line.
 *
 * @param line,len set when the function returns 1; not NUL-terminated, borrowed
 *                 until the next call with this buffer
 * @param err      may be NULL
 * @return 1; 0: the bytes are used up, pass more; MCP_ERR_LIMIT: a line is too
 *         long and is dropped (returned once for each such line);
 *         MCP_ERR_NOMEM: a line is dropped. After these errors the next call
 *         goes on after that line
 */
MCP_API int mcp_read_buffer_next(mcp_read_buffer *buffer, const char **line,
                                 size_t *len, mcp_error *err);

/* ---- libmcp ------------------------------------------------------------ */

/** Limits of a byte stream. Zero means the default. */
typedef struct mcp_stream_options {
  /** sizeof(mcp_stream_options); MCP_STREAM_OPTIONS_INIT sets it. */
  size_t size;
  /** The longest line that is read, in bytes; 0: MCP_LINE_MAX_DEFAULT. */
  size_t max_line;
  /** The most bytes that may wait to be written; 0: 64 MB. If a message would
   * exceed this, `send` returns MCP_ERR_LIMIT. */
  size_t max_queue;
} mcp_stream_options;

#define MCP_STREAM_OPTIONS_INIT MCP_INIT_(mcp_stream_options)

/**
 * Makes a transport over this process's standard input and output, for a
 * server.
 *
 * Standard input may be a pipe, socket, terminal, file or /dev/null. The
 * transport uses copies of descriptors 0 and 1. From this call until the
 * transport ends, descriptor 1 refers to standard error, so that a printf of
 * the program cannot corrupt the messages, and descriptor 0 refers to
 * /dev/null, so that a child process cannot read the messages. When the
 * transport ends, it restores both descriptors and their flags. A process can
 * have only one such transport at a time.
 *
 * @param loop    of mcp_loop_new
 * @param options NULL: the defaults
 * @param err     says why there is no transport; may be NULL
 * @return owned: pass it to a server or client, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_BUSY (the process has such
 *         a transport), MCP_ERR_INVALID (the loop or the size of the options),
 *         MCP_ERR_IO, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_stdio(mcp_loop *loop,
                                           const mcp_stream_options *options,
                                           mcp_error *err);

/**
 * Makes a transport for messages as lines over any descriptors: pipes, sockets,
 * terminals, files.
 *
 * @param loop             of mcp_loop_new
 * @param read_fd,write_fd may be the same. On success the transport owns them
 *                         and closes them at the end. On failure they stay
 *                         open, and the program keeps them
 * @param options          NULL: the defaults
 * @param err              says why there is no transport; may be NULL
 * @return owned, as with mcp_transport_stdio. NULL with err: MCP_ERR_INVALID,
 *         MCP_ERR_IO, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_fd(mcp_loop *loop, int read_fd,
                                        int write_fd,
                                        const mcp_stream_options *options,
                                        mcp_error *err);

/**
 * Makes a transport for messages as lines over a connected libuv stream, which
 * is on the loop's uv_loop. The transport uses copies of the stream's
 * descriptor. The program must not read from the stream or write to it.
 *
 * @param loop      of mcp_loop_new
 * @param uv_stream a `uv_stream_t *`. On success the transport owns it: at the
 *                  end it calls uv_close, and then on_closed. On failure the
 *                  program keeps it
 * @param on_closed frees the stream; may be NULL
 * @param options   NULL: the defaults
 * @param err       says why there is no transport; may be NULL
 * @return as mcp_transport_fd
 */
MCP_API mcp_transport *
mcp_transport_uv_stream(mcp_loop *loop, void *uv_stream,
                        void (*on_closed)(void *uv_stream),
                        const mcp_stream_options *options, mcp_error *err);

/** How mcp_transport_process starts and ends a child process. Zero and NULL
 * mean the default. */
typedef struct mcp_process_options {
  /** sizeof(mcp_process_options); MCP_PROCESS_OPTIONS_INIT sets it. */
  size_t size;
  /** The program and its arguments; the array ends with NULL. A name without a
   * slash is looked up in PATH. Required. */
  const char *const *argv;
  /** Variables to set or to replace, as "NAME=value"; the array ends with NULL.
   * The child also gets the safe variables of this process: HOME, LOGNAME,
   * PATH, SHELL, TERM, USER, LANG, LC_*, TZ and TMPDIR. NULL: only these. */
  const char *const *env;
  /** 1: the child also gets all other variables of this process. */
  int32_t inherit_env;
  uint32_t reserved;
  /** The child's working directory; NULL: the one of this process. If argv[0]
   * is a relative path, the system looks it up in this directory. */
  const char *working_directory;
  /** Called with bytes that the child writes to its standard error, borrowed
   * until return. The transport always reads these bytes, so the child never
   * blocks when it writes them. NULL: the bytes go to stderr_fd.
   *
   * `transport`, here and in on_exit, is the one that mcp_transport_process
   * returned. The client owns this transport, so the callbacks must not free
   * it. They may free the client. Even then the transport exists, and calls
   * them, until the child has ended. */
  void (*on_stderr)(mcp_transport *transport, const char *bytes, size_t len,
                    void *userdata);
  /** Called once for each child that has ended. `status` is its exit status;
   * `signal` is the signal that ended it, or 0. */
  void (*on_exit)(mcp_transport *transport, int64_t status, int signal,
                  void *userdata);
  /** Passed to on_stderr and on_exit. The program keeps it valid as long as
   * these can be called. */
  void *userdata;
  /** A descriptor for the child's standard error; 0: standard error of this
   * process; -1: the bytes are discarded. Used when on_stderr is NULL. The
   * transport does not close the descriptor. The program must keep it open as
   * long as the transport may start a child, also a restarted one. */
  int32_t stderr_fd;
  /** Closing: how long the transport waits, after it has closed the child's
   * standard input, before it sends SIGTERM, in milliseconds; 0: 2000. */
  uint32_t close_wait_ms;
  /** Closing: how long the transport waits after SIGTERM before it sends
   * SIGKILL, in milliseconds; 0: 2000. Signals go to the child's whole process
   * group. */
  uint32_t term_wait_ms;
  /** If the child ends by itself, the transport starts it again, at most this
   * many times; 0: never. on_error reports each restart with MCP_ERR_CLOSED,
   * after all output of the old child and before any output of the new child.
   */
  uint32_t max_restarts;
  /** Limits of the messages that the child writes and reads; copied. NULL: the
   * defaults. */
  const mcp_stream_options *stream;
} mcp_process_options;

#define MCP_PROCESS_OPTIONS_INIT MCP_INIT_(mcp_process_options)

/**
 * Makes a transport that starts a program and speaks with it over the program's
 * standard input and output. `start` starts the program, which happens when the
 * client connects. The child gets its own process group.
 *
 * While a child runs, libuv replaces the program's handler of SIGCHLD, and
 * waits only for its own children. Afterwards SIGCHLD has its default action. A
 * program that has other children must call waitpid for them. It must not rely
 * on a handler of SIGCHLD.
 *
 * On Linux, if the main thread starts the child, the kernel kills the child
 * when this process ends without closing the transport (for example by
 * SIGKILL). The kernel does not kill the child's own children. If another
 * thread starts the child, or the child runs a set-user-ID program, the child
 * only gets the end of its standard input. The end of the main thread counts as
 * the end of the process: a program whose main thread calls pthread_exit must
 * start its children from another thread.
 *
 * @param loop    of mcp_loop_new
 * @param options copied with all that it points to
 * @param err     says why there is no transport; may be NULL
 * @return owned: pass it to mcp_client_connect, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM. If
 *         the program cannot be started, `start` returns MCP_ERR_IO
 */
MCP_API mcp_transport *mcp_transport_process(mcp_loop *loop,
                                             const mcp_process_options *options,
                                             mcp_error *err);

MCP_END_DECLS

#endif
