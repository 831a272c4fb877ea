/* SPDX-License-Identifier: MIT */
/* Hashes and signatures. */
#include "tls/openssl/keys.h"

#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

enum { FIELD = 32, DER_MAX = 80, PSS_SALT = 32 };

/* OpenSSL looks EVP_sha256() up again for each hash, which takes longer than
 * the hash of a short text. So it is looked up once; it stays until the end of
 * the process, as OpenSSL itself does. */
static CRYPTO_ONCE fetched = CRYPTO_ONCE_STATIC_INIT;
static EVP_MD *fetched_sha256;

static void fetch_sha256(void) {
  fetched_sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
}

int mcpi_openssl_sha256(void *userdata, const void *bytes, size_t len,
                        uint8_t out[MCP_SHA256_SIZE]) {
  (void)userdata;
  const EVP_MD *md = CRYPTO_THREAD_run_once(&fetched, fetch_sha256) == 1 &&
                             fetched_sha256 != NULL
                         ? fetched_sha256
                         : EVP_sha256();
  int is_done = EVP_Digest(bytes, len, out, NULL, md, NULL);
  return is_done == 1 ? 0 : mcpi_openssl_failure(MCP_ERR_PLATFORM);
}

/* --- algorithms ----------------------------------------------------------- */

static uint32_t kind_of(uint32_t algorithm) {
  switch (algorithm) {
  case MCP_SIGN_RS256:
  case MCP_SIGN_PS256:
    return MCP_KEY_RSA;
  case MCP_SIGN_ES256:
    return MCP_KEY_P256;
  default:
    return algorithm == MCP_SIGN_EDDSA ? MCP_KEY_ED25519 : 0;
  }
}

/* Ed25519 hashes by itself. */
static const EVP_MD *digest_of(uint32_t algorithm) {
  return algorithm == MCP_SIGN_EDDSA ? NULL : EVP_sha256();
}

/* The padding of the two RSA algorithms. */
static int set_padding(EVP_PKEY_CTX *context, uint32_t algorithm) {
  if (algorithm == MCP_SIGN_RS256) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1;
  }
  if (algorithm == MCP_SIGN_PS256) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(context, PSS_SALT) == 1;
  }
  return 1;
}

/* --- ES256 ---------------------------------------------------------------- */

/* From OpenSSL's form, DER, to r and s. Returns 0 or MCP_ERR_PLATFORM. */
static int es256_from_der(const uint8_t *der, size_t der_len,
                          uint8_t out[2 * FIELD]) {
  ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)der_len);
  int rc = MCP_ERR_PLATFORM;
  if (signature != NULL &&
      BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, FIELD) == FIELD &&
      BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + FIELD, FIELD) == FIELD) {
    rc = 0;
  }
  ECDSA_SIG_free(signature);
  return rc;
}

/* From r and s to DER. Returns its length; 0: no memory. */
static size_t es256_to_der(const uint8_t raw[2 * FIELD], uint8_t out[DER_MAX]) {
  ECDSA_SIG *signature = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(raw, FIELD, NULL);
  BIGNUM *s = BN_bin2bn(raw + FIELD, FIELD, NULL);
  int len = 0;
  if (signature != NULL && r != NULL && s != NULL &&
      ECDSA_SIG_set0(signature, r, s) == 1) {
    r = NULL; /* the signature owns them */
    s = NULL;
    len = i2d_ECDSA_SIG(signature, NULL);
    if (len > 0 && len <= DER_MAX) {
      len = i2d_ECDSA_SIG(signature, &out);
    }
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(signature);
  return len > 0 && len <= DER_MAX ? (size_t)len : 0;
}

static int sign_end(int rc) {
  if (rc != 0) {
    return mcpi_openssl_failure(rc);
  }
  ERR_clear_error();
  return 0;
}

/* --- signing -------------------------------------------------------------- */

static int sign_with(EVP_MD_CTX *context, const mcp_key *key,
                     uint32_t algorithm, const void *bytes, size_t len,
                     uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len) {
  EVP_PKEY_CTX *options = NULL;
  uint8_t made[MCP_SIGNATURE_MAX];
  size_t made_len = sizeof(made);
  if (EVP_DigestSignInit(context, &options, digest_of(algorithm), NULL,
                         key->pkey) != 1 ||
      !set_padding(options, algorithm) ||
      EVP_DigestSign(context, made, &made_len, bytes, len) != 1) {
    return MCP_ERR_PLATFORM;
  }
  if (algorithm == MCP_SIGN_ES256) {
    *out_len = (size_t)2 * FIELD;
    return es256_from_der(made, made_len, out);
  }
  for (size_t i = 0; i < made_len; i++) {
    out[i] = made[i];
  }
  *out_len = made_len;
  return 0;
}

int mcpi_openssl_sign(void *userdata, const mcp_key *key, uint32_t algorithm,
                      const void *bytes, size_t len,
                      uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len) {
  (void)userdata;
  if (!key->is_private || key->kind != kind_of(algorithm)) {
    return MCP_ERR_INVALID;
  }
  ERR_clear_error();
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = sign_with(context, key, algorithm, bytes, len, out, out_len);
  EVP_MD_CTX_free(context);
  return sign_end(rc);
}

/* --- checking ------------------------------------------------------------- */

static int verify_with(EVP_MD_CTX *context, const mcp_key *key,
                       uint32_t algorithm, const void *bytes, size_t len,
                       const uint8_t *signature, size_t signature_len) {
  EVP_PKEY_CTX *options = NULL;
  if (EVP_DigestVerifyInit(context, &options, digest_of(algorithm), NULL,
                           key->pkey) != 1 ||
      !set_padding(options, algorithm)) {
    return MCP_ERR_PLATFORM;
  }
  return EVP_DigestVerify(context, signature, signature_len, bytes, len) == 1
             ? 0
             : MCP_ERR_REFUSED;
}

int mcpi_openssl_verify(void *userdata, const mcp_key *key, uint32_t algorithm,
                        const void *bytes, size_t len, const uint8_t *signature,
                        size_t signature_len) {
  uint8_t der[DER_MAX];
  (void)userdata;
  if (key->kind != kind_of(algorithm)) {
    return MCP_ERR_INVALID;
  }
  if (algorithm == MCP_SIGN_ES256) {
    if (signature_len != (size_t)2 * FIELD) {
      return MCP_ERR_REFUSED;
    }
    signature_len = es256_to_der(signature, der);
    signature = der;
    if (signature_len == 0) {
      return MCP_ERR_NOMEM;
    }
  }
  ERR_clear_error();
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = verify_with(context, key, algorithm, bytes, len, signature,
                       signature_len);
  EVP_MD_CTX_free(context);
  return sign_end(rc);
}
