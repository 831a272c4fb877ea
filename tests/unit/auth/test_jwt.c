/* SPDX-License-Identifier: MIT */
#include "auth/jwt.h"

#include "auth/jwk.h"
#include "base/base64.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <stdio.h>

static mcp_loop *loop;

static int set_up(void **state) {
  loop = mcp_loop_new(NULL, NULL);
  return loop == NULL;
}

static int tear_down(void **state) {
  scratch_teardown(state);
  mcp_loop_free(loop);
  return 0;
}

#define JWT_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- making tokens -------------------------------------------------------- */

/* A token of these texts, in which ' stands for ". */
static char *token_of(const char *header, const char *claims,
                      const char *signature) {
  mcpi_buf *out = scratch_buf();
  mcpi_base64url_put(out, scratch_quoted(header), strlen(header));
  mcpi_buf_putc(out, '.');
  mcpi_base64url_put(out, scratch_quoted(claims), strlen(claims));
  mcpi_buf_putc(out, '.');
  mcpi_buf_puts(out, mcpi_str_z(signature));
  return (char *)(uintptr_t)scratch_str(out);
}

static int read_token(const char *text, mcpi_jwt *out, mcp_error *err) {
  return mcpi_jwt_read(out, mcpi_str_z(text), mcp_allocator_default(), err);
}

static mcp_key *make_key(uint32_t kind) {
  mcp_key *key = NULL;
  const mcp_platform *platform = &loop->platform;
  assert_int_equal(
      platform->crypto->key_generate(platform->userdata, kind, &key), 0);
  return key;
}

static void free_key(mcp_key *key) {
  loop->platform.crypto->key_free(loop->platform.userdata, key);
}

/* --- reading -------------------------------------------------------------- */

JWT_TEST(a_token_is_read) {
  mcpi_jwt jwt;
  mcp_error err;
  char *text = token_of("{'alg': 'ES256', 'kid': 'k', 'typ': 'at+jwt'}",
                        "{'sub': 's'}", "AAAA");
  assert_int_equal(read_token(text, &jwt, &err), 0);
  assert_int_equal(jwt.algorithm, MCP_SIGN_ES256);
  assert_string_equal(jwt.kid, "k");
  assert_string_equal(jwt.type, "at+jwt");
  assert_int_equal(jwt.signature_len, 3);
  assert_int_equal(jwt.signed_part.len, strlen(text) - 5);
  mcpi_jwt_deinit(&jwt);
}

JWT_TEST(algorithms_have_names) {
  static const char *const names[] = {"RS256", "PS256", "ES256", "EdDSA"};
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(mcpi_jwt_algorithm(names[i]), i + 1);
    assert_string_equal(mcpi_jwt_algorithm_name(i + 1), names[i]);
    assert_int_not_equal(mcpi_jwt_algorithm_kind(i + 1), 0);
  }
  assert_int_equal(mcpi_jwt_algorithm_kind(0), 0);
  assert_null(mcpi_jwt_algorithm_name(0));
}

JWT_TEST(other_algorithms_are_refused) {
  static const char *const headers[] = {"{'alg': 'none'}",
                                        "{'alg': 'None'}",
                                        "{'alg': 'NONE'}",
                                        "{'alg': 'HS256'}",
                                        "{'alg': 'HS384'}",
                                        "{'alg': 'RS384'}",
                                        "{'alg': 'ES512'}",
                                        "{'alg': 'es256'}",
                                        "{'alg': 'Ed25519'}",
                                        "{'alg': ''}",
                                        "{'alg': null}",
                                        "{'alg': ['RS256']}",
                                        "{}",
                                        "{'alg': 1}"};
  mcpi_jwt jwt;
  mcp_error err;
  for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
    assert_int_equal(read_token(token_of(headers[i], "{}", "AAAA"), &jwt, &err),
                     MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "algorithm"));
  }
}

/* The mistake of libraries that take the algorithm from the token: the public
 * key, as its PEM, is the secret. */
