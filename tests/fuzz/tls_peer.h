/* SPDX-License-Identifier: MIT */
/* The client's side of TLS, for fuzzers. */
#ifndef TESTS_FUZZ_TLS_PEER_H
#define TESTS_FUZZ_TLS_PEER_H

#include <openssl/ssl.h>

/* Paths of a certificate and its key, made once for the process. */
const char *tls_peer_cert(void);
const char *tls_peer_key(void);

/* On a socket that does not block. Owned: tls_peer_free. */
SSL *tls_peer_new(int fd);

/* Bytes that were read, at most len, or less than 1. */
int tls_peer_read(SSL *ssl, char *bytes, int len);
void tls_peer_write(SSL *ssl, const char *bytes, int len);
/* Says that it goes, and frees it. NULL is accepted. */
void tls_peer_free(SSL *ssl);

#endif
