/* SPDX-License-Identifier: MIT */
/* TLS for servers, authenticated encryption, and signatures. OpenSSL does all.
 * It is behind a table of functions, because loading it costs a process 2 MB
 * and a millisecond, and most processes never need it. openssl/ fills the
 * table. The build chooses which file of this folder finds it:
 *
 *   module.c  openssl/ is a library of its own, opened when it is first needed
 *   linked.c  openssl/ is in the same library
 *   none.c    there is no openssl/ (MCP_TLS=OFF)
 */
#ifndef MCPI_TLS_TLS_H
#define MCPI_TLS_TLS_H

#include "module/module.h"
#include <mcp/sys/crypto.h>
#include <mcp/sys/platform.h>

/* The ciphers of TLS 1.2, in OpenSSL's form, for servers and clients. A key
 * that is stolen later cannot decrypt an old recording (ECDHE), and no record
 * is decrypted before it is authenticated (AEAD). All of TLS 1.3 is like this.
 * CCM8 has tags of 8 bytes, half the size of the others. */
#define MCPI_TLS12_CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AESCCM:!AESCCM8"

/* What a server needs to speak TLS: certificate, key and policy. It never
 * changes; a new certificate is a new one. The only calls that any thread may
 * make are _ref and _unref. */
typedef struct ssl_ctx_st mcpi_tls; /* OpenSSL's SSL_CTX */

/* One connection's TLS, between two memory buffers. */
typedef struct ssl_st mcpi_tls_session; /* OpenSSL's SSL */

enum { MCPI_SEAL_NONCE_SIZE = 12 };

/* mcp_error_set: the library that fills the table has no symbol of ours. */
typedef int (*mcpi_tls_error_cb)(mcp_error *err, int code, const char *format,
                                 ...) MCP_PRINTF(3, 4);

typedef struct mcpi_tls_engine {
  mcpi_module_head head;

  /* --- keys.c, sign.c: mcp_platform.crypto; userdata is not used. */
  const mcp_crypto *crypto;

  /* --- seal.c: the entries of mcp_platform. `out` begins with the nonce, which
   * the caller has put there. */
  int (*seal)(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
              size_t bound_len, const void *text, size_t len, uint8_t *out);
  int (*unseal)(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                size_t bound_len, const void *sealed, size_t len, uint8_t *out);

  /* --- context.c */
  mcpi_tls *(*context_new)(const char *cert, const char *key,
                           const char *client_ca, mcpi_tls_error_cb set_error,
                           mcp_error *err);
  void (*context_ref)(mcpi_tls *tls);
  void (*context_unref)(mcpi_tls *tls);

  /* --- session.c */

  /* Counts in *records the client's records without data that come after the
   * handshake. NULL when out of memory. */
  mcpi_tls_session *(*session_new)(mcpi_tls *tls, uint32_t *records);
  void (*session_free)(mcpi_tls_session *session); /* NULL is accepted */
  /* Whether nothing has come yet. */
  int (*is_fresh)(const mcpi_tls_session *session);
  /* Whether the handshake is over. */
  int (*is_ready)(const mcpi_tls_session *session);
  /* Takes bytes from the socket. Returns 0 or MCP_ERR_NOMEM. */
  int (*input)(mcpi_tls_session *session, const char *bytes, size_t len);
  /* Continues with the handshake. Returns 1: it is over; 0: more must come; or
   * MCP_ERR_IO. */
  int (*handshake)(mcpi_tls_session *session);
  /* Passes the name in the client's certificate to `use`, and returns what that
   * returns. 0: the client has presented none; MCP_ERR_INVALID: it has no
   * name. */
  int (*peer_name)(const mcpi_tls_session *session,
                   int (*use)(void *userdata, const char *name, size_t len),
                   void *userdata);
  /* Decrypts one record's data, or what fits of it. Returns 1; 0 if more must
   * come or the record had no data; MCP_ERR_CLOSED if the client has ended its
   * data; or MCP_ERR_IO. */
  int (*read)(mcpi_tls_session *session, char *to, size_t size, size_t *len);
  /* Encrypts bytes. Returns 0 or MCP_ERR_IO. */
  int (*write)(mcpi_tls_session *session, const void *bytes, size_t len);
  /* The first returns the bytes for the socket, borrowed until the next call.
   * The second says that all `len` bytes of them were taken. */
  size_t (*output)(const mcpi_tls_session *session, char **bytes);
  void (*forget_output)(mcpi_tls_session *session, size_t len);
  /* Tells the client that no more is sent. */
  void (*end)(mcpi_tls_session *session);
} mcpi_tls_engine;

/* Returns the table, or NULL with err: MCP_ERR_PLATFORM, and why there is none.
 * On any thread. After one success it always succeeds. */
const mcpi_tls_engine *mcpi_tls_engine_get(mcp_error *err);
/* Whether this libmcp was built with TLS. Loads nothing. */
int mcpi_tls_is_built(void);

/* openssl/table.c */
MCP_API const mcpi_tls_engine *mcpi_tls_openssl(void);

/* --- context.c: for callers that have no table ---------------------------- */

/* Makes one from PEM files: a certificate with its chain, its key, and, if not
 * NULL, the authorities whose certificates clients must present. It speaks TLS
 * 1.3, and TLS 1.2 only with ECDHE and AEAD ciphers; the application protocol
 * is HTTP/1.1. NULL with err, which names the file: MCP_ERR_IO (it cannot be
 * read), MCP_ERR_INVALID (its content is not valid, or the key belongs to
 * another certificate), MCP_ERR_NOMEM, MCP_ERR_PLATFORM (there is no TLS). */
mcpi_tls *mcpi_tls_new(const char *cert, const char *key, const char *client_ca,
                       mcp_error *err);
void mcpi_tls_ref(mcpi_tls *tls);
/* NULL is accepted. */
void mcpi_tls_unref(mcpi_tls *tls);

#endif
