/* SPDX-License-Identifier: MIT */
#include "auth/dpop.h"

#include "base/base64.h"

#include "support/cm.h"
#include "support/dpop_check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <stdio.h>

enum { WINDOW_MS = 300000 };

#define URL "https://example.com/mcp"

static mcp_loop *loop;
static mcp_key *key;

static int set_up(void **state) {
  loop = mcp_loop_new(NULL, NULL);
  const mcp_platform *platform = &loop->platform;
  return platform->crypto->key_generate(platform->userdata, MCP_KEY_P256, &key);
}

static int tear_down(void **state) {
  loop->platform.crypto->key_free(loop->platform.userdata, key);
  scratch_teardown(state);
  mcp_loop_free(loop);
  return 0;
}

#define DPOP_TEST(name) TEST_WITH(name, set_up, tear_down)

static mcpi_dpop_claims request(void) {
  return (mcpi_dpop_claims){.method = "POST",
                            .url = MCPI_STR(URL),
                            .access_token = MCPI_STR("token")};
}

static int check(const char *proof, const mcpi_dpop_claims *claims,
                 mcpi_dpop_proof *out, mcp_error *err) {
  return dpop_check(out, loop, mcpi_str_z(proof), claims, WINDOW_MS, err);
}

static const char *make(const mcpi_dpop_claims *claims) {
  mcpi_buf *to = scratch_buf();
  assert_int_equal(mcpi_dpop_put(to, loop, key, claims), 0);
  return scratch_str(to);
}

static void assert_refused(const char *proof, const mcpi_dpop_claims *claims,
                           const char *why) {
  mcpi_dpop_proof out;
  mcp_error err;
  assert_int_equal(check(proof, claims, &out, &err), MCP_ERR_INVALID);
  if (strstr(err.message, why) == NULL) {
    fail_msg("%s: %s", why, err.message);
  }
  assert_null(strstr(err.message, "eyJ"));
  assert_non_null(strstr(err.message, "DPoP proof"));
}

/* --- what we make --------------------------------------------------------- */

DPOP_TEST(a_proof_is_accepted_for_its_request) {
  mcpi_dpop_claims claims = request();
  mcpi_dpop_proof a;
  mcpi_dpop_proof b;
  mcp_error err;
  char print[MCPI_THUMBPRINT_SIZE];
  claims.url = MCPI_STR(URL "?query#fragment");
  claims.nonce = "n";
  assert_int_equal(check(make(&claims), &claims, &a, &err), 0);
  assert_int_equal(check(make(&claims), &claims, &b, &err), 0);
  assert_int_equal(mcpi_jwk_thumbprint(loop, key, print), 0);
  assert_string_equal(a.thumbprint, print);
  assert_string_equal(a.nonce, "n");
  assert_string_not_equal(a.jti_hash, b.jti_hash);
  mcpi_dpop_proof_deinit(&a, mcp_allocator_default());
  mcpi_dpop_proof_deinit(&b, mcp_allocator_default());
}

DPOP_TEST(a_proof_for_another_request_is_refused) {
  mcpi_dpop_claims claims = request();
  const char *proof = make(&claims);
  claims.method = "GET";
  assert_refused(proof, &claims, "htm");
  claims = request();
  claims.url = MCPI_STR("https://example.com/other");
  assert_refused(proof, &claims, "htu");
  claims.url = MCPI_STR("https://evil.example/mcp");
  assert_refused(proof, &claims, "htu");
  claims = request();
  claims.access_token = MCPI_STR("other");
  assert_refused(proof, &claims, "ath");
}

DPOP_TEST(a_proof_without_a_token_is_not_for_one) {
  mcpi_dpop_claims claims = request();
  mcpi_dpop_proof out;
  mcp_error err;
  claims.access_token = mcpi_str_z(NULL);
  const char *proof = make(&claims);
  assert_int_equal(check(proof, &claims, &out, &err), 0);
  assert_null(out.nonce);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  claims = request();
  assert_refused(proof, &claims, "ath");
}

DPOP_TEST(ed25519_makes_proofs_too) {
  const mcp_platform *platform = &loop->platform;
  mcpi_dpop_claims claims = request();
  mcpi_dpop_proof out;
  mcp_error err;
  platform->crypto->key_free(platform->userdata, key);
  platform->crypto->key_generate(platform->userdata, MCP_KEY_ED25519, &key);
  assert_int_equal(check(make(&claims), &claims, &out, &err), 0);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
}

/* --- what others make ----------------------------------------------------- */

/* A text in which a value stands for the @, if there is one. */
static char *filled(const char *text, const char *value) {
  char *quoted = scratch_quoted(text);
  char *at = strchr(quoted, '@');
  if (at == NULL) {
    return quoted;
  }
  *at = '\0';
  return scratch_join(quoted, value, at + 1);
}

