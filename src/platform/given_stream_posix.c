/* SPDX-License-Identifier: MIT */
#include "platform/given_stream.h"

#include "platform/descriptors.h"

int mcpi_given_copy(const uv_handle_t *handle, mcpi_given_copies *out) {
  uv_os_fd_t fd;
  int rc = uv_fileno(handle, &fd);
  if (rc != 0) {
    return rc;
  }
  out->is_socket = 0; /* all are descriptors */
  out->read_fd = mcpi_fd_duplicate(fd);
  if (out->read_fd < 0) {
    return out->read_fd;
  }
  out->write_fd = mcpi_fd_duplicate(fd);
  if (out->write_fd < 0) {
    mcpi_fd_close(out->read_fd);
    return out->write_fd;
  }
  return 0;
}

void mcpi_given_close(const mcpi_given_copies *copies) {
  mcpi_fd_close(copies->read_fd);
  mcpi_fd_close(copies->write_fd);
}
