/* SPDX-License-Identifier: MIT */
/* Sealing, by AES-256-GCM:
 *
 *     sealed: [ nonce, 12 | text encrypted, len | tag, 16 ]
 *
 * A random nonce of 96 bits is good for 2^32 seals by one key (NIST SP
 * 800-38D, 8.3); a process's own key never comes near. */
#include "tls/openssl/openssl.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

enum { NONCE_LEN = MCPI_SEAL_NONCE_SIZE, TAG_LEN = 16 };

_Static_assert(NONCE_LEN + TAG_LEN == MCP_SEAL_OVERHEAD, "");

/* Adds text that is authenticated but not written. EVP takes an int. */
static int add_bound(EVP_CIPHER_CTX *context, const void *bound, size_t len) {
  int unused;
  return len == 0 || EVP_CipherUpdate(context, NULL, &unused, bound, (int)len);
}

static int encrypt(EVP_CIPHER_CTX *context, const uint8_t *key,
                   const uint8_t *nonce, const void *bound, size_t bound_len,
                   const void *text, size_t len, uint8_t *out) {
  int written = 0;
  return EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) &&
         add_bound(context, bound, bound_len) &&
         EVP_EncryptUpdate(context, out, &written, text, (int)len) &&
         EVP_EncryptFinal_ex(context, out + written, &written) &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_LEN,
                             out + len);
}

int mcpi_openssl_seal(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                      size_t bound_len, const void *text, size_t len,
                      uint8_t *out) {
  if (len > INT_MAX || bound_len > INT_MAX) {
    return MCP_ERR_IO;
  }
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int done = context != NULL && encrypt(context, key, out, bound, bound_len,
                                        text, len, out + NONCE_LEN);
  EVP_CIPHER_CTX_free(context);
  return done ? 0 : MCP_ERR_IO;
}

static int seal_decrypt(EVP_CIPHER_CTX *context, const uint8_t *key,
                        const uint8_t *sealed, size_t len, const void *bound,
                        size_t bound_len, uint8_t *out) {
  const uint8_t *text = sealed + NONCE_LEN;
  uint8_t tag[TAG_LEN];
  memcpy(tag, text + len, TAG_LEN);
  int written = 0;
  return EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, sealed) &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_LEN, tag) &&
         add_bound(context, bound, bound_len) &&
         EVP_DecryptUpdate(context, out, &written, text, (int)len) &&
         EVP_DecryptFinal_ex(context, out + written, &written) > 0;
}

int mcpi_openssl_unseal(const uint8_t key[MCP_SEAL_KEY_SIZE], const void *bound,
                        size_t bound_len, const void *sealed, size_t len,
                        uint8_t *out) {
  if (len < MCP_SEAL_OVERHEAD || len > INT_MAX || bound_len > INT_MAX) {
    return MCP_ERR_SEAL;
  }
  size_t text_len = len - MCP_SEAL_OVERHEAD;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int done = context != NULL && seal_decrypt(context, key, sealed, text_len,
                                             bound, bound_len, out);
  EVP_CIPHER_CTX_free(context);
  if (!done) {
    /* A forger must not learn what the text would have been. */
    OPENSSL_cleanse(out, text_len);
  }
  return done ? 0 : MCP_ERR_SEAL;
}
