/* SPDX-License-Identifier: MIT */
/** @file
 * Transports: how whole messages travel.
 *
 * A transport is a table of functions that moves messages in both directions
 * and knows no MCP method. Those of libmcp (stdio, a child process, a byte
 * stream, the memory pair) are made by the constructors below; a program's own
 * fills in the same table and is used like them.
 *
 * The contract, for authors:
 * - The library installs `on_message`, `on_error` and `on_close`, and then
 *   calls `start`, once. Do not call `start` yourself, and deliver nothing
 *   before it.
 * - A transport that can tell only later whether anybody is there (it dials, it
 *   shakes hands) has MCP_TRANSPORT_OPENS_LATER and calls `on_open` once it
 *   knows; a client says nothing before that, and if it never comes about
 *   `on_close` tells why. Any other is open once `start` has returned.
 * - One message is one run of UTF-8 bytes: a JSON object (in 2025-03-26 also
 *   an array), without framing. Bytes are borrowed until the call returns, in
 *   both directions.
 * - `on_close` is called exactly once after a successful `start`, however the
 *   channel ended: after `close`, at the end of input, on a fatal error. It is
 *   the last call into the library. It may come from inside `close`.
 * - At the end of input a transport that can still send calls `on_end`, when it
 *   is installed, and waits for `close`.
 * - `on_error` reports what did not end the channel: a line too long, a frame
 *   dropped. A failure that the sender must see is `send`'s return value.
 * - All calls, in both directions, are made on the loop's thread. `send` may
 *   be called inside `on_message`; from inside `send` none of the functions
 *   that the library has installed is called: what comes of it, the end of the
 *   channel too, is told later.
 * - A transport may free its server inside any of its functions, and its client
 *   inside `start`, `close` and `release`. Inside `send` it does not free its
 *   client: freeing a client closes and releases the transport at once.
 * - The library calls `release` when it is done with the transport, after
 *   `on_close` (or instead of `start`, when connecting failed before it).
 *
 * examples/custom-transport.c is a complete one; docs/TRANSPORTS.md tells how
 * to run the test kit over yours.
 */
#ifndef MCP_TRANSPORT_H
#define MCP_TRANSPORT_H

#include <mcp/json.h>
#include <mcp/loop.h>

MCP_BEGIN_DECLS

typedef struct mcp_transport mcp_transport;

/** Flag: every request opens a stream of its own, so that in 2026-07-28 a
 * request is cancelled by `abort` and not by a notification. */
#define MCP_TRANSPORT_PER_REQUEST_STREAM 1u

/** Flag: `start` only begins to open the channel, and `on_open` tells that it
 * is open. */
#define MCP_TRANSPORT_OPENS_LATER 2u

/** What a message is: mcp_send_info.kind. */
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
 * parse it. A transport reads what it needs, and may ignore all of it. Pointers
 * are borrowed until `send` returns.
 *
 * The structure grows at its end: before it reads a member, a transport that is
 * built with newer headers than the library compares `size`. A program that
 * itself calls `send` of a transport may fill in less, or pass NULL; a
 * transport of the library then reads the message. */
typedef struct mcp_send_info {
  /** sizeof(mcp_send_info) as the sender knows it. */
  size_t size;
  /** A number for the request that this message is, for `abort`; 0 when it is
   * not a request. */
  uint64_t request;
  /** 2026-07-28: headers that an HTTP transport sends with it, Mcp-Param-*.
   * struct mcp_http_header is in mcp/http.h. */
  const struct mcp_http_header *headers;
  size_t header_count;
  /** mcp_request_options.is_idempotent. */
  int32_t is_idempotent;
  /** 1: this is not the request's first message, so the client does not send it
   * again when the far side's session turns out to have ended. */
  int32_t is_final;

  /** MCP_MESSAGE_*. With MCP_MESSAGE_UNKNOWN the members below say nothing. */
  uint32_t kind;
  /** 1: the request asks for progress; its progress token is `request`. */
  int32_t wants_progress;
  /** The method of a request or notification, NUL-terminated; NULL: the message
   * is a response. */
  const char *method;
  /** The id of a request, or the id that a response answers, as JSON text;
   * NULL: the message has no id. */
  const char *id;
  size_t id_len;
  /** The revision that the message names in its `_meta` (2026-07-28),
   * NUL-terminated; NULL: the message names none. */
  const char *revision;
  /** The member of the params that HTTP repeats in `Mcp-Name`: a tool's or
   * prompt's name, a resource's URI. UTF-8, not NUL-terminated; NULL: the
   * method has no such member. */
  const char *name;
  size_t name_len;
  /** The member `arguments` of the params of a request (tools/call,
   * prompts/get); NULL: there is no such member. */
  const mcp_json *arguments;
  /** The request that a notifications/cancelled cancels; 0: the message cancels
   * none. */
  uint64_t cancels;
} mcp_send_info;

