/* SPDX-License-Identifier: MIT */
/* Servers at a URL, in a build without libmcp-http. */
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
      "this build speaks to sockets and commands only: put the server's "
      "command behind --");
}
