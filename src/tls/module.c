/* SPDX-License-Identifier: MIT */
/* OpenSSL's part is a separate library. */
#include "tls/tls.h"

#include <stdatomic.h>

const mcpi_tls_engine *mcpi_tls_engine_get(mcp_error *err) {
  static _Atomic(const mcpi_tls_engine *) found;
  const mcpi_tls_engine *engine =
      atomic_load_explicit(&found, memory_order_acquire);
  if (engine == NULL) {
    engine = (const mcpi_tls_engine *)mcpi_module_open(
        MCPI_MODULE_FILE("tls"), "mcpi_tls_openssl", sizeof(*engine), err);
    atomic_store_explicit(&found, engine, memory_order_release);
  }
  return engine;
}

int mcpi_tls_is_built(void) {
  return 1;
}
