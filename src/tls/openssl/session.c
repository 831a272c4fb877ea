/* SPDX-License-Identifier: MIT */
/* TLS between a connection's socket and its parser. OpenSSL reads from one
 * buffer of memory and writes into another; it never sees the socket. */
#include "tls/openssl/openssl.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum {
  /* The memory of OpenSSL's output buffer that is kept between answers. It is
   * more than one record, so most answers fit. */
  OUTPUT_KEPT = 20 * 1024
};

/* OpenSSL calls this for each record. It counts the client's records without
 * data after the handshake. In TLS 1.3 OpenSSL passes the true type of a record
 * separately; in TLS 1.2 the type is the first byte of the record's header. */
static void on_record(int is_sent, int version, int type, const void *bytes,
                      size_t len, SSL *ssl, void *userdata) {
  uint32_t *records = userdata;
  (void)version;
  int has_type = len > 0 && (SSL_version(ssl) == TLS1_3_VERSION
                                 ? type == SSL3_RT_INNER_CONTENT_TYPE
                                 : type == SSL3_RT_HEADER);
  if (!is_sent && has_type && SSL_is_init_finished(ssl) &&
      *(const unsigned char *)bytes != SSL3_RT_APPLICATION_DATA) {
    ++*records;
  }
}

mcpi_tls_session *mcpi_openssl_session_new(mcpi_tls *tls, uint32_t *records) {
  BIO *in = BIO_new(BIO_s_mem());
  BIO *out = BIO_new(BIO_s_mem());
  SSL *ssl = SSL_new(tls);
  if (in == NULL || out == NULL || ssl == NULL) {
    BIO_free(in);
    BIO_free(out);
    SSL_free(ssl);
    return NULL;
  }
  BIO_set_mem_eof_return(in, -1); /* empty: more will come */
  SSL_set_bio(ssl, in, out);
  SSL_set_msg_callback(ssl, on_record);
  SSL_set_msg_callback_arg(ssl, records);
  SSL_set_accept_state(ssl);
  return ssl;
}

void mcpi_openssl_session_free(mcpi_tls_session *session) {
  SSL_free(session);
}

int mcpi_openssl_is_fresh(const mcpi_tls_session *session) {
  return SSL_in_before(session);
}

int mcpi_openssl_is_ready(const mcpi_tls_session *session) {
  return SSL_is_init_finished(session);
}

/* --- writing ------------------------------------------------------------- */

size_t mcpi_openssl_output(const mcpi_tls_session *session, char **bytes) {
  long len = BIO_get_mem_data(SSL_get_wbio(session), bytes);
  return len > 0 ? (size_t)len : 0;
}

/* A memory buffer never shrinks, and is wiped completely each time it is reset:
 * after a long answer it is replaced. */
void mcpi_openssl_forget_output(mcpi_tls_session *session, size_t len) {
  BIO *fresh = len > OUTPUT_KEPT ? BIO_new(BIO_s_mem()) : NULL;
  if (fresh != NULL) {
    SSL_set0_wbio(session, fresh);
  } else if (len > 0) {
    (void)BIO_reset(SSL_get_wbio(session));
  }
}

int mcpi_openssl_write(mcpi_tls_session *session, const void *bytes,
                       size_t len) {
  size_t written;
  ERR_clear_error();
  return SSL_write_ex(session, bytes, len, &written) == 1 ? 0 : MCP_ERR_IO;
}

void mcpi_openssl_end(mcpi_tls_session *session) {
  if (SSL_is_init_finished(session)) {
    ERR_clear_error();
    SSL_shutdown(session);
  }
}

/* --- the client's name --------------------------------------------------- */

/* Prints the first of the other names, as in
 * "URI:spiffe://example.org/agent". */
static void print_other_name(BIO *bio, X509 *cert) {
  GENERAL_NAMES *names =
      X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
  if (sk_GENERAL_NAME_num(names) > 0) {
    GENERAL_NAME_print(bio, sk_GENERAL_NAME_value(names, 0));
  }
  GENERAL_NAMES_free(names);
}

/* Prints the subject of a certificate, with characters escaped that could
 * mislead a reader (RFC 2253); many recent certificates have none. */
static void print_name(BIO *bio, X509 *cert) {
  X509_NAME *subject = X509_get_subject_name(cert);
  if (X509_NAME_entry_count(subject) > 0) {
    X509_NAME_print_ex(bio, subject, 0, XN_FLAG_RFC2253);
  } else {
    print_other_name(bio, cert);
  }
}

int mcpi_openssl_peer_name(const mcpi_tls_session *session,
                           int (*use)(void *userdata, const char *name,
                                      size_t len),
                           void *userdata) {
  X509 *cert = SSL_get0_peer_certificate(session);
  BIO *bio = cert != NULL ? BIO_new(BIO_s_mem()) : NULL;
  int rc = cert == NULL ? 0 : MCP_ERR_INVALID;
  if (bio != NULL) {
    char *name = NULL;
    print_name(bio, cert);
    long len = BIO_get_mem_data(bio, &name);
    if (len > 0) {
      rc = use(userdata, name, (size_t)len);
    }
    BIO_free(bio);
  }
  return rc;
}

/* --- reading ------------------------------------------------------------- */

int mcpi_openssl_input(mcpi_tls_session *session, const char *bytes,
                       size_t len) {
  return BIO_write(SSL_get_rbio(session), bytes, (int)len) == (int)len
             ? 0
             : MCP_ERR_NOMEM;
}

int mcpi_openssl_handshake(mcpi_tls_session *session) {
  ERR_clear_error();
  int rc = SSL_do_handshake(session);
  if (rc == 1) {
    return 1;
  }
  return SSL_get_error(session, rc) == SSL_ERROR_WANT_READ ? 0 : MCP_ERR_IO;
}

int mcpi_openssl_read(mcpi_tls_session *session, char *to, size_t size,
                      size_t *len) {
  *len = 0;
  ERR_clear_error();
  int rc = SSL_read_ex(session, to, size, len);
  if (rc == 1) {
    return 1;
  }
  switch (SSL_get_error(session, rc)) {
  case SSL_ERROR_WANT_READ:
    return 0;
  case SSL_ERROR_ZERO_RETURN:
    return MCP_ERR_CLOSED;
  default:
    return MCP_ERR_IO;
  }
}
