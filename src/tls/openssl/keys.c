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

/* Some functions of OpenSSL do not say that there was no memory. A lack that
 * lasts shows here. */
static int has_memory(void) {
  enum { SOME = 1024 };
  void *some = OPENSSL_malloc(SOME);
  OPENSSL_free(some);
  return some != NULL;
}

int mcpi_openssl_failure(int otherwise) {
  int rc = otherwise;
  for (unsigned long code = ERR_get_error(); code != 0;
       code = ERR_get_error()) {
    if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE) {
      rc = MCP_ERR_NOMEM;
    }
  }
  return has_memory() ? rc : MCP_ERR_NOMEM;
}

/* --- the public numbers --------------------------------------------------- */

/* Writes a number without zero bytes in front. Returns 0; MCP_ERR_INVALID: it
 * is 0, or does not fit; MCP_ERR_PLATFORM. */
static int keep_number(const EVP_PKEY *pkey, const char *name, uint8_t *to,
                       size_t size, size_t *len) {
  BIGNUM *number = NULL;
  int rc = MCP_ERR_INVALID;
  if (EVP_PKEY_get_bn_param(pkey, name, &number) != 1) {
    rc = MCP_ERR_PLATFORM;
  } else if (!BN_is_zero(number) && (size_t)BN_num_bytes(number) <= size) {
    *len = (size_t)BN_bn2bin(number, to);
    rc = 0;
  }
  BN_free(number);
  return rc;
}

/* Writes a number of the field with all its bytes. Returns 0 or
 * MCP_ERR_PLATFORM. */
static int keep_coordinate(const EVP_PKEY *pkey, const char *name, uint8_t *to,
                           size_t *len) {
  BIGNUM *number = NULL;
  int rc = MCP_ERR_PLATFORM;
  if (EVP_PKEY_get_bn_param(pkey, name, &number) == 1 &&
      BN_bn2binpad(number, to, FIELD) == FIELD) {
    *len = FIELD;
    rc = 0;
  }
  BN_free(number);
  return rc;
}

static int describe_rsa(mcp_key *key) {
  int bits = EVP_PKEY_get_bits(key->pkey);
  if (bits <= 0) {
    return MCP_ERR_PLATFORM;
  }
  if (bits < RSA_MIN_BITS || bits > RSA_MAX_BITS) {
    return MCP_ERR_INVALID;
  }
  key->kind = MCP_KEY_RSA;
  int rc = keep_number(key->pkey, OSSL_PKEY_PARAM_RSA_N, key->first,
                       sizeof(key->first), &key->first_len);
  if (rc == 0) {
    rc = keep_number(key->pkey, OSSL_PKEY_PARAM_RSA_E, key->second,
                     sizeof(key->second), &key->second_len);
  }
  return rc;
}

static int describe_ec(mcp_key *key) {
  char name[32] = "";
  size_t len = 0;
  if (EVP_PKEY_get_group_name(key->pkey, name, sizeof(name), &len) != 1) {
    return MCP_ERR_PLATFORM;
  }
  if (strcmp(name, "prime256v1") != 0) {
    return MCP_ERR_INVALID;
  }
  key->kind = MCP_KEY_P256;
  int rc = keep_coordinate(key->pkey, OSSL_PKEY_PARAM_EC_PUB_X, key->first,
                           &key->first_len);
  if (rc == 0) {
    rc = keep_coordinate(key->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, key->second,
                         &key->second_len);
  }
  return rc;
}

static int describe_ed25519(mcp_key *key) {
  key->kind = MCP_KEY_ED25519;
  key->first_len = sizeof(key->first);
  int rc = EVP_PKEY_get_raw_public_key(key->pkey, key->first, &key->first_len);
  return rc == 1 && key->first_len == FIELD ? 0 : MCP_ERR_PLATFORM;
}

/* Finds the kind of the key, and its numbers. Returns 0, MCP_ERR_INVALID or
 * MCP_ERR_PLATFORM. EVP_PKEY_is_a would need memory. */
static int key_describe(mcp_key *key) {
  const char *type = EVP_PKEY_get0_type_name(key->pkey);
  if (type == NULL) {
    return MCP_ERR_PLATFORM;
  }
  if (strcmp(type, "RSA") == 0) {
    return describe_rsa(key);
  }
  if (strcmp(type, "EC") == 0) {
    return describe_ec(key);
  }
  return strcmp(type, "ED25519") == 0 ? describe_ed25519(key) : MCP_ERR_INVALID;
}

/* Takes pkey, which is not NULL. Returns 0, or an MCP_ERR_*. */
static int key_wrap(EVP_PKEY *pkey, int is_private, mcp_key **out) {
  mcp_key *key = OPENSSL_zalloc(sizeof(*key));
  if (key == NULL) {
    EVP_PKEY_free(pkey);
    return MCP_ERR_NOMEM;
  }
  key->pkey = pkey;
  key->is_private = is_private;
  int rc = key_describe(key);
  if (rc != 0) {
    mcpi_openssl_key_free(NULL, key);
    return mcpi_openssl_failure(rc);
  }
  ERR_clear_error();
  *out = key;
  return 0;
}

