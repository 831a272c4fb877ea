/* SPDX-License-Identifier: MIT */
#include "base/base64.h"
#include "platform/platform.h"

#include "support/cm.h"
#include "support/scratch.h"
#include <mcp/error.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#define CRYPTO (&mcpi_platform_crypto)

/* --- helpers -------------------------------------------------------------- */

static mcpi_buf *decoded(const char *text) {
  mcpi_buf *out = scratch_buf();
  assert_int_equal(mcpi_base64url_decode(out, mcpi_str_z(text)), 0);
  return out;
}

static void free_key(void *key) {
  CRYPTO->key_free(NULL, key);
}

static int from_parts(uint32_t kind, const mcpi_buf *first,
                      const mcpi_buf *second, mcp_key **out) {
  const mcp_key_parts parts = {
      .kind = kind,
      .first = (const uint8_t *)first->data,
      .first_len = first->len,
      .second = second != NULL ? (const uint8_t *)second->data : NULL,
      .second_len = second != NULL ? second->len : 0};
  return CRYPTO->key_from_parts(NULL, &parts, out);
}

static mcp_key *public_key(uint32_t kind, const char *first,
                           const char *second) {
  mcp_key *key = NULL;
  assert_int_equal(from_parts(kind, decoded(first),
                              second != NULL ? decoded(second) : NULL, &key),
                   0);
  return scratch_add(key, free_key);
}

static mcp_key *generated(uint32_t kind) {
  mcp_key *key = NULL;
  assert_int_equal(CRYPTO->key_generate(NULL, kind, &key), 0);
  return scratch_add(key, free_key);
}

/* A private RSA key as PEM. */
static char *rsa_pem(unsigned bits) {
  static char text[8192];
  EVP_PKEY *pkey = EVP_RSA_gen(bits);
  BIO *bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
  int len = BIO_read(bio, text, sizeof(text) - 1);
  text[len] = '\0';
  BIO_free(bio);
  EVP_PKEY_free(pkey);
  return text;
}

static mcp_key *from_pem(const char *pem) {
  mcp_key *key = NULL;
  assert_int_equal(CRYPTO->key_from_pem(NULL, pem, strlen(pem), &key), 0);
  return scratch_add(key, free_key);
}

static int verify(const mcp_key *key, uint32_t algorithm, const char *text,
                  const mcpi_buf *signature) {
  return CRYPTO->verify(NULL, key, algorithm, text, strlen(text),
                        (const uint8_t *)signature->data, signature->len);
}

/* --- examples of the RFCs ------------------------------------------------- */

#define PAYLOAD                                                                \
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv"   \
  "bS9pc19yb290Ijp0cnVlfQ"