struct mcp_transport {
  /** sizeof(mcp_transport); MCP_TRANSPORT_INIT sets it. */
  size_t size;
  /** MCP_TRANSPORT_*, or 0. */
  uint32_t flags;
  uint32_t reserved;
  /** The transport's own. */
  void *userdata;

  /** Opens the channel. Returns 0 or an MCP_ERR_*: then on_close does not
   * come. */
  int (*start)(mcp_transport *transport, mcp_error *err);
  /** Sends one message, or takes a copy of it to send later. Returns 0;
   * MCP_ERR_CLOSED; MCP_ERR_LIMIT when too much waits already;
   * MCP_ERR_NOMEM. */
  int (*send)(mcp_transport *transport, const char *message, size_t len,
              const mcp_send_info *info);
  /** Ends the channel once all that was sent is on its way. May be called
   * twice. */
  void (*close)(mcp_transport *transport);
  /** Frees the transport. NULL: nothing to free. */
  void (*release)(mcp_transport *transport);

  /* Optional. */

  /** The revision that both sides agreed on. */
  void (*set_protocol_version)(mcp_transport *transport, const char *version);
  /** The revisions that this side accepts, newest first; before `start`.
   * Borrowed until the transport is released. */
  void (*set_supported_versions)(mcp_transport *transport,
                                 const char *const *versions, size_t count);
  /** Returns the channel's session id, or NULL. Borrowed until the next call.
   * mcp_session_id and mcp_client_session_id hand it to the program. */
  const char *(*session_id)(mcp_transport *transport);
  /** With MCP_TRANSPORT_PER_REQUEST_STREAM: ends one request's stream. */
  void (*abort)(mcp_transport *transport, uint64_t request);
  /** Bytes taken by `send` that are not on their way yet. */
  size_t (*queued)(mcp_transport *transport);

  /* Installed by the library before start; the transport calls them. */

  void (*on_message)(mcp_transport *transport, const char *message, size_t len);
  void (*on_error)(mcp_transport *transport, const mcp_error *err);
  /** @param err why it ended; NULL or code 0 for an ordinary end */
  void (*on_close)(mcp_transport *transport, const mcp_error *err);
  /** Optional for the transport to call, instead of ending: the far side was
   * replaced by a fresh one that knows nothing of what went before (a child
   * process started again). Requests in flight are lost; a client introduces
   * itself and opens its listens again. */
  void (*on_restart)(mcp_transport *transport);
  /** Optional for the transport to call: the far side sends no further message,
   * and what is sent to it still goes out. The owner then answers what it has
   * and calls `close`. NULL (the owner has nothing to finish): the transport
   * closes itself instead of calling. */
  void (*on_end)(mcp_transport *transport);
  /** The library's own. */
  void *owner;
  /** Optional for the transport to call: one request will have no answer, for a
   * reason that ends nothing else. The request completes with err. Nothing
   * happens when the request does not wait any longer. Not inside `send`. */
  void (*on_request_failed)(mcp_transport *transport, uint64_t request,
                            const mcp_error *err);
  /** Optional to call, likewise: 1 while that request waits for its answer. */
  int (*is_waiting)(mcp_transport *transport, uint64_t request);

  /* Optional. */

  /** Whose server this is, such as "https://example.com:443": what a client
   * finds out of its era is kept by that, as long as the loop lives. Borrowed
   * until the transport is released. */
  const char *(*origin)(mcp_transport *transport);

  /** Installed by an owner who wants to know, else NULL. With
   * MCP_TRANSPORT_OPENS_LATER the transport calls it, once: it is open. Neither
   * inside `start` nor after `close`, and before the first message; the owner
   * may close and release the transport there. */
  void (*on_open)(mcp_transport *transport);

  /** Installed by the library; optional for the transport to call instead of
   * on_request_failed, not inside `send`: the far side's session has ended, the
   * far side has not acted on this request, and the transport calls on_restart
   * next. Call it only if all three are true: a request that the far side may
   * have acted on would be carried out twice.
   *
   * A client sends the request again, once, after it has introduced itself to
   * the new session. It waits for that as long as for an answer, at most a
   * minute; then the request completes with MCP_ERR_TIMEOUT. A request that
   * cannot be sent again (one that was refused before, a further page of a
   * list, a listen) completes with MCP_ERR_CLOSED and err's message. */
  void (*on_request_refused)(mcp_transport *transport, uint64_t request,
                             const mcp_error *err);

