/* SPDX-License-Identifier: MIT */
/* A transport over a stream socket, which others have connected or which it
 * connects itself. */
#ifndef MCPI_SOCKET_SOCKET_H
#define MCPI_SOCKET_SOCKET_H

#include "core/quota.h"
#include <mcp/socket.h>

/* One that has come in. */
typedef struct mcpi_socket_spec {
  int fd;
  mcp_stream_options stream;
  const mcpi_share *like;    /* of whose client is what waits; copied */
  uint32_t first_message_ms; /* UINT32_MAX: no limit */
  uint32_t line_ms;          /* 0: no limit; and so the next */
  uint32_t write_ms;
  /* Called once, when it is freed. */
  void (*on_down)(void *userdata);
  void *userdata;
} mcpi_socket_spec;

/* Takes the descriptor. On failure it stays the caller's, and NULL is returned:
 * MCP_ERR_NOMEM. */
mcp_transport *mcpi_socket_accepted(mcp_loop *loop,
                                    const mcpi_socket_spec *spec,
                                    mcp_error *err);

#endif
