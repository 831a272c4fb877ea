/* SPDX-License-Identifier: MIT */
/* Sockets, where the kernel has flags for what they shall be from their first
 * moment. */
#include "platform/sockets.h"

#include <errno.h>

int mcpi_sock_open(int family) {
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int mcpi_sock_accept(int listener, struct sockaddr *from, socklen_t *len) {
  return accept4(listener, from, len, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Each write has a flag for it. */
void mcpi_sock_without_sigpipe(int fd) {
  (void)fd;
}

static ssize_t sock_send_parts(int fd, struct iovec *parts, int count) {
  if (count == 1) { /* less work for the kernel than a list of one */
    return send(fd, parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL);
  }
  /* POSIX has an int there, and glibc a size_t. */
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

ssize_t mcpi_sock_write(int fd, struct iovec *parts, int count) {
  ssize_t written;
  do {
    written = sock_send_parts(fd, parts, count);
  } while (written < 0 && errno == EINTR);
  return written;
}

ssize_t mcpi_sock_write_now(int fd, const char *bytes, size_t len) {
  return send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int mcpi_sock_peer(int fd, uint64_t *user, int64_t *pid) {
  struct ucred peer;
  socklen_t len = sizeof(peer);
  int domain = 0;
  socklen_t domain_len = sizeof(domain);
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) != 0 ||
      domain != AF_UNIX ||
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0) {
    return 0;
  }
  *user = peer.uid;
  *pid = peer.pid;
  return 1;
}
