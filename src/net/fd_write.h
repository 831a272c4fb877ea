/* SPDX-License-Identifier: MIT */
/* Writing to a descriptor whose far end may be gone, without SIGPIPE.
 *
 * Writing to a pipe that nobody reads raises a signal that ends the process,
 * and the library may neither install a handler nor change what the program has
 * chosen. A socket has a flag for it; a pipe has one since Linux 6.18; before
 * that the signal must be blocked around each write, which costs two more
 * system calls. */
#ifndef MCPI_NET_FD_WRITE_H
#define MCPI_NET_FD_WRITE_H

#include <sys/types.h>
#include <sys/uio.h>

typedef struct mcpi_fd_writer {
  int fd;
  ssize_t (*write)(struct mcpi_fd_writer *writer, struct iovec *parts,
                   int count);
} mcpi_fd_writer;

/* Finds the cheapest way for this descriptor. */
void mcpi_fd_writer_init(mcpi_fd_writer *writer, int fd);
/* As writev(2), but that it is not interrupted. */
ssize_t mcpi_fd_write(mcpi_fd_writer *writer, struct iovec *parts, int count);

/* The same for a descriptor that is known to be a socket. */
ssize_t mcpi_socket_write(int fd, struct iovec *parts, int count);

/* Installs a handler that does nothing, when the program has none: for a
 * process that is ours (mcp_main). Then pipes need no more care. Unlike a
 * signal that is ignored, children do not inherit it. */
void mcpi_sigpipe_catch(void);
/* The default again, if that handler is still there. */
void mcpi_sigpipe_release(void);

#endif
