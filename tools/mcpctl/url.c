/* SPDX-License-Identifier: MIT */
/* Servers at a URL. */
#include "url.h"

#include <mcp/http_client.h>

int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err) {
  mcp_http_client_options http = {
      .size = MCP_HTTP_CLIENT_OPTIONS_INIT,
      .headers = options->headers,
      .ca_file = options->cacert,
      .cert_file = options->cert,
      .insecure = options->is_insecure,
      .no_stream = watch->no_stream,
      .dialect = options->dialect,
  };
  return mcp_client_connect_url(client, options->url, &http, on_done, userdata,
                                err);
}
