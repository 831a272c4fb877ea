/* SPDX-License-Identifier: MIT */
/* What both programs use: see transcript.h. */
#include "transcript.h"
#include <stdlib.h>
#include <string.h>

static void on_trace(mcp_transport *transport,
                     const mcp_traced_message *message, void *userdata) {
  (void)transport;
  (void)userdata;
  transcript_saw("trace %s %.*s", message->is_sent ? "sent" : "got",
                 (int)message->len, message->text);
}

mcp_transport *transcript_wrap(mcp_loop *loop, mcp_transport *end,
                               const char *option, int is_server) {
  if (end != NULL && strcmp(option, "trace") == 0) {
    return mcp_transport_trace(loop, end, on_trace, NULL, NULL);
  }
  if (end != NULL && strncmp(option, "dialect=", 8) == 0) {
    uint32_t dialect = (uint32_t)strtoul(option + 8, NULL, 10);
    return mcp_transport_dialect(
        loop, end, dialect <= MCP_DIALECT_MCP_CORE_RPC ? dialect : 0, is_server,
        NULL);
  }
  return end;
}

int transcript_error_code(const char *name) {
  for (int code = -200; code <= MCP_PENDING; code++) {
    if (strcmp(mcp_error_name(code), name) == 0) {
      return code;
    }
  }
  return (int)strtol(name, NULL, 10);
}
