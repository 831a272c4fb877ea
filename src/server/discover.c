/* SPDX-License-Identifier: MIT */
/* server/discover (PROTOCOL 2.6): what initialize tells, without a session. */
#include "server/server.h"

#include "server/members.h"

/* The modern ones come first, the legacy ones for clients that can do both. */
static void put_versions(const mcp_server *server, mcpi_buf *out) {
  mcpi_put_name(out, "supportedVersions");
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; i < server->version_count; i++) {
    if (i > 0) {
      mcpi_buf_putc(out, ',');
    }
    mcpi_json_put_string(out, mcpi_str_z(server->versions[i]));
  }
  mcpi_buf_putc(out, ']');
}

void mcpi_on_discover(mcp_call *call) {
  const mcp_server *server = call->part->server;
  mcpi_reply_begin(call);
  put_versions(server, &call->out);
  mcpi_put_name(&call->out, "capabilities");
  mcpi_put_capabilities(server, atomic_load(&server->declared),
                        call->context.revision, 1, &call->out);
  mcpi_put_string_member(&call->out, "instructions",
                         server->options.instructions);
  mcpi_reply_end(call);
}