/* RFC 7515, A.2. */
SCRATCH_TEST(rs256_accepts_the_example_of_rfc_7515) {
  const mcp_key *key = public_key(
      MCP_KEY_RSA,
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-"
      "4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2"
      "jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7"
      "WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvU"
      "K-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
      "AQAB");
  mcpi_buf *signature = decoded(
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm"
      "4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--"
      "f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383Lc"
      "OLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUi"
      "pUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
  static const char text[] = "eyJhbGciOiJSUzI1NiJ9." PAYLOAD;
  assert_int_equal(verify(key, MCP_SIGN_RS256, text, signature), 0);
  assert_int_equal(verify(key, MCP_SIGN_PS256, text, signature),
                   MCP_ERR_REFUSED);
  assert_int_equal(verify(key, MCP_SIGN_RS256, "other", signature),
                   MCP_ERR_REFUSED);
}

/* RFC 7515, A.3. */
#define ES256_X "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
#define ES256_Y "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

SCRATCH_TEST(es256_accepts_the_example_of_rfc_7515) {
  const mcp_key *key = public_key(MCP_KEY_P256, ES256_X, ES256_Y);
  mcpi_buf *signature = decoded(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxf"
      "KTUJqPP3-Kg6NU1Q");
  static const char text[] = "eyJhbGciOiJFUzI1NiJ9." PAYLOAD;
  assert_int_equal(verify(key, MCP_SIGN_ES256, text, signature), 0);
  signature->data[63] ^= 1;
  assert_int_equal(verify(key, MCP_SIGN_ES256, text, signature),
                   MCP_ERR_REFUSED);
}

/* RFC 8037, A.4. */
SCRATCH_TEST(eddsa_accepts_the_example_of_rfc_8037) {
  const mcp_key *key = public_key(
      MCP_KEY_ED25519, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", NULL);
  mcpi_buf *signature = decoded(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9"
      "g7sVvpAr_MuM0KAg");
  assert_int_equal(
      verify(key, MCP_SIGN_EDDSA,
             "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
             signature),
      0);
}

SCRATCH_TEST(sha256_has_its_known_value) {
  static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  uint8_t hash[MCP_SHA256_SIZE];
  assert_int_equal(CRYPTO->sha256(NULL, "abc", 3, hash), 0);
  assert_memory_equal(hash, abc, sizeof(abc));
  assert_int_equal(CRYPTO->sha256(NULL, "", 0, hash), 0);
}

/* --- our own signatures --------------------------------------------------- */

static const uint32_t algorithms[] = {MCP_SIGN_RS256, MCP_SIGN_PS256,
                                      MCP_SIGN_ES256, MCP_SIGN_EDDSA};

static mcp_key *key_for(uint32_t algorithm) {
  if (algorithm == MCP_SIGN_ES256) {
    return generated(MCP_KEY_P256);
  }
  return algorithm == MCP_SIGN_EDDSA ? generated(MCP_KEY_ED25519)
                                     : from_pem(rsa_pem(2048));
}

static mcpi_buf *signed_by(const mcp_key *key, uint32_t algorithm,
                           const char *text) {
  uint8_t signature[MCP_SIGNATURE_MAX];
  size_t len = 0;
  mcpi_buf *out = scratch_buf();
  assert_int_equal(
      CRYPTO->sign(NULL, key, algorithm, text, strlen(text), signature, &len),
      0);
  mcpi_buf_put(out, signature, len);
  return out;
}

/* The public half, through its numbers. */
static mcp_key *public_half(const mcp_key *key) {
  mcp_key_parts parts;
  mcp_key *out = NULL;
  CRYPTO->key_parts(NULL, key, &parts);
  assert_int_equal(CRYPTO->key_from_parts(NULL, &parts, &out), 0);
  return scratch_add(out, free_key);
}

SCRATCH_TEST(each_algorithm_accepts_its_own_signature_only) {
  for (size_t i = 0; i < 4; i++) {
    const mcp_key *key = key_for(algorithms[i]);
    const mcp_key *half = public_half(key);
    const mcp_key *other = public_half(key_for(algorithms[i]));
    mcpi_buf *signature = signed_by(key, algorithms[i], "text");
    assert_int_equal(verify(half, algorithms[i], "text", signature), 0);
    assert_int_equal(verify(half, algorithms[i], "texT", signature),
                     MCP_ERR_REFUSED);
    assert_int_equal(verify(other, algorithms[i], "text", signature),
                     MCP_ERR_REFUSED);
    signature->data[signature->len / 2] ^= 1;
    assert_int_equal(verify(half, algorithms[i], "text", signature),
                     MCP_ERR_REFUSED);
    signature->data[signature->len / 2] ^= 1;
    signature->len--;
    assert_int_equal(verify(half, algorithms[i], "text", signature),
                     MCP_ERR_REFUSED);
    signature->len = 0;
    assert_int_equal(verify(half, algorithms[i], "text", signature),
                     MCP_ERR_REFUSED);
  }
}

/* OpenSSL's own signature with PSS and such a salt. */
static mcpi_buf *pss_signed(EVP_PKEY *pkey, int salt_len, const EVP_MD *mgf1) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *options;
  uint8_t signature[MCP_SIGNATURE_MAX];
  size_t len = sizeof(signature);
  mcpi_buf *out = scratch_buf();
  EVP_DigestSignInit(context, &options, EVP_sha256(), NULL, pkey);
  EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
  EVP_PKEY_CTX_set_rsa_pss_saltlen(options, salt_len);
  EVP_PKEY_CTX_set_rsa_mgf1_md(options, mgf1);
  assert_int_equal(
      EVP_DigestSign(context, signature, &len, (const uint8_t *)"text", 4), 1);
  EVP_MD_CTX_free(context);
  mcpi_buf_put(out, signature, len);
  return out;
}

SCRATCH_TEST(ps256_has_a_salt_of_32_bytes_and_one_hash) {
  const char *pem = rsa_pem(2048);
  const mcp_key *key = public_half(from_pem(pem));
  BIO *bio = BIO_new_mem_buf(pem, -1);
  EVP_PKEY *pkey = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
  static const int others[] = {0, 20, 31, 33, 222};
  assert_int_equal(
      verify(key, MCP_SIGN_PS256, "text", pss_signed(pkey, 32, EVP_sha256())),
      0);
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    assert_int_equal(verify(key, MCP_SIGN_PS256, "text",
                            pss_signed(pkey, others[i], EVP_sha256())),
                     MCP_ERR_REFUSED);
  }
  assert_int_equal(
      verify(key, MCP_SIGN_PS256, "text", pss_signed(pkey, 32, EVP_sha1())),
      MCP_ERR_REFUSED);
  EVP_PKEY_free(pkey);
  BIO_free(bio);
}

