/* SPDX-License-Identifier: MIT */
/* Keys: from the numbers of a JWK, from PEM, and new ones. */
#include "tls/openssl/keys.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <string.h>

enum { RSA_MIN_BITS = 2048, RSA_MAX_BITS = 8192, FIELD = 32 };

/* --- the public numbers --------------------------------------------------- */

/* Writes a number without zero bytes in front. Returns its length; 0: it does
 * not fit, or there is none. */
static size_t keep_number(const EVP_PKEY *pkey, const char *name, uint8_t *to,
                          size_t size) {
  BIGNUM *number = NULL;
  size_t len = 0;
  if (EVP_PKEY_get_bn_param(pkey, name, &number) == 1 &&
      (size_t)BN_num_bytes(number) <= size) {
    len = (size_t)BN_bn2bin(number, to);
  }
  BN_free(number);
  return len;
}

/* Writes a number of the field with all its bytes. */
static size_t keep_coordinate(const EVP_PKEY *pkey, const char *name,
                              uint8_t *to) {
  BIGNUM *number = NULL;
  int len = -1;
  if (EVP_PKEY_get_bn_param(pkey, name, &number) == 1) {
    len = BN_bn2binpad(number, to, FIELD);
  }
  BN_free(number);
  return len == FIELD ? FIELD : 0;
}

static int is_p256(const EVP_PKEY *pkey) {
  char name[32];
  size_t len = 0;
  return EVP_PKEY_get_group_name(pkey, name, sizeof(name), &len) == 1 &&
         strcmp(name, "prime256v1") == 0;
}

/* Finds the kind of the key, and its numbers. Returns 0 or MCP_ERR_INVALID. */
static int key_describe(mcp_key *key) {
  const EVP_PKEY *pkey = key->pkey;
  int bits = EVP_PKEY_get_bits(pkey);
  if (EVP_PKEY_is_a(pkey, "RSA") && bits >= RSA_MIN_BITS &&
      bits <= RSA_MAX_BITS) {
    key->kind = MCP_KEY_RSA;
    key->first_len = keep_number(pkey, OSSL_PKEY_PARAM_RSA_N, key->first,
                                 sizeof(key->first));
    key->second_len = keep_number(pkey, OSSL_PKEY_PARAM_RSA_E, key->second,
                                  sizeof(key->second));
  } else if (EVP_PKEY_is_a(pkey, "EC") && is_p256(pkey)) {
    key->kind = MCP_KEY_P256;
    key->first_len =
        keep_coordinate(pkey, OSSL_PKEY_PARAM_EC_PUB_X, key->first);
    key->second_len =
        keep_coordinate(pkey, OSSL_PKEY_PARAM_EC_PUB_Y, key->second);
  } else if (EVP_PKEY_is_a(pkey, "ED25519")) {
    key->kind = MCP_KEY_ED25519;
    key->first_len = sizeof(key->first);
    if (EVP_PKEY_get_raw_public_key(pkey, key->first, &key->first_len) != 1) {
      key->first_len = 0;
    }
    return key->first_len == FIELD ? 0 : MCP_ERR_INVALID;
  }
  return key->first_len > 0 && key->second_len > 0 ? 0 : MCP_ERR_INVALID;
}

/* Takes pkey. Returns 0, MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int key_wrap(EVP_PKEY *pkey, int is_private, mcp_key **out) {
  ERR_clear_error();
  if (pkey == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_key *key = OPENSSL_zalloc(sizeof(*key));
  if (key == NULL) {
    EVP_PKEY_free(pkey);
    return MCP_ERR_NOMEM;
  }
  key->pkey = pkey;
  key->is_private = is_private;
  int rc = key_describe(key);
  ERR_clear_error();
  if (rc != 0) {
    mcpi_openssl_key_free(NULL, key);
    return rc;
  }
  *out = key;
  return 0;
}

/* --- from numbers --------------------------------------------------------- */

