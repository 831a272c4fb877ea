/* SPDX-License-Identifier: MIT */
/* Tools' arguments that travel in headers as well (MCP 2026-07-28, Streamable
 * HTTP: Custom Headers from Tool Parameters): what the tools' schemas say of
 * them, as last listed, and what a call's headers are. Over HTTP in 2026-07-28
 * alone. */
#ifndef MCPI_CLIENT_MIRROR_H
#define MCPI_CLIENT_MIRROR_H

#include "client/request.h"
#include "schema/http_params.h"

/* Of one message. */
typedef struct mcpi_mirror {
  mcp_http_header headers[MCPI_HTTP_PARAMS_MAX];
  size_t count;
  mcpi_buf text;
} mcpi_mirror;

/* 1: arguments travel in headers on this connection. */
int mcpi_mirror_is_on(const mcp_client *client);
/* Forgets everything: the next connection may be to another server. */
void mcpi_mirror_forget(mcp_client *client);

/* Learns from a page of a list. Where it has tools whose annotations are wrong,
 * *clean becomes the page as if the server had not sent them, owned, and else
 * NULL. They are reported, which may end the request. 0 or MCP_ERR_NOMEM. */
int mcpi_mirror_learn(mcpi_request *request, const mcp_json *page,
                      mcpi_message **clean);

/* Writes the headers of a call. deinit is due in any case. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_mirror_write(mcpi_mirror *mirror, const mcpi_request *request);
void mcpi_mirror_deinit(mcpi_mirror *mirror);

#endif
