/* SPDX-License-Identifier: MIT */
/* wslay's part is a library of its own. */
#include "wires/websocket/framing.h"

#include <stdatomic.h>

const mcpi_ws_framing *mcpi_ws_framing_get(mcp_error *err) {
  static _Atomic(const mcpi_ws_framing *) found;
  const mcpi_ws_framing *framing =
      atomic_load_explicit(&found, memory_order_acquire);
  if (framing == NULL) {
    framing = (const mcpi_ws_framing *)mcpi_module_open(
        MCPI_MODULE_FILE("websocket"), "mcpi_ws_wslay", sizeof(*framing), err);
    atomic_store_explicit(&found, framing, memory_order_release);
  }
  return framing;
}