JWT_TEST(hs256_with_a_public_key_as_its_secret_is_refused) {
  static const char header[] = "eyJhbGciOiJIUzI1NiJ9.e30"; /* HS256 */
  EVP_PKEY *pkey = EVP_RSA_gen(2048);
  BIO *pem = BIO_new(BIO_s_mem());
  char *secret;
  uint8_t mac[32];
  unsigned len = 0;
  mcpi_buf *text = scratch_buf();
  mcpi_jwt jwt;
  mcp_error err;
  assert_int_equal(PEM_write_bio_PUBKEY(pem, pkey), 1);
  int secret_len = (int)BIO_get_mem_data(pem, &secret);
  HMAC(EVP_sha256(), secret, secret_len, (const uint8_t *)header,
       sizeof(header) - 1, mac, &len);
  mcpi_buf_lit(text, "eyJhbGciOiJIUzI1NiJ9.e30.");
  mcpi_base64url_put(text, mac, len);
  assert_int_equal(read_token(scratch_str(text), &jwt, &err), MCP_ERR_INVALID);
  BIO_free(pem);
  EVP_PKEY_free(pkey);
}

JWT_TEST(a_kid_and_a_typ_are_strings) {
  static const char *const headers[] = {
      "{'alg': 'ES256', 'kid': 1}", "{'alg': 'ES256', 'kid': null}",
      "{'alg': 'ES256', 'kid': 'a\\u0000'}", "{'alg': 'ES256', 'typ': ['JWT']}",
      "{'alg': 'ES256', 'typ': false}"};
  mcpi_jwt jwt;
  mcp_error err;
  for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
    assert_int_equal(read_token(token_of(headers[i], "{}", "AAAA"), &jwt, &err),
                     MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "kid"));
  }
}

JWT_TEST(critical_extensions_are_refused) {
  mcpi_jwt jwt;
  mcp_error err;
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256', 'crit': ['b64'], 'b64': false}",
                          "{}", "AAAA"),
                 &jwt, &err),
      MCP_ERR_INVALID);
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256', 'crit': null}", "{}", "AAAA"), &jwt,
                 &err),
      MCP_ERR_INVALID);
}

JWT_TEST(a_token_has_three_parts) {
  static const char *const texts[] = {
      "", "eyJhbGciOiJFUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9.e30",
      "eyJhbGciOiJFUzI1NiJ9.e30.AAAA.", "a.b.c.d.e"};
  mcpi_jwt jwt;
  mcp_error err;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(read_token(texts[i], &jwt, &err), MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "three parts"));
  }
}

JWT_TEST(broken_tokens_are_refused_without_being_quoted) {
  static const char *const texts[] = {"",
                                      "secret",
                                      ".",
                                      "..",
                                      "...",
                                      "secret.secret",
                                      "eyJhbGciOiJFUzI1NiJ9..AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.AAAA.",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.AAAA.AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9=.e30.AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.AAA=",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.AAB",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.A",
                                      "eyJhbGciOiJFUzI1NiJ9.e30.AA A",
                                      " eyJhbGciOiJFUzI1NiJ9.e30.AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9.e30+.AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9.W10.AAAA",
                                      "W10.e30.AAAA",
                                      "eyJhbGciOiJFUzI1NiJ9.c2VjcmV0.AAAA"};
  mcpi_jwt jwt;
  mcp_error err;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    if (read_token(texts[i], &jwt, &err) != MCP_ERR_INVALID) {
      fail_msg("%s", texts[i]);
    }
    assert_null(strstr(err.message, "secret"));
    assert_null(strstr(err.message, "eyJ"));
  }
}

JWT_TEST(members_that_occur_twice_are_refused) {
  mcpi_jwt jwt;
  mcp_error err;
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256', 'alg': 'ES256'}", "{}", "AAAA"),
                 &jwt, &err),
      MCP_ERR_INVALID);
  assert_int_equal(read_token(token_of("{'alg': 'ES256'}",
                                       "{'a': {'sub': 1, 'sub': 2}}", "AAAA"),
                              &jwt, &err),
                   MCP_ERR_INVALID);
}

JWT_TEST(a_token_has_a_limit) {
  mcpi_jwt jwt;
  mcp_error err;
  for (size_t len = MCPI_JWT_MAX; len <= MCPI_JWT_MAX + 1; len++) {
    mcpi_buf *out = scratch_buf();
    mcpi_buf_puts(out, MCPI_STR("eyJhbGciOiJFUzI1NiJ9.e30."));
    while (out->len < len) {
      mcpi_buf_putc(out, 'A');
    }
    assert_int_equal(read_token(scratch_str(out), &jwt, &err), MCP_ERR_INVALID);
    /* At the limit only the signature is too long. */
    assert_int_equal(strstr(err.message, "16 KB") != NULL, len > MCPI_JWT_MAX);
  }
}

