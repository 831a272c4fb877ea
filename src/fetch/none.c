/* SPDX-License-Identifier: MIT */
/* This libmcp was built without libcurl. */
#include "fetch/fetch.h"

const mcpi_fetch_engine *mcpi_fetch_engine_get(mcp_error *err) {
  mcp_error_set(err, MCP_ERR_PLATFORM,
                "this libmcp was built without HTTP clients "
                "(MCP_HTTP_CLIENT)");
  return NULL;
}

int mcpi_fetch_is_built(void) {
  return 0;
}
