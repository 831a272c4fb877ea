/* SPDX-License-Identifier: MIT */
#include "http_client/rpc.h"

#include <string.h>

uint64_t mcpi_rpc_cancels(const mcp_json *message) {
  const char *method = mcp_json_string(mcp_json_get(message, "method"));
  const mcp_json *params = mcp_json_get(message, "params");
  int64_t id = 0;
  if (method != NULL && strcmp(method, "notifications/cancelled") == 0) {
    mcp_json_try_int(mcp_json_get(params, "requestId"), &id);
  }
  return id > 0 ? (uint64_t)id : 0;
}

int mcpi_rpc_is_error(const mcp_json *error) {
  int64_t code;
  return mcp_json_try_int(mcp_json_get(error, "code"), &code) == 0 &&
         mcp_json_type(mcp_json_get(error, "message")) == MCP_JSON_STRING;
}
