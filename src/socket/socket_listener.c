/* SPDX-License-Identifier: MIT */
/* A server on an address of stream sockets: each connection is a connection of
 * the server, with its own transport. */
#include "base/error.h"
#include "base/widen.h"
#include "core/transport.h"
#include "net/address.h"
#include "net/listener.h"
#include "net/stream.h"
#include "platform/sockets.h"
#include "platform/uv_loop.h"
#include "server/limits.h"
#include "server/server.h"
#include "socket/socket.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  MAX_CONNECTIONS = 1000,
  MAX_WAITING = 256 * 1024 * 1024,
  FIRST_MESSAGE_MS = 75000, /* as HTTP's idle_ms */
  LINE_MS = 40000,          /* as HTTP's head_ms and body_ms together */
  WRITE_MS = 30000          /* as HTTP's write_ms */
};

/* References to a listener are held by the program until
 * mcp_socket_listener_free, and by the transport of each connection; the last
 * one frees the memory, on the loop's thread. A connection's transport still
 * holds the listener while a callback that the connection causes runs: if the
 * program then frees the listener again, that does nothing. */
struct mcp_socket_listener {
  mcp_server *server; /* a reference */
  mcp_loop *loop;
  mcp_socket_listen_options options;
  mcp_stream_options stream; /* which options.stream points to */
  mcpi_listener *listener;   /* NULL: it accepts no further connections */
  mcpi_quota *waiting;       /* counts the connections and the bytes in them */
  mcpi_list connections;
  size_t connection_count;
  char *url;
  /* NULL: the program set none */
  void (*on_drained)(mcp_socket_listener *listener, void *userdata);
  void *on_drained_userdata;
  int is_freed;
  size_t refs;
};

typedef struct socket_connection {
  mcpi_list link;
  mcp_socket_listener *listener;
  mcp_connection *connection; /* NULL: it has ended, or not begun */
  /* Counts the connection. Its bytes are counted by other shares of the same
   * client, which mcpi_share_init_like makes from this one. */
  mcpi_share share;
  char peer[MCPI_ADDRESS_TEXT];
} socket_connection;

/* --- life ---------------------------------------------------------------- */

static void socket_listener_unref(mcp_socket_listener *listener) {
  if (--listener->refs == 0) {
    const mcp_allocator allocator = listener->loop->allocator;
    mcpi_server_unref(listener->server);
    mcpi_quota_unref(listener->waiting);
    mcpi_strfree(&allocator, listener->url);
    mcpi_free(&allocator, listener, sizeof(*listener));
  }
}

static void tell_if_drained(mcp_socket_listener *listener) {
  mcpi_uv *uv = mcpi_uv_of(listener->loop);
  void (*on_drained)(mcp_socket_listener * listener, void *userdata) =
      listener->on_drained;
  if (listener->connection_count == 0 && on_drained != NULL) {
    listener->on_drained = NULL;
    mcpi_uv_enter(uv);
    on_drained(listener, listener->on_drained_userdata);
    mcpi_uv_leave(uv);
  }
}

static void socket_connection_free(socket_connection *self) {
  mcpi_share_deinit(&self->share);
  mcpi_free(&self->listener->loop->allocator, self, sizeof(*self));
}

/* The transport is gone, with everything that waited in it. */
static void on_down(void *userdata) {
  socket_connection *self = userdata;
  mcp_socket_listener *listener = self->listener;
  mcpi_list_remove(&self->link);
  listener->connection_count--;
  socket_connection_free(self);
  tell_if_drained(listener);
  socket_listener_unref(listener);
}

static void socket_listener_on_closed(mcp_connection *connection,
                                      const mcp_error *err, void *userdata) {
  socket_connection *self = userdata;
  (void)connection;
  (void)err;
  self->connection = NULL;
}

/* --- a connection -------------------------------------------------------- */

static void socket_listener_on_trace(mcp_transport *transport,
                                     const mcp_traced_message *message,
                                     void *userdata) {
  const socket_connection *self = userdata;
  const mcp_socket_listener *listener = self->listener;
  mcp_traced_message traced = *message;
  (void)transport;
  traced.peer = self->peer;
  listener->options.on_trace(mcpi_server_handle(listener->server), &traced,
                             listener->options.userdata);
}

/* Returns the value in the form that a stream expects. */
static uint32_t socket_listener_limit_ms(uint32_t option_ms) {
  return option_ms != UINT32_MAX ? option_ms : 0;
}

