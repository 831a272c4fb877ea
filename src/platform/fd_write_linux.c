/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

#include <errno.h>

/* Linux 6.18; the C library's headers may be older than the kernel. */
#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x00000100
#endif

/* An older kernel, or a sandbox, refuses the flag or the whole call; then the
 * other way is used, now and later. */
ssize_t mcpi_fd_write_quiet(mcpi_fd_writer *writer, struct iovec *parts,
                            int count) {
  ssize_t written = pwritev2(writer->fd, parts, count, -1, RWF_NOSIGNAL);
  if (written >= 0 || errno == EAGAIN || errno == EPIPE || errno == EINTR) {
    return written;
  }
  writer->write = mcpi_fd_write_blocked;
  return mcpi_fd_write_blocked(writer, parts, count);
}
