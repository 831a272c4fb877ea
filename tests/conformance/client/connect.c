/* SPDX-License-Identifier: MIT */
/* The connection; everything else is the same on any transport. */
#include "conformance.h"

/* There is no transport for URLs yet. */
int connect_url(mcp_client *client, const char *url, mcp_error *err) {
  (void)client;
  return mcp_error_set(err, MCP_ERR_UNSUPPORTED, "cannot connect to %.200s",
                       url);
}