  /* The table grows here, at its end. The library accepts one that ends before
   * this line, and installs in it nothing of what follows. */

  /** The library's own, which it installs before `start`: its own transports
   * hand it messages by this that they have parsed already. */
  const void *internal;
};

#define MCP_TRANSPORT_INIT MCP_INIT_(mcp_transport)

/**
 * Two linked transports in one process: what one end sends, the other
 * receives, in order, from a later turn of the loop. Closing one end closes
 * the other. The reference for every other transport. (libmcp-core)
 *
 * @param a,b set on success, owned until given to a server or client (which
 *            then release them); an end never given away: mcp_transport_free
 * @param err says why there is no pair; may be NULL
 * @return 0; MCP_ERR_INVALID (loop, a or b is NULL); MCP_ERR_NOMEM
 */
MCP_API int mcp_memory_pair(mcp_loop *loop, mcp_transport **a,
                            mcp_transport **b, mcp_error *err);

/** Frees a transport that was never given to a server or client. NULL is
 * accepted. */
MCP_API void mcp_transport_free(mcp_transport *transport);

/**
 * One message that a trace shows, without its secrets. The library fills it in;
 * its pointers are borrowed until the callback returns.
 *
 * The structure grows at its end. A program that was built with newer headers
 * than the library compares `size` before it reads a newer member.
 */
typedef struct mcp_traced_message {
  /** sizeof(mcp_traced_message) as the library knows it. */
  size_t size;
  /** 1: this side sends the message; 0: it has received the message. */
  int32_t is_sent;
  int32_t reserved;
  /** The message: `len` bytes of UTF-8, not NUL-terminated. "[redacted]"
   * replaces
   * - the values of members whose names suggest secrets (password, token,
   *   authorization, secret, api key, cookie, requestState, ...);
   * - within strings, what follows such a name (token=..., "Cookie: ...",
   *   {"token":"..."}), "Bearer" or "Basic";
   * - the user in a URL.
   *
   * Of a message that is not JSON, the text says only how long it is. */
  const char *text;
  size_t len;
  /** Where the peer is, as mcp_call_peer says it; NULL: not known. Only
   * listeners and endpoints of servers set it. */
  const char *peer;
  /** Over HTTP to a server, the beginning of the session's id: with the whole
   * id, a reader of the trace could use the session. NULL: the message belongs
   * to no session. */
  const char *session;
} mcp_traced_message;

/**
 * Shows a message of a transport.
 *
 * @param transport the one that mcp_transport_trace returned; the callback may
 *                  free the client or the server that has it
 * @param message   borrowed until return
 */
typedef void (*mcp_trace_cb)(mcp_transport *transport,
                             const mcp_traced_message *message, void *userdata);

/**
 * Wraps a transport so that each message is shown to a callback first, until
 * it is closed. (libmcp-core)
 *
 * @param inner taken
 * @param err   says why there is no transport; may be NULL
 * @return owned like any transport; NULL with err, and inner is freed:
 *         MCP_ERR_INVALID (loop, inner or on_trace is NULL), MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_trace(mcp_loop *loop, mcp_transport *inner,
                                           mcp_trace_cb on_trace,
                                           void *userdata, mcp_error *err);

/** What is said on a wire. */
enum {
  /** The Model Context Protocol. */
  MCP_DIALECT_MCP = 0,
  /** The mcp-core dialect: one JSON object for each call of a tool, one for its
   * answer, and nothing else. A server takes all its forms and answers each in
   * its own; a client sends {"id":1,"name":...,"arguments":...} on ordered
   * wires (WebSocket wants that) and over HTTP the toolRequest. */
  MCP_DIALECT_MCP_CORE = 1,
  /** The same; a client sends {"name":...,"arguments":...}, and knows an answer
   * on an ordered wire by its place. */
  MCP_DIALECT_MCP_CORE_BARE = 2,
  /** The same; a client sends the toolRequest (JSON-RPC's tools/call) on every
   * wire. */
  MCP_DIALECT_MCP_CORE_RPC = 3
};

