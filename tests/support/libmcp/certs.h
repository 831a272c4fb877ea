/* SPDX-License-Identifier: MIT */
/* Certificates for tests of TLS, made for each run in a folder of their
 * own: make_all and remove_all are a group's setup and teardown. */
#ifndef MCP_TESTS_CERTS_H
#define MCP_TESTS_CERTS_H

#include "support/cm.h"
#include "tls/tls.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[32];

static inline const char *in_folder(const char *name) {
  static char paths[8][64];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
  return path;
}

/* Signed by itself, for the name given, such as "IP:127.0.0.1". */
static inline X509 *make_cert(EVP_PKEY *key, const char *subject,
                              const char *name) {
  X509 *cert = X509_new();
  X509_set_version(cert, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                             (const unsigned char *)subject, -1, -1, 0);
  X509_set_issuer_name(cert, X509_get_subject_name(cert));
  X509_set_pubkey(cert, key);
  X509_EXTENSION *extension =
      X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, name);
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
  assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
  return cert;
}

static inline void write_pem(const char *file_name, X509 *cert, EVP_PKEY *key) {
  FILE *file = fopen(in_folder(file_name), "w");
  assert_non_null(file);
  if (cert != NULL) {
    assert_int_equal(PEM_write_X509(file, cert), 1);
  }
  if (key != NULL) {
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL),
                     1);
  }
  fclose(file);
}

/* NAME.crt, NAME.key, and both in NAME.pem. */
static inline void make_files(const char *name, const char *for_name) {
  char file_name[32];
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *cert = make_cert(key, name, for_name);
  snprintf(file_name, sizeof(file_name), "%s.crt", name);
  write_pem(file_name, cert, NULL);
  snprintf(file_name, sizeof(file_name), "%s.key", name);
  write_pem(file_name, NULL, key);
  snprintf(file_name, sizeof(file_name), "%s.pem", name);
  write_pem(file_name, cert, key);
  X509_free(cert);
  EVP_PKEY_free(key);
}

static inline int make_all(void **state) {
  snprintf(folder, sizeof(folder), "/tmp/mcp-certs-XXXXXX");
  assert_non_null(mkdtemp(folder));
  make_files("server", "IP:127.0.0.1");
  make_files("other", "DNS:other.invalid");
  make_files("client", "DNS:client.invalid");
  return 0;
}

static inline int remove_all(void **state) {
  static const char *const names[] = {"server", "other", "client"};
  static const char *const ends[] = {"crt", "key", "pem"};
  for (size_t i = 0; i < 9; i++) {
    char name[32];
    snprintf(name, sizeof(name), "%s.%s", names[i / 3], ends[i % 3]);
    unlink(in_folder(name));
  }
  return rmdir(folder);
}

/* What a server needs to be NAME; client_ca: it wants a client's certificate,
 * signed by that one; NULL: it wants none. Owned. */
static inline mcpi_tls *tls_of(const char *name, const char *client_ca) {
  char cert[32];
  char key[32];
  mcp_error err = {0};
  snprintf(cert, sizeof(cert), "%s.crt", name);
  snprintf(key, sizeof(key), "%s.key", name);
  mcpi_tls *tls =
      mcpi_tls_new(in_folder(cert), in_folder(key),
                   client_ca != NULL ? in_folder(client_ca) : NULL, &err);
  assert_int_equal(err.code, 0);
  return tls;
}

#endif
