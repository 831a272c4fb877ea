/* SPDX-License-Identifier: MIT */
/* This libmcp was built without OpenSSL. */
#include "tls/tls.h"

const mcpi_tls_engine *mcpi_tls_engine_get(mcp_error *err) {
  mcp_error_set(err, MCP_ERR_PLATFORM,
                "this libmcp was built without TLS (MCP_TLS)");
  return NULL;
}

int mcpi_tls_is_built(void) {
  return 0;
}