/* The order of P-256's group. */
#define P256_ORDER "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"

SCRATCH_TEST(es256_takes_no_numbers_outside_of_the_group) {
  const mcp_key *key = generated(MCP_KEY_P256);
  static const char *const numbers[] = {
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", P256_ORDER,
      "__________________________________________8"};
  const mcpi_buf *fine = signed_by(key, MCP_SIGN_ES256, "text");
  for (size_t i = 0; i < 3; i++) {
    const mcpi_buf *number = decoded(numbers[i]);
    for (size_t at = 0; at <= 32; at += 32) {
      mcpi_buf *signature = scratch_buf();
      mcpi_buf_put(signature, fine->data, fine->len);
      memcpy(signature->data + at, number->data, 32);
      assert_int_equal(verify(key, MCP_SIGN_ES256, "text", signature),
                       MCP_ERR_REFUSED);
    }
  }
}

SCRATCH_TEST(es256_takes_no_der) {
  EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  BIO *bio = BIO_new(BIO_s_mem());
  uint8_t der[80];
  size_t len = sizeof(der);
  char *pem;
  mcpi_buf *signature = scratch_buf();
  EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pkey);
  EVP_DigestSign(context, der, &len, (const uint8_t *)"text", 4);
  mcpi_buf_put(signature, der, len);
  PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
  long pem_len = BIO_get_mem_data(bio, &pem);
  mcp_key *key = NULL;
  assert_int_equal(CRYPTO->key_from_pem(NULL, pem, (size_t)pem_len, &key), 0);
  assert_int_equal(verify(key, MCP_SIGN_ES256, "text", signature),
                   MCP_ERR_REFUSED);
  CRYPTO->key_free(NULL, key);
  BIO_free(bio);
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(pkey);
}

SCRATCH_TEST(a_signature_with_more_bytes_is_wrong) {
  for (size_t i = 0; i < 4; i++) {
    const mcp_key *key = key_for(algorithms[i]);
    mcpi_buf *signature = signed_by(key, algorithms[i], "text");
    mcpi_buf_putc(signature, '\0');
    assert_int_equal(verify(key, algorithms[i], "text", signature),
                     MCP_ERR_REFUSED);
  }
}

