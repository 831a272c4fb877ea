/* SPDX-License-Identifier: MIT */
/* The server and the listener are freed inside each callback over wires with
 * TLS. */
#include "support/libmcp/free_bench.h"

int main(int argc, char **argv) {
  static const free_wire wires[] = {FREE_TLS_WS, FREE_TLS_SSE, FREE_TLS_SESSION,
                                    FREE_TLS_MODERN};
  return free_bench_run("free_tls", wires, sizeof(wires) / sizeof(wires[0]),
                        argc, argv);
}
