/* SPDX-License-Identifier: MIT */
/* libcurl's part is a library of its own. */
#include "fetch/fetch.h"

#include <stdatomic.h>

const mcpi_fetch_engine *mcpi_fetch_engine_get(mcp_error *err) {
  static _Atomic(const mcpi_fetch_engine *) found;
  const mcpi_fetch_engine *engine =
      atomic_load_explicit(&found, memory_order_acquire);
  if (engine == NULL) {
    engine = (const mcpi_fetch_engine *)mcpi_module_open(
        MCPI_MODULE_FILE("fetch"), "mcpi_fetch_curl", sizeof(*engine), err);
    atomic_store_explicit(&found, engine, memory_order_release);
  }
  return engine;
}

int mcpi_fetch_is_built(void) {
  return 1;
}
