/* SPDX-License-Identifier: MIT */
#include "auth/jwk.h"

#include "base/base64.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <stdio.h>

/* RFC 7638, 3.1. */
#define RSA_N                                                                  \
  "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPF"  \
  "FxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93l"  \
  "qt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHz"  \
  "u6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPks"  \
  "INHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
#define RSA_PRINT "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
/* RFC 8037, A.2 and A.3. */
#define ED_X "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
#define ED_PRINT "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
/* RFC 7515, A.3. */
#define EC_X "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
#define EC_Y "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

#define RSA_KEY "'kty': 'RSA', 'e': 'AQAB', 'n': '" RSA_N "'"
#define EC_KEY "'kty': 'EC', 'crv': 'P-256', 'x': '" EC_X "', 'y': '" EC_Y "'"
#define ED_KEY "'kty': 'OKP', 'crv': 'Ed25519', 'x': '" ED_X "'"

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

#define JWK_TEST(name) TEST_WITH(name, set_up, tear_down)

static void free_key(mcp_key *key) {
  loop->platform.crypto->key_free(loop->platform.userdata, key);
}

static int read_jwk(const char *text, mcp_key **key) {
  *key = NULL;
  return mcpi_jwk_read(loop, scratch_json(text), key);
}

static void assert_thumbprint(const char *text, const char *wanted) {
  char found[MCPI_THUMBPRINT_SIZE];
  mcp_key *key;
  assert_int_equal(read_jwk(text, &key), 0);
  assert_int_equal(mcpi_jwk_thumbprint(loop, key, found), 0);
  assert_string_equal(found, wanted);
  free_key(key);
}

JWK_TEST(thumbprints_are_those_of_the_rfcs) {
  assert_thumbprint("{" RSA_KEY ", 'alg': 'RS256', 'kid': '2011-04-29'}",
                    RSA_PRINT);
  assert_thumbprint("{" ED_KEY ", 'd': 'ignored'}", ED_PRINT);
}

JWK_TEST(a_key_is_written_as_it_was_read) {
  static const char *const texts[] = {
      "{'crv':'P-256','kty':'EC','x':'" EC_X "','y':'" EC_Y "'}",
      "{'e':'AQAB','kty':'RSA','n':'" RSA_N "'}",
      "{'crv':'Ed25519','kty':'OKP','x':'" ED_X "'}"};
  for (size_t i = 0; i < 3; i++) {
    mcp_key *key;
    mcp_builder *builder = scratch_builder();
    assert_int_equal(read_jwk(texts[i], &key), 0);
    mcpi_jwk_write(loop, key, builder, NULL);
    assert_string_equal(mcp_builder_text(builder, NULL),
                        scratch_quoted(texts[i]));
    free_key(key);
  }
}

JWK_TEST(what_is_no_key_for_signatures_is_refused) {
  static const char *const texts[] = {
      "{}",
      "[]",
      "'x'",
      "{'kty': 'oct', 'k': 'AAAA'}",
      "{'kty': 'rsa', 'e': 'AQAB', 'n': '" RSA_N "'}",
      "{" RSA_KEY ", 'use': 'enc'}",
      "{" RSA_KEY ", 'use': 1}",
      "{" RSA_KEY ", 'key_ops': ['encrypt']}",
      "{" RSA_KEY ", 'key_ops': 'verify'}",
      "{'kty': 'RSA', 'e': 'AQAB'}",
      "{'kty': 'RSA', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 'AQAB', 'n': 'AQAB'}",
      "{'kty': 'RSA', 'e': 'AQAB=', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 65537, 'n': '" RSA_N "'}",
      "{'kty': 'EC', 'crv': 'P-384', 'x': '" EC_X "', 'y': '" EC_Y "'}",
      "{'kty': 'EC', 'crv': 'P-256', 'x': '" EC_X "'}",
      "{'kty': 'EC', 'crv': 'P-256', 'x': '" EC_Y "', 'y': '" EC_X "'}",
      "{'kty': 'EC', 'x': '" EC_X "', 'y': '" EC_Y "'}",
      "{'kty': 'RSA', 'e': 'AQ', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 'AQAC', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 'AAEAAQ', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 'AQAAAAAAAAAB', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': '', 'n': '" RSA_N "'}",
      "{'kty': 'RSA', 'e': 'AQAB', 'n': ''}",
      "{" RSA_KEY ", 'alg': 'ES256'}",
      "{" RSA_KEY ", 'alg': 'RSA-OAEP'}",
      "{" RSA_KEY ", 'alg': 'rs256'}",
      "{" RSA_KEY ", 'alg': null}",
      "{" EC_KEY ", 'alg': 'RS256'}",
      "{" EC_KEY ", 'key_ops': []}",
      "{" EC_KEY ", 'use': null}",
      "{'kty': 'EC', 'crv': 'p-256', 'x': '" EC_X "', 'y': '" EC_Y "'}",
      "{'kty': 'OKP', 'crv': 'P-256', 'x': '" EC_X "', 'y': '" EC_Y "'}",
      "{'kty': 'EC', 'crv': 'P-256', 'x': '" EC_X "', 'y': 'AAAA'}",
      "{'kty': 'RSA', 'crv': 'P-256', 'x': '" EC_X "', 'y': '" EC_Y "'}",
      "{'kty': 'OKP', 'crv': 'X25519', 'x': '" ED_X "'}",
      "{'kty': 'OKP', 'crv': 'Ed25519', 'x': 'AAAA'}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    mcp_key *key;
    if (read_jwk(texts[i], &key) != MCP_ERR_INVALID) {
      fail_msg("%s", texts[i]);
    }
  }
}

