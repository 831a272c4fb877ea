/* SPDX-License-Identifier: MIT */
/* wslay's part is in this library. */
#include "wires/websocket/framing.h"

const mcpi_ws_framing *mcpi_ws_framing_get(mcp_error *err) {
  (void)err;
  return mcpi_ws_wslay();
}
