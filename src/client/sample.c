/* SPDX-License-Identifier: MIT */
/* Whether the server may ask for this sampling. */
#include "client/sample.h"

#include "core/sampling.h"

static int has_tools(const mcp_client *client) {
  return mcpi_revision_has(client->revision, MCPI_HAS_SAMPLING_TOOLS);
}

int mcpi_sample_check(const mcp_client *client, const mcp_json *params,
                      mcp_error *err) {
  if ((mcp_json_get(params, "tools") != NULL ||
       mcp_json_get(params, "toolChoice") != NULL) &&
      (!client->options.can_sample_tools || !has_tools(client))) {
    mcp_error_set(err, MCP_ERR_CAPABILITY,
                  "sampling with tools was not declared");
    return MCP_RPC_INVALID_PARAMS;
  }
  if (!has_tools(client)) {
    return 0;
  }
  int rc = mcpi_sampling_check(mcp_json_get(params, "messages"),
                               &client->loop->allocator,
                               client->loop->hash_seed, err);
  if (rc == 0) {
    return 0;
  }
  return rc == MCP_ERR_INVALID ? MCP_RPC_INVALID_PARAMS
                               : MCP_RPC_INTERNAL_ERROR;
}
