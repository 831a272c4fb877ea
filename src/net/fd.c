/* SPDX-License-Identifier: MIT */
/* A transport over two descriptors, or over a stream of libuv. */
#include "net/fd.h"

#include "base/error.h"
#include "base/widen.h"
#include "net/stream.h"
#include "platform/descriptors.h"
#include "platform/errors.h"
#include "platform/given_stream.h"
#include "platform/uv_loop.h"

typedef struct fd_transport {
  mcp_transport base; /* first: the library passes this pointer */
  mcp_loop *loop;
  mcpi_stream *stream;
  void (*on_down)(void *userdata); /* NULL after the call */
  void *userdata;
} fd_transport;

/* --- from the stream ----------------------------------------------------- */

static void go_down(fd_transport *self) {
  void (*on_down)(void *userdata) = self->on_down;
  self->on_down = NULL;
  if (on_down != NULL) {
    on_down(self->userdata);
  }
}

static void fd_on_line(void *owner, const char *line, size_t len) {
  fd_transport *self = owner;
  self->base.on_message(&self->base, line, len);
}

static void fd_on_error(void *owner, const mcp_error *err) {
  fd_transport *self = owner;
  self->base.on_error(&self->base, err);
}

static void fd_on_end(void *owner) {
  fd_transport *self = owner;
  if (self->base.on_end != NULL) {
    self->base.on_end(&self->base);
  } else {
    mcpi_stream_close(self->stream);
  }
}

static void fd_on_close(void *owner, const mcp_error *err) {
  fd_transport *self = owner;
  go_down(self);
  self->base.on_close(&self->base, err);
}

static const mcpi_stream_events events = {
    .on_line = fd_on_line,
    .on_error = fd_on_error,
    .on_end = fd_on_end,
    .on_close = fd_on_close,
};

/* --- from the library ---------------------------------------------------- */

static int fd_start(mcp_transport *transport, mcp_error *err) {
  fd_transport *self = transport->userdata;
  return mcpi_stream_start(self->stream, err);
}

static int fd_send_message(mcp_transport *transport, const char *message,
                           size_t len, const mcp_send_info *info) {
  fd_transport *self = transport->userdata;
  (void)info;
  return mcpi_stream_send(self->stream, message, len);
}

static void fd_close_transport(mcp_transport *transport) {
  fd_transport *self = transport->userdata;
  mcpi_stream_close(self->stream);
}

static size_t fd_queued(mcp_transport *transport) {
  fd_transport *self = transport->userdata;
  return mcpi_stream_queued(self->stream);
}

static void fd_release(mcp_transport *transport) {
  fd_transport *self = transport->userdata;
  mcpi_stream_free(self->stream);
  go_down(self);
  mcpi_free(&self->loop->allocator, self, sizeof(*self));
}

/* --- making one ---------------------------------------------------------- */

static void fd_init(fd_transport *self, mcp_loop *loop,
                    const mcpi_fd_spec *spec) {
  self->loop = loop;
  self->on_down = spec->on_down;
  self->userdata = spec->userdata;
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = fd_start,
                               .send = fd_send_message,
                               .close = fd_close_transport,
                               .release = fd_release,
                               .queued = fd_queued};
}

static mcpi_stream *fd_open_stream(fd_transport *self, const mcpi_fd_spec *spec,
                                   mcp_error *err) {
  mcpi_stream_spec stream = {.read_fd = spec->read_fd,
                             .write_fd = spec->write_fd,
                             .is_socket = spec->is_socket,
                             .events = &events,
                             .owner = self};
  if (spec->options != NULL &&
      mcpi_widen(&stream.options, sizeof(stream.options), spec->options,
                 "mcp_stream_options", err) != 0) {
    return NULL;
  }
  return mcpi_stream_new(self->loop, &stream, err);
}

