/* SPDX-License-Identifier: MIT */
/* Servers at a URL: url.c, or in a build without libmcp-http url_none.c. */
#ifndef CTL_URL_H
#define CTL_URL_H

#include "connect.h"

/* As ctl_connect. */
int ctl_url_connect(mcp_client *client, const ctl_options *options,
                    const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                    mcp_error *err);

#endif