SCRATCH_TEST(a_longer_rsa_key_makes_a_longer_signature) {
  const mcp_key *key = from_pem(rsa_pem(3072));
  mcpi_buf *signature = signed_by(key, MCP_SIGN_RS256, "text");
  assert_int_equal(signature->len, 384);
  assert_int_equal(verify(key, MCP_SIGN_RS256, "text", signature), 0);
}

SCRATCH_TEST(a_key_of_another_kind_is_invalid) {
  const mcp_key *p256 = generated(MCP_KEY_P256);
  const mcp_key *ed = generated(MCP_KEY_ED25519);
  uint8_t signature[MCP_SIGNATURE_MAX] = {0};
  size_t len;
  assert_int_equal(
      CRYPTO->sign(NULL, p256, MCP_SIGN_RS256, "a", 1, signature, &len),
      MCP_ERR_INVALID);
  assert_int_equal(
      CRYPTO->sign(NULL, ed, MCP_SIGN_ES256, "a", 1, signature, &len),
      MCP_ERR_INVALID);
  assert_int_equal(
      CRYPTO->verify(NULL, p256, MCP_SIGN_EDDSA, "a", 1, signature, 64),
      MCP_ERR_INVALID);
  assert_int_equal(CRYPTO->verify(NULL, ed, 0, "a", 1, signature, 64),
                   MCP_ERR_INVALID);
}

SCRATCH_TEST(a_public_key_does_not_sign) {
  const mcp_key *half = public_half(generated(MCP_KEY_P256));
  uint8_t signature[MCP_SIGNATURE_MAX];
  char pem[4096];
  size_t len;
  assert_int_equal(
      CRYPTO->sign(NULL, half, MCP_SIGN_ES256, "a", 1, signature, &len),
      MCP_ERR_INVALID);
  assert_int_equal(CRYPTO->key_to_pem(NULL, half, pem, sizeof(pem)),
                   MCP_ERR_INVALID);
}

/* --- keys that are not valid ---------------------------------------------- */

SCRATCH_TEST(points_and_sizes_are_checked) {
  mcpi_buf *x = decoded(ES256_X);
  mcpi_buf *y = decoded(ES256_Y);
  mcp_key *key = NULL;
  y->data[31] ^= 1; /* not on the curve */
  assert_int_equal(from_parts(MCP_KEY_P256, x, y, &key), MCP_ERR_INVALID);
  y->data[31] ^= 1;
  y->len = 31;
  assert_int_equal(from_parts(MCP_KEY_P256, x, y, &key), MCP_ERR_INVALID);
  assert_int_equal(from_parts(MCP_KEY_ED25519, y, NULL, &key), MCP_ERR_INVALID);
  assert_int_equal(from_parts(99, x, y, &key), MCP_ERR_INVALID);
  memset(x->data, 0, x->len);
  y->len = 32;
  assert_int_equal(from_parts(MCP_KEY_P256, x, y, &key), MCP_ERR_INVALID);
  assert_null(key);
}

static int rsa_of(size_t bytes, const char *exponent, mcp_key **out) {
  mcpi_buf *n = scratch_buf();
  for (size_t i = 0; i < bytes; i++) {
    mcpi_buf_putc(n, i == 0 ? '\x80' : '\x01');
  }
  mcpi_buf *e = exponent != NULL ? decoded(exponent) : scratch_buf();
  return from_parts(MCP_KEY_RSA, n, e, out);
}

SCRATCH_TEST(rsa_keys_have_2048_to_8192_bits) {
  mcp_key *key = NULL;
  assert_int_equal(rsa_of(255, "AQAB", &key), MCP_ERR_INVALID);
  assert_int_equal(rsa_of(1025, "AQAB", &key), MCP_ERR_INVALID);
  assert_int_equal(rsa_of(256, "AQAB", &key), 0);
  CRYPTO->key_free(NULL, key);
  assert_int_equal(rsa_of(1024, "AQAB", &key), 0);
  CRYPTO->key_free(NULL, key);
}

