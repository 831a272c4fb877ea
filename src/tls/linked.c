/* SPDX-License-Identifier: MIT */
/* OpenSSL's part is linked into this library. */
#include "tls/tls.h"

const mcpi_tls_engine *mcpi_tls_engine_get(mcp_error *err) {
  (void)err;
  return mcpi_tls_openssl();
}

int mcpi_tls_is_built(void) {
  return 1;
}
