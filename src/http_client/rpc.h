/* SPDX-License-Identifier: MIT */
/* What a client's transport reads in messages, beside what it carries. */
#ifndef MCPI_HTTP_CLIENT_RPC_H
#define MCPI_HTTP_CLIENT_RPC_H

#include <mcp/json.h>

/* The request that a notifications/cancelled gives up; 0: it is none. */
uint64_t mcpi_rpc_cancels(const mcp_json *message);
/* Whether it is JSON-RPC's error object. */
int mcpi_rpc_is_error(const mcp_json *error);

#endif
