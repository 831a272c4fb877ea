/* SPDX-License-Identifier: MIT */
#include "tls_peer.h"

#include "steps.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char cert_path[40];
static char key_path[40];

/* A file in memory, which has a path while the process lives. */
static FILE *open_memory(char path[40]) {
  int fd = memfd_create("tls", MFD_CLOEXEC);
  FILE *file = fdopen(fd, "w");
  check(file != NULL);
  snprintf(path, 40, "/proc/self/fd/%d", fd);
  return file;
}

static void make_files(void) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *cert = X509_new();
  X509_set_version(cert, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert), 86400);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                             (const unsigned char *)"fuzz", -1, -1, 0);
  X509_set_issuer_name(cert, X509_get_subject_name(cert));
  X509_set_pubkey(cert, key);
  check(X509_sign(cert, key, EVP_sha256()) > 0);
  FILE *file = open_memory(cert_path);
  check(PEM_write_X509(file, cert) == 1 && fflush(file) == 0);
  file = open_memory(key_path);
  check(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 &&
        fflush(file) == 0);
  X509_free(cert);
  EVP_PKEY_free(key);
}

const char *tls_peer_cert(void) {
  if (cert_path[0] == '\0') {
    make_files();
  }
  return cert_path;
}

const char *tls_peer_key(void) {
  tls_peer_cert();
  return key_path;
}

SSL *tls_peer_new(int fd) {
  static SSL_CTX *context;
  if (context == NULL) {
    context = SSL_CTX_new(TLS_client_method());
    check(context != NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_use_certificate_file(context, tls_peer_cert(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context, tls_peer_key(), SSL_FILETYPE_PEM);
  }
  SSL *ssl = SSL_new(context);
  check(ssl != NULL && SSL_set_fd(ssl, fd) == 1);
  SSL_set_connect_state(ssl);
  return ssl;
}

/* OpenSSL writes to a socket that is closed; the library under test must not,
 * so the signal is ignored for OpenSSL alone. */
int tls_peer_read(SSL *ssl, char *bytes, int len) {
  signal(SIGPIPE, SIG_IGN);
  int got = SSL_read(ssl, bytes, len);
  signal(SIGPIPE, SIG_DFL);
  return got;
}

void tls_peer_write(SSL *ssl, const char *bytes, int len) {
  signal(SIGPIPE, SIG_IGN);
  SSL_write(ssl, bytes, len);
  signal(SIGPIPE, SIG_DFL);
}

void tls_peer_free(SSL *ssl) {
  signal(SIGPIPE, SIG_IGN);
  if (ssl != NULL) {
    SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  signal(SIGPIPE, SIG_DFL);
}