/* A proof with these members: @ in the header stands for our public key, and in
 * the claims for the time in seconds. */
static const char *forge(const char *header, const char *claims, int64_t at_s) {
  char seconds[24];
  mcp_builder *builder = scratch_builder();
  mcpi_buf *to = scratch_buf();
  mcpi_jwk_write(loop, key, builder, NULL);
  snprintf(seconds, sizeof(seconds), "%lld", (long long)at_s);
  header = filled(header, mcp_builder_text(builder, NULL));
  assert_int_equal(mcpi_jwt_put(to, loop, key, MCP_SIGN_ES256,
                                mcpi_str_z(header),
                                mcpi_str_z(filled(claims, seconds))),
                   0);
  return scratch_str(to);
}

static int64_t now_s(void) {
  return mcpi_loop_wall(loop) / 1000;
}

#define HEADER "{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': @}"
#define CLAIMS "{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': @}"

static mcpi_dpop_claims bare(void) {
  return (mcpi_dpop_claims){.method = "POST", .url = MCPI_STR(URL)};
}

DPOP_TEST(the_time_must_be_in_the_window) {
  mcpi_dpop_claims claims = bare();
  mcpi_dpop_proof out;
  mcp_error err;
  assert_int_equal(
      check(forge(HEADER, CLAIMS, now_s() - 290), &claims, &out, &err), 0);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  assert_int_equal(
      check(forge(HEADER, CLAIMS, now_s() + 290), &claims, &out, &err), 0);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  assert_refused(forge(HEADER, CLAIMS, now_s() - 310), &claims, "iat");
  assert_refused(forge(HEADER, CLAIMS, now_s() + 310), &claims, "iat");
  assert_refused(
      forge(HEADER, "{'jti': 'j', 'htm': 'POST', 'htu': '" URL "'}", 0),
      &claims, "iat");
}

DPOP_TEST(wrong_headers_are_refused) {
  static const struct {
    const char *header;
    const char *why;
  } cases[] = {
      {"{'typ': 'JWT', 'alg': 'ES256', 'jwk': @}", "typ"},
      {"{'typ': 'DPOP+JWT', 'alg': 'ES256', 'jwk': @}", "typ"},
      {"{'alg': 'ES256', 'jwk': @}", "typ"},
      {"{'typ': 'dpop+jwt', 'alg': 'none', 'jwk': @}", "not a valid JWT"},
      {"{'typ': 'dpop+jwt', 'alg': 'HS256', 'jwk': @}", "not a valid JWT"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256'}", "jwk"},
      {"{'typ': 'dpop+jwt', 'alg': 'EdDSA', 'jwk': @}", "signature"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': @, 'crit': []}", "crit"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': @, 'alg': 'ES256'}",
       "not a valid JWT"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': [@]}", "not supported"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': 'a'}", "not supported"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jku': 'https://evil.example/', "
       "'kid': 'a'}",
       "jwk"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': "
       "{'kty': 'oct', 'k': 'AAAA'}}",
       "jwk"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': {'kty': 'oct'}}",
       "not supported"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': {'kty': 'OKP', 'crv': "
       "'Ed25519', 'x': '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'd': "
       "'x'}}",
       "jwk"},
      {"{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': {'kty': 'EC', 'crv': "
       "'P-256', 'x': 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', 'y': "
       "'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'}}",
       "signature"}};
  mcpi_dpop_claims claims = bare();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_refused(forge(cases[i].header, CLAIMS, now_s()), &claims,
                   cases[i].why);
  }
}

/* A public key with one member more. */
static char *key_with(const char *member) {
  mcp_builder *builder = scratch_builder();
  mcpi_jwk_write(loop, key, builder, NULL);
  char *jwk = scratch_join(mcp_builder_text(builder, NULL), "", "");
  jwk[strlen(jwk) - 1] = '\0';
  return scratch_join(
      scratch_join("{'typ': 'dpop+jwt', 'alg': 'ES256', 'jwk': ", jwk, ", "),
      member, "}}");
}

DPOP_TEST(a_key_that_is_not_just_public_is_refused) {
  static const char *const names[] = {"d",  "p",  "q", "dp",
                                      "dq", "qi", "k", "oth"};
  mcpi_dpop_claims claims = bare();
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char *member = scratch_join("'", names[i], "': ''");
    assert_refused(forge(key_with(member), CLAIMS, now_s()), &claims,
                   "public key");
  }
}