/**
 * Wraps a transport whose far side speaks another dialect, so that a server or
 * client of ours speaks with it. (libmcp-core)
 *
 * A server sees each request as a tools/call of 2026-07-28 (where it serves
 * that, else of a legacy session opened by itself), by a client that can do
 * nothing else: it cannot be asked, and is told no progress and no logs.
 * Answers to requests without ids go out in the order of the requests, one for
 * each line that came.
 *
 * A client can call tools. It is connected once inner is open, and asks nothing
 * of the far side for that; nor by a ping, which the dialect has not. Other
 * methods fail (-32601): tools cannot be listed. Its own ids are mapped to 1,
 * 2, 3 and so on.
 *
 * docs/TRANSPORTS.md shows the messages.
 *
 * @param inner     taken; an ordered wire (stdio, a process, a socket,
 *                  WebSocket) that speaks MCP itself: not one whose own options
 *                  have a dialect
 * @param dialect   MCP_DIALECT_*; MCP_DIALECT_MCP: inner itself is returned
 * @param is_server 1: for mcp_server_connect; 0: for mcp_client_connect
 * @param err       says why there is no transport; may be NULL
 * @return owned like any transport; NULL with err, and inner is freed:
 *         MCP_ERR_INVALID (loop or inner is NULL, or `dialect` is not a value
 *         of MCP_DIALECT_*), MCP_ERR_UNSUPPORTED (a libmcp that was built
 *         without the dialect), MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_dialect(mcp_loop *loop,
                                             mcp_transport *inner,
                                             uint32_t dialect, int is_server,
                                             mcp_error *err);

/** Bytes of the longest line by default: 10 MB. */
#define MCP_LINE_MAX_DEFAULT (10u * 1024 * 1024)

/**
 * Cuts a stream of bytes into messages, one a line, as standard input and
 * output do: for a program's own transport over a serial line or a socket. It
 * is fed what was read, in whatever pieces that comes, and gives whole lines
 * for `on_message`. Blank lines are skipped, a carriage return at the end of
 * one is dropped. A line need not be JSON: what receives the message says so.
 * (libmcp-core)
 *
 *     mcp_read_buffer_feed(buffer, bytes, len);
 *     while (is_open &&
 *            (rc = mcp_read_buffer_next(buffer, &line, &line_len, &err)) != 0)
 *            {
 *       if (rc > 0) {
 *         transport->on_message(transport, line, line_len);
 *       } else {
 *         transport->on_error(transport, &err);
 *       }
 *     }
 *
 * What is sent is a message with a line feed behind it: there is no line feed
 * in one.
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
 * Gives it bytes that were read. At the end of the input give it "\n", which
 * ends a last line that had none.
 *
 * @param bytes borrowed until mcp_read_buffer_next has returned 0
 * @return 0; MCP_ERR_BUSY when that has not happened since the last bytes
 */
MCP_API int mcp_read_buffer_feed(mcp_read_buffer *buffer, const char *bytes,
                                 size_t len);

/**
 * The next whole line.
 *
 * @param line,len set when it returns 1; not NUL-terminated, borrowed until the
 *                 next call with this buffer
 * @return 1; 0: the bytes are used up, feed it more; MCP_ERR_LIMIT: a line was
 *         too long, and is left out (told once for each); MCP_ERR_NOMEM: a line
 *         is lost. After these the next call goes on after that line.
 */
MCP_API int mcp_read_buffer_next(mcp_read_buffer *buffer, const char **line,
                                 size_t *len, mcp_error *err);

/* ---- libmcp ------------------------------------------------------------ */

typedef struct mcp_stream_options {
  /** sizeof(mcp_stream_options); MCP_STREAM_OPTIONS_INIT sets it. */
  size_t size;
  /** Bytes of the longest line that is read; 0: MCP_LINE_MAX_DEFAULT. */
  size_t max_line;
  /** Bytes that may wait to be written before `send` refuses; 0: 64 MB. */
  size_t max_queue;
} mcp_stream_options;

#define MCP_STREAM_OPTIONS_INIT MCP_INIT_(mcp_stream_options)

/**
 * This process's standard input and output, for a server.
 *
 * Standard input may be a pipe, socket, terminal, file or /dev/null. The wire
 * keeps private copies; descriptor 1 then points at standard error, so that a
 * stray printf cannot corrupt it, and descriptor 0 at /dev/null, so that a
 * child process cannot eat messages. Both are put back at the end, descriptor
 * flags too. One at a time in a process.
 *
 * @param options NULL: the defaults
 * @return owned; NULL with err: MCP_ERR_BUSY, MCP_ERR_IO, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_stdio(mcp_loop *loop,
                                           const mcp_stream_options *options,
                                           mcp_error *err);

/**
 * Messages as lines over any descriptors: pipes, sockets, terminals, files.
 *
 * @param read_fd,write_fd taken (closed at the end); may be the same
 * @return as mcp_transport_stdio; on failure the descriptors stay open
 */
