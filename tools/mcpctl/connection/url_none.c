/* SPDX-License-Identifier: MIT */
/* Refuses URLs of HTTP and WebSocket, in a build without libmcp-http. */
#include "connection/url.h"

static int refuse_url(mcp_error *err) {
  return mcp_error_set(
      err, MCP_ERR_INVALID,
      "cannot connect to a URL: this build has no HTTP; use tcp://, unix:, or "
      "a command after --");
}

int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err) {
  (void)client;
  (void)options;
  (void)watch;
  (void)on_done;
  (void)userdata;
  return refuse_url(err);
}

mcp_transport *ctl_url_transport(mcp_loop *loop, const ctl_options *options,
                                 const ctl_watch *watch, mcp_error *err) {
  (void)loop;
  (void)options;
  (void)watch;
  refuse_url(err);
  return NULL;
}
