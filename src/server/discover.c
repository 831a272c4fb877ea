/* SPDX-License-Identifier: MIT */
/* server/discover (MCP 2026-07-28, Discovery): the information of initialize,
 * without a session. */
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

void mcpi_on_discover(mcp_call *call) {
  const mcp_server *server = call->shard->server;
  mcpi_reply_begin(call);
  mcpi_put_name(&call->out, "supportedVersions");
  mcpi_revision_put_names(&call->out, server->options.eras);
  mcpi_put_name(&call->out, "capabilities");
  mcpi_put_capabilities(server, atomic_load(&server->declared),
                        call->context.revision, 1, call->principal, &call->out);
  mcpi_put_string_member(&call->out, "instructions",
                         server->options.instructions);
  mcpi_reply_end(call);
}
