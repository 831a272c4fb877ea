/* SPDX-License-Identifier: MIT */
/* The URL of an MCP server, as OAuth and the token store name it. */
#ifndef MCPI_AUTH_CLIENT_SERVER_URL_H
#define MCPI_AUTH_CLIENT_SERVER_URL_H

#include "base/buf.h"

/* Appends the URL: with http for ws and https for wss, the scheme and the host
 * in lower case, and without user, the scheme's own port, query, fragment, and
 * a path of "/". Returns 0; MCP_ERR_INVALID: it is not such a URL. Running out
 * of memory is in buf->error. */
int mcpi_server_url_put(mcpi_buf *buf, mcpi_str url);

#endif
