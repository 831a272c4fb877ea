/* SPDX-License-Identifier: MIT */
/* Servers at a URL: url.c, or in a build without libmcp-http url_none.c. */
#ifndef CTL_URL_H
#define CTL_URL_H

#include "session.h"

/* Begins to connect; ctl_session_done follows. 0, or MCP_ERR_* in session->error.
 */
int ctl_url_connect(ctl_session *session);

#endif