/* Reads an RSA key whose modulus has this many bits. It is not a product of two
 * primes, but only its size matters here. */
static int read_rsa(size_t bits) {
  uint8_t n[1200] = {0};
  size_t len = (bits + 7) / 8;
  mcpi_buf *text = scratch_buf();
  mcp_key *key;
  n[0] = (uint8_t)(1U << ((bits - 1) % 8));
  n[len - 1] |= 1;
  mcpi_buf_lit(text, "{'kty': 'RSA', 'e': 'AQAB', 'n': '");
  mcpi_base64url_put(text, n, len);
  mcpi_buf_lit(text, "'}");
  int rc = read_jwk(scratch_str(text), &key);
  free_key(key);
  return rc;
}

JWK_TEST(an_rsa_key_has_2048_to_8192_bits) {
  assert_int_equal(read_rsa(1024), MCP_ERR_INVALID);
  assert_int_equal(read_rsa(2047), MCP_ERR_INVALID);
  assert_int_equal(read_rsa(2048), 0);
  assert_int_equal(read_rsa(2049), 0);
  assert_int_equal(read_rsa(8192), 0);
  assert_int_equal(read_rsa(8193), MCP_ERR_INVALID);
}

JWK_TEST(zero_bytes_in_front_of_a_modulus_are_refused) {
  mcp_key *key;
  /* 2056 bits with the zeros, and 2048 without */
  char *n = scratch_repeat("{'kty': 'RSA', 'e': 'AQAB', 'n': 'AIAA", "AAAA", 85,
                           "AB'}");
  assert_int_equal(read_jwk(n, &key), MCP_ERR_INVALID);
}

JWK_TEST(members_that_say_more_do_not_hinder) {
  static const char *const texts[] = {
      "{" EC_KEY ", 'use': 'sig', 'alg': 'ES256', 'key_ops': ['verify']}",
      "{" EC_KEY ", 'key_ops': ['sign', 'verify'], 'x5c': ['AAAA']}",
      "{" EC_KEY ", 'd': 'AAAA', 'x5u': 'https://evil.example/'}"};
  for (size_t i = 0; i < 3; i++) {
    mcp_key *key;
    assert_int_equal(read_jwk(texts[i], &key), 0);
    free_key(key);
  }
}

JWK_TEST(without_crypto_nothing_is_read) {
  const mcp_platform platform = {.size = sizeof(platform)};
  mcp_loop *bare = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_key *key = NULL;
  mcpi_jwks set;
  mcp_error err;
  char hash[MCPI_THUMBPRINT_SIZE];
  assert_int_equal(mcpi_jwk_read(bare, scratch_json("{" EC_KEY "}"), &key),
                   MCP_ERR_PLATFORM);
  assert_int_equal(mcpi_hash_text(bare, MCPI_STR("a"), hash), MCP_ERR_PLATFORM);
  assert_int_equal(mcpi_jwks_read(&set, bare, MCPI_STR("{\"keys\":[]}"), &err),
                   MCP_ERR_PLATFORM);
  assert_non_null(strstr(err.message, "mcp_platform.crypto"));
  mcp_loop_free(bare);
}

/* --- sets ----------------------------------------------------------------- */

static int read_set(const char *text, mcpi_jwks *out, mcp_error *err) {
  return mcpi_jwks_read(out, loop, mcpi_str_z(scratch_quoted(text)), err);
}

JWK_TEST(a_set_keeps_the_keys_that_can_be_used) {
  mcpi_jwks set;
  mcp_error err;
  assert_int_equal(read_set("{'keys': [{" RSA_KEY
                            ", 'kid': 'a', 'alg': 'PS256'}, "
                            "{'kty': 'oct', 'k': 'AAAA', 'kid': 'a'}, 1, null, "
                            "{" RSA_KEY ", 'kid': 'b', 'alg': 'ES256'}, "
                            "{" RSA_KEY ", 'kid': 'c', 'alg': 'HS256'}, "
                            "{" RSA_KEY ", 'kid': 'd', 'alg': 1}, "
                            "{" EC_KEY ", 'kid': 'a'}, {" ED_KEY "}]}",
                            &set, &err),
                   0);
  assert_int_equal(set.count, 3);
  const mcpi_jwk *rsa =
      mcpi_jwks_find(&set, NULL, MCP_SIGN_PS256, MCPI_STR("a"));
  assert_non_null(rsa);
  assert_null(mcpi_jwks_find(&set, rsa, MCP_SIGN_PS256, MCPI_STR("a")));
  assert_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_RS256, MCPI_STR("a")));
  assert_non_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("a")));
  assert_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_EDDSA, MCPI_STR("a")));
  assert_non_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_EDDSA, mcpi_str_z(NULL)));
  mcpi_jwks_deinit(&set);
}