DPOP_TEST(a_key_may_name_the_algorithm_of_the_proof_alone) {
  mcpi_dpop_claims claims = bare();
  mcpi_dpop_proof out;
  mcp_error err;
  assert_int_equal(
      check(forge(key_with("'alg': 'ES256', 'use': 'sig'"), CLAIMS, now_s()),
            &claims, &out, &err),
      0);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  assert_refused(forge(key_with("'alg': 'RS256'"), CLAIMS, now_s()), &claims,
                 "another algorithm");
  assert_refused(forge(key_with("'use': 'enc'"), CLAIMS, now_s()), &claims,
                 "not supported");
}

/* A header with an RSA key of this length. */
static const char *rsa_header(size_t bits, const char *exponent) {
  uint8_t modulus[8192 / 8];
  mcpi_buf *header = scratch_buf();
  memset(modulus, 0xff, bits / 8);
  mcpi_buf_lit(header, "{'typ': 'dpop+jwt', 'alg': 'RS256', 'jwk': "
                       "{'kty': 'RSA', 'n': '");
  mcpi_base64url_put(header, modulus, bits / 8);
  mcpi_buf_lit(header, "', 'e': '");
  mcpi_buf_puts(header, mcpi_str_z(exponent));
  mcpi_buf_lit(header, "'}}");
  return scratch_str(header);
}

DPOP_TEST(a_key_that_makes_the_check_slow_is_refused) {
  mcpi_dpop_claims claims = bare();
  assert_refused(forge(rsa_header(4096, "AQAB"), CLAIMS, now_s()), &claims,
                 "signature");
  assert_refused(forge(rsa_header(4096 + 8, "AQAB"), CLAIMS, now_s()), &claims,
                 "not supported");
  assert_refused(forge(rsa_header(8192, "AQAB"), CLAIMS, now_s()), &claims,
                 "not supported");
  assert_refused(forge(rsa_header(2048, "_____w"), CLAIMS, now_s()), &claims,
                 "not supported");
}

DPOP_TEST(a_proof_that_was_changed_is_refused) {
  mcpi_dpop_claims claims = bare();
  char *proof = scratch_join(forge(HEADER, CLAIMS, now_s()), "", "");
  char *last = proof + strlen(proof) - 2; /* all its bits count */
  *last = *last == 'A' ? 'B' : 'A';
  assert_refused(proof, &claims, "signature");
}

DPOP_TEST(wrong_claims_are_refused) {
  static const struct {
    const char *claims;
    const char *why;
  } cases[] = {
      {"{'htm': 'POST', 'htu': '" URL "', 'iat': @}", "jti"},
      {"{'jti': '', 'htm': 'POST', 'htu': '" URL "', 'iat': @}", "jti"},
      {"{'jti': 1, 'htm': 'POST', 'htu': '" URL "', 'iat': @}", "jti"},
      {"{'jti': 'j\\u0000', 'htm': 'POST', 'htu': '" URL "', 'iat': @}", "jti"},
      {"{'jti': 'j', 'htu': '" URL "', 'iat': @}", "htm"},
      {"{'jti': 'j', 'htm': 'post', 'htu': '" URL "', 'iat': @}", "htm"},
      {"{'jti': 'j', 'htm': 'POST', 'iat': @}", "htu"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '/mcp', 'iat': @}", "htu"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': 1, 'iat': @}", "htu"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "\\u0000', 'iat': @}", "htu"},
      {"{'jti': 'j', 'htm': ['POST'], 'htu': '" URL "', 'iat': @}", "htm"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': '@'}", "iat"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': 1e300}", "iat"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': -1}", "iat"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': @, 'nonce': 1}",
       "nonce"},
      {"{'jti': 'j', 'htm': 'POST', 'htu': '" URL "', 'iat': @, "
       "'nonce': 'a\\u0000'}",
       "nonce"},
      {"{'jti': 'j', 'jti': 'k', 'htm': 'POST', 'htu': '" URL "', 'iat': @}",
       "not a valid JWT"}};
  mcpi_dpop_claims claims = bare();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_refused(forge(HEADER, cases[i].claims, now_s()), &claims,
                   cases[i].why);
  }
}

DPOP_TEST(an_id_has_a_limit) {
  mcpi_dpop_claims claims = bare();
  mcpi_dpop_proof out;
  mcp_error err;
  for (size_t len = 1024; len <= 1025; len++) {
    char *long_claims = scratch_repeat("{'jti': '", "a", len, "");
    long_claims = scratch_join(long_claims, "",
                               "', 'htm': 'POST', 'htu': '" URL "', 'iat': @}");
    const char *proof = forge(HEADER, long_claims, now_s());
    assert_int_equal(check(proof, &claims, &out, &err),
                     len == 1024 ? 0 : MCP_ERR_INVALID);
  }
}