SCRATCH_TEST(rsa_exponents_are_odd_and_short) {
  mcp_key *key = NULL;
  assert_int_equal(rsa_of(256, NULL, &key), MCP_ERR_INVALID);
  assert_int_equal(rsa_of(256, "AQ", &key), MCP_ERR_INVALID);   /* 1 */
  assert_int_equal(rsa_of(256, "AQAA", &key), MCP_ERR_INVALID); /* 65536 */
  assert_int_equal(rsa_of(256, "AQAAAAAAAAAB", &key), MCP_ERR_INVALID);
  assert_int_equal(rsa_of(256, "Aw", &key), 0); /* 3 */
  CRYPTO->key_free(NULL, key);
}

/* --- PEM ------------------------------------------------------------------ */

SCRATCH_TEST(a_generated_key_survives_pem) {
  static const uint32_t kinds[] = {MCP_KEY_P256, MCP_KEY_ED25519};
  for (size_t i = 0; i < 2; i++) {
    char pem[4096];
    mcp_key_parts a;
    mcp_key_parts b;
    const mcp_key *key = generated(kinds[i]);
    assert_int_equal(CRYPTO->key_to_pem(NULL, key, pem, sizeof(pem)), 0);
    const mcp_key *again = from_pem(pem);
    CRYPTO->key_parts(NULL, key, &a);
    CRYPTO->key_parts(NULL, again, &b);
    assert_int_equal(a.kind, b.kind);
    assert_memory_equal(a.first, b.first, 32);
    assert_int_equal(CRYPTO->key_to_pem(NULL, key, pem, strlen(pem)),
                     MCP_ERR_INVALID);
    assert_int_equal(CRYPTO->key_to_pem(NULL, key, pem, strlen(pem) + 1), 0);
  }
  mcp_key *none = NULL;
  assert_int_equal(CRYPTO->key_generate(NULL, MCP_KEY_RSA, &none),
                   MCP_ERR_INVALID);
}

/* Writes a key in a form that is not accepted. */
static char *other_pem(EVP_PKEY *pkey, int is_encrypted) {
  static char text[4096];
  BIO *bio = BIO_new(BIO_s_mem());
  if (is_encrypted) {
    PEM_write_bio_PKCS8PrivateKey(bio, pkey, EVP_aes_128_cbc(), "password", 8,
                                  NULL, NULL);
  } else {
    PEM_write_bio_PUBKEY(bio, pkey);
  }
  int len = BIO_read(bio, text, sizeof(text) - 1);
  text[len] = '\0';
  BIO_free(bio);
  return text;
}

/* Writes a key in the older form of its kind. */
static char *older_pem(EVP_PKEY *pkey, const EVP_CIPHER *cipher) {
  static char text[4096];
  BIO *bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey_traditional(
      bio, pkey, cipher, (const unsigned char *)"password", 8, NULL, NULL);
  int len = BIO_read(bio, text, sizeof(text) - 1);
  text[len > 0 ? len : 0] = '\0';
  BIO_free(bio);
  return text;
}

static int try_pem(const char *pem) {
  mcp_key *key = NULL;
  int rc = CRYPTO->key_from_pem(NULL, pem, strlen(pem), &key);
  CRYPTO->key_free(NULL, key);
  return rc;
}

SCRATCH_TEST(older_forms_of_pem_are_read) {
  EVP_PKEY *rsa = EVP_RSA_gen(2048);
  EVP_PKEY *ec = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  const char *pem = older_pem(rsa, NULL);
  assert_non_null(strstr(pem, "BEGIN RSA PRIVATE KEY"));
  assert_int_equal(try_pem(pem), 0);
  pem = older_pem(ec, NULL);
  assert_non_null(strstr(pem, "BEGIN EC PRIVATE KEY"));
  assert_int_equal(try_pem(pem), 0);
  /* nobody is asked for a password */
  pem = older_pem(ec, EVP_aes_128_cbc());
  assert_non_null(strstr(pem, "ENCRYPTED"));
  assert_int_equal(try_pem(pem), MCP_ERR_INVALID);
  EVP_PKEY_free(rsa);
  EVP_PKEY_free(ec);
}

