/* SPDX-License-Identifier: MIT */
/* A tool that shows parts of its result early: it sends each prime number as
 * soon as it finds it. The reply has all of them in any case. Try it:
 *
 *     build/bin/mcpctl call find_primes above:=1000000000 count:=5 \
 *       -- build/bin/streaming
 *
 * A client that asked for progress gets each line as a progress message. With
 * the mcp-core dialect over HTTP (a protocol that is not MCP; see
 * docs/TRANSPORTS.md) each line is one event. */
#include <mcp/mcp.h>

static int is_prime(int64_t n) {
  for (int64_t i = 2; i * i <= n; i++) {
    if (n % i == 0) {
      return 0;
    }
  }
  return n >= 2;
}

/* Each function fails when the client has left; the search then ends. */
static int on_find_primes(mcp_call *call, void *userdata) {
  int64_t n = mcp_call_int(call, "above");
  int64_t left = mcp_call_int(call, "count");
  int rc = 0;
  (void)userdata;
  while (rc == 0 && left > 0) {
    n++;
    if (is_prime(n)) {
      rc = mcp_call_add_textf(call, "%lld\n", (long long)n);
      rc = rc == 0 ? mcp_call_flush(call) : rc;
      left--;
    }
  }
  return rc == 0 ? mcp_call_reply(call) : rc;
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("streaming", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "find_primes",
          .description = "Finds the next prime numbers",
          .input = MCP_OBJECT(MCP_INTEGER("above", "larger than this",
                                          .maximum = "1000000000000"),
                              MCP_INTEGER("count", "how many", .minimum = "1",
                                          .maximum = "1000")),
          .handler = on_find_primes,
          .is_blocking = 1},
      NULL);
  return mcp_main(server, argc, argv);
}
