/* SPDX-License-Identifier: MIT */
#include "http_client/cloexec.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

curl_socket_t mcpi_cloexec_socket(void *owner, curlsocktype purpose,
                                  struct curl_sockaddr *address) {
  (void)owner;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC,
                address->protocol);
}

void mcpi_cloexec_set(curl_socket_t fd) {
  int flags = fcntl(fd, F_GETFD);
  if (flags >= 0) {
    fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
  }
}

/* --- the wake-up pair ----------------------------------------------------- */

#if LIBCURL_VERSION_NUM >= 0x074400

/* Whether children inherit the descriptor, and it is a Unix socket. */
static int is_suspect(int fd) {
  struct sockaddr_storage address = {0};
  socklen_t len = sizeof(address);
  int flags = fcntl(fd, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0 &&
         getsockname(fd, (struct sockaddr *)&address, &len) == 0 &&
         address.ss_family == AF_UNIX;
}

/* Counts the bytes that wait in both directions. */
static int count_bytes(int fd) {
  int in = 0;
  int out = 0;
  ioctl(fd, FIONREAD, &in);
  ioctl(fd, TIOCOUTQ, &out);
  return in + out;
}

/* A wake-up writes a byte into one end, which waits at the other until the next
 * poll. */
static int is_woken(CURLM *multi, int fd) {
  int before = count_bytes(fd);
  curl_multi_wakeup(multi);
  int after = count_bytes(fd);
  curl_multi_poll(multi, NULL, 0, 0, NULL);
  return after > before;
}

/* libcurl names neither end. Both have just been opened, and a new descriptor
 * has the lowest free number. So both are below the next free number, and
 * nearly always just below. The search begins there, to look at few sockets of
 * the program: bytes that another thread sends on one of those look like a
 * wake-up. */
void mcpi_cloexec_wakeup(CURLM *multi) {
  int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int found = 0;
  for (int fd = end - 1; fd >= 0 && found < 2; fd--) {
    if (is_suspect(fd) && is_woken(multi, fd)) {
      mcpi_cloexec_set(fd);
      found++;
    }
  }
  if (end >= 0) {
    close(end);
  }
}

#else /* this version has no such pair */

void mcpi_cloexec_wakeup(CURLM *multi) {
  (void)multi;
}

#endif
