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

mcpi_tls *mcpi_tls_new(const char *cert, const char *key, const char *client_ca,
                       mcp_error *err) {
  (void)cert;
  (void)key;
  (void)client_ca;
  mcpi_tls_engine_get(err);
  return NULL;
}

void mcpi_tls_ref(mcpi_tls *tls) {
  (void)tls;
}

void mcpi_tls_unref(mcpi_tls *tls) {
  (void)tls;
}
