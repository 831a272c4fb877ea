/* SPDX-License-Identifier: MIT */
#include "tls/openssl/openssl.h"

const mcpi_tls_engine *mcpi_tls_openssl(void) {
  static const mcpi_tls_engine engine = {
      .head = {sizeof(engine), MCP_VERSION_STRING},
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
