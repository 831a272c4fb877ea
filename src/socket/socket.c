/* SPDX-License-Identifier: MIT */
/* A transport over a stream socket:
 *
 *     accepted ------------------> stream
 *     address -> dial -> connected --^      earlier messages wait in `early`
 */
#include "socket/socket.h"

#include "base/error.h"
#include "base/list.h"
#include "base/widen.h"
#include "net/dial.h"
#include "net/fd.h"
#include "net/stream.h"
#include "platform/sockets.h"
#include "platform/uv_loop.h"

#include <errno.h>
#include <string.h>

enum {
  CONNECT_TIMEOUT_MS = 10000,
  /* The limit for a connection that is only made to send what waits, and then
   * ends. */
  LAST_CONNECT_MS = 2000,
  /* The limit of bytes in `early`. As for a stream's queue, where they go when
   * the stream is connected. */
  EARLY_MAX = 64 * 1024 * 1024
};

typedef struct socket_transport {
  mcp_transport base; /* first: the library passes this pointer */
  mcp_loop *loop;
  mcpi_stream *stream; /* NULL: not connected */
  mcp_stream_options options;

  /* For an accepted connection. */
  int fd;           /* -1: the stream has it, or there is none */
  mcpi_share share; /* counts nothing itself: the stream has a copy */
  void (*on_down)(void *userdata);
  void *userdata;
  int is_doubtful;  /* no message has come yet */
  mcpi_timer doubt; /* the time limit of that */
  uint32_t first_message_ms;
  uint32_t line_ms;  /* 0: no limit */
  uint32_t write_ms; /* 0: no limit */
  mcp_error silence; /* why we ended it; code 0: we did not */

  /* For a connection that this transport makes. */
  char *address; /* NULL: the connection was accepted */
  char *origin;
  uint32_t timeout_ms;
  mcpi_dial *dial; /* while it connects */
  mcpi_buf early;  /* messages with their line feeds */
  int is_closing;  /* close once those are sent */
} socket_transport;

/* --- from the stream ----------------------------------------------------- */

/* A web page can make a browser send anything to any port, but the request's
 * own first line comes before it. */
static int is_message(const char *line, size_t len) {
  size_t i = 0;
  while (i < len && (line[i] == ' ' || line[i] == '\t')) {
    i++;
  }
  return i < len && (line[i] == '{' || line[i] == '[');
}

/* A line has come, complete or not. Returns whether it is the first. */
static int end_doubt(socket_transport *self) {
  int was_doubtful = self->is_doubtful;
  self->is_doubtful = 0;
  mcpi_loop_stop_timer(self->loop, &self->doubt);
  return was_doubtful;
}

/* The owner answers as to any line that it cannot read, without quoting it:
 * nothing that was sent returns to a browser. The transport may be gone then,
 * but its stream exists until this turn of the loop is over. */
static void refuse_line(socket_transport *self, const mcp_error *err) {
  mcpi_stream *stream = self->stream;
  self->base.on_error(&self->base, err);
  mcpi_stream_close(stream);
}

static void on_doubt(mcpi_timer *timer) {
  socket_transport *self = MCPI_CONTAINER(timer, socket_transport, doubt);
  mcp_error_set(&self->silence, MCP_ERR_TIMEOUT,
                "a connection brought no message in %lu ms (first_message_ms)",
                (unsigned long)self->first_message_ms);
  mcpi_stream_close(self->stream);
}

static void socket_on_line(void *owner, const char *line, size_t len) {
  socket_transport *self = owner;
  if (end_doubt(self) && !is_message(line, len)) {
    mcp_error err;
    mcp_error_set(&err, MCP_ERR_PARSE,
                  "the first line of a connection is not a JSON object; the "
                  "connection is closed");
    refuse_line(self, &err);
  } else {
    self->base.on_message(&self->base, line, len);
  }
}

/* A first line that is too long may come from a browser, sent so on purpose. */
static void socket_on_error(void *owner, const mcp_error *err) {
  socket_transport *self = owner;
  if (end_doubt(self)) {
    refuse_line(self, err);
  } else {
    self->base.on_error(&self->base, err);
  }
}

static void socket_on_end(void *owner) {
  socket_transport *self = owner;
  if (self->base.on_end != NULL) {
    self->base.on_end(&self->base);
  } else {
    mcpi_stream_close(self->stream);
  }
}

static void socket_on_close(void *owner, const mcp_error *err) {
  socket_transport *self = owner;
  mcpi_loop_stop_timer(self->loop, &self->doubt);
  const mcp_error silence = self->silence;
  self->base.on_close(&self->base, silence.code != 0 ? &silence : err);
}

