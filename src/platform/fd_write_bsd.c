/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

/* A pipe has no flag for this here. */
ssize_t mcpi_fd_write_quiet(mcpi_fd_writer *writer, struct iovec *parts,
                            int count) {
  return mcpi_fd_write_blocked(writer, parts, count);
}
