/* SPDX-License-Identifier: MIT */
/* Refuses URLs of HTTP and WebSocket, in a build without libmcp-http. */
#include "url.h"

int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err) {
  (void)client;
  (void)options;
  (void)watch;
  (void)on_done;
  (void)userdata;
  return mcp_error_set(
      err, MCP_ERR_INVALID,
      "cannot connect to a URL: this build has no HTTP; use tcp://, unix:, or "
      "a command after --");
}
