/* SPDX-License-Identifier: MIT */
/* A transport over two descriptors. */
#ifndef MCPI_NET_FD_H
#define MCPI_NET_FD_H

#include <mcp/transport.h>

typedef struct mcpi_fd_spec {
  int read_fd;
  int write_fd; /* different from read_fd */
  int is_socket;
  const mcp_stream_options *options;
  /* Called once, when both are closed and before on_close; or when the
   * transport is freed without having started. May be NULL. */
  void (*on_down)(void *userdata);
  void *userdata;
} mcpi_fd_spec;

/* Takes the descriptors. On failure they still belong to the caller. NULL on
 * failure. */
mcp_transport *mcpi_fd_transport_new(mcp_loop *loop, const mcpi_fd_spec *spec,
                                     mcp_error *err);

#endif
