/* SPDX-License-Identifier: MIT */
/* A transport over a stream socket, either accepted or connected by the
 * transport itself. */
#ifndef MCPI_SOCKET_SOCKET_H
#define MCPI_SOCKET_SOCKET_H

#include "core/quota.h"
#include <mcp/socket.h>

/* An accepted connection. */
typedef struct mcpi_socket_spec {
  int fd;
  mcp_stream_options stream;
  /* The share of its client, for bytes that wait; copied. */
  const mcpi_share *like;
  uint32_t first_message_ms; /* UINT32_MAX: no limit */
  uint32_t line_ms;          /* 0: no limit; the next one too */
  uint32_t write_ms;
  /* Called once, when it is freed. */
  void (*on_down)(void *userdata);
  void *userdata;
} mcpi_socket_spec;

/* Takes the descriptor. On failure it still belongs to the caller. NULL on
 * failure: MCP_ERR_NOMEM. */
mcp_transport *mcpi_socket_accepted(mcp_loop *loop,
                                    const mcpi_socket_spec *spec,
                                    mcp_error *err);

#endif
