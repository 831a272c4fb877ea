/* SPDX-License-Identifier: MIT */
#include "platform/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int mcpi_end_init(mcpi_end *end, mcpi_uv *uv, int fd, int is_socket,
                  mcpi_end_kind kind) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) {
    return errno;
  }
  end->uv = uv;
  end->fd = fd;
  end->before = flags;
  end->kind = kind;
  end->is_socket = is_socket;
  return 0;
}

/* A regular file or /dev/null cannot be polled: it is always ready. */
int mcpi_end_open(mcpi_end *end) {
  int rc = uv_poll_init(end->uv->uv, &end->system.poll, end->fd);
  if (rc == UV_EPERM) {
    return 0;
  }
  if (rc == 0) {
    end->is_open = 1;
    end->is_polled = 1;
    end->system.poll.data = end;
  }
  return -rc;
}

static void end_on_poll(uv_poll_t *poll, int status, int events) {
  mcpi_end *end = poll->data;
  (void)events;
  end->on_ready(end, status != 0);
}

void mcpi_end_watch(mcpi_end *end) {
  uv_poll_start(&end->system.poll,
                end->kind == MCPI_END_READ ? UV_READABLE : UV_WRITABLE,
                end_on_poll);
}

void mcpi_end_unwatch(mcpi_end *end) {
  uv_poll_stop(&end->system.poll);
}

ssize_t mcpi_end_read(mcpi_end *end, void *buffer, size_t size) {
  return read(end->fd, buffer, size);
}

void mcpi_end_init_writer(mcpi_end *end, mcpi_fd_writer *writer) {
  mcpi_fd_writer_init(writer, end->fd);
}

size_t mcpi_end_unwritten(const mcpi_end *end) {
  (void)end;
  return 0;
}

int mcpi_end_write_error(const mcpi_end *end) {
  (void)end;
  return 0;
}

static void end_on_closed(uv_handle_t *handle) {
  mcpi_end *end = handle->data;
  end->on_closed(end);
}

void mcpi_end_close(mcpi_end *end) {
  end->is_closed = 1;
  if (end->is_open) { /* before another file can get its number */
    end->is_open = 0;
    uv_close((uv_handle_t *)&end->system.poll, end_on_closed);
  }
  if (end->fd >= 0) {
    fcntl(end->fd, F_SETFL, end->before);
    close(end->fd);
    end->fd = -1;
  }
}

void mcpi_end_set_again(mcpi_end *end) {
  if (end->is_polled && end->fd >= 0) {
    fcntl(end->fd, F_SETFL, end->before | O_NONBLOCK);
  }
}