/* A token of just this length, whose claims fill it up. */
static char *token_of_length(size_t len) {
  size_t claims_len = (len - strlen("eyJhbGciOiJFUzI1NiJ9..AAAA")) / 4 * 3;
  mcpi_buf *claims = scratch_buf();
  mcpi_buf_lit(claims, "{");
  while (claims->len + 1 < claims_len) {
    mcpi_buf_putc(claims, ' ');
  }
  mcpi_buf_lit(claims, "}");
  return token_of("{\"alg\":\"ES256\"}", scratch_str(claims), "AAAA");
}

JWT_TEST(a_token_may_be_as_long_as_the_limit) {
  char *text = token_of_length(MCPI_JWT_MAX);
  mcpi_jwt jwt;
  mcp_error err;
  assert_in_range(strlen(text), MCPI_JWT_MAX - 3, MCPI_JWT_MAX);
  assert_int_equal(read_token(text, &jwt, &err), 0);
  mcpi_jwt_deinit(&jwt);
  assert_int_equal(read_token(token_of_length(MCPI_JWT_MAX + 4), &jwt, &err),
                   MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "16 KB"));
}

JWT_TEST(a_part_has_limits) {
  mcpi_jwt jwt;
  mcp_error err;
  char *deep = scratch_repeat("{'a':", "[", 16, "]]]]]]]]]]]]]]]]}");
  char *fine = scratch_repeat("{'a':", "[", 15, "]]]]]]]]]]]]]]]}");
  char *many = scratch_repeat("{'a':[0", ",0", 1100, "]}");
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256'}", fine, "AAAA"), &jwt, &err), 0);
  mcpi_jwt_deinit(&jwt);
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256'}", deep, "AAAA"), &jwt, &err),
      MCP_ERR_INVALID);
  assert_int_equal(
      read_token(token_of("{'alg': 'ES256'}", many, "AAAA"), &jwt, &err),
      MCP_ERR_INVALID);
}

/* --- claims --------------------------------------------------------------- */

JWT_TEST(times_are_numbers_of_seconds) {
  static const struct {
    const char *claims;
    int rc;
    int64_t ms;
  } cases[] = {{"{'exp': 1300819380}", 0, INT64_C(1300819380000)},
               {"{'exp': 1.5}", 0, 1500},
               {"{'exp': 0}", 0, 0},
               {"{'exp': 1e11}", 0, INT64_C(100000000000000)},
               {"{}", MCP_ERR_NOT_FOUND, 0},
               {"{'exp': null}", MCP_ERR_INVALID, 0},
               {"{'exp': '1300819380'}", MCP_ERR_INVALID, 0},
               {"{'exp': -1}", MCP_ERR_INVALID, 0},
               {"{'exp': 999999999999.999}", 0, INT64_C(999999999999999)},
               {"{'exp': 1e12}", MCP_ERR_INVALID, 0},
               {"{'exp': 9223372036854775807}", MCP_ERR_INVALID, 0},
               {"{'exp': 18446744073709551616}", MCP_ERR_INVALID, 0},
               {"{'exp': [1]}", MCP_ERR_INVALID, 0},
               {"{'exp': 1e300}", MCP_ERR_INVALID, 0},
               {"{'exp': 1e400}", MCP_ERR_INVALID, 0},
               {"{'exp': true}", MCP_ERR_INVALID, 0}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    int64_t ms = 7;
    assert_int_equal(mcpi_jwt_time(scratch_json(cases[i].claims), "exp", &ms),
                     cases[i].rc);
    assert_true(ms == (cases[i].rc == 0 ? cases[i].ms : 7));
  }
}

JWT_TEST(an_audience_is_a_string_or_one_of_several) {
  static const struct {
    const char *claims;
    int has;
  } cases[] = {{"{'aud': 'a'}", 1},         {"{'aud': ['b', 'a']}", 1},
               {"{'aud': ['b', 1]}", 0},    {"{'aud': []}", 0},
               {"{'aud': 'A'}", 0},         {"{'aud': 'a '}", 0},
               {"{'aud': {'a': 'a'}}", 0},  {"{}", 0},
               {"{'aud': ['a\\u0000']}", 0}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(mcpi_jwt_has_audience(scratch_json(cases[i].claims), "a"),
                     cases[i].has);
  }
}

/* --- signing -------------------------------------------------------------- */

