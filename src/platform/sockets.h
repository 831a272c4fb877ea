/* SPDX-License-Identifier: MIT */
/* Sockets that never wait, and that children do not inherit. A socket is an
 * int, as POSIX has it; on Windows it is the number of a SOCKET, which fits.
 * Each function that fails leaves the reason in errno, on Windows too. */
#ifndef MCPI_PLATFORM_SOCKETS_H
#define MCPI_PLATFORM_SOCKETS_H

#include "platform/socket_types.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

/* Sockets of streams. Each returns the socket, or -1. */
int mcpi_sock_open(int family);
int mcpi_sock_accept(int listener, struct sockaddr *from, socklen_t *len);
/* For a second one of libuv's handles, which polls the other direction. */
int mcpi_sock_duplicate(int fd);
void mcpi_sock_close(int fd);

/* Whether there are Unix sockets. */
int mcpi_sock_has_files(void);
/* As bind(2) and listen(2). */
int mcpi_sock_bind(int fd, const struct sockaddr *to, socklen_t len);
int mcpi_sock_listen(int fd, int backlog);
/* Returns 0: connected, or connecting. */
int mcpi_sock_connect(int fd, const struct sockaddr *to, socklen_t len);
/* Returns 0, or the error that the socket has met since it was asked last. */
int mcpi_sock_error(int fd);
/* As recv(2). */
ssize_t mcpi_sock_read(int fd, void *buffer, size_t size);
/* As writev(2), without SIGPIPE and interruptions. */
ssize_t mcpi_sock_write(int fd, struct iovec *parts, int count);
/* Writes without waiting to a socket that may wait, because others share it.
 * Not on Windows. */
ssize_t mcpi_sock_write_now(int fd, const char *bytes, size_t len);
/* Ends our direction. Returns 0 or -1. */
int mcpi_sock_shut(int fd);
/* For a socket that was not made here: from now on no write to it raises
 * SIGPIPE. Not on Windows, which has no such signal. */
void mcpi_sock_without_sigpipe(int fd);
/* Lets mcpi_sock_close reset the connection. */
void mcpi_sock_reset(int fd);

/* Sets an option that is a number; a socket that has no such option stays as it
 * is. */
void mcpi_sock_set(int fd, int level, int option, int value);
/* For a socket that is to listen: its address may be used again at once. */
void mcpi_sock_reuse(int fd);

/* Sets the user and the process at the other end of a Unix socket, and returns
 * 1; *pid is 0 where the system does not say it. Returns 0: neither is
 * known. */
int mcpi_sock_peer(int fd, uint64_t *user, int64_t *pid);

/* Begins to use a socket with a handle of libuv. Returns 0 or UV_*. */
static inline int mcpi_sock_poll_init(uv_loop_t *loop, uv_poll_t *poll,
                                      int fd) {
  return uv_poll_init_socket(loop, poll, (uv_os_sock_t)fd);
}

#endif