/* What `openssl ecparam -genkey` writes: the curve, and then the key. */
SCRATCH_TEST(other_blocks_before_the_key_are_skipped) {
  EVP_PKEY *ec = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  mcpi_buf *text = scratch_buf();
  mcpi_buf_lit(text, "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n"
                     "-----END EC PARAMETERS-----\n");
  mcpi_buf_puts(text, mcpi_str_z(older_pem(ec, NULL)));
  mcp_key *key = NULL;
  assert_int_equal(CRYPTO->key_from_pem(NULL, text->data, text->len, &key), 0);
  CRYPTO->key_free(NULL, key);
  EVP_PKEY_free(ec);
}

/* The text is cut at each byte; the last line break is not needed. */
SCRATCH_TEST(a_pem_that_is_cut_off_is_refused) {
  char pem[4096];
  const mcp_key *key = generated(MCP_KEY_ED25519);
  assert_int_equal(CRYPTO->key_to_pem(NULL, key, pem, sizeof(pem)), 0);
  for (size_t len = 0; len < strlen(pem) - 1; len++) {
    mcp_key *none = NULL;
    char *text = malloc(len + 1); /* so that the sanitizer sees each byte */
    memcpy(text, pem, len);
    assert_int_equal(CRYPTO->key_from_pem(NULL, text, len, &none),
                     MCP_ERR_INVALID);
    assert_null(none);
    free(text);
  }
}

SCRATCH_TEST(a_pem_has_64_kb) {
  char pem[4096];
  mcp_key *read = NULL;
  const mcp_key *key = generated(MCP_KEY_ED25519);
  mcpi_buf *text = scratch_buf();
  assert_int_equal(CRYPTO->key_to_pem(NULL, key, pem, sizeof(pem)), 0);
  mcpi_buf_puts(text, mcpi_str_z(pem));
  while (text->len < (size_t)64 * 1024) {
    mcpi_buf_putc(text, '\n');
  }
  assert_int_equal(CRYPTO->key_from_pem(NULL, text->data, text->len, &read), 0);
  CRYPTO->key_free(NULL, read);
  mcpi_buf_putc(text, '\n');
  assert_int_equal(CRYPTO->key_from_pem(NULL, text->data, text->len, &read),
                   MCP_ERR_INVALID);
}

SCRATCH_TEST(other_pem_is_refused) {
  EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  assert_int_equal(try_pem(other_pem(pkey, 0)), MCP_ERR_INVALID);
  assert_int_equal(try_pem(other_pem(pkey, 1)), MCP_ERR_INVALID);
  EVP_PKEY_free(pkey);
  pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384");
  BIO *bio = BIO_new(BIO_s_mem());
  char text[4096];
  PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
  text[BIO_read(bio, text, sizeof(text) - 1)] = '\0';
  BIO_free(bio);
  EVP_PKEY_free(pkey);
  assert_int_equal(try_pem(text), MCP_ERR_INVALID);
  assert_int_equal(try_pem(rsa_pem(1024)), MCP_ERR_INVALID);
  assert_int_equal(try_pem(""), MCP_ERR_INVALID);
  assert_int_equal(try_pem("rubbish"), MCP_ERR_INVALID);
  assert_int_equal(try_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n"
                           "-----END PRIVATE KEY-----\n"),
                   MCP_ERR_INVALID);
  /* an unknown algorithm, 1.2.3.4 */
  assert_int_equal(try_pem("-----BEGIN PRIVATE KEY-----\nMAwCAQAwBQYDKgMEBAA=\n"
                           "-----END PRIVATE KEY-----\n"),
                   MCP_ERR_INVALID);
}

SCRATCH_TEST(freeing_no_key_is_legal) {
  CRYPTO->key_free(NULL, NULL);
}
