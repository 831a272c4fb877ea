/* SPDX-License-Identifier: MIT */
/* Writes to a descriptor whose peer may be gone, without SIGPIPE.
 *
 * Writing to a pipe that nobody reads raises a signal that ends the process.
 * The library must neither install a handler nor change what the program has
 * chosen. A socket has a flag for this; a pipe has one since Linux 6.18. Before
 * that, the signal must be blocked around each write, which costs two more
 * system calls. */
#ifndef MCPI_PLATFORM_FD_WRITE_H
#define MCPI_PLATFORM_FD_WRITE_H

#include "platform/socket_types.h"

#include <sys/types.h>

typedef struct mcpi_fd_writer {
  int fd;
  void *end; /* the mcpi_end that writes, where that is not a descriptor */
  ssize_t (*write)(struct mcpi_fd_writer *writer, struct iovec *parts,
                   int count);
} mcpi_fd_writer;

/* Finds the cheapest way for this descriptor. */
void mcpi_fd_writer_init(mcpi_fd_writer *writer, int fd);
/* As writev(2), but without interruptions. */
ssize_t mcpi_fd_write(mcpi_fd_writer *writer, struct iovec *parts, int count);

/* Installs a handler that does nothing, if the program has none: for a process
 * that we own (mcp_main). Pipes then need no further care. Unlike an ignored
 * signal, children do not inherit a handler. */
void mcpi_sigpipe_catch(void);
/* Restores the default, if that handler is still installed. */
void mcpi_sigpipe_release(void);

#endif
