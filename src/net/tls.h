/* SPDX-License-Identifier: MIT */
/* What a server needs to speak TLS: certificate, key and policy, in an OpenSSL
 * context. It never changes; a new certificate is a new one. The only calls
 * that any thread may make are _ref and _unref. */
#ifndef MCPI_NET_TLS_H
#define MCPI_NET_TLS_H

#include <mcp/error.h>

/* The ciphers of TLS 1.2, in OpenSSL's words, for servers and clients. A key
 * that is stolen later opens no old recording (ECDHE), and no record is
 * decrypted before it is authenticated (AEAD). All of TLS 1.3 is so. CCM8 has
 * tags of 8 bytes, half as long as those of the others. */
#define MCPI_TLS12_CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AESCCM:!AESCCM8"

typedef struct ssl_ctx_st mcpi_tls; /* OpenSSL's SSL_CTX */

/* From PEM files: a certificate with its chain, its key, and, if not NULL, the
 * authorities whose certificates clients must show. TLS 1.3, and TLS 1.2
 * with ECDHE and AEAD ciphers alone; of application protocols HTTP/1.1. NULL
 * with err, which names the file: MCP_ERR_IO (it cannot be read),
 * MCP_ERR_INVALID (it is not what it should be, the key belongs to another
 * certificate), MCP_ERR_NOMEM. */
mcpi_tls *mcpi_tls_new(const char *cert, const char *key, const char *client_ca,
                       mcp_error *err);
void mcpi_tls_ref(mcpi_tls *tls);
/* NULL is accepted. */
void mcpi_tls_unref(mcpi_tls *tls);

#endif
