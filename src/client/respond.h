/* SPDX-License-Identifier: MIT */
/* Responses to the requests of a legacy server. */
#ifndef MCPI_CLIENT_RESPOND_H
#define MCPI_CLIENT_RESPOND_H

#include "client/client.h"

/* Sends a result. It must not lie in client->scratch. Returns 0, or an error of
 * sending. */
int mcpi_respond(mcp_client *client, mcpi_str id_text, mcpi_str result);
/* Sends a result that has been written, and deinitialises the buffer. Returns
 * 0, the error of the buffer, or an error of sending. */
int mcpi_respond_buf(mcp_client *client, mcpi_str id_text, mcpi_buf *result);
/* Sends an error; `code` is an MCP_RPC_*. */
int mcpi_respond_error(mcp_client *client, mcpi_str id_text, int code,
                       mcpi_str message);
/* Writes a result of the program's again, with the member of `_meta` that names
 * a task. 0 or MCP_ERR_NOMEM. */
int mcpi_respond_put_related(mcp_client *client, mcpi_str result,
                             const char *task_id, mcpi_buf *out);
/* Sends an error in the place of a response that could not be sent, or reports
 * that the server gets no response. `rc` is why; 0 and MCP_ERR_CLOSED do
 * nothing. */
void mcpi_respond_failed(mcp_client *client, mcpi_str id_text, int rc);

/* Notes a request that gets its response later. The caller has set its id text
 * and on_cancel, and calls mcpi_peer_untrack before it responds. Returns 0, or
 * the MCP_RPC_* to respond with now. */
int mcpi_respond_later(mcp_client *client, mcpi_inflight *inflight,
                       mcp_error *err);

#endif