/* Takes the descriptor, and `self` on failure: NULL without memory. */
static mcp_transport *socket_listener_make_transport(int fd,
                                                     socket_connection *self) {
  mcp_socket_listener *listener = self->listener;
  const mcpi_socket_spec spec = {
      .fd = fd,
      .stream = listener->stream,
      .like = &self->share,
      .first_message_ms = listener->options.first_message_ms,
      .line_ms = socket_listener_limit_ms(listener->options.line_ms),
      .write_ms = socket_listener_limit_ms(listener->options.write_ms),
      .on_down = on_down,
      .userdata = self};
  mcp_transport *transport = mcpi_socket_accepted(listener->loop, &spec, NULL);
  if (transport == NULL) {
    mcpi_sock_close(fd);
    socket_connection_free(self);
    return NULL;
  }
  listener->refs++;
  listener->connection_count++;
  mcpi_list_append(&listener->connections, &self->link);
  const mcp_socket_listen_options *options = &listener->options;
  return mcpi_server_wire(listener->loop, transport,
                          options->on_trace != NULL ? socket_listener_on_trace
                                                    : NULL,
                          self, options->dialect, &self->share, NULL);
}

/* Takes the descriptor and `self`. */
static void socket_listener_refuse(int fd, socket_connection *self,
                                   const mcp_error *err) {
  mcp_socket_listener *listener = self->listener;
  char peer[MCPI_ADDRESS_TEXT];
  memcpy(peer, self->peer, sizeof(peer));
  mcpi_sock_close(fd);
  socket_connection_free(self);
  if (err->code == MCP_ERR_LIMIT) {
    mcpi_server_connection_refused(listener->server, listener->loop, peer, err);
  }
}

/* Counts the connection for its client. Returns 0, or with err MCP_ERR_NOMEM or
 * MCP_ERR_LIMIT: the client may not have another connection. */
static int admit_connection(socket_connection *self, const char *principal,
                            mcp_error *err) {
  const mcp_socket_listener *listener = self->listener;
  int rc =
      mcpi_share_init(&self->share, listener->waiting, principal, self->peer);
  if (rc != 0) {
    return mcp_error_set(err, rc, "out of memory");
  }
  return mcpi_share_connect(&self->share, listener->options.max_connections,
                            err);
}

/* Takes the descriptor and `self`, which ends with the transport: after a
 * failure it must not be touched. `options` has the client's principal and
 * address. */
static void socket_listener_serve(int fd, const mcp_connection_options *options,
                                  socket_connection *self) {
  mcp_socket_listener *listener = self->listener;
  mcp_error err;
  if (admit_connection(self, options->principal, &err) != 0) {
    socket_listener_refuse(fd, self, &err);
    return;
  }
  mcp_connection *connection = NULL;
  mcp_transport *transport = socket_listener_make_transport(fd, self);
  if (transport != NULL &&
      mcp_server_connect(listener->server, listener->loop, transport, options,
                         &connection, NULL) == 0) {
    self->connection = connection;
  }
}

/* Finds out who the client is, then serves it. */
static void identify(int fd, const char *peer, socket_connection *self) {
  char principal[32];
  uint64_t user;
  int64_t pid = 0;
  mcp_connection_options options = {.size = sizeof(mcp_connection_options),
                                    .peer = self->peer,
                                    .on_closed = socket_listener_on_closed,
                                    .userdata = self};
  snprintf(self->peer, sizeof(self->peer), "%s", peer);
  if (mcpi_sock_peer(fd, &user, &pid)) {
    snprintf(principal, sizeof(principal), "uid:%" PRIu64, user);
    options.principal = principal;
  }
  if (pid != 0) {
    snprintf(self->peer, sizeof(self->peer), "%s pid %" PRId64, peer, pid);
  }
  socket_listener_serve(fd, &options, self);
}

static void socket_listener_on_connection(int fd, const char *peer,
                                          void *userdata) {
  mcp_socket_listener *listener = userdata;
  socket_connection *self =
      mcpi_calloc(&listener->loop->allocator, 1, sizeof(*self));
  if (self != NULL) {
    self->listener = listener;
    identify(fd, peer, self);
  } else {
    mcpi_sock_close(fd);
  }
}

/* --- the beginning ------------------------------------------------------- */

static int socket_listener_widen(mcp_socket_listen_options *out,
                                 const mcp_socket_listen_options *options,
                                 mcp_error *err) {
  int rc =
      mcpi_widen(out, sizeof(*out), options, "mcp_socket_listen_options", err);
  if (rc == 0 && out->address == NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "address: missing: HOST:PORT or unix:PATH");
  }
  if (rc == 0) {
    rc = mcpi_dialect_check(out->dialect, err);
  }
  mcpi_default_u32(&out->max_connections, MAX_CONNECTIONS);
  mcpi_default_size(&out->max_waiting, MAX_WAITING);
  mcpi_default_u32(&out->first_message_ms, FIRST_MESSAGE_MS);
  mcpi_default_u32(&out->line_ms, LINE_MS);
  mcpi_default_u32(&out->write_ms, WRITE_MS);
  return rc;
}

