/* SPDX-License-Identifier: MIT */
/* The server and the listener are freed inside each callback over the wires of
 * clients that speak less than MCP: plain POSTs and the mcp-core dialect. */
#include "support/libmcp/free_bench.h"

int main(int argc, char **argv) {
  static const free_wire wires[] = {FREE_PLAIN, FREE_CORE_TCP, FREE_CORE_WS,
                                    FREE_CORE_POST, FREE_CORE_EVENTS};
  return free_bench_run("free_dialect", wires, sizeof(wires) / sizeof(wires[0]),
                        argc, argv);
}
