/* SPDX-License-Identifier: MIT */
#include "http_client/rpc.h"

#include <string.h>

int mcpi_rpc_is_error(const mcp_json *error) {
  int64_t code;
  return mcp_json_try_int(mcp_json_get(error, "code"), &code) == 0 &&
         mcp_json_type(mcp_json_get(error, "message")) == MCP_JSON_STRING;
}
