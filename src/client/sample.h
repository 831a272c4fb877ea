/* SPDX-License-Identifier: MIT */
/* Checks on conversations that the server wants sampled (MCP, Sampling). */
#ifndef MCPI_CLIENT_SAMPLE_H
#define MCPI_CLIENT_SAMPLE_H

#include "client/client.h"

/* Checks a sampling's params beyond the method table. 0, or an MCP_RPC_* with a
 * message. */
int mcpi_sample_check(const mcp_client *client, const mcp_json *params,
                      mcp_error *err);

#endif