static const mcpi_stream_events events = {
    .on_line = socket_on_line,
    .on_error = socket_on_error,
    .on_end = socket_on_end,
    .on_close = socket_on_close,
};

/* --- the stream ---------------------------------------------------------- */

/* libuv polls a descriptor once in a loop, so each direction has its own. */
static int socket_make_stream(socket_transport *self, mcp_error *err) {
  int copy = mcpi_sock_duplicate(self->fd);
  if (copy < 0) {
    return mcpi_io_error(err, errno, "cannot duplicate a descriptor");
  }
  const mcpi_stream_spec spec = {
      .read_fd = self->fd,
      .write_fd = copy,
      .is_socket = 1,
      .options = self->options,
      .like = self->share.quota != NULL ? &self->share : NULL,
      .line_ms = self->line_ms,
      .write_ms = self->write_ms,
      .events = &events,
      .owner = self};
  mcp_error why = {0};
  self->stream = mcpi_stream_new(self->loop, &spec, &why);
  if (self->stream == NULL) {
    mcpi_sock_close(copy);
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  self->fd = -1;
  return 0;
}

/* Answers are sent at once, and a peer whose machine has gone is noticed
 * eventually. Unix sockets refuse these options. */
static void socket_set_options(int fd) {
  mcpi_sock_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  mcpi_sock_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

static int socket_open_stream(socket_transport *self, mcp_error *err) {
  socket_set_options(self->fd);
  int rc = socket_make_stream(self, err);
  return rc == 0 ? mcpi_stream_start(self->stream, err) : rc;
}

/* --- connecting ---------------------------------------------------------- */

/* The stream adds the last line feed itself. */
static int send_early(socket_transport *self, mcp_error *err) {
  int rc = self->early.len > 0
               ? mcpi_stream_send(self->stream, self->early.data,
                                  self->early.len - 1)
               : 0;
  mcpi_buf_deinit(&self->early);
  return rc == 0 || rc == MCP_ERR_CLOSED
             ? 0 /* the stream reports why it is closed */
             : mcp_error_set(err, rc, "%s", mcp_error_text(rc));
}

static void on_dialled(int fd, const mcp_error *err, void *userdata) {
  socket_transport *self = userdata;
  mcp_error why = {0};
  self->dial = NULL;
  self->fd = fd;
  if (err != NULL) {
    self->base.on_close(&self->base, err);
  } else if (socket_open_stream(self, &why) != 0 ||
             send_early(self, &why) != 0) {
    self->base.on_close(&self->base, &why);
  } else if (self->is_closing) {
    mcpi_stream_close(self->stream);
  } else if (self->base.on_open != NULL) {
    self->base.on_open(&self->base);
  }
}

static int connect_socket(socket_transport *self, mcp_error *err) {
  mcp_error why = {0};
  self->dial = mcpi_dial_new(self->loop, self->address, self->timeout_ms,
                             on_dialled, self, &why);
  return self->dial != NULL ? 0
                            : mcp_error_set(err, why.code, "%s", why.message);
}

static int keep_early(socket_transport *self, const char *message, size_t len) {
  mcpi_buf *early = &self->early;
  size_t before = early->len;
  mcpi_buf_put(early, message, len);
  mcpi_buf_putc(early, '\n');
  int rc = early->error;
  if (rc != 0) {
    mcpi_buf_rewind(early, before);
  }
  return rc;
}

/* --- from the library ---------------------------------------------------- */

/* The peer must send a message within this time. */
static int begin_doubt(socket_transport *self, mcp_error *err) {
  self->is_doubtful = 1;
  self->doubt.on_due = on_doubt;
  if (self->first_message_ms != UINT32_MAX &&
      mcpi_loop_start_timer(self->loop, &self->doubt, self->first_message_ms) !=
          0) {
    return mcpi_no_memory(err);
  }
  return 0;
}

static int socket_start(mcp_transport *transport, mcp_error *err) {
  socket_transport *self = transport->userdata;
  if (self->address != NULL) {
    return connect_socket(self, err);
  }
  int rc = begin_doubt(self, err);
  return rc == 0 ? socket_open_stream(self, err) : rc;
}

static int socket_send_message(mcp_transport *transport, const char *message,
                               size_t len, const mcp_send_info *info) {
  socket_transport *self = transport->userdata;
  (void)info;
  if (self->stream != NULL) {
    return mcpi_stream_send(self->stream, message, len);
  }
  return self->dial != NULL && !self->is_closing
             ? keep_early(self, message, len)
             : MCP_ERR_CLOSED;
}

static void socket_close_transport(mcp_transport *transport) {
  socket_transport *self = transport->userdata;
  if (self->stream != NULL) {
    mcpi_stream_close(self->stream);
  } else if (self->dial != NULL && self->early.len > 0) {
    if (!self->is_closing) {
      self->is_closing = 1;
      mcpi_dial_limit(self->dial, LAST_CONNECT_MS);
    }
  } else if (self->dial != NULL) {
    mcpi_dial_free(self->dial);
    self->dial = NULL;
    self->base.on_close(&self->base, NULL);
  }
}

static size_t socket_queued(mcp_transport *transport) {
  socket_transport *self = transport->userdata;
  return self->stream != NULL ? mcpi_stream_queued(self->stream)
                              : self->early.len;
}

static const char *socket_origin(mcp_transport *transport) {
  socket_transport *self = transport->userdata;
  return self->origin;
}

static void socket_release(mcp_transport *transport) {
  socket_transport *self = transport->userdata;
  const mcp_allocator *allocator = &self->loop->allocator;
  mcpi_loop_stop_timer(self->loop, &self->doubt);
  mcpi_dial_free(self->dial);
  mcpi_stream_free(self->stream);
  if (self->fd >= 0) {
    mcpi_sock_close(self->fd);
  }
  mcpi_buf_deinit(&self->early);
  mcpi_share_deinit(&self->share);
  mcpi_strfree(allocator, self->address);
  mcpi_strfree(allocator, self->origin);
  if (self->on_down != NULL) {
    self->on_down(self->userdata);
  }
  mcpi_free(allocator, self, sizeof(*self));
}

/* --- making one ---------------------------------------------------------- */

static socket_transport *socket_make(mcp_loop *loop, mcp_error *err) {
  socket_transport *self = NULL;
  if (mcpi_uv_of(loop) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  self->loop = loop;
  self->fd = -1;
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = socket_start,
                               .send = socket_send_message,
                               .close = socket_close_transport,
                               .release = socket_release,
                               .queued = socket_queued,
                               .origin = socket_origin};
  mcpi_buf_init(&self->early, &loop->allocator, EARLY_MAX);
  return self;
}

mcp_transport *mcpi_socket_accepted(mcp_loop *loop,
                                    const mcpi_socket_spec *spec,
                                    mcp_error *err) {
  socket_transport *self = socket_make(loop, err);
  if (self == NULL) {
    return NULL;
  }
  self->fd = spec->fd;
  self->options = spec->stream;
  mcpi_share_init_like(&self->share, spec->like);
  self->on_down = spec->on_down;
  self->userdata = spec->userdata;
  self->first_message_ms = spec->first_message_ms;
  self->line_ms = spec->line_ms;
  self->write_ms = spec->write_ms;
  return &self->base;
}

/* Returns "tcp://HOST:PORT", or the address of a Unix socket unchanged. */
static char *make_origin(const mcp_allocator *allocator, const char *address) {
  static const char scheme[] = "tcp://";
  char *origin = NULL;
  if (strncmp(address, "unix:", 5) == 0) {
    return mcpi_strdup(allocator, address);
  }
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  mcpi_buf_put(&text, scheme, sizeof(scheme) - 1);
  mcpi_buf_put(&text, address, strlen(address) + 1);
  if (text.error == 0) {
    origin = mcpi_strdup(allocator, text.data);
  }
  mcpi_buf_deinit(&text);
  return origin;
}

static int socket_fill(socket_transport *self, const char *address,
                       const mcp_socket_options *options, mcp_error *err) {
  const mcp_allocator *allocator = &self->loop->allocator;
  mcp_socket_options wide = {.size = sizeof(mcp_socket_options)};
  if (address == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "no address");
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_dial_check(address, err);
  if (rc == 0 && options != NULL) {
    rc = mcpi_widen(&wide, sizeof(wide), options, "mcp_socket_options", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_socket_options.reserved", wide.reserved, err);
  }
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_stream_options_copy(&self->options, wide.stream, err);
  if (rc != 0) {
    return rc;
  }
  self->timeout_ms = wide.connect_timeout_ms != 0 ? wide.connect_timeout_ms
                                                  : CONNECT_TIMEOUT_MS;
  if (self->options.max_queue != 0) {
    self->early.max = self->options.max_queue;
  }
  self->base.flags = MCP_TRANSPORT_OPENS_LATER;
  self->address = mcpi_strdup(allocator, address);
  self->origin = make_origin(allocator, address);
  return self->address != NULL && self->origin != NULL ? 0
                                                       : mcpi_no_memory(err);
}

mcp_transport *mcp_transport_socket(mcp_loop *loop, const char *address,
                                    const mcp_socket_options *options,
                                    mcp_error *err) {
  socket_transport *self = socket_make(loop, err);
  if (self != NULL && socket_fill(self, address, options, err) != 0) {
    socket_release(&self->base);
    return NULL;
  }
  return self != NULL ? &self->base : NULL;
}
