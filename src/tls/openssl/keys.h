/* SPDX-License-Identifier: MIT */
/* The functions of mcp_crypto, as mcp/sys/crypto.h describes them; `userdata`
 * is not used. */
#ifndef MCPI_TLS_OPENSSL_KEYS_H
#define MCPI_TLS_OPENSSL_KEYS_H

#include <mcp/error.h>
#include <mcp/sys/crypto.h>
#include <openssl/evp.h>

enum {
  /* The longest exponent of an RSA key, in bytes. Keys in use have 3; a longer
   * one only makes each check slow. */
  MCPI_OPENSSL_EXPONENT_MAX = 8,
  MCPI_OPENSSL_PEM_MAX = 64 * 1024
};

struct mcp_key {
  EVP_PKEY *pkey;
  uint32_t kind; /* MCP_KEY_* */
  int is_private;
  uint8_t first[1024]; /* the numbers of the public key */
  size_t first_len;
  uint8_t second[32];
  size_t second_len;
};

/* keys.c */

/* Says why OpenSSL has failed, and empties its queue of errors; ERR_clear_error
 * comes before the call that failed. Returns MCP_ERR_NOMEM if there was no
 * memory, else `otherwise`. */
int mcpi_openssl_failure(int otherwise);
int mcpi_openssl_key_from_parts(void *userdata, const mcp_key_parts *parts,
                                mcp_key **out);
int mcpi_openssl_key_from_pem(void *userdata, const char *pem, size_t len,
                              mcp_key **out);
int mcpi_openssl_key_to_pem(void *userdata, const mcp_key *key, char *out,
                            size_t size);
int mcpi_openssl_key_generate(void *userdata, uint32_t kind, mcp_key **out);
void mcpi_openssl_key_free(void *userdata, mcp_key *key);
void mcpi_openssl_key_parts(void *userdata, const mcp_key *key,
                            mcp_key_parts *out);

/* sign.c */
int mcpi_openssl_sha256(void *userdata, const void *bytes, size_t len,
                        uint8_t out[MCP_SHA256_SIZE]);
int mcpi_openssl_sign(void *userdata, const mcp_key *key, uint32_t algorithm,
                      const void *bytes, size_t len,
                      uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len);
int mcpi_openssl_verify(void *userdata, const mcp_key *key, uint32_t algorithm,
                        const void *bytes, size_t len, const uint8_t *signature,
                        size_t signature_len);

#endif
