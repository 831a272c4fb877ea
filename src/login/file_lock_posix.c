/* SPDX-License-Identifier: MIT */
#include "login/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <sys/file.h>
#include <unistd.h>

int mcpi_file_lock(const char *path, int *error) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    *error = errno;
    return MCP_ERR_IO;
  }
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    return fd;
  }
  *error = errno;
  close(fd);
  return *error == EWOULDBLOCK ? MCP_ERR_BUSY : MCP_ERR_IO;
}

void mcpi_file_unlock(int fd) {
  close(fd);
}
