/* SPDX-License-Identifier: MIT */
/* libsecret's part is a library of its own, in every build: a program must not
 * need libsecret, also if it links libmcp statically. */
#include "keyring/keyring.h"

#include <stdatomic.h>

static const mcpi_keyring_engine *open_module(mcp_error *err) {
  mcp_error why;
  const mcpi_keyring_engine *engine =
      (const mcpi_keyring_engine *)mcpi_module_open(MCPI_MODULE_FILE("keyring"),
                                                    "mcpi_keyring_libsecret",
                                                    sizeof(*engine), &why);
  if (engine == NULL) {
    mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                  "the keyring needs libsecret: %s; install libsecret, or keep "
                  "tokens in files",
                  why.message);
  }
  return engine;
}

const mcpi_keyring_engine *mcpi_keyring_engine_get(mcp_error *err) {
  static _Atomic(const mcpi_keyring_engine *) found;
  const mcpi_keyring_engine *engine =
      atomic_load_explicit(&found, memory_order_acquire);
  if (engine == NULL) {
    engine = open_module(err);
    atomic_store_explicit(&found, engine, memory_order_release);
  }
  return engine;
}
