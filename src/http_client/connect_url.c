/* SPDX-License-Identifier: MIT */
/* Connecting a client to a server by its URL. */
#include "base/error.h"
#include "base/widen.h"
#include "http_client/options.h"
#include <mcp/socket.h>
#include <mcp/sync.h>
#include <string.h>

static int connect_url_begins(const char *url, const char *with) {
  return url != NULL && curl_strnequal(url, with, strlen(with));
}

/* --- stream sockets ------------------------------------------------------- */

static const char tcp_prefix[] = "tcp://";
static const char unix_prefix[] = "unix:";

/* The address for mcp_transport_socket. NULL: the URL does not name a
 * socket. */
static const char *socket_address(const char *url) {
  if (connect_url_begins(url, tcp_prefix)) {
    return url + strlen(tcp_prefix);
  }
  return url != NULL && strncmp(url, unix_prefix, strlen(unix_prefix)) == 0
             ? url
             : NULL;
}

/* Refuses such options: the program would believe that it has a proxy or a
 * certificate. */
static int check_socket(const mcp_http_client_options *options,
                        mcp_error *err) {
  int has_proxy = options->proxy != NULL && options->proxy[0] != '\0';
  if (options->headers != NULL || has_proxy || options->ca_file != NULL ||
      options->cert_file != NULL || options->key_file != NULL ||
      options->auth != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "headers, proxy, certificates and auth are for HTTP "
                         "and WebSocket: a tcp:// or unix: URL has none of "
                         "them");
  }
  return mcpi_curl_options_check_dialect(options, err);
}

static mcp_transport *make_socket(mcp_loop *loop, const char *address,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_line = options->max_message,
                                     .max_queue = options->max_queue};
  const mcp_socket_options socket = {.size = sizeof(mcp_socket_options),
                                     .connect_timeout_ms =
                                         options->connect_timeout_ms,
                                     .stream = &stream};
  if (check_socket(options, err) != 0) {
    return NULL;
  }
  mcp_transport *inner = mcp_transport_socket(loop, address, &socket, err);
  if (inner == NULL) {
    return NULL;
  }
  return mcp_transport_dialect(loop, inner, options->dialect, 0, err);
}

/* --- URLs ----------------------------------------------------------------- */

static int is_websocket(const char *url) {
  return connect_url_begins(url, "ws://") || connect_url_begins(url, "wss://");
}

static int is_page(const char *url) {
  return connect_url_begins(url, "http:") || connect_url_begins(url, "https:");
}

/* The URL of the page without the prefix. NULL: the URL is not for HTTP+SSE. */
static const char *sse_page(const char *url) {
  static const char prefix[] = "sse+";
  const char *page =
      connect_url_begins(url, prefix) ? url + strlen(prefix) : NULL;
  return is_page(page) ? page : NULL;
}

static mcp_transport *refuse_scheme(const char *url, mcp_error *err) {
  mcpi_curl_refuse_url(url,
                       "does not begin with http://, https://, ws://, wss://, "
                       "sse+http://, sse+https://, tcp:// or unix:",
                       err);
  return NULL;
}

/* --- all ------------------------------------------------------------------ */

static mcp_transport *connect_url_make(mcp_client *client, const char *url,
                                       const mcp_http_client_options *options,
                                       mcp_error *err) {
  if (client == NULL) {
    mcpi_error_null(err, "client");
    return NULL;
  }
  mcp_loop *loop = mcp_client_loop(client);
  mcp_http_client_options all = {.size = sizeof(mcp_http_client_options)};
  if (options != NULL && mcpi_widen(&all, sizeof(all), options,
                                    "mcp_http_client_options", err) != 0) {
    return NULL;
  }
  if (mcpi_check_reserved("mcp_http_client_options.reserved", all.reserved,
                          err) != 0) {
    return NULL;
  }
  const char *address = socket_address(url);
  if (address != NULL) {
    return make_socket(loop, address, &all, err);
  }
  if (is_websocket(url)) {
    return mcp_transport_websocket(loop, url, &all, err);
  }
  if (sse_page(url) != NULL) {
    return mcp_transport_sse(loop, sse_page(url), &all, err);
  }
  if (!is_page(url)) {
    return refuse_scheme(url, err);
  }
  return all.dialect == MCP_DIALECT_MCP
             ? mcp_transport_http(loop, url, &all, err)
             : mcp_transport_post(loop, url, &all, err);
}

int mcp_client_connect_url(mcp_client *client, const char *url,
                           const mcp_http_client_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  mcp_error local = {0};
  err = err != NULL ? err : &local;
  mcp_transport *transport = connect_url_make(client, url, options, err);
  return transport != NULL
             ? mcp_client_connect(client, transport, on_done, userdata, err)
             : err->code;
}

int mcp_sync_connect_url(mcp_client *client, const char *url,
                         const mcp_http_client_options *options,
                         mcp_error *err) {
  mcp_error local = {0};
  err = err != NULL ? err : &local;
  mcp_transport *transport = connect_url_make(client, url, options, err);
  return transport != NULL ? mcp_sync_connect(client, transport, err)
                           : err->code;
}