static EVP_PKEY *pkey_from(const char *type, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *pkey = NULL;
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (params == NULL || context == NULL ||
      EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    pkey = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(params);
  return pkey;
}

static EVP_PKEY *rsa_from_parts(const mcp_key_parts *parts) {
  BIGNUM *n = BN_bin2bn(parts->first, (int)parts->first_len, NULL);
  BIGNUM *e = BN_bin2bn(parts->second, (int)parts->second_len, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY *pkey = NULL;
  if (n != NULL && e != NULL && builder != NULL && BN_is_odd(n) &&
      BN_is_odd(e) && !BN_is_one(e) &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
    pkey = pkey_from("RSA", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return pkey;
}

/* OpenSSL refuses a point that is not on the curve. */
static EVP_PKEY *p256_from_parts(const mcp_key_parts *parts) {
  uint8_t point[1 + 2 * FIELD] = {4}; /* uncompressed */
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY *pkey = NULL;
  memcpy(point + 1, parts->first, FIELD);
  memcpy(point + 1 + FIELD, parts->second, FIELD);
  if (builder != NULL &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME,
                                      "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point,
                                       sizeof(point)) == 1) {
    pkey = pkey_from("EC", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return pkey;
}

int mcpi_openssl_key_from_parts(void *userdata, const mcp_key_parts *parts,
                                mcp_key **out) {
  EVP_PKEY *pkey = NULL;
  (void)userdata;
  if (parts->kind == MCP_KEY_RSA && parts->first_len <= RSA_MAX_BITS / 8 &&
      parts->second_len <= MCPI_OPENSSL_EXPONENT_MAX) {
    pkey = rsa_from_parts(parts);
  } else if (parts->kind == MCP_KEY_P256 && parts->first_len == FIELD &&
             parts->second_len == FIELD) {
    pkey = p256_from_parts(parts);
  } else if (parts->kind == MCP_KEY_ED25519 && parts->first_len == FIELD) {
    pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, parts->first,
                                       FIELD);
  }
  return key_wrap(pkey, 0, out);
}

/* --- from and to PEM ------------------------------------------------------ */

/* OpenSSL would ask for a password on the terminal. */
static int no_password(char *buf, int size, int is_writing, void *userdata) {
  (void)buf;
  (void)size;
  (void)is_writing;
  (void)userdata;
  return -1;
}

int mcpi_openssl_key_from_pem(void *userdata, const char *pem, size_t len,
                              mcp_key **out) {
  EVP_PKEY *pkey = NULL;
  (void)userdata;
  if (len > MCPI_OPENSSL_PEM_MAX) {
    return MCP_ERR_INVALID;
  }
  BIO *bio = BIO_new_mem_buf(pem, (int)len);
  if (bio == NULL) {
    return MCP_ERR_NOMEM;
  }
  pkey = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
  BIO_free(bio);
  return key_wrap(pkey, 1, out);
}

int mcpi_openssl_key_to_pem(void *userdata, const mcp_key *key, char *out,
                            size_t size) {
  int rc = MCP_ERR_INVALID;
  char *text = NULL;
  (void)userdata;
  if (!key->is_private) {
    return rc;
  }
  BIO *bio = BIO_new(BIO_s_secmem());
  if (bio == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (PEM_write_bio_PKCS8PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL,
                                    NULL) == 1) {
    long len = BIO_get_mem_data(bio, &text);
    if (len > 0 && (size_t)len < size) {
      memcpy(out, text, (size_t)len);
      out[len] = '\0';
      rc = 0;
    }
  }
  BIO_free(bio);
  ERR_clear_error();
  return rc;
}

/* --- new keys, and the end ------------------------------------------------ */

int mcpi_openssl_key_generate(void *userdata, uint32_t kind, mcp_key **out) {
  EVP_PKEY *pkey = NULL;
  (void)userdata;
  if (kind == MCP_KEY_P256) {
    pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  } else if (kind == MCP_KEY_ED25519) {
    pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  } else {
    return MCP_ERR_INVALID;
  }
  if (pkey == NULL) {
    ERR_clear_error();
    return MCP_ERR_PLATFORM;
  }
  return key_wrap(pkey, 1, out);
}

/* OpenSSL overwrites the numbers of private keys. */
void mcpi_openssl_key_free(void *userdata, mcp_key *key) {
  (void)userdata;
  if (key != NULL) {
    EVP_PKEY_free(key->pkey);
    OPENSSL_free(key);
  }
}

void mcpi_openssl_key_parts(void *userdata, const mcp_key *key,
                            mcp_key_parts *out) {
  (void)userdata;
  *out = (mcp_key_parts){
      .kind = key->kind, .first = key->first, .first_len = key->first_len};
  if (key->second_len > 0) {
    out->second = key->second;
    out->second_len = key->second_len;
  }
}
