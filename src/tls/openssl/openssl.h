/* SPDX-License-Identifier: MIT */
/* The functions of mcpi_tls_engine, as tls/tls.h describes them. These files
 * may call only OpenSSL and the C library: they are a separate library that
 * knows none of our symbols. */
#ifndef MCPI_TLS_OPENSSL_OPENSSL_H
#define MCPI_TLS_OPENSSL_OPENSSL_H

#include "tls/tls.h"

#include <openssl/types.h>

/* seal.c */
int mcpi_openssl_seal(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                      size_t bound_len, const void *text, size_t len,
                      uint8_t *out);
int mcpi_openssl_unseal(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                        size_t bound_len, const void *sealed, size_t len,
                        uint8_t *out);

/* context.c */
mcpi_tls *mcpi_openssl_context_new(const char *cert, const char *key,
                                   const char *client_ca,
                                   mcpi_tls_error_cb set_error, mcp_error *err);
void mcpi_openssl_context_ref(mcpi_tls *tls);
void mcpi_openssl_context_unref(mcpi_tls *tls);

/* session.c */
mcpi_tls_session *mcpi_openssl_session_new(mcpi_tls *tls, uint32_t *records);
void mcpi_openssl_session_free(mcpi_tls_session *session);
int mcpi_openssl_is_fresh(const mcpi_tls_session *session);
int mcpi_openssl_is_ready(const mcpi_tls_session *session);
int mcpi_openssl_input(mcpi_tls_session *session, const char *bytes,
                       size_t len);
int mcpi_openssl_handshake(mcpi_tls_session *session);
int mcpi_openssl_peer_name(const mcpi_tls_session *session,
                           int (*use)(void *userdata, const char *name,
                                      size_t len),
                           void *userdata);
int mcpi_openssl_read(mcpi_tls_session *session, char *to, size_t size,
                      size_t *len);
int mcpi_openssl_write(mcpi_tls_session *session, const void *bytes,
                       size_t len);
size_t mcpi_openssl_output(const mcpi_tls_session *session, char **bytes);
void mcpi_openssl_forget_output(mcpi_tls_session *session, size_t len);
void mcpi_openssl_end(mcpi_tls_session *session);

/* system_posix.c, system_windows.c. Paths are UTF-8. */
/* Whether the file can be read: 0 or an errno value. */
int mcpi_openssl_check_file(const char *path);
/* Opens a file without a buffer; children do not inherit it. NULL on
 * failure. */
BIO *mcpi_openssl_open(const char *path);

#endif
