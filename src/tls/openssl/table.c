/* SPDX-License-Identifier: MIT */
#include "tls/openssl/keys.h"
#include "tls/openssl/openssl.h"

static const mcp_crypto crypto = {.size = sizeof(crypto),
                                  .sha256 = mcpi_openssl_sha256,
                                  .key_from_parts = mcpi_openssl_key_from_parts,
                                  .key_from_pem = mcpi_openssl_key_from_pem,
                                  .key_generate = mcpi_openssl_key_generate,
                                  .key_free = mcpi_openssl_key_free,
                                  .key_parts = mcpi_openssl_key_parts,
                                  .key_to_pem = mcpi_openssl_key_to_pem,
                                  .sign = mcpi_openssl_sign,
                                  .verify = mcpi_openssl_verify};

const mcpi_tls_engine *mcpi_tls_openssl(void) {
  static const mcpi_tls_engine engine = {
      .head = {sizeof(engine), MCP_VERSION_STRING},
      .crypto = &crypto,
      .seal = mcpi_openssl_seal,
      .unseal = mcpi_openssl_unseal,
      .context_new = mcpi_openssl_context_new,
      .context_ref = mcpi_openssl_context_ref,
      .context_unref = mcpi_openssl_context_unref,
      .session_new = mcpi_openssl_session_new,
      .session_free = mcpi_openssl_session_free,
      .is_fresh = mcpi_openssl_is_fresh,
      .is_ready = mcpi_openssl_is_ready,
      .input = mcpi_openssl_input,
      .handshake = mcpi_openssl_handshake,
      .peer_name = mcpi_openssl_peer_name,
      .read = mcpi_openssl_read,
      .write = mcpi_openssl_write,
      .output = mcpi_openssl_output,
      .forget_output = mcpi_openssl_forget_output,
      .end = mcpi_openssl_end,
  };
  return &engine;
}