JWT_TEST(a_signed_token_is_verified_by_its_key_alone) {
  static const uint32_t kinds[] = {MCP_KEY_P256, MCP_KEY_ED25519};
  static const uint32_t algorithms[] = {MCP_SIGN_ES256, MCP_SIGN_EDDSA};
  static const char *const headers[] = {"{\"alg\":\"ES256\"}",
                                        "{\"alg\":\"EdDSA\"}"};
  for (size_t i = 0; i < 2; i++) {
    mcpi_buf *text = scratch_buf();
    mcp_key *key = make_key(kinds[i]);
    mcp_key *other = make_key(kinds[i]);
    mcp_key *wrong = make_key(kinds[1 - i]);
    mcpi_jwt jwt;
    mcp_error err;
    mcpi_buf_lit(text, "before ");
    assert_int_equal(mcpi_jwt_put(text, loop, key, algorithms[i],
                                  mcpi_str_z(headers[i]),
                                  MCPI_STR("{\"a\":1}")),
                     0);
    assert_int_equal(read_token(scratch_str(text) + 7, &jwt, &err), 0);
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, key), 0);
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, other), MCP_ERR_REFUSED);
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, wrong), MCP_ERR_REFUSED);
    mcpi_jwt_deinit(&jwt);
    assert_int_equal(mcpi_jwt_put(text, loop, wrong, algorithms[i],
                                  mcpi_str_z(headers[i]), MCPI_STR("{}")),
                     MCP_ERR_INVALID);
    free_key(key);
    free_key(other);
    free_key(wrong);
  }
}

/* --- examples of the RFCs ------------------------------------------------- */

/* Reads the key, and checks that it made the signature, and that no other
 * signature is right. */
static void assert_signed(const char *jwk, mcpi_jwt *jwt) {
  mcp_key *key = NULL;
  assert_int_equal(mcpi_jwk_read(loop, scratch_json(jwk), &key), 0);
  assert_int_equal(mcpi_jwt_verify(jwt, loop, key), 0);
  jwt->signature[jwt->signature_len - 1] ^= 1;
  assert_int_equal(mcpi_jwt_verify(jwt, loop, key), MCP_ERR_REFUSED);
  jwt->signature[jwt->signature_len - 1] ^= 1;
  jwt->signature_len--;
  assert_int_equal(mcpi_jwt_verify(jwt, loop, key), MCP_ERR_REFUSED);
  jwt->signature_len++;
  jwt->signed_part.len--;
  assert_int_equal(mcpi_jwt_verify(jwt, loop, key), MCP_ERR_REFUSED);
  free_key(key);
}

static void assert_example(const char *jwk, const char *text) {
  mcpi_jwt jwt;
  mcp_error err;
  int64_t ms;
  assert_int_equal(read_token(text, &jwt, &err), 0);
  assert_int_equal(mcpi_jwt_time(mcp_doc_root(jwt.claims), "exp", &ms), 0);
  assert_true(ms == INT64_C(1300819380000));
  assert_signed(jwk, &jwt);
  mcpi_jwt_deinit(&jwt);
}

#define EXAMPLE_CLAIMS                                                         \
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvb"  \
  "S9pc19yb290Ijp0cnVlfQ"