DPOP_TEST(rubbish_is_refused) {
  mcpi_dpop_claims claims = bare();
  assert_refused("", &claims, "not a valid JWT");
  assert_refused("a.b.c", &claims, "not a valid JWT");
  claims.method = "GET";
  const char *two = scratch_join(make(&claims), ", ", make(&claims));
  assert_refused(two, &claims, "exactly one");
}

DPOP_TEST(a_text_that_is_not_utf_8_is_not_signed) {
  mcpi_dpop_claims claims = bare();
  mcpi_buf *to = scratch_buf();
  claims.nonce = "\xff";
  assert_int_equal(mcpi_dpop_put(to, loop, key, &claims), MCP_ERR_INVALID);
  assert_int_equal(to->len, 0);
}

/* --- the examples of RFC 9449 --------------------------------------------- */

#define EXAMPLE_HEADER                                                         \
  "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6I"  \
  "mw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNG"  \
  "pmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In1"  \
  "9"

/* A loop with this time, and the crypto of the other. */
static mcp_loop *loop_at(int64_t wall_s) {
  const mcp_platform platform = {.size = sizeof(platform),
                                 .crypto = loop->platform.crypto};
  mcp_loop *then = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_loop_advance(then, 0, wall_s * 1000);
  return then;
}

/* The proof is valid at its time, up to the millisecond. */
static void assert_example(const char *proof, const mcpi_dpop_claims *claims,
                           int64_t wall_s) {
  mcp_loop *then = loop_at(wall_s);
  mcpi_dpop_proof out;
  mcp_error err;
  assert_int_equal(dpop_check(&out, then, mcpi_str_z(proof), claims, 0, &err),
                   0);
  assert_string_equal(out.thumbprint,
                      "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
  assert_true(out.iat_ms == wall_s * 1000);
  mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  for (int64_t off_ms = -1000; off_ms <= 1000; off_ms += 2000) {
    mcp_loop_advance(then, 0, wall_s * 1000 + off_ms);
    assert_int_equal(
        dpop_check(&out, then, mcpi_str_z(proof), claims, 999, &err),
        MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "iat"));
    assert_int_equal(
        dpop_check(&out, then, mcpi_str_z(proof), claims, 1000, &err), 0);
    mcpi_dpop_proof_deinit(&out, mcp_allocator_default());
  }
  mcp_loop_free(then);
}

DPOP_TEST(the_example_at_the_token_endpoint_is_valid) {
  const mcpi_dpop_claims claims = {
      .method = "POST", .url = MCPI_STR("https://server.example.com/token")};
  assert_example(
      EXAMPLE_HEADER
      ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi"
      "8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP"
      "4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xR"
      "ZT3Lg",
      &claims, 1562262616);
}

DPOP_TEST(the_example_at_the_resource_is_valid) {
  const mcpi_dpop_claims claims = {
      .method = "GET",
      .url = MCPI_STR("https://resource.example.org/protectedresource"),
      .access_token = MCPI_STR("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")};
  assert_example(
      EXAMPLE_HEADER
      ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly"
      "9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2M"
      "jYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFF"
      "byJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy"
      "1dqd-jfxSYoMxhAJpLjA",
      &claims, 1562262618);
}

DPOP_TEST(without_crypto_no_proof_is_checked) {
  const mcp_platform platform = {.size = sizeof(platform)};
  mcp_loop *without = mcp_loop_new_manual(&platform, NULL, NULL);
  mcpi_dpop_claims claims = bare();
  mcpi_dpop_proof out;
  mcp_error err;
  assert_int_equal(
      dpop_check(&out, without, MCPI_STR("a"), &claims, WINDOW_MS, &err),
      MCP_ERR_PLATFORM);
  mcp_loop_free(without);
}

static int make_and_check(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {0};
  const mcp_loop_options options = {.size = sizeof(options),
                                    .allocator = allocator};
  mcp_loop *own = mcp_loop_new(&options, &err);
  mcpi_dpop_claims claims = request();
  mcpi_dpop_proof out;
  mcpi_buf proof;
  claims.nonce = "n";
  if (own == NULL) {
    return err.code;
  }
  mcpi_buf_init(&proof, allocator, SIZE_MAX);
  int rc = mcpi_dpop_put(&proof, own, key, &claims);
  if (rc == 0) {
    rc = dpop_check(&out, own, mcpi_buf_str(&proof), &claims, WINDOW_MS, &err);
  }
  if (rc == 0) {
    mcpi_dpop_proof_deinit(&out, allocator);
  }
  mcpi_buf_deinit(&proof);
  mcp_loop_free(own);
  return rc;
}

DPOP_TEST(failures_are_survived) {
  failing_alloc_rerun_least(10, make_and_check, NULL);
}
