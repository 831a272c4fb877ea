/* SPDX-License-Identifier: MIT */
/* wslay, which reads and writes the frames of a WebSocket. It is behind a table
 * of functions, because a program without WebSockets need not load it: wslay/
 * fills the table, and the build chooses which file of this folder finds it:
 *
 *   module.c  wslay/ is a library of its own, opened when it is first needed
 *   linked.c  wslay/ is in the same library
 *
 * With MCP_WEBSOCKET=OFF nothing of this folder is built. */
#ifndef MCPI_WIRES_WEBSOCKET_FRAMING_H
#define MCPI_WIRES_WEBSOCKET_FRAMING_H

#include "module/module.h"
#include <mcp/error.h>
#include <wslay/wslay.h>

/* Functions of wslay, by their names. */
typedef struct mcpi_ws_framing {
  mcpi_module_head head;
  int (*context_init)(wslay_frame_context_ptr *context,
                      const struct wslay_frame_callbacks *callbacks,
                      void *userdata);
  void (*context_free)(wslay_frame_context_ptr context);
  ssize_t (*receive)(wslay_frame_context_ptr context,
                     struct wslay_frame_iocb *frame);
  ssize_t (*send)(wslay_frame_context_ptr context,
                  struct wslay_frame_iocb *frame);
} mcpi_ws_framing;

/* Returns the table, or NULL with err: MCP_ERR_PLATFORM. Any thread. */
const mcpi_ws_framing *mcpi_ws_framing_get(mcp_error *err);

/* wslay/wslay.c */
MCP_API const mcpi_ws_framing *mcpi_ws_wslay(void);

#endif
