/* SPDX-License-Identifier: MIT */
#include "platform/local_socket.h"

#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK };

int ctl_local_socket(void) {
  return socket(AF_UNIX, SOCK_STREAM | FLAGS, 0);
}

int ctl_local_accept(int listener) {
  return accept4(listener, NULL, NULL, FLAGS);
}

int ctl_local_pair(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | FLAGS, 0, ends);
}

int ctl_local_is_own(int fd) {
  struct ucred peer;
  socklen_t len = sizeof(peer);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
         peer.uid == getuid();
}
