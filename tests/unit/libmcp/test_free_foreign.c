/* SPDX-License-Identifier: MIT */
/* The server and the endpoint are freed inside each callback and in each
 * function of what the program brings itself: a transport, or the responder of
 * an HTTP server that is not libmcp's. */
#include "support/libmcp/free_bench.h"

int main(int argc, char **argv) {
  static const free_wire wires[] = {FREE_CUSTOM,         FREE_FOREIGN_WS,
                                    FREE_FOREIGN_SSE,    FREE_FOREIGN_SESSION,
                                    FREE_FOREIGN_MODERN, FREE_FOREIGN_ALONE};
  return free_bench_run("free_foreign", wires, sizeof(wires) / sizeof(wires[0]),
                        argc, argv);
}
