/* SPDX-License-Identifier: MIT */
/* What a client's transport reads in messages, besides carrying them. */
#ifndef MCPI_HTTP_CLIENT_RPC_H
#define MCPI_HTTP_CLIENT_RPC_H

#include <mcp/json.h>

/* Whether it is a JSON-RPC error object. */
int mcpi_rpc_is_error(const mcp_json *error);

#endif
