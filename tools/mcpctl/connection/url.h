/* SPDX-License-Identifier: MIT */
/* Connects to a server at a URL of HTTP or WebSocket: url.c, or url_none.c in
 * a build without libmcp-http. */
#ifndef CTL_URL_H
#define CTL_URL_H

#include "connection/connect.h"

/* Takes and returns what ctl_connect does. */
int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err);

/* Makes the transport to the URL of the options, for a program that uses it
 * without a client. Owned, as those of mcp/http_client.h; NULL: err says
 * why. */
mcp_transport *ctl_url_transport(mcp_loop *loop, const ctl_options *options,
                                 const ctl_watch *watch, mcp_error *err);

#endif
