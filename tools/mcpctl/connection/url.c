/* SPDX-License-Identifier: MIT */
/* Connects to a server at a URL of HTTP or WebSocket. */
#include "connection/url.h"
#include "connection/certificates.h"
#include "line/target.h"

#include <mcp/http_client.h>
#include <string.h>

static mcp_http_client_options http_options(const ctl_options *options,
                                            const ctl_watch *watch) {
  return (mcp_http_client_options){
      .size = sizeof(mcp_http_client_options),
      .headers = options->headers,
      .ca_file = ctl_certificates(options),
      .cert_file = options->cert,
      .trust_any_certificate = options->is_insecure,
      .connect_timeout_ms = options->connect_timeout_ms,
      .skip_stream = watch->skip_stream,
      .dialect = options->dialect,
      .auth = watch->auth,
      .on_answer = watch->on_answer,
      .answer_userdata = watch->userdata,
  };
}

int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err) {
  const mcp_http_client_options http = http_options(options, watch);
  if (!options->is_plain) {
    return mcp_client_connect_url(client, options->url, &http, on_done,
                                  userdata, err);
  }
  mcp_transport *transport =
      mcp_transport_post(mcp_client_loop(client), options->url, &http, err);
  if (transport == NULL) {
    return err->code;
  }
  return mcp_client_connect(client, transport, on_done, userdata, err);
}

mcp_transport *ctl_url_transport(mcp_loop *loop, const ctl_options *options,
                                 const ctl_watch *watch, mcp_error *err) {
  const mcp_http_client_options http = http_options(options, watch);
  const char *url = options->url;
  if (options->is_plain) {
    return mcp_transport_post(loop, url, &http, err);
  }
  if (strncmp(url, "ws", 2) == 0) {
    return mcp_transport_websocket(loop, url, &http, err);
  }
  return ctl_target_web(url) != url
             ? mcp_transport_sse(loop, ctl_target_web(url), &http, err)
             : mcp_transport_http(loop, url, &http, err);
}
