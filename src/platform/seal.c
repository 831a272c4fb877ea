/* SPDX-License-Identifier: MIT */
/* Sealing with OpenSSL (tls/openssl/seal.c), with a nonce from the kernel. */
#include "platform/platform.h"
#include "tls/tls.h"

int mcpi_platform_seal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                       const void *bound, size_t bound_len, const void *text,
                       size_t len, uint8_t *out) {
  const mcpi_tls_engine *engine = mcpi_tls_engine_get(NULL);
  if (engine == NULL) {
    return MCP_ERR_PLATFORM;
  }
  if (mcpi_platform_random(userdata, out, MCPI_SEAL_NONCE_SIZE) != 0) {
    return MCP_ERR_IO;
  }
  return engine->seal(key, bound, bound_len, text, len, out);
}

int mcpi_platform_unseal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                         const void *bound, size_t bound_len,
                         const void *sealed, size_t len, uint8_t *out) {
  const mcpi_tls_engine *engine = mcpi_tls_engine_get(NULL);
  (void)userdata;
  return engine != NULL
             ? engine->unseal(key, bound, bound_len, sealed, len, out)
             : MCP_ERR_SEAL;
}
