/* SPDX-License-Identifier: MIT */
/* On macOS libuv starts a child with the descriptors that it names and no other
 * one. What another part of the program starts could inherit a socket that is
 * not yet marked, and the pair by which libcurl wakes itself. */
#include "http_client/cloexec.h"

#include <fcntl.h>
#include <sys/socket.h>

curl_socket_t mcpi_cloexec_socket(void *owner, curlsocktype purpose,
                                  struct curl_sockaddr *address) {
  (void)owner;
  (void)purpose;
  int fd = socket(address->family, address->socktype, address->protocol);
  if (fd >= 0) {
    mcpi_cloexec_set(fd);
  }
  return fd;
}

void mcpi_cloexec_set(curl_socket_t fd) {
  int flags = fcntl(fd, F_GETFD);
  if (flags >= 0) {
    fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
  }
}

void mcpi_cloexec_wakeup(CURLM *multi) {
  (void)multi;
}
