/* SPDX-License-Identifier: MIT */
/* TLS between a connection's socket and its parser. OpenSSL reads from one
 * buffer of memory and writes into another; it never sees the socket. */
#include "http1/conn.h"

#include <mcp/error.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

enum {
  /* Of the buffer in which OpenSSL puts what is to be sent: more than a record
   * has, so that most answers find it there. */
  OUTPUT_KEPT = 20 * 1024
};

/* Counts the client's records without data once the handshake is over. Of TLS
 * 1.3 the true type comes by itself, in TLS 1.2 it is a header's first byte. */
static void on_record(int is_sent, int version, int type, const void *bytes,
                      size_t len, SSL *ssl, void *userdata) {
  mcpi_http1_conn *conn = userdata;
  (void)version;
  int has_type = len > 0 && (SSL_version(ssl) == TLS1_3_VERSION
                                 ? type == SSL3_RT_INNER_CONTENT_TYPE
                                 : type == SSL3_RT_HEADER);
  if (!is_sent && has_type && SSL_is_init_finished(ssl) &&
      *(const unsigned char *)bytes != SSL3_RT_APPLICATION_DATA) {
    conn->tls_records++;
  }
}

int mcpi_http1_tls_begin(mcpi_http1_conn *conn) {
  if (conn->http1->tls == NULL) {
    return 0;
  }
  BIO *in = BIO_new(BIO_s_mem());
  BIO *out = BIO_new(BIO_s_mem());
  conn->ssl = SSL_new(conn->http1->tls);
  if (in == NULL || out == NULL || conn->ssl == NULL) {
    BIO_free(in);
    BIO_free(out);
    mcpi_http1_tls_deinit(conn);
    return MCP_ERR_NOMEM;
  }
  BIO_set_mem_eof_return(in, -1); /* empty: more will come */
  SSL_set_bio(conn->ssl, in, out);
  SSL_set_msg_callback(conn->ssl, on_record);
  SSL_set_msg_callback_arg(conn->ssl, conn);
  SSL_set_accept_state(conn->ssl);
  return 0;
}

void mcpi_http1_tls_deinit(mcpi_http1_conn *conn) {
  SSL_free(conn->ssl);
  conn->ssl = NULL;
  if (conn->principal != NULL) {
    mcpi_free(&conn->http1->uv->allocator, conn->principal,
              strlen(conn->principal) + 1);
    conn->principal = NULL;
  }
}

/* --- writing ------------------------------------------------------------- */

size_t mcpi_http1_tls_output(mcpi_http1_conn *conn, char **bytes) {
  long len = BIO_get_mem_data(SSL_get_wbio(conn->ssl), bytes);
  return len > 0 ? (size_t)len : 0;
}

/* A buffer of memory stays as large as it ever was, and is wiped whole each
 * time that it is reset: behind a long answer it is replaced. */
void mcpi_http1_tls_forget_output(mcpi_http1_conn *conn, size_t len) {
  BIO *fresh = len > OUTPUT_KEPT ? BIO_new(BIO_s_mem()) : NULL;
  if (fresh != NULL) {
    SSL_set0_wbio(conn->ssl, fresh);
  } else if (len > 0) {
    (void)BIO_reset(SSL_get_wbio(conn->ssl));
  }
}

int mcpi_http1_tls_encrypt(mcpi_http1_conn *conn, const struct iovec *parts,
                           int count) {
  for (int i = 0; i < count; i++) {
    size_t written;
    ERR_clear_error();
    if (parts[i].iov_len > 0 && SSL_write_ex(conn->ssl, parts[i].iov_base,
                                             parts[i].iov_len, &written) != 1) {
      return MCP_ERR_IO;
    }
  }
  return 0;
}

void mcpi_http1_tls_end(mcpi_http1_conn *conn) {
  if (conn->ssl != NULL && SSL_is_init_finished(conn->ssl)) {
    ERR_clear_error();
    SSL_shutdown(conn->ssl);
  }
}

/* --- reading ------------------------------------------------------------- */

/* A record of TLS begins with a byte that is no letter, a method with one. */
int mcpi_http1_tls_is_plain(const mcpi_http1_conn *conn, const char *bytes) {
  return SSL_in_before(conn->ssl) && *bytes >= 'A' && *bytes <= 'Z';
}

int mcpi_http1_tls_is_ready(const mcpi_http1_conn *conn) {
  return conn->ssl == NULL || SSL_is_init_finished(conn->ssl);
}