JWK_TEST(a_key_whose_id_is_not_a_string_is_left_out) {
  mcpi_jwks set;
  mcp_error err;
  assert_int_equal(read_set("{'keys': [{" EC_KEY ", 'kid': 1}, "
                            "{" EC_KEY ", 'kid': null}, "
                            "{" EC_KEY ", 'kid': 'a\\u0000'}, "
                            "{" EC_KEY ", 'kid': ''}]}",
                            &set, &err),
                   0);
  assert_int_equal(set.count, 1);
  assert_non_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("")));
  assert_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("a")));
  mcpi_jwks_deinit(&set);
}

JWK_TEST(a_key_without_an_id_is_not_that_of_a_token_with_one) {
  mcpi_jwks set;
  mcp_error err;
  assert_int_equal(read_set("{'keys': [{" EC_KEY "}]}", &set, &err), 0);
  assert_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("a")));
  assert_non_null(mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, mcpi_str_z(NULL)));
  mcpi_jwks_deinit(&set);
}

JWK_TEST(keys_with_one_id_are_all_tried) {
  mcpi_jwks set;
  mcp_error err;
  assert_int_equal(read_set("{'keys': [{" EC_KEY ", 'kid': 'a'}, "
                            "{" EC_KEY ", 'kid': 'a'}]}",
                            &set, &err),
                   0);
  const mcpi_jwk *first =
      mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("a"));
  const mcpi_jwk *second =
      mcpi_jwks_find(&set, first, MCP_SIGN_ES256, MCPI_STR("a"));
  assert_ptr_not_equal(first, second);
  assert_null(mcpi_jwks_find(&set, second, MCP_SIGN_ES256, MCPI_STR("a")));
  mcpi_jwks_deinit(&set);
}

JWK_TEST(what_is_not_a_set_is_not_read) {
  static const char *const texts[] = {
      "",
      "{",
      "[]",
      "{}",
      "<html>secret",
      "{'keys': {}}",
      "{'keys': 1}",
      "{'keys': [], 'keys': []}",
      "{'keys': [], 'a': {'secret': 1, 'secret': 1}}",
      "{'keys': [{" EC_KEY ", 'kty': 'EC'}]}",
      "{'keys': []} secret"};
  mcpi_jwks set;
  mcp_error err;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(read_set(texts[i], &set, &err), MCP_ERR_PARSE);
    assert_null(strstr(err.message, "secret"));
  }
  assert_int_equal(read_set("{'keys': []}", &set, &err), 0);
  assert_int_equal(set.count, 0);
  mcpi_jwks_deinit(&set);
}

static size_t count_of(const char *begin, size_t count) {
  mcpi_jwks set;
  mcp_error err;
  char *text = scratch_repeat(begin, "{" ED_KEY ", 'kid': '@'}, ", count,
                              "{" EC_KEY ", 'kid': 'last'}]}");
  assert_int_equal(read_set(text, &set, &err), 0);
  size_t found = set.count;
  int has_last =
      mcpi_jwks_find(&set, NULL, MCP_SIGN_ES256, MCPI_STR("last")) != NULL;
  assert_int_equal(has_last, count < MCPI_JWKS_MAX);
  mcpi_jwks_deinit(&set);
  return found;
}

JWK_TEST(a_set_has_a_limit) {
  assert_int_equal(count_of("{'keys': [", MCPI_JWKS_MAX - 1), MCPI_JWKS_MAX);
  assert_int_equal(count_of("{'keys': [", MCPI_JWKS_MAX), MCPI_JWKS_MAX);
  /* One that cannot be used counts too. */
  assert_int_equal(count_of("{'keys': [0, ", MCPI_JWKS_MAX), MCPI_JWKS_MAX - 1);
}

static int read_in(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {0};
  const mcp_loop_options options = {.size = sizeof(options),
                                    .allocator = allocator};
  mcp_loop *own = mcp_loop_new(&options, &err);
  mcpi_jwks set;
  char print[MCPI_THUMBPRINT_SIZE];
  int rc = own != NULL ? 0 : err.code;
  if (rc == 0) {
    rc = mcpi_jwks_read(&set, own, mcpi_str_z(userdata), &err);
  }
  if (rc == 0) {
    rc = mcpi_jwk_thumbprint(own, set.keys[0].key, print);
    mcpi_jwks_deinit(&set);
  }
  mcp_loop_free(own);
  return rc;
}

JWK_TEST(failures_are_survived) {
  failing_alloc_rerun_least(
      8, read_in, scratch_quoted("{'keys': [{" EC_KEY ", 'kid': 'a'}]}"));
}
