/* SPDX-License-Identifier: MIT */
/* This libmcp was built without sockets (MCP_SOCKETS). There are no listeners,
 * so their functions only get NULL. */
#include <mcp/socket.h>

static void no_sockets_refuse(mcp_error *err) {
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "this libmcp was built without sockets (MCP_SOCKETS)");
}

mcp_transport *mcp_transport_socket(mcp_loop *loop, const char *address,
                                    const mcp_socket_options *options,
                                    mcp_error *err) {
  (void)loop;
  (void)address;
  (void)options;
  no_sockets_refuse(err);
  return NULL;
}

mcp_socket_listener *
mcp_server_listen_socket(mcp_server *server, mcp_loop *loop,
                         const mcp_socket_listen_options *options,
                         mcp_error *err) {
  (void)server;
  (void)loop;
  (void)options;
  no_sockets_refuse(err);
  return NULL;
}

const char *mcp_socket_listener_url(const mcp_socket_listener *listener) {
  (void)listener;
  return NULL;
}

size_t
mcp_socket_listener_connection_count(const mcp_socket_listener *listener) {
  (void)listener;
  return 0;
}

void mcp_socket_listener_drain(mcp_socket_listener *listener,
                               void (*on_drained)(mcp_socket_listener *listener,
                                                  void *userdata),
                               void *userdata) {
  (void)listener;
  (void)on_drained;
  (void)userdata;
}

void mcp_socket_listener_free(mcp_socket_listener *listener) {
  (void)listener;
}
