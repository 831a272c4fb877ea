/* SPDX-License-Identifier: MIT */
/* Servers at a URL. */
#include "url.h"

#include <mcp/http_client.h>

int ctl_url_connect(ctl_session *session) {
  const ctl_options *options = session->options;
  mcp_http_client_options http = {
      .size = MCP_HTTP_CLIENT_OPTIONS_INIT,
      .headers = options->headers,
      .ca_file = options->cacert,
      .cert_file = options->cert,
      .insecure = options->is_insecure,
  };
  return mcp_client_connect_url(session->client, options->url, &http,
                                ctl_session_done, session, &session->error);
}
