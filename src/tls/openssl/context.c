/* SPDX-License-Identifier: MIT */
/* Certificate, key and policy of a TLS server. */
#include "tls/openssl/openssl.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string.h>

/* --- policy -------------------------------------------------------------- */

/* A client that lists its protocols must include ours. */
static int select_protocol(SSL *ssl, const unsigned char **out,
                           unsigned char *out_len, const unsigned char *offered,
                           unsigned int offered_len, void *userdata) {
  static const unsigned char ours[] = "\x08http/1.1";
  unsigned char *chosen;
  (void)ssl;
  (void)userdata;
  if (SSL_select_next_proto(&chosen, out_len, ours, sizeof(ours) - 1, offered,
                            offered_len) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

static int set_policy(mcpi_tls *tls) {
  static const unsigned char context[] = "mcp";
  SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE);
  /* idle connections free their buffers */
  SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
  /* Without AUTO_RETRY, a read returns after each record that carries no data
   * (such as a key update), so http1/tls.c can count these records. */
  SSL_CTX_clear_mode(tls, SSL_MODE_AUTO_RETRY);
  /* Tickets resume sessions; a cache would be memory that clients fill. */
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(tls, select_protocol, NULL);
  return SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION) &&
         SSL_CTX_set_cipher_list(tls, MCPI_TLS12_CIPHERS) &&
         SSL_CTX_set_session_id_context(tls, context, sizeof(context) - 1);
}

/* --- files --------------------------------------------------------------- */

typedef struct reporter {
  mcpi_tls_error_cb set_error;
  mcp_error *err;
} reporter;

static int tls_context_refuse(const reporter *to, const char *member,
                              const char *path, const char *what) {
  unsigned long code = ERR_peek_last_error();
  const char *why = ERR_reason_error_string(code);
  int error = mcpi_openssl_check_file(path);
  int rc = error == 0 ? MCP_ERR_INVALID : MCP_ERR_IO;
  if (error != 0) {
    why = strerror(error);
  }
  to->set_error(to->err, rc, "%s: \"%s\": %s: %s", member, path, what,
                why != NULL ? why : "unknown reason");
  ERR_clear_error();
  return rc;
}

/* A client that must present a certificate presents it each time: a ticket
 * would vouch for it after its authority has been removed. */
static int require_clients(mcpi_tls *tls, const char *path) {
  STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);
  if (names == NULL || SSL_CTX_load_verify_file(tls, path) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return 0;
  }
  SSL_CTX_set_client_CA_list(tls, names);
  SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     NULL);
  SSL_CTX_set_options(tls, SSL_OP_NO_TICKET);
  return SSL_CTX_set_num_tickets(tls, 0);
}

static int no_password(char *to, int size, int is_writing, void *userdata) {
  (void)to;
  (void)size;
  (void)is_writing;
  (void)userdata;
  return -1; /* nobody is there to type a password */
}

/* Returns 1 if it is the certificate's key. The file is read without a buffer
 * of the C library, which would keep the key. */
static int use_key(mcpi_tls *tls, const char *path) {
  BIO *bio = mcpi_openssl_open(path);
  if (bio == NULL) {
    return 0;
  }
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
  int is_used = key != NULL && SSL_CTX_use_PrivateKey(tls, key) == 1;
  EVP_PKEY_free(key);
  BIO_free(bio);
  return is_used;
}

static int load(mcpi_tls *tls, const char *cert, const char *key,
                const char *client_ca, const reporter *to) {
  SSL_CTX_set_default_passwd_cb(tls, no_password);
  if (SSL_CTX_use_certificate_chain_file(tls, cert) != 1) {
    return tls_context_refuse(to, "tls_cert", cert, "no certificate");
  }
  if (!use_key(tls, key)) {
    return tls_context_refuse(to, "tls_key", key, "no key of the certificate");
  }
  if (client_ca != NULL && !require_clients(tls, client_ca)) {
    return tls_context_refuse(to, "tls_client_ca", client_ca, "no authorities");
  }
  return 0;
}

mcpi_tls *mcpi_openssl_context_new(const char *cert, const char *key,
                                   const char *client_ca,
                                   mcpi_tls_error_cb set_error,
                                   mcp_error *err) {
  const reporter to = {set_error, err};
  ERR_clear_error();
  mcpi_tls *tls = SSL_CTX_new(TLS_server_method());
  if (tls == NULL || !set_policy(tls)) {
    set_error(err, MCP_ERR_NOMEM, "no TLS: out of memory");
    SSL_CTX_free(tls);
    return NULL;
  }
  if (load(tls, cert, key, client_ca, &to) != 0) {
    SSL_CTX_free(tls);
    return NULL;
  }
  return tls;
}

void mcpi_openssl_context_ref(mcpi_tls *tls) {
  SSL_CTX_up_ref(tls);
}

void mcpi_openssl_context_unref(mcpi_tls *tls) {
  SSL_CTX_free(tls);
}
