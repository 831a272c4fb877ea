/* SPDX-License-Identifier: MIT */
#include "tls/tls.h"

mcpi_tls *mcpi_tls_new(const char *cert, const char *key, const char *client_ca,
                       mcp_error *err) {
  const mcpi_tls_engine *engine = mcpi_tls_engine_get(err);
  return engine != NULL
             ? engine->context_new(cert, key, client_ca, mcp_error_set, err)
             : NULL;
}

void mcpi_tls_ref(mcpi_tls *tls) {
  mcpi_tls_engine_get(NULL)->context_ref(tls);
}

void mcpi_tls_unref(mcpi_tls *tls) {
  if (tls != NULL) {
    mcpi_tls_engine_get(NULL)->context_unref(tls);
  }
}
