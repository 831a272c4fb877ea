/* SPDX-License-Identifier: MIT */
#include "platform/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int mcpi_fd_duplicate(int fd) {
  /* from 3 on: if the program closed a standard descriptor, it did so for
   * another purpose */
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  return copy >= 0 ? copy : -errno;
}

void mcpi_fd_close(int fd) {
  close(fd);
}

int mcpi_fd_is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

int mcpi_fd_replace(int fd, int from) {
  return dup2(from, fd) >= 0 ? 0 : -errno;
}

int mcpi_fd_open_null(void) {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return -errno;
  }
  return fd;
}

void mcpi_fd_fill_standard(void) {
  int fd;
  do {
    fd = mcpi_fd_open_null();
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) {
    close(fd);
  }
}

int mcpi_fd_flags(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 ? flags : -errno;
}

void mcpi_fd_set_flags(int fd, int flags) {
  fcntl(fd, F_SETFL, flags);
}
