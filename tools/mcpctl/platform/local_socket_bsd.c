/* SPDX-License-Identifier: MIT */
/* The flags are set after the socket is made: mcpctl has one thread then. */
#include "platform/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

/* A write to a closed socket must be an error (EPIPE), and not a signal.
 * Returns 0 or -1. */
#ifdef SO_NOSIGPIPE
static int without_sigpipe(int fd) {
  const int on = 1;
  return setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
}
#else /* OpenBSD: those who write see to it, as on Linux */
static int without_sigpipe(int fd) {
  (void)fd;
  return 0;
}
#endif

static int prepare(int fd) {
  if (fd < 0) {
    return -1;
  }
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
      fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && without_sigpipe(fd) == 0) {
    return fd;
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int ctl_local_socket(void) {
  return prepare(socket(AF_UNIX, SOCK_STREAM, 0));
}

int ctl_local_accept(int listener) {
  return prepare(accept(listener, NULL, NULL));
}

int ctl_local_pair(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  if (prepare(ends[0]) < 0) {
    close(ends[1]);
    return -1;
  }
  if (prepare(ends[1]) < 0) {
    close(ends[0]);
    return -1;
  }
  return 0;
}

int ctl_local_is_own(int fd) {
  uid_t user;
  gid_t group;
  return getpeereid(fd, &user, &group) == 0 && user == getuid();
}
