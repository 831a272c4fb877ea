/* SPDX-License-Identifier: MIT */
/* Descriptors of the C library. */
#include "platform/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <uv.h>

enum { FIRST_OWN = 3 };

/* libuv's first call makes the C library return an error for a closed
 * descriptor, where it would end the process. A process without console has no
 * standard handles: -2. */
int mcpi_fd_is_open(int fd) {
  uv_hrtime();
  uv_os_fd_t handle = uv_get_osfhandle(fd);
  return handle != INVALID_HANDLE_VALUE && handle != (HANDLE)-2;
}

/* Not _dup: the copy must be one that children do not inherit, and not a
 * standard one. */
int mcpi_fd_duplicate(int fd) {
  HANDLE copy;
  if (!mcpi_fd_is_open(fd)) {
    return -EBADF;
  }
  if (!DuplicateHandle(GetCurrentProcess(), (HANDLE)_get_osfhandle(fd),
                       GetCurrentProcess(), &copy, 0, FALSE,
                       DUPLICATE_SAME_ACCESS)) {
    return -EMFILE;
  }
  mcpi_fd_fill_standard(); /* so that the copy gets another number */
  int made = _open_osfhandle((intptr_t)copy, _O_BINARY | _O_NOINHERIT);
  if (made < 0) {
    CloseHandle(copy);
    return -EMFILE;
  }
  return made;
}

void mcpi_fd_close(int fd) {
  if (mcpi_fd_is_open(fd)) {
    _close(fd);
  }
}

int mcpi_fd_replace(int fd, int from) {
  return mcpi_fd_is_open(from) && _dup2(from, fd) == 0 ? 0 : -EBADF;
}

int mcpi_fd_open_null(void) {
  int fd = _open("NUL", _O_RDWR | _O_BINARY | _O_NOINHERIT);
  return fd >= 0 ? fd : -errno;
}

void mcpi_fd_fill_standard(void) {
  int fd;
  do {
    fd = mcpi_fd_open_null();
  } while (fd >= 0 && fd < FIRST_OWN);
  if (fd >= 0) {
    _close(fd);
  }
}

int mcpi_fd_flags(int fd) {
  return mcpi_fd_is_open(fd) ? 0 : -EBADF;
}

void mcpi_fd_set_flags(int fd, int flags) {
  (void)fd;
  (void)flags;
}
