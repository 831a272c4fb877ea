/* SPDX-License-Identifier: MIT */
/* The connection; everything else is the same on any transport. */
#include "conformance.h"

#include <mcp/http_client.h>

int connect_url(mcp_client *client, const char *url, mcp_auth *auth,
                mcp_error *err) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .auth = auth};
  return mcp_sync_connect_url(client, url, &options, err);
}
