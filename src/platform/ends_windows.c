/* SPDX-License-Identifier: MIT */
#include "platform/ends.h"

#include "platform/descriptors.h"
#include "platform/errors.h"
#include "platform/sockets.h"

#include <errno.h>
#include <io.h>
#include <limits.h>
#include <string.h>

/* Less than the loop's read buffer: one read takes all of it. */
enum { BUFFER_SIZE = MCPI_READ_SIZE < 65536 ? MCPI_READ_SIZE : 65536 };

static mcpi_end_system *system_of(void *handle) {
  mcpi_end *end = ((uv_handle_t *)handle)->data;
  return &end->system;
}

int mcpi_end_init(mcpi_end *end, mcpi_uv *uv, int fd, int is_socket,
                  mcpi_end_kind kind) {
  if (!is_socket && !mcpi_fd_is_open(fd)) {
    return EBADF;
  }
  end->uv = uv;
  end->fd = fd;
  end->kind = kind;
  end->is_socket = is_socket;
  return 0;
}

/* --- opening -------------------------------------------------------------- */

/* A pipe that is opened for the other direction would never become ready. */
static int end_has_direction(const mcpi_end *end) {
  const uv_stream_t *stream = &end->system.uv.stream;
  return end->kind == MCPI_END_READ ? uv_is_readable(stream)
                                    : uv_is_writable(stream);
}

static int end_open_stream(mcpi_end *end) {
  mcpi_end_system *system = &end->system;
  uv_loop_t *loop = end->uv->uv;
  int rc;
  system->buffer = mcpi_alloc(&end->uv->allocator, BUFFER_SIZE);
  if (system->buffer == NULL) {
    return UV_ENOMEM;
  }
  switch (uv_guess_handle(end->fd)) {
  case UV_TTY:
    rc = uv_tty_init(loop, &system->uv.tty, end->fd, 0);
    break;
  default:
    rc = uv_pipe_init(loop, &system->uv.pipe, 0);
    if (rc == 0) {
      end->is_open = 1;
      system->uv.handle.data = end;
      rc = uv_pipe_open(&system->uv.pipe, end->fd);
    }
  }
  if (rc != 0) {
    return rc;
  }
  end->is_open = 1;
  system->uv.handle.data = end;
  system->is_stream = 1;
  end->fd = -1; /* libuv closes it */
  return end_has_direction(end) ? 0 : UV_EBADF;
}

/* Files and NUL are read and written directly. */
int mcpi_end_open(mcpi_end *end) {
  int rc = 0;
  if (end->is_socket) {
    rc = mcpi_sock_poll_init(end->uv->uv, &end->system.uv.poll, end->fd);
    end->is_open = rc == 0;
    end->is_polled = rc == 0;
    end->system.uv.handle.data = end;
  } else if (uv_guess_handle(end->fd) != UV_FILE) {
    end->is_polled = 1;
    rc = end_open_stream(end);
  }
  return rc == 0 ? 0 : mcpi_error_from_uv(rc);
}

/* --- reading -------------------------------------------------------------- */

static void end_on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  mcpi_end_system *system = system_of(handle);
  (void)suggested;
  *out = uv_buf_init(system->buffer, BUFFER_SIZE);
}

static void end_on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf) {
  mcpi_end *end = stream->data;
  mcpi_end_system *system = &end->system;
  (void)buf;
  if (got == 0) {
    return;
  }
  uv_read_stop(stream); /* the buffer is in use */
  if (got > 0) {
    system->start = 0;
    system->len = (size_t)got;
  } else if (got == UV_EOF) {
    system->is_at_end = 1;
  } else {
    system->error = mcpi_error_from_uv((int)got);
  }
  end->on_ready(end, 0);
  if (end->is_open && system->is_watched) {
    mcpi_end_watch(end);
  }
}

/* The function that on_ready calls takes all bytes at once. */
static void end_begin_read(mcpi_end *end) {
  if (end->system.start == end->system.len) {
    uv_read_start(&end->system.uv.stream, end_on_alloc, end_on_read);
  }
}

static ssize_t end_take(mcpi_end_system *system, void *buffer, size_t size) {
  size_t len = system->len - system->start;
  if (len == 0 && system->is_at_end) {
    return 0;
  }
  if (len == 0) {
    errno = system->error != 0 ? system->error : EAGAIN;
    return -1;
  }
  len = len < size ? len : size;
  memcpy(buffer, system->buffer + system->start, len);
  system->start += len;
  return (ssize_t)len;
}

ssize_t mcpi_end_read(mcpi_end *end, void *buffer, size_t size) {
  if (end->is_socket) {
    return mcpi_sock_read(end->fd, buffer, size);
  }
  if (end->system.is_stream) {
    return end_take(&end->system, buffer, size);
  }
  return _read(end->fd, buffer, size < INT_MAX ? (unsigned)size : INT_MAX);
}

