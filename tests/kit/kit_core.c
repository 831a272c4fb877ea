/* SPDX-License-Identifier: MIT */
/* The mcp-core dialect over a stream socket. mcp-core is a small JSON dialect
 * that some hosts speak: it has tool calls and their answers, and nothing
 * else. */
#include "kit_own.h"

#include <mcp/socket.h>
#include <string.h>

static mcp_socket_listener *listener;

static void stop(void) {
  mcp_socket_listener_free(listener);
  listener = NULL;
}

static int serve_as(mcp_loop *loop, mcp_server *server, uint32_t dialect,
                    mcp_transport **client) {
  const mcp_socket_listen_options options = {
      .size = sizeof(mcp_socket_listen_options),
      .address = "127.0.0.1:0",
      .dialect = dialect};
  listener = mcp_server_listen_socket(server, loop, &options, NULL);
  if (listener == NULL) {
    return MCP_ERR_IO;
  }
  const char *address = mcp_socket_listener_url(listener) + strlen("tcp://");
  mcp_transport *wire = mcp_transport_socket(loop, address, NULL, NULL);
  if (wire != NULL) {
    *client = mcp_transport_dialect(loop, wire, dialect, 0, NULL);
  }
  return *client != NULL ? 0 : MCP_ERR_NOMEM;
}

static int serve(mcp_loop *loop, mcp_server *server, mcp_transport **client) {
  return serve_as(loop, server, MCP_DIALECT_MCP_CORE, client);
}

static int serve_bare(mcp_loop *loop, mcp_server *server,
                      mcp_transport **client) {
  return serve_as(loop, server, MCP_DIALECT_MCP_CORE_BARE, client);
}

const kit_transport kit_core = {.name = "mcp-core",
                                .flags = KIT_NO_CANCELLING,
                                .serve = serve,
                                .stop = stop};
/* An answer has no id: its place in the order tells which call it answers. */
const kit_transport kit_core_bare = {.name = "bare mcp-core",
                                     .flags = KIT_NO_CANCELLING,
                                     .serve = serve_bare,
                                     .stop = stop};
