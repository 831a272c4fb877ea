/* SPDX-License-Identifier: MIT */
/* The server and the listener are freed inside each callback of theirs, over
 * each wire of MCP, by one client and by two that do the same at once. */
#include "support/libmcp/free_bench.h"

int main(int argc, char **argv) {
  static const free_wire wires[] = {FREE_TCP,    FREE_UNIX, FREE_STREAM,
                                    FREE_WS,     FREE_SSE,  FREE_SESSION,
                                    FREE_MODERN, FREE_ALONE};
  return free_bench_run("free_inside", wires, sizeof(wires) / sizeof(wires[0]),
                        argc, argv);
}