static int socket_listener_put_url(mcp_socket_listener *listener) {
  const char *address = mcpi_listener_address(listener->listener);
  int is_file = strncmp(address, "unix:", 5) == 0;
  mcpi_buf url;
  mcpi_buf_init(&url, &listener->loop->allocator, SIZE_MAX);
  mcpi_buf_puts(&url, mcpi_str_z(is_file ? "" : "tcp://"));
  mcpi_buf_put(&url, address, strlen(address) + 1);
  listener->url =
      url.error == 0 ? mcpi_strdup(&listener->loop->allocator, url.data) : NULL;
  mcpi_buf_deinit(&url);
  return listener->url != NULL ? 0 : MCP_ERR_NOMEM;
}

static int socket_listener_open_address(mcp_socket_listener *listener,
                                        mcp_error *err) {
  mcp_error why = {0};
  if (listener->waiting == NULL) {
    return mcpi_no_memory(err);
  }
  listener->listener = mcpi_listener_new(
      listener->loop, listener->options.address, listener->options.socket_mode,
      socket_listener_on_connection, listener, &why);
  if (listener->listener == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  return socket_listener_put_url(listener) == 0 ? 0 : mcpi_no_memory(err);
}

mcp_socket_listener *
mcp_server_listen_socket(mcp_server *server, mcp_loop *loop,
                         const mcp_socket_listen_options *options,
                         mcp_error *err) {
  mcp_socket_listen_options wide;
  mcp_stream_options stream;
  if (server == NULL || loop == NULL) {
    mcpi_error_null(err, server == NULL ? "server" : "loop");
    return NULL;
  }
  if (socket_listener_widen(&wide, options, err) != 0 ||
      mcpi_stream_options_copy(&stream, wide.stream, err) != 0) {
    return NULL;
  }
  mcp_socket_listener *listener =
      mcpi_calloc(&loop->allocator, 1, sizeof(*listener));
  if (listener == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  listener->server = server;
  mcpi_server_ref(server);
  listener->loop = loop;
  listener->options = wide;
  listener->stream = stream;
  listener->options.stream = &listener->stream;
  listener->refs = 1;
  mcpi_list_init(&listener->connections);
  listener->waiting =
      mcpi_quota_new(&loop->allocator, loop->hash_seed, wide.max_waiting);
  if (socket_listener_open_address(listener, err) != 0) {
    mcp_socket_listener_free(listener);
    return NULL;
  }
  listener->options.address = NULL; /* the program's */
  return listener;
}

const char *mcp_socket_listener_url(const mcp_socket_listener *listener) {
  return listener != NULL ? listener->url : NULL;
}

size_t
mcp_socket_listener_connection_count(const mcp_socket_listener *listener) {
  return listener != NULL ? listener->connection_count : 0;
}

/* --- the end ------------------------------------------------------------- */

static void take_no_more(mcp_socket_listener *listener) {
  mcpi_listener_free(listener->listener);
  listener->listener = NULL;
}

void mcp_socket_listener_drain(mcp_socket_listener *listener,
                               void (*on_drained)(mcp_socket_listener *listener,
                                                  void *userdata),
                               void *userdata) {
  if (listener != NULL) {
    take_no_more(listener);
    listener->on_drained = on_drained;
    listener->on_drained_userdata = userdata;
    tell_if_drained(listener);
  }
}

/* Closing a connection may end others, depending on the program. So the search
 * starts again each time. */
static socket_connection *find_open(const mcp_socket_listener *listener) {
  const mcpi_list *link = listener->connections.next;
  for (; link != &listener->connections; link = link->next) {
    socket_connection *self = MCPI_CONTAINER(link, socket_connection, link);
    if (self->connection != NULL) {
      return self;
    }
  }
  return NULL;
}

void mcp_socket_listener_free(mcp_socket_listener *listener) {
  if (listener == NULL || listener->is_freed) {
    return;
  }
  listener->is_freed = 1;
  listener->on_drained = NULL;
  take_no_more(listener);
  socket_connection *self;
  while ((self = find_open(listener)) != NULL) {
    mcp_connection *connection = self->connection;
    self->connection = NULL;
    mcp_connection_close(connection, 0);
  }
  socket_listener_unref(listener);
}