/* --- from numbers --------------------------------------------------------- */

/* The functions of this part return 0 and a key, or an MCP_ERR_*. Only OpenSSL
 * itself, in EVP_PKEY_fromdata, can find numbers invalid. */

static int pkey_from_params(const char *type, OSSL_PARAM *params,
                            EVP_PKEY **out) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  int rc = 0;
  if (context == NULL || EVP_PKEY_fromdata_init(context) != 1) {
    rc = mcpi_openssl_failure(MCP_ERR_PLATFORM);
  } else if (EVP_PKEY_fromdata(context, out, EVP_PKEY_PUBLIC_KEY, params) !=
             1) {
    rc = mcpi_openssl_failure(MCP_ERR_INVALID);
  }
  EVP_PKEY_CTX_free(context);
  return rc;
}

static int pkey_from(const char *type, OSSL_PARAM_BLD *builder,
                     EVP_PKEY **out) {
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
  if (params == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = pkey_from_params(type, params, out);
  OSSL_PARAM_free(params);
  return rc;
}

static int rsa_from_numbers(const BIGNUM *n, const BIGNUM *e, EVP_PKEY **out) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  int rc = MCP_ERR_NOMEM;
  if (builder != NULL &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
    rc = pkey_from("RSA", builder, out);
  }
  OSSL_PARAM_BLD_free(builder);
  return rc;
}

static int rsa_from_parts(const mcp_key_parts *parts, EVP_PKEY **out) {
  BIGNUM *n = BN_bin2bn(parts->first, (int)parts->first_len, NULL);
  BIGNUM *e = BN_bin2bn(parts->second, (int)parts->second_len, NULL);
  int rc = MCP_ERR_INVALID;
  if (n == NULL || e == NULL) {
    rc = MCP_ERR_NOMEM;
  } else if (BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e)) {
    rc = rsa_from_numbers(n, e, out);
  }
  BN_free(n);
  BN_free(e);
  return rc;
}

/* OpenSSL refuses a point that is not on the curve. */
static int p256_from_parts(const mcp_key_parts *parts, EVP_PKEY **out) {
  uint8_t point[1 + 2 * FIELD] = {4}; /* uncompressed */
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  int rc = MCP_ERR_NOMEM;
  memcpy(point + 1, parts->first, FIELD);
  memcpy(point + 1 + FIELD, parts->second, FIELD);
  if (builder != NULL &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME,
                                      "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point,
                                       sizeof(point)) == 1) {
    rc = pkey_from("EC", builder, out);
  }
  OSSL_PARAM_BLD_free(builder);
  return rc;
}

/* Any 32 bytes are accepted: a signature shows whether they are a key. */
static int ed25519_from_parts(const mcp_key_parts *parts, EVP_PKEY **out) {
  *out =
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, parts->first, FIELD);
  return *out != NULL ? 0 : mcpi_openssl_failure(MCP_ERR_PLATFORM);
}

int mcpi_openssl_key_from_parts(void *userdata, const mcp_key_parts *parts,
                                mcp_key **out) {
  EVP_PKEY *pkey = NULL;
  int rc = MCP_ERR_INVALID;
  (void)userdata;
  ERR_clear_error();
  if (parts->kind == MCP_KEY_RSA && parts->first_len <= RSA_MAX_BITS / 8 &&
      parts->second_len <= MCPI_OPENSSL_EXPONENT_MAX) {
    rc = rsa_from_parts(parts, &pkey);
  } else if (parts->kind == MCP_KEY_P256 && parts->first_len == FIELD &&
             parts->second_len == FIELD) {
    rc = p256_from_parts(parts, &pkey);
  } else if (parts->kind == MCP_KEY_ED25519 && parts->first_len == FIELD) {
    rc = ed25519_from_parts(parts, &pkey);
  }
  if (rc != 0) {
    ERR_clear_error();
    return rc;
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
  ERR_clear_error();
  BIO *bio = BIO_new_mem_buf(pem, (int)len);
  if (bio == NULL) {
    return MCP_ERR_NOMEM;
  }
  pkey = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
  BIO_free(bio);
  if (pkey == NULL) {
    return mcpi_openssl_failure(MCP_ERR_INVALID);
  }
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
  ERR_clear_error();
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
  } else {
    rc = mcpi_openssl_failure(MCP_ERR_PLATFORM);
  }
  BIO_free(bio);
  ERR_clear_error();
  return rc;
}

/* --- new keys, and the end ------------------------------------------------ */

int mcpi_openssl_key_generate(void *userdata, uint32_t kind, mcp_key **out) {
  EVP_PKEY *pkey = NULL;
  (void)userdata;
  ERR_clear_error();
  if (kind == MCP_KEY_P256) {
    pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  } else if (kind == MCP_KEY_ED25519) {
    pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  } else {
    return MCP_ERR_INVALID;
  }
  if (pkey == NULL) {
    return mcpi_openssl_failure(MCP_ERR_PLATFORM);
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