JWT_TEST(the_example_of_rs256_is_verified) { /* RFC 7515, A.2 */
  assert_example(
      "{'kty': 'RSA', 'e': 'AQAB', 'n': "
      "'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4"
      "qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ4"
      "7soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEM"
      "a2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmo"
      "udF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ'}",
      "eyJhbGciOiJSUzI1NiJ9." EXAMPLE_CLAIMS
      ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm"
      "4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_"
      "nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6"
      "_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8n"
      "p6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
}

#define EXAMPLE_EC                                                             \
  "'kty': 'EC', 'crv': 'P-256', "                                              \
  "'x': 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', "                       \
  "'y': 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'"

JWT_TEST(the_example_of_es256_is_verified) { /* RFC 7515, A.3 */
  assert_example("{" EXAMPLE_EC "}",
                 "eyJhbGciOiJFUzI1NiJ9." EXAMPLE_CLAIMS
                 ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8"
                 "ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
}

/* Its text is not a JSON object, so mcpi_jwt_read refuses it. */
JWT_TEST(the_example_of_eddsa_is_verified) { /* RFC 8037, A.4 */
  static const char text[] =
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
  mcpi_jwt jwt = {.algorithm = MCP_SIGN_EDDSA,
                  .signed_part = mcpi_str_z(text),
                  .signature_len = 64};
  mcpi_buf *signature = scratch_buf();
  mcpi_base64url_decode(
      signature, MCPI_STR("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR"
                          "4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"));
  assert_int_equal(signature->len, 64);
  memcpy(jwt.signature, signature->data, 64);
  assert_signed("{'kty': 'OKP', 'crv': 'Ed25519', "
                "'x': '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'}",
                &jwt);
}

/* A key of the token's own choice: it is in the header, and the signature is
 * right with it. */
JWT_TEST(a_key_in_the_header_is_not_used) {
  mcp_key *own = make_key(MCP_KEY_P256);
  mcp_key *trusted = make_key(MCP_KEY_P256);
  mcpi_buf *text = scratch_buf();
  mcpi_jwt jwt;
  mcp_error err;
  mcp_builder *header = scratch_builder();
  mcp_builder_object(header, NULL);
  mcp_builder_string(header, "alg", "ES256");
  mcp_builder_string(header, "jku", "https://evil.example/keys");
  mcp_builder_string(header, "x5u", "https://evil.example/chain");
  mcpi_jwk_write(loop, own, header, "jwk");
  mcp_builder_array(header, "x5c");
  mcp_builder_end(header);
  mcp_builder_end(header);
  assert_int_equal(mcpi_jwt_put(text, loop, own, MCP_SIGN_ES256,
                                mcpi_str_z(mcp_builder_text(header, NULL)),
                                MCPI_STR("{}")),
                   0);
  assert_int_equal(read_token(scratch_str(text), &jwt, &err), 0);
  assert_int_equal(mcpi_jwt_verify(&jwt, loop, trusted), MCP_ERR_REFUSED);
  mcpi_jwt_deinit(&jwt);
  free_key(own);
  free_key(trusted);
}

static mcp_key *make_rsa(void) {
  EVP_PKEY *pkey = EVP_RSA_gen(2048);
  BIO *bio = BIO_new(BIO_s_mem());
  const mcp_platform *platform = &loop->platform;
  char *pem;
  mcp_key *key = NULL;
  assert_int_equal(
      PEM_write_bio_PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL), 1);
  size_t len = (size_t)BIO_get_mem_data(bio, &pem);
  assert_int_equal(
      platform->crypto->key_from_pem(platform->userdata, pem, len, &key), 0);
  BIO_free(bio);
  EVP_PKEY_free(pkey);
  return key;
}

/* One key fits both, but a signature is only for one. */
JWT_TEST(rs256_and_ps256_are_not_the_same) {
  static const uint32_t algorithms[] = {MCP_SIGN_RS256, MCP_SIGN_PS256};
  static const char *const headers[] = {"{\"alg\":\"RS256\"}",
                                        "{\"alg\":\"PS256\"}"};
  mcp_key *key = make_rsa();
  for (size_t i = 0; i < 2; i++) {
    mcpi_buf *text = scratch_buf();
    mcpi_jwt jwt;
    mcp_error err;
    assert_int_equal(mcpi_jwt_put(text, loop, key, algorithms[i],
                                  mcpi_str_z(headers[i]), MCPI_STR("{}")),
                     0);
    assert_int_equal(read_token(scratch_str(text), &jwt, &err), 0);
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, key), 0);
    jwt.algorithm = algorithms[1 - i];
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, key), MCP_ERR_REFUSED);
    jwt.algorithm = MCP_SIGN_ES256;
    assert_int_equal(mcpi_jwt_verify(&jwt, loop, key), MCP_ERR_REFUSED);
    mcpi_jwt_deinit(&jwt);
  }
  free_key(key);
}

JWT_TEST(random_texts_have_the_length_that_is_asked_for) {
  char a[MCPI_RANDOM_TEXT_SIZE];
  char b[MCPI_RANDOM_TEXT_SIZE];
  assert_int_equal(mcpi_random_text(loop, 32, a), 0);
  assert_int_equal(mcpi_random_text(loop, 32, b), 0);
  assert_int_equal(strlen(a), 43);
  assert_string_not_equal(a, b);
  assert_int_equal(mcpi_random_text(loop, 16, a), 0);
  assert_int_equal(strlen(a), 22);
}

static int read_one(const mcp_allocator *allocator, void *userdata) {
  mcpi_jwt jwt;
  mcp_error err;
  int rc = mcpi_jwt_read(&jwt, mcpi_str_z(userdata), allocator, &err);
  if (rc == 0) {
    mcpi_jwt_deinit(&jwt);
  }
  return rc;
}

JWT_TEST(failures_are_survived) {
  failing_alloc_rerun_least(
      5, read_one, token_of("{'alg': 'ES256'}", "{'sub': 's'}", "AAAA"));
}
