/* SPDX-License-Identifier: MIT */
/* The table of wslay. This file may call wslay and the C library alone: it is a
 * library of its own that knows none of our symbols. */
#include "wires/websocket/framing.h"

const mcpi_ws_framing *mcpi_ws_wslay(void) {
  static const mcpi_ws_framing table = {
      .head = {sizeof(table), MCP_VERSION_STRING},
      .context_init = wslay_frame_context_init,
      .context_free = wslay_frame_context_free,
      .receive = wslay_frame_recv,
      .send = wslay_frame_send};
  return &table;
}
