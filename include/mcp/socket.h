/* SPDX-License-Identifier: MIT */
/** @file
 * Stream sockets, TCP and Unix: one message a line, as on standard input and
 * output (libmcp).
 *
 * There is no encryption and, over TCP, nothing that says who the peer is: this
 * is for one machine, or for a network that is trusted. Over a Unix socket the
 * kernel says which user the peer is. For everything else there is mcp/http.h.
 *
 * An address is "HOST:PORT", with "[...]" around an IPv6 address, or
 * "unix:PATH".
 */
#ifndef MCP_SOCKET_H
#define MCP_SOCKET_H

#include <mcp/server.h>
#include <mcp/transport.h>

MCP_BEGIN_DECLS

/* ---- servers ----------------------------------------------------------- */

typedef struct mcp_socket_listener mcp_socket_listener;

/** Zero and NULL mean the default. */
typedef struct mcp_socket_listen_options {
  /** sizeof(mcp_socket_listen_options); MCP_SOCKET_LISTEN_OPTIONS_INIT sets
   * it. */
  size_t size;
  /** Where to listen; required. HOST is an address or a name of the loopback
   * interface; port 0: any free one. A socket file that nobody answers at is
   * replaced. */
  const char *address;
  /** Limits the connections that are open at once; default 1,000. A client is
   * an address (an IPv6 address by its first 64 bits), over a Unix socket a
   * user. Each client may have as many connections as it leaves for the others,
   * so half at most, and sixteen in any case as long as there are so many left.
   * The server closes a connection past that as it comes, and reports it.
   * Behind a proxy all connections come from one address: they have half of the
   * limit. */
  uint32_t max_connections;
  /** What is spoken there: MCP_DIALECT_* (mcp/transport.h). */
  uint32_t dialect;
  /** Limits of each connection; copied. NULL: the defaults. */
  const mcp_stream_options *stream;
  /** Limits the bytes that wait in all connections together: lines that are not
   * whole yet, answers that clients do not read, and answers that wait for an
   * earlier one because the client of the mcp-core dialect sends no ids;
   * default 256 MB.
   *
   * A client is an address (an IPv6 address by its first 64 bits), over a Unix
   * socket a user. Each client may have as many bytes as it leaves for the
   * others, so half at most, and each of its connections half of that. Past it:
   * - the server drops a line, and reports that to the client;
   * - it closes a connection whose client does not read its answers.
   *
   * An idle connection keeps at most 16 KB. */
  size_t max_waiting;
  /** Sees each message, both ways; NULL: nobody. `server` is the server that
   * the listener serves; NULL once the program has called mcp_server_free. */
  void (*on_trace)(mcp_server *server, const mcp_traced_message *message,
                   void *userdata);
  void *userdata;
  /** Limits the time until a client's first whole message, in milliseconds;
   * default 75,000 (HTTP's idle_ms); UINT32_MAX: no limit. The server then
   * closes the connection. A client that has sent one message may be silent
   * without limit. */
  uint32_t first_message_ms;
  /** Limits the time from a line's first byte to its end, in milliseconds;
   * default 40,000 (HTTP's head_ms and body_ms); UINT32_MAX: no limit. Past it
   * the server closes the connection. */
  uint32_t line_ms;
  /** Limits the time in which a peer reads nothing while messages wait for it,
   * in milliseconds; default 30,000 (HTTP's write_ms); UINT32_MAX: no limit.
   * Past it the server closes the connection. */
  uint32_t write_ms;
  /** Sets the permissions of a Unix socket's file, such as 0660, whatever the
   * umask is; default 0600: its owner alone connects. Past 0777, as for 660
   * without the 0 of octal numbers, it is MCP_ERR_INVALID. */
  uint32_t socket_mode;
} mcp_socket_listen_options;

#define MCP_SOCKET_LISTEN_OPTIONS_INIT MCP_INIT_(mcp_socket_listen_options)

/**
 * Serves whoever connects to an address, until mcp_socket_listener_free.
 *
 * Calls see where their peer is (mcp_call_peer: "127.0.0.1:4711", "unix pid
 * 4711"), and over a Unix socket the principal "uid:1000". A connection whose
 * first line is no JSON, or too long, is told so and closed: a web page that
 * was made to send to the port must not have the rest of its request taken for
 * messages.
 *
 * @param loop    of mcp_loop_new
 * @param options copied with all that it points to
 * @return owned: free it before the loop; the server may be freed before it or
 *         after it; NULL with err:
 *         MCP_ERR_INVALID, MCP_ERR_IO (the address is taken), MCP_ERR_NOMEM
 */
MCP_API mcp_socket_listener *
mcp_server_listen_socket(mcp_server *server, mcp_loop *loop,
                         const mcp_socket_listen_options *options,
                         mcp_error *err);

/** Where it listens: "tcp://127.0.0.1:4711", the port that was found included,
 * or "unix:PATH". Borrowed until freed. */
MCP_API const char *
mcp_socket_listener_url(const mcp_socket_listener *listener);

/** How many connections are open. */
MCP_API size_t
mcp_socket_listener_connection_count(const mcp_socket_listener *listener);

/** Takes no more connections; those it has end when the server drains
 * (mcp_server_drain), or their clients go.
 *
 * @param on_drained called once when the last has ended, perhaps before this
 *                   returns, and not after mcp_socket_listener_free, which it
 *                   may call; may be NULL
 */
MCP_API void mcp_socket_listener_drain(
    mcp_socket_listener *listener,
    void (*on_drained)(mcp_socket_listener *listener, void *userdata),
    void *userdata);

/** Closes the address and its connections; what their calls have not answered
 * is cancelled. Legal in any callback; those that run before this returns may
 * call it too, which then does nothing. NULL is accepted. */
MCP_API void mcp_socket_listener_free(mcp_socket_listener *listener);

/* ---- clients ----------------------------------------------------------- */

/** Zero means the default. */
typedef struct mcp_socket_options {
  /** sizeof(mcp_socket_options); MCP_SOCKET_OPTIONS_INIT sets it. */
  size_t size;
  /** Milliseconds for the connection to come about; default 10,000. */
  uint32_t connect_timeout_ms;
  uint32_t reserved;
  /** Limits of the connection; copied. NULL: the defaults. */
  const mcp_stream_options *stream;
} mcp_socket_options;

#define MCP_SOCKET_OPTIONS_INIT MCP_INIT_(mcp_socket_options)

/**
 * A connection to an address, for a client: mcp_client_connect takes it. It is
 * made by `start`; what is sent before it has come about goes out then. Of a
 * name's addresses each is tried in turn. One that cannot be reached ends the
 * transport with MCP_ERR_IO, or MCP_ERR_TIMEOUT.
 *
 * @param loop    of mcp_loop_new
 * @param address copied; HOST may be any name
 * @param options copied with all that it points to; NULL: the defaults
 * @return owned; NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_socket(mcp_loop *loop, const char *address,
                                            const mcp_socket_options *options,
                                            mcp_error *err);

MCP_END_DECLS

#endif