MCP_API mcp_transport *mcp_transport_fd(mcp_loop *loop, int read_fd,
                                        int write_fd,
                                        const mcp_stream_options *options,
                                        mcp_error *err);

/**
 * Messages as lines over a connected libuv stream on the loop's uv_loop. Its
 * descriptor alone is used: do not read from it or write to it meanwhile.
 *
 * @param uv_stream a `uv_stream_t *`, taken: closed with uv_close at the end,
 *                  then `on_closed(uv_stream)` is called to free it
 */
MCP_API mcp_transport *
mcp_transport_uv_stream(mcp_loop *loop, void *uv_stream,
                        void (*on_closed)(void *uv_stream),
                        const mcp_stream_options *options, mcp_error *err);

/** A child process's standard streams, for a client. */
typedef struct mcp_process_options {
  /** sizeof(mcp_process_options); MCP_PROCESS_OPTIONS_INIT sets it. */
  size_t size;
  /** The program and its arguments, NULL at the end; sought in PATH. */
  const char *const *argv;
  /** "NAME=value" settings over the safe default set (HOME, LOGNAME, PATH,
   * SHELL, TERM, USER, LANG, LC_*, TZ, TMPDIR of this process), NULL at the
   * end; NULL: the default set alone. */
  const char *const *env;
  /** 1: start from the whole environment of this process instead. */
  int32_t inherit_env;
  uint32_t reserved;
  /** NULL: this process's. */
  const char *working_directory;
  /** Receives what the child writes to its standard error; it is always read,
   * so the child never blocks on it. NULL: it goes to stderr_fd.
   *
   * `transport`, here and in on_exit, is the one that mcp_transport_process
   * returned. It belongs to its client, so neither callback may free it. Both
   * may free the client. The transport exists, and calls them, until the child
   * has ended, also after the client was freed. */
  void (*on_stderr)(mcp_transport *transport, const char *bytes, size_t len,
                    void *userdata);
  /** Called when a child has ended, once for each that was started: with its
   * exit status, or with the signal that ended it (else 0). */
  void (*on_exit)(mcp_transport *transport, int64_t status, int signal,
                  void *userdata);
  /** Handed to on_stderr and on_exit. It must last as long as they can be
   * called. */
  void *userdata;
  /** A descriptor for the child's standard error; 0: inherit this process's;
   * -1: discard. Used when on_stderr is NULL. */
  int32_t stderr_fd;
  /** Closing: milliseconds from closing its standard input to SIGTERM; 0: 2000.
   */
  uint32_t close_wait_ms;
  /** Closing: milliseconds from SIGTERM to SIGKILL; 0: 2000. Signals go to the
   * child's whole process group. */
  uint32_t term_wait_ms;
  /** Starts the child again when it ended by itself, at most so many times.
   * on_error tells of it, with MCP_ERR_CLOSED, behind all output of the one and
   * before any of the other. */
  uint32_t max_restarts;
  /** Limits of what the child writes and reads; copied. NULL: the defaults. */
  const mcp_stream_options *stream;
} mcp_process_options;

#define MCP_PROCESS_OPTIONS_INIT MCP_INIT_(mcp_process_options)

/**
 * Starts a program and speaks with it over its standard input and output.
 * The program is started by `start`, that is when the client connects.
 * It gets a process group of its own. While children run libuv catches SIGCHLD,
 * in the place of whatever the program has for it, and reaps its own children
 * only; afterwards SIGCHLD has its default action. So a program with children
 * of its own waits for them by waitpid, not by a handler.
 *
 * On Linux the kernel kills the child when this process ends without closing
 * the transport, as by SIGKILL, if the main thread starts it; the child's own
 * children are not killed. A child that another thread starts, or that runs a
 * set-user-ID program, only sees the end of its standard input then. The kernel
 * takes the end of the main thread for the end of the process: a program whose
 * main thread calls pthread_exit starts its children from another thread.
 *
 * @param options copied with all that it points to
 */
MCP_API mcp_transport *mcp_transport_process(mcp_loop *loop,
                                             const mcp_process_options *options,
                                             mcp_error *err);

MCP_END_DECLS

#endif
