/* SPDX-License-Identifier: MIT */
/* Servers at a URL, in a build without libmcp-http. */
#include "url.h"

int ctl_url_connect(ctl_session *session) {
  return mcp_error_set(&session->error, MCP_ERR_INVALID,
                       "this build speaks to commands only: put the server's "
                       "command behind --");
}
