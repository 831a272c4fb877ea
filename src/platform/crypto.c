/* SPDX-License-Identifier: MIT */
/* Hashes, keys and signatures with OpenSSL (tls/openssl), which is loaded here
 * first: an idle process does without its 2 MB. */
#include "platform/platform.h"
#include "tls/tls.h"

/* NULL: there is no OpenSSL. */
static const mcp_crypto *crypto_load(void) {
  const mcpi_tls_engine *engine = mcpi_tls_engine_get(NULL);
  return engine != NULL ? engine->crypto : NULL;
}

static int crypto_sha256(void *userdata, const void *bytes, size_t len,
                         uint8_t out[MCP_SHA256_SIZE]) {
  const mcp_crypto *crypto = crypto_load();
  return crypto != NULL ? crypto->sha256(userdata, bytes, len, out)
                        : MCP_ERR_PLATFORM;
}

static int crypto_key_from_parts(void *userdata, const mcp_key_parts *parts,
                                 mcp_key **out) {
  const mcp_crypto *crypto = crypto_load();
  return crypto != NULL ? crypto->key_from_parts(userdata, parts, out)
                        : MCP_ERR_PLATFORM;
}

static int crypto_key_from_pem(void *userdata, const char *pem, size_t len,
                               mcp_key **out) {
  const mcp_crypto *crypto = crypto_load();
  return crypto != NULL ? crypto->key_from_pem(userdata, pem, len, out)
                        : MCP_ERR_PLATFORM;
}

static int crypto_key_generate(void *userdata, uint32_t kind, mcp_key **out) {
  const mcp_crypto *crypto = crypto_load();
  return crypto != NULL ? crypto->key_generate(userdata, kind, out)
                        : MCP_ERR_PLATFORM;
}

/* The functions below get a key, so OpenSSL has been loaded. */
static void crypto_key_free(void *userdata, mcp_key *key) {
  if (key != NULL) {
    crypto_load()->key_free(userdata, key);
  }
}

static void crypto_key_parts(void *userdata, const mcp_key *key,
                             mcp_key_parts *out) {
  crypto_load()->key_parts(userdata, key, out);
}

static int crypto_key_to_pem(void *userdata, const mcp_key *key, char *out,
                             size_t size) {
  return crypto_load()->key_to_pem(userdata, key, out, size);
}

static int crypto_sign(void *userdata, const mcp_key *key, uint32_t algorithm,
                       const void *bytes, size_t len,
                       uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len) {
  return crypto_load()->sign(userdata, key, algorithm, bytes, len, out,
                             out_len);
}

static int crypto_verify(void *userdata, const mcp_key *key, uint32_t algorithm,
                         const void *bytes, size_t len,
                         const uint8_t *signature, size_t signature_len) {
  return crypto_load()->verify(userdata, key, algorithm, bytes, len, signature,
                               signature_len);
}

const mcp_crypto mcpi_platform_crypto = {.size = sizeof(mcp_crypto),
                                         .sha256 = crypto_sha256,
                                         .key_from_parts =
                                             crypto_key_from_parts,
                                         .key_from_pem = crypto_key_from_pem,
                                         .key_generate = crypto_key_generate,
                                         .key_free = crypto_key_free,
                                         .key_parts = crypto_key_parts,
                                         .key_to_pem = crypto_key_to_pem,
                                         .sign = crypto_sign,
                                         .verify = crypto_verify};
