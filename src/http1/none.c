/* SPDX-License-Identifier: MIT */
/* This libmcp was built without an HTTP server (MCP_HTTP). There are no
 * listeners, so their functions only get NULL. */
#include <mcp/http.h>

mcp_http_listener *
mcp_server_listen_http(mcp_server *server, mcp_loop *loop,
                       const mcp_http_listen_options *options, mcp_error *err) {
  (void)server;
  (void)loop;
  (void)options;
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "this libmcp was built without HTTP (MCP_HTTP)");
  return NULL;
}

const char *mcp_http_listener_url(const mcp_http_listener *listener) {
  (void)listener;
  return NULL;
}

void mcp_http_listener_drain(mcp_http_listener *listener,
                             void (*on_drained)(mcp_http_listener *listener,
                                                void *userdata),
                             void *userdata) {
  (void)listener;
  (void)on_drained;
  (void)userdata;
}

size_t mcp_http_listener_connection_count(const mcp_http_listener *listener) {
  (void)listener;
  return 0;
}

int mcp_http_listener_reload(mcp_http_listener *listener, mcp_error *err) {
  (void)listener;
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "there is no certificate to read again");
}

void mcp_http_listener_free(mcp_http_listener *listener) {
  (void)listener;
}
