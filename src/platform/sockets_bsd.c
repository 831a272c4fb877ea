/* SPDX-License-Identifier: MIT */
/* Sockets of macOS and the BSDs. Another thread that starts a process at the
 * wrong moment hands it a socket that is not yet marked. */
#include "platform/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef SO_NOSIGPIPE
enum { SEND_FLAGS = 0 };

void mcpi_sock_without_sigpipe(int fd) {
  mcpi_sock_set(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
}
#else /* OpenBSD: each write has a flag for it */
enum { SEND_FLAGS = MSG_NOSIGNAL };

void mcpi_sock_without_sigpipe(int fd) {
  (void)fd;
}
#endif

/* Returns the socket; or -1, and it is closed. */
static int sock_prepare(int fd) {
  if (fd < 0) {
    return -1;
  }
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
      fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  mcpi_sock_without_sigpipe(fd);
  return fd;
}

int mcpi_sock_open(int family) {
  return sock_prepare(socket(family, SOCK_STREAM, 0));
}

int mcpi_sock_accept(int listener, struct sockaddr *from, socklen_t *len) {
  return sock_prepare(accept(listener, from, len));
}

ssize_t mcpi_sock_write(int fd, struct iovec *parts, int count) {
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  ssize_t written;
  do {
    written = sendmsg(fd, &message, SEND_FLAGS);
  } while (written < 0 && errno == EINTR);
  return written;
}

ssize_t mcpi_sock_write_now(int fd, const char *bytes, size_t len) {
  return send(fd, bytes, len, MSG_DONTWAIT | SEND_FLAGS);
}

int mcpi_sock_peer(int fd, uint64_t *user, int64_t *pid) {
  struct sockaddr_storage own;
  socklen_t len = sizeof(own);
  uid_t uid;
  gid_t gid;
  if (getsockname(fd, (struct sockaddr *)&own, &len) != 0 ||
      own.ss_family != AF_UNIX || getpeereid(fd, &uid, &gid) != 0) {
    return 0;
  }
  *user = uid;
  *pid = 0;
#ifdef LOCAL_PEERPID /* macOS */
  pid_t peer = 0;
  len = sizeof(peer);
  if (getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &peer, &len) == 0) {
    *pid = peer;
  }
#endif
  return 1;
}