mcp_transport *mcpi_fd_transport_new(mcp_loop *loop, const mcpi_fd_spec *spec,
                                     mcp_error *err) {
  if (mcpi_uv_of(loop) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  fd_transport *self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  fd_init(self, loop, spec);
  self->stream = fd_open_stream(self, spec, err);
  if (self->stream == NULL) {
    mcpi_free(&loop->allocator, self, sizeof(*self));
    return NULL;
  }
  return &self->base;
}

/* libuv polls a descriptor once in a loop, so each direction has its own. */
mcp_transport *mcp_transport_fd(mcp_loop *loop, int read_fd, int write_fd,
                                const mcp_stream_options *options,
                                mcp_error *err) {
  mcpi_fd_spec spec = {
      .read_fd = read_fd, .write_fd = write_fd, .options = options};
  if (read_fd != write_fd) {
    return mcpi_fd_transport_new(loop, &spec, err);
  }
  spec.write_fd = mcpi_fd_duplicate(write_fd);
  if (spec.write_fd < 0) {
    mcpi_io_error(err, -spec.write_fd, "cannot duplicate a descriptor");
    return NULL;
  }
  mcp_transport *made = mcpi_fd_transport_new(loop, &spec, err);
  if (made == NULL) {
    mcpi_fd_close(spec.write_fd);
  }
  return made;
}

/* --- over a stream of libuv's -------------------------------------------- */

/* Only a duplicate of its descriptor is used; stream.h says why. */
typedef struct given_stream {
  mcpi_uv *uv;
  uv_handle_t *handle;
  void *data; /* the program's, kept while the handle closes */
  void (*on_closed)(void *uv_stream);
} given_stream;

static void on_given_closed(uv_handle_t *handle) {
  given_stream *given = handle->data;
  mcpi_uv *uv = given->uv;
  void (*on_closed)(void *uv_stream) = given->on_closed;
  handle->data = given->data;
  mcpi_free(&uv->allocator, given, sizeof(*given));
  mcpi_uv_enter(uv);
  if (on_closed != NULL) {
    on_closed(handle);
  }
  mcpi_uv_leave(uv);
  mcpi_uv_drop(uv);
}

static void close_given(void *userdata) {
  given_stream *given = userdata;
  given->data = given->handle->data;
  given->handle->data = given;
  uv_close(given->handle, on_given_closed);
}

static given_stream *make_given(mcpi_uv *uv, uv_handle_t *handle,
                                void (*on_closed)(void *uv_stream)) {
  given_stream *given = mcpi_calloc(&uv->allocator, 1, sizeof(*given));
  if (given != NULL) {
    *given = (given_stream){.uv = uv, .handle = handle, .on_closed = on_closed};
    mcpi_uv_hold(uv);
  }
  return given;
}

static void unmake_given(given_stream *given) {
  mcpi_uv *uv = given->uv;
  mcpi_free(&uv->allocator, given, sizeof(*given));
  mcpi_uv_drop(uv);
}

static mcp_transport *make_over_given(given_stream *given,
                                      const mcp_stream_options *options,
                                      mcp_error *err) {
  mcpi_fd_spec spec = {
      .options = options, .on_down = close_given, .userdata = given};
  mcpi_given_copies copies;
  int rc = mcpi_given_copy(given->handle, &copies);
  if (rc != 0) {
    mcpi_io_error(err, mcpi_error_from_uv(rc),
                  "cannot duplicate a stream's descriptor");
    return NULL;
  }
  spec.read_fd = copies.read_fd;
  spec.write_fd = copies.write_fd;
  spec.is_socket = copies.is_socket;
  mcp_transport *made = mcpi_fd_transport_new(given->uv->loop, &spec, err);
  if (made == NULL) {
    mcpi_given_close(&copies);
  }
  return made;
}

mcp_transport *mcp_transport_uv_stream(mcp_loop *loop, void *uv_stream,
                                       void (*on_closed)(void *uv_stream),
                                       const mcp_stream_options *options,
                                       mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL || uv_stream == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "no stream, or no loop of libuv's");
    return NULL;
  }
  given_stream *given = make_given(uv, uv_stream, on_closed);
  if (given == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  mcp_transport *made = make_over_given(given, options, err);
  if (made == NULL) {
    unmake_given(given);
  }
  return made;
}
