/* SPDX-License-Identifier: MIT */
/* Connecting a client to a server by its URL. */
#include "base/widen.h"
#include <curl/curl.h>
#include <mcp/http_client.h>
#include <mcp/sync.h>
#include <string.h>

static int begins(const char *url, const char *with) {
  return url != NULL && curl_strnequal(url, with, strlen(with));
}

/* What stands before the scheme of HTTP. */
static const char sse_prefix[] = "sse+";

static mcp_transport *make(mcp_client *client, const char *url,
                           const mcp_http_client_options *options,
                           mcp_error *err) {
  if (client == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "no client");
    return NULL;
  }
  mcp_loop *loop = mcp_client_loop(client);
  mcp_http_client_options all = {.size = MCP_HTTP_CLIENT_OPTIONS_INIT};
  if (options != NULL && mcpi_widen(&all, sizeof(all), options,
                                    "mcp_http_client_options", err) != 0) {
    return NULL;
  }
  if (begins(url, "ws://") || begins(url, "wss://")) {
    return mcp_transport_websocket(loop, url, &all, err);
  }
  if (begins(url, sse_prefix)) {
    return mcp_transport_sse(loop, url + strlen(sse_prefix), &all, err);
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
  mcp_transport *transport = make(client, url, options, err);
  return transport != NULL
             ? mcp_client_connect(client, transport, on_done, userdata, err)
             : err->code;
}

int mcp_sync_connect_url(mcp_client *client, const char *url,
                         const mcp_http_client_options *options,
                         mcp_error *err) {
  mcp_error local = {0};
  err = err != NULL ? err : &local;
  mcp_transport *transport = make(client, url, options, err);
  return transport != NULL ? mcp_sync_connect(client, transport, err)
                           : err->code;
}