static char *copy(const mcp_allocator *allocator, const char *text,
                  size_t len) {
  char *to = mcpi_alloc(allocator, len + 1);
  if (to != NULL) {
    memcpy(to, text, len);
    to[len] = '\0';
  }
  return to;
}

/* The first of the other names, as in "URI:spiffe://example.org/agent". */
static void print_other_name(BIO *bio, X509 *cert) {
  GENERAL_NAMES *names =
      X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
  if (sk_GENERAL_NAME_num(names) > 0) {
    GENERAL_NAME_print(bio, sk_GENERAL_NAME_value(names, 0));
  }
  GENERAL_NAMES_free(names);
}

/* The subject of a certificate, in which characters that could mislead a reader
 * are escaped (RFC 2253); many of today have none. */
static void print_name(BIO *bio, X509 *cert) {
  X509_NAME *subject = X509_get_subject_name(cert);
  if (X509_NAME_entry_count(subject) > 0) {
    X509_NAME_print_ex(bio, subject, 0, XN_FLAG_RFC2253);
  } else {
    print_other_name(bio, cert);
  }
}

/* From here on the connection counts for the principal, and no longer for its
 * address. */
static int become_principal(mcpi_http1_conn *conn) {
  mcpi_http1 *http1 = conn->http1;
  mcp_error err;
  int rc = mcpi_share_move(&conn->share, conn->principal, NULL);
  if (rc == 0) {
    rc = mcpi_share_connect(&conn->share, http1->limits.max_connections, &err);
  }
  if (rc == MCP_ERR_LIMIT && http1->app.on_refused != NULL) {
    http1->app.on_refused(http1->app.userdata, conn->peer, &err);
  }
  return rc;
}

/* Notes whose certificate the client has shown, if any, and counts what waits
 * for that principal. All those without a name would be the same principal. */
static int note_principal(mcpi_http1_conn *conn) {
  X509 *cert = SSL_get0_peer_certificate(conn->ssl);
  BIO *bio = cert != NULL ? BIO_new(BIO_s_mem()) : NULL;
  char *text = NULL;
  if (bio != NULL) {
    print_name(bio, cert);
    long len = BIO_get_mem_data(bio, &text);
    if (len > 0) {
      conn->principal = copy(&conn->http1->uv->allocator, text, (size_t)len);
    }
    BIO_free(bio);
  }
  if (conn->principal != NULL) {
    return become_principal(conn);
  }
  return cert == NULL ? 0 : MCP_ERR_INVALID;
}

/* 0: done, or more is needed; else it has failed. */
static int shake_hands(mcpi_http1_conn *conn) {
  ERR_clear_error();
  int rc = SSL_do_handshake(conn->ssl);
  if (rc == 1) {
    return note_principal(conn);
  }
  return SSL_get_error(conn->ssl, rc) == SSL_ERROR_WANT_READ ? 0 : MCP_ERR_IO;
}

int mcpi_http1_tls_input(mcpi_http1_conn *conn, const char *bytes, size_t len) {
  if (BIO_write(SSL_get_rbio(conn->ssl), bytes, (int)len) != (int)len) {
    return MCP_ERR_NOMEM;
  }
  return mcpi_http1_tls_is_ready(conn) ? 0 : shake_hands(conn);
}

static int read_failed(const mcpi_http1_conn *conn, int rc) {
  switch (SSL_get_error(conn->ssl, rc)) {
  case SSL_ERROR_WANT_READ:
    return 0;
  case SSL_ERROR_ZERO_RETURN:
    return MCP_ERR_CLOSED;
  default:
    return MCP_ERR_IO;
  }
}

/* OpenSSL returns after each record without data (see tls.c), so that a client
 * cannot keep it busy with them. */
int mcpi_http1_tls_read(mcpi_http1_conn *conn, char *to, size_t size,
                        size_t *len) {
  int rc = 0;
  *len = 0;
  ERR_clear_error();
  while (rc == 0 && *len < size) {
    uint32_t before = conn->tls_records;
    size_t got = 0;
    int read = SSL_read_ex(conn->ssl, to + *len, size - *len, &got);
    *len += got;
    if (conn->tls_records > MCPI_HTTP1_TLS_RECORDS) {
      return MCP_ERR_LIMIT;
    }
    if (read != 1) {
      rc = read_failed(conn, read);
      if (rc == 0 && conn->tls_records == before) {
        break; /* the next record has not come whole */
      }
    }
  }
  if (*len > 0 && conn->tls_records > 0) {
    conn->tls_records--;
  }
  return rc;
}
