/* SPDX-License-Identifier: MIT */
/* What Linux and the BSDs do alike with sockets. */
#include "platform/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int mcpi_sock_duplicate(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

void mcpi_sock_close(int fd) {
  close(fd);
}

int mcpi_sock_has_files(void) {
  return 1;
}

int mcpi_sock_bind(int fd, const struct sockaddr *to, socklen_t len) {
  return bind(fd, to, len);
}

int mcpi_sock_listen(int fd, int backlog) {
  return listen(fd, backlog);
}

int mcpi_sock_connect(int fd, const struct sockaddr *to, socklen_t len) {
  return connect(fd, to, len) == 0 || errno == EINPROGRESS ? 0 : -1;
}

int mcpi_sock_error(int fd) {
  int error = 0;
  socklen_t len = sizeof(error);
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 ? error
                                                                 : errno;
}

ssize_t mcpi_sock_read(int fd, void *buffer, size_t size) {
  return recv(fd, buffer, size, 0);
}

int mcpi_sock_shut(int fd) {
  return shutdown(fd, SHUT_WR);
}

void mcpi_sock_reset(int fd) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

void mcpi_sock_set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof(value));
}

void mcpi_sock_reuse(int fd) {
  mcpi_sock_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
}
