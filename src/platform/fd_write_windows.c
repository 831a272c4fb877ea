/* SPDX-License-Identifier: MIT */
/* Windows knows no SIGPIPE, and no list of parts. */
#include "platform/fd_write.h"

#include <io.h>
#include <limits.h>

/* The parts are written one after the other; a part that is written only partly
 * ends it. */
static ssize_t write_parts(mcpi_fd_writer *writer, struct iovec *parts,
                           int count) {
  ssize_t done = 0;
  for (int i = 0; i < count; i++) {
    size_t len = parts[i].iov_len < INT_MAX ? parts[i].iov_len : INT_MAX;
    int written = _write(writer->fd, parts[i].iov_base, (unsigned)len);
    if (written < 0) {
      return done > 0 ? done : -1;
    }
    done += written;
    if ((size_t)written < parts[i].iov_len) {
      break;
    }
  }
  return done;
}

void mcpi_fd_writer_init(mcpi_fd_writer *writer, int fd) {
  *writer = (mcpi_fd_writer){.fd = fd, .write = write_parts};
}

ssize_t mcpi_fd_write(mcpi_fd_writer *writer, struct iovec *parts, int count) {
  return writer->write(writer, parts, count);
}

void mcpi_sigpipe_catch(void) {
}

void mcpi_sigpipe_release(void) {
}
