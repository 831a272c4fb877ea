/* SPDX-License-Identifier: MIT */
/* Only sockets: a second handle of a pipe that libuv reads cannot get its
 * events. */
#include "platform/given_stream.h"

#include "platform/errors.h"
#include "platform/sockets.h"

#include <errno.h>

int mcpi_given_copy(const uv_handle_t *handle, mcpi_given_copies *out) {
  uv_os_fd_t fd;
  if (handle->type != UV_TCP) {
    return UV_ENOTSUP;
  }
  int rc = uv_fileno(handle, &fd);
  if (rc != 0) {
    return rc;
  }
  out->is_socket = 1;
  out->read_fd = mcpi_sock_duplicate((int)(SOCKET)fd);
  if (out->read_fd < 0) {
    return mcpi_error_to_uv(errno);
  }
  out->write_fd = mcpi_sock_duplicate((int)(SOCKET)fd);
  if (out->write_fd < 0) {
    rc = mcpi_error_to_uv(errno);
    mcpi_sock_close(out->read_fd);
    return rc;
  }
  return 0;
}

void mcpi_given_close(const mcpi_given_copies *copies) {
  mcpi_sock_close(copies->read_fd);
  mcpi_sock_close(copies->write_fd);
}
