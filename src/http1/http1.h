/* SPDX-License-Identifier: MIT */
/* An HTTP/1.1 server on sockets that libuv polls (RFC 9110, 9112). It knows
 * nothing of MCP: it reads requests within limits, passes each to an
 * application, and writes the answer. Everything happens on its loop's
 * thread.
 *
 * A connection has one exchange at a time. Requests that a client pipelines
 * wait, within limits, while reading continues, so that the server notices at
 * once when the client leaves. */
#ifndef MCPI_HTTP1_HTTP1_H
#define MCPI_HTTP1_HTTP1_H

#include "core/quota.h"
#include "tls/tls.h"
#include <mcp/http.h>
#include <mcp/loop.h>
#include <uv.h>

/* The application that answers. The functions are those of mcp_http_begin,
 * _body and _gone. http_listener.c fills the table if one loop serves the
 * address, and relay.c if several do. */
typedef struct mcpi_http1_app {
  void *userdata;
  /* The head of a request is complete. NULL: it has been answered in this call;
   * the body is then skipped, or the connection closed if the body is long. */
  void *(*on_head)(void *userdata, const mcp_http_request *request,
                   const mcp_http_responder *responder, void *exchange);
  void (*on_body)(void *handle, const char *body, size_t len);
  /* No more calls to the responder from here on. */
  void (*on_gone)(void *handle);
  /* The server was freed and its last connection is closed: the application is
   * not called any more. Comes in a later turn of the loop than
   * mcpi_http1_free. NULL: not called. */
  void (*on_end)(void *userdata);
  /* A connection from `peer` was refused because of max_connections: err says
   * why. Both are borrowed until return. mcpi_http1_free is legal in it. NULL:
   * not called. */
  void (*on_refused)(void *userdata, const char *peer, const mcp_error *err);
  /* The server closes a connection from `peer` because of what its client did,
   * which no answer says: err says why. As for on_refused. */
  void (*on_ended)(void *userdata, const char *peer, const mcp_error *err);
} mcpi_http1_app;

/* The members of mcp_http_listen_options. All must be set. */
typedef struct mcpi_http1_limits {
  uint32_t max_connections;
  uint32_t max_head;
  uint32_t max_headers;
  size_t max_body;
  size_t max_queue;
  size_t max_waiting;
  uint32_t head_ms;
  uint32_t body_ms;
  uint32_t idle_ms;
  uint32_t write_ms;
  uint32_t ping_ms;
  uint32_t pong_ms;
} mcpi_http1_limits;

/* The connections of one loop. */
typedef struct mcpi_http1 mcpi_http1;

/* Owned. The application is copied. NULL with err: MCP_ERR_NOMEM,
 * MCP_ERR_INVALID (the loop is not one of mcp_loop_new) or MCP_ERR_PLATFORM
 * (llhttp cannot be loaded). */
MCP_API mcpi_http1 *mcpi_http1_new(mcp_loop *loop,
                                   const mcpi_http1_limits *limits,
                                   const mcpi_http1_app *app, mcp_error *err);
/* New connections speak TLS (a reference is taken), or do not (NULL). For
 * a new certificate call it again: open connections keep theirs. */
void mcpi_http1_set_tls(mcpi_http1 *http1, mcpi_tls *tls);
/* Serves a connected stream socket (TCP or Unix). The descriptor is taken, on
 * failure too. `peer` (copied) is its address as text, and identifies the
 * client. Returns 0, MCP_ERR_LIMIT (the client has its share of
 * max_connections), MCP_ERR_NOMEM or MCP_ERR_IO. */
MCP_API int mcpi_http1_serve(mcpi_http1 *http1, int fd, const char *peer);
/* Closes idle connections now, and others after their answer. Calls on_drained
 * (may be NULL) once when the last has gone, perhaps before this returns. */
MCP_API void mcpi_http1_drain(mcpi_http1 *http1,
                              void (*on_drained)(void *userdata),
                              void *userdata);
/* Counts the bytes that wait in its connections; borrowed. */
mcpi_quota *mcpi_http1_waiting(const mcpi_http1 *http1);
/* From any thread. */
size_t mcpi_http1_connection_count(const mcpi_http1 *http1);
/* Closes all connections, and calls on_gone for each exchange. Legal in any of
 * its callbacks. */
MCP_API void mcpi_http1_free(mcpi_http1 *http1);

/* Defined by http1/websocket. Loads what upgrading a connection needs: 0, or
 * why there are no WebSockets: MCP_ERR_UNSUPPORTED (MCP_WEBSOCKET=OFF) or
 * MCP_ERR_PLATFORM. */
int mcpi_http1_load_websocket(mcp_error *err);
/* Defined by http1/websocket: the responder's `upgrade`. NULL: this libmcp was
 * built without WebSockets. */
extern mcp_transport *(*const mcpi_http1_upgrade)(void *exchange,
                                                  size_t max_message);

#endif
