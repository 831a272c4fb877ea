/* SPDX-License-Identifier: MIT */
#include "fetch/curl/system.h"

#include <fcntl.h>

curl_socket_t mcpi_fetch_socket(const struct curl_sockaddr *address) {
  int fd = socket(address->family, address->socktype, address->protocol);
  if (fd >= 0) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  return fd;
}
