/* SPDX-License-Identifier: MIT */
/* Connects to a server at a URL of HTTP or WebSocket. */
#include "url.h"

#include <mcp/http_client.h>

int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err) {
  mcp_http_client_options http = {
      .size = sizeof(mcp_http_client_options),
      .headers = options->headers,
      .ca_file = options->cacert,
      .cert_file = options->cert,
      .trust_any_certificate = options->is_insecure,
      .connect_timeout_ms = options->connect_timeout_ms,
      .skip_stream = watch->skip_stream,
      .dialect = options->dialect,
      .auth = watch->auth,
      .on_answer = watch->on_answer,
      .answer_userdata = watch->userdata,
  };
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
