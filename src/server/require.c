/* SPDX-License-Identifier: MIT */
/* What a call needs its client to have declared (PROTOCOL 2.2). */
#include "server/server.h"

/* Extensions' names have dots of their own. */
static size_t first_step(const char *path) {
  return strcspn(path, ".");
}

/* {"requiredCapabilities":{"elicitation":{"form":{}}}} */
static void put_required(const char *path, mcpi_buf *out) {
  size_t len = first_step(path);
  mcpi_buf_lit(out, "{\"requiredCapabilities\":{");
  mcpi_json_put_string(out, mcpi_str_n(path, len));
  mcpi_buf_lit(out, ":{");
  if (path[len] == '.') {
    mcpi_json_put_string(out, mcpi_str_z(path + len + 1));
    mcpi_buf_lit(out, ":{}");
  }
  mcpi_buf_lit(out, "}}}");
}

int mcpi_call_require(mcp_call *call, const char *capability) {
  const mcp_json *declared = call->context.client_capabilities;
  int is_modern = mcpi_revision_is_modern(call->context.revision);
  if (mcpi_capability_has(declared, capability)) {
    return 0;
  }
  mcpi_call_fail(call, MCP_ERR_CAPABILITY,
                 is_modern ? MCP_RPC_MISSING_CAPABILITY
                           : MCP_RPC_INTERNAL_ERROR,
                 call->connection->is_stateless
                     ? "%s: a request without a session cannot ask its client"
                     : "the client has not declared the capability %s",
                 capability);
  if (is_modern) {
    put_required(capability, &call->error_data);
  }
  return MCP_ERR_CAPABILITY;
}
