/* SPDX-License-Identifier: MIT */
/* What tools' structured results have to be: their output schemas, compiled, as
 * the server last listed them (PROTOCOL 4.3, 10).
 *
 * A whole list takes the place of what was known. When the server tells of a
 * change, all of it may be wrong: it is forgotten until the next list. */
#ifndef MCPI_CLIENT_OUTPUTS_H
#define MCPI_CLIENT_OUTPUTS_H

#include "base/map.h"
#include <mcp/client.h>

typedef struct mcpi_request mcpi_request; /* request.h */
typedef struct mcpi_message mcpi_message;

typedef struct mcpi_outputs {
  mcpi_map by_name;
  size_t bytes;
  uint64_t forgets; /* times that all was forgotten: lists that were asked for
                     * before may be wrong as well */
} mcpi_outputs;

void mcpi_outputs_init(mcp_client *client);
/* A change, or the next connection, which is to another server. */
void mcpi_outputs_forget(mcp_client *client);

/* Learns from a list of tools that was asked for when so much was forgotten.
 * Tools whose results will not be checked are reported, which may free the
 * client. */
void mcpi_outputs_learn(mcp_client *client, const mcp_result *tools,
                        uint64_t forgets);

/* A call's result: 1 when it was checked and is fine, 0 when there is nothing
 * to check it with. MCP_ERR_SCHEMA or MCP_ERR_LIMIT with err, and with *errors,
 * owned, what is wrong; MCP_ERR_NOMEM. */
int mcpi_outputs_check(const mcpi_request *request, const mcp_json *result,
                       mcpi_message **errors, mcp_error *err);

#endif
