/* SPDX-License-Identifier: MIT */
/** @file
 * Stream sockets, TCP and Unix: one message a line, as on standard input and
 * output (libmcp).
 *
 * TCP connections are neither encrypted nor authenticated. Use them only on one
 * machine, or in a network that is trusted. Over a Unix socket the kernel
 * identifies the peer's user. In all other cases use mcp/http.h with TLS.
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

/** Accepts connections and serves them. */
typedef struct mcp_socket_listener mcp_socket_listener;

/** Zero and NULL mean the default. */
typedef struct mcp_socket_listen_options {
  /** sizeof(mcp_socket_listen_options); MCP_SOCKET_LISTEN_OPTIONS_INIT sets
   * it. */
  size_t size;
  /** Where to listen; required. HOST is an address or a name of the loopback
   * interface; port 0: any free port. If the socket file of a "unix:PATH"
   * exists but no process listens on it, the library replaces the file. */
  const char *address;
  /** Limits the connections that are open at once; default 1,000. Clients share
   * this limit as mcp_limits describes. A client may have 16 connections,
   * whatever its share is, if the other clients leave that many. The server
   * tells clients apart by their address (the first 64 bits of an IPv6
   * address). Over a Unix socket it tells them apart by their user.
   *
   * The server closes further connections at once, and reports that to
   * mcp_server_options.on_report. Behind a proxy all connections have the
   * proxy's address, so at most half of the limit can be used. */
  uint32_t max_connections;
  /** The dialect on the connections: MCP_DIALECT_* (mcp/transport.h). */
  uint32_t dialect;
  /** Limits of each connection. NULL: the defaults. */
  const mcp_stream_options *stream;
  /** Limits the bytes that wait in all connections together; default 256 MB:
   * - incomplete lines;
   * - answers that clients have not read;
   * - answers that wait for an earlier answer, because a client of the mcp-core
   *   dialect sends no ids.
   *
   * Clients share this limit as mcp_limits describes, and a connection may have
   * at most half of the bytes of its client. The server tells clients apart by
   * their address (the first 64 bits of an IPv6 address). Over a Unix socket it
   * tells them apart by their user. When the limit is reached:
   * - the server drops an incomplete line, and answers it with an error;
   * - the server closes a connection whose client does not read its answers.
   *
   * An idle connection keeps at most 16 KB. */
  size_t max_waiting;
  /** Called for each message that is received or sent; NULL: no trace. `server`
   * is the server that the listener serves; NULL once the program has called
   * mcp_server_free. */
  void (*on_trace)(mcp_server *server, const mcp_traced_message *message,
                   void *userdata);
  /** Passed to on_trace. */
  void *userdata;
  /** If a client has not sent a complete message after this time in
   * milliseconds, the server closes the connection; default 75,000 (HTTP's
   * idle_ms). UINT32_MAX: no limit. After its first message a client may be
   * silent without limit. */
  uint32_t first_message_ms;
  /** If a line is not complete this many milliseconds after its first byte, the
   * server closes the connection; default 40,000 (HTTP's head_ms and body_ms).
   * UINT32_MAX: no limit. */
  uint32_t line_ms;
  /** If messages wait for a client and the client reads nothing for this many
   * milliseconds, the server closes the connection; default 30,000 (HTTP's
   * write_ms). UINT32_MAX: no limit. */
  uint32_t write_ms;
  /** Sets the permissions of a Unix socket's file, such as 0660, whatever the
   * umask is; default 0600: only its owner can connect. A value above 0777 is
   * MCP_ERR_INVALID. This catches 660 that was meant as the octal number 0660.
   */
  uint32_t socket_mode;
} mcp_socket_listen_options;

#define MCP_SOCKET_LISTEN_OPTIONS_INIT MCP_INIT_(mcp_socket_listen_options)

/**
 * Serves all connections to an address, until mcp_socket_listener_free.
 *
 * A handler can ask where its client is (mcp_call_peer: "127.0.0.1:4711", "unix
 * pid 4711"). Over a Unix socket the principal is the user, such as "uid:1000".
 *
 * If the first line of a connection does not look like JSON or is too long, the
 * client gets an error and the server closes the connection. Reason: a
 * malicious web page can make a browser send an HTTP request to this port, and
 * the lines of the request's body must not be read as messages.
 *
 * @param loop    of mcp_loop_new
 * @param options required, because of `address`; copied with all that it points
 *                to
 * @param err     says why there is no listener; may be NULL
 * @return owned: free it with mcp_socket_listener_free before the loop is
 *         freed; the server may be freed before or after it. NULL with err:
 *         MCP_ERR_INVALID (the message names the parameter or member),
 *         MCP_ERR_IO (the address is taken), MCP_ERR_UNSUPPORTED (a libmcp
 *         without sockets or without the dialect), MCP_ERR_NOMEM
 */
MCP_API mcp_socket_listener *
mcp_server_listen_socket(mcp_server *server, mcp_loop *loop,
                         const mcp_socket_listen_options *options,
                         mcp_error *err);

/** Returns where the listener listens: "tcp://127.0.0.1:4711" with the real
 * port, or "unix:PATH". Borrowed until mcp_socket_listener_free. */
MCP_API const char *
mcp_socket_listener_url(const mcp_socket_listener *listener);

/** Returns how many connections are open. */
MCP_API size_t
mcp_socket_listener_connection_count(const mcp_socket_listener *listener);

/**
 * Stops accepting connections. Open connections go on until the program calls
 * mcp_server_drain, or until their clients disconnect.
 *
 * @param on_drained called once, when the last connection has ended, perhaps
 *                   before this function returns. It may call
 *                   mcp_socket_listener_free; after mcp_socket_listener_free it
 *                   is not called. A second call of mcp_socket_listener_drain
 *                   replaces it. May be NULL
 */
MCP_API void mcp_socket_listener_drain(
    mcp_socket_listener *listener,
    void (*on_drained)(mcp_socket_listener *listener, void *userdata),
    void *userdata);

/** Frees the listener: closes the address and all connections, and cancels the
 * calls that have not been answered. Legal in any callback. A callback that
 * runs before this function returns may call it again; that does nothing. NULL
 * is accepted. */
MCP_API void mcp_socket_listener_free(mcp_socket_listener *listener);

/* ---- clients ----------------------------------------------------------- */

/** Zero means the default. */
typedef struct mcp_socket_options {
  /** sizeof(mcp_socket_options); MCP_SOCKET_OPTIONS_INIT sets it. */
  size_t size;
  /** Limits the time to connect, in milliseconds; default 10,000. */
  uint32_t connect_timeout_ms;
  uint32_t reserved;
  /** Limits of the connection. NULL: the defaults. */
  const mcp_stream_options *stream;
} mcp_socket_options;

#define MCP_SOCKET_OPTIONS_INIT MCP_INIT_(mcp_socket_options)

/**
 * Makes a transport that connects to an address, for mcp_client_connect.
 * `start` begins to connect. If the host name has several addresses, the
 * transport tries one after another. If it can reach none of them, the
 * connection ends, and mcp_client_options.on_closed gets MCP_ERR_IO or
 * MCP_ERR_TIMEOUT.
 *
 * @param loop    of mcp_loop_new
 * @param address copied; HOST may be any name
 * @param options copied with all that it points to; NULL: the defaults
 * @param err     says why there is no transport; may be NULL
 * @return owned: pass it to mcp_client_connect, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_INVALID,
 *         MCP_ERR_UNSUPPORTED (a libmcp without sockets), MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_socket(mcp_loop *loop, const char *address,
                                            const mcp_socket_options *options,
                                            mcp_error *err);

MCP_END_DECLS

#endif