/* --- watching ------------------------------------------------------------- */

static void end_on_poll(uv_poll_t *poll, int status, int events) {
  mcpi_end *end = poll->data;
  (void)events;
  end->on_ready(end, status != 0);
}

void mcpi_end_watch(mcpi_end *end) {
  end->system.is_watched = 1;
  if (end->is_socket) {
    uv_poll_start(&end->system.uv.poll,
                  end->kind == MCPI_END_READ ? UV_READABLE : UV_WRITABLE,
                  end_on_poll);
  } else if (end->system.is_stream && end->kind == MCPI_END_READ) {
    end_begin_read(end);
  } /* a write that is under way reports its end */
}

void mcpi_end_unwatch(mcpi_end *end) {
  end->system.is_watched = 0;
  if (end->is_socket) {
    uv_poll_stop(&end->system.uv.poll);
  } else if (end->system.is_stream && end->kind == MCPI_END_READ) {
    uv_read_stop(&end->system.uv.stream);
  }
}

/* --- writing -------------------------------------------------------------- */

static void end_on_written(uv_write_t *write, int status) {
  mcpi_end *end = write->data;
  mcpi_end_system *system = &end->system;
  system->is_busy = 0;
  system->len = 0;
  if (status != 0) {
    system->error = status == UV_EOF ? EPIPE : mcpi_error_from_uv(status);
  }
  if (end->is_open && system->is_watched) {
    end->on_ready(end, 0);
  }
}

/* Copies as much as there is room for. */
static size_t end_collect(mcpi_end_system *system, const struct iovec *parts,
                          int count) {
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    size_t room = BUFFER_SIZE - used;
    size_t len = parts[i].iov_len < room ? parts[i].iov_len : room;
    if (len > 0) {
      memcpy(system->buffer + used, parts[i].iov_base, len);
    }
    used += len;
  }
  return used;
}

static ssize_t end_write_stream(mcpi_fd_writer *writer, struct iovec *parts,
                                int count) {
  mcpi_end *end = writer->end;
  mcpi_end_system *system = &end->system;
  if (system->is_busy || system->error != 0) {
    errno = system->error != 0 ? system->error : EAGAIN;
    return -1;
  }
  system->len = end_collect(system, parts, count);
  uv_buf_t bytes = uv_buf_init(system->buffer, (unsigned)system->len);
  system->write.data = end;
  int rc =
      uv_write(&system->write, &system->uv.stream, &bytes, 1, end_on_written);
  if (rc != 0) {
    system->len = 0;
    errno = rc == UV_EOF ? EPIPE : mcpi_error_from_uv(rc);
    return -1;
  }
  system->is_busy = 1;
  return (ssize_t)system->len;
}

static ssize_t end_write_socket(mcpi_fd_writer *writer, struct iovec *parts,
                                int count) {
  return mcpi_sock_write(writer->fd, parts, count);
}

void mcpi_end_init_writer(mcpi_end *end, mcpi_fd_writer *writer) {
  mcpi_fd_writer_init(writer, end->fd);
  writer->end = end;
  if (end->is_socket) {
    writer->write = end_write_socket;
  } else if (end->system.is_stream) {
    writer->write = end_write_stream;
  }
}

size_t mcpi_end_unwritten(const mcpi_end *end) {
  return end->system.is_busy ? end->system.len : 0;
}

int mcpi_end_write_error(const mcpi_end *end) {
  return end->system.error;
}

/* --- the end -------------------------------------------------------------- */

static void end_on_closed(uv_handle_t *handle) {
  mcpi_end *end = handle->data;
  mcpi_free(&end->uv->allocator, end->system.buffer, BUFFER_SIZE);
  end->system.buffer = NULL;
  end->on_closed(end);
}

void mcpi_end_close(mcpi_end *end) {
  if (end->is_closed) {
    return; /* a write may still use the buffer, until on_closed */
  }
  end->is_closed = 1;
  if (end->is_open) {
    end->is_open = 0;
    uv_close(&end->system.uv.handle, end_on_closed);
  } else if (end->system.buffer != NULL) {
    mcpi_free(&end->uv->allocator, end->system.buffer, BUFFER_SIZE);
    end->system.buffer = NULL;
  }
  if (end->fd >= 0 && end->is_socket) {
    mcpi_sock_close(end->fd);
  } else if (end->fd >= 0) {
    mcpi_fd_close(end->fd);
  }
  end->fd = -1;
}

void mcpi_end_set_again(mcpi_end *end) {
  (void)end;
}
