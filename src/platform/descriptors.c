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

void mcpi_fd_fill_standard(void) {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) {
    close(fd);
  }
}
