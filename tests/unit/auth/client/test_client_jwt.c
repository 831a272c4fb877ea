/* SPDX-License-Identifier: MIT */
#include "auth/client/client_jwt.h"

#include "auth/jwt.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/flow_rig.h"
#include "support/scratch.h"

static flow_rig rig;

static int set_up(void **state) {
  return flow_rig_init(&rig, NULL);
}

static int tear_down(void **state) {
  scratch_teardown(state);
  flow_rig_deinit(&rig);
  return 0;
}

#define JWT_TEST(name) TEST_WITH(name, set_up, tear_down)

static int make(const char *key, const char *algorithm, mcpi_buf *to,
                mcp_error *err) {
  rig.options.private_key = key;
  rig.options.key_algorithm = algorithm;
  return mcpi_client_jwt_put(to, rig.loop, &rig.options, "me",
                             "https://as.test", err);
}

/* Makes a JWT and checks its header. */
static void expect_algorithm(const char *key, const char *wanted,
                             uint32_t algorithm) {
  mcpi_buf *text = scratch_buf();
  mcpi_jwt jwt;
  mcp_error err;
  assert_int_equal(make(key, wanted, text, &err), 0);
  assert_int_equal(
      mcpi_jwt_read(&jwt, mcpi_buf_str(text), mcp_allocator_default(), &err),
      0);
  assert_int_equal(jwt.algorithm, algorithm);
  assert_string_equal(jwt.type, "JWT");
  mcpi_jwt_deinit(&jwt);
}

JWT_TEST(the_algorithm_follows_from_the_key) {
  expect_algorithm("key 1", NULL, MCP_SIGN_PS256);
  expect_algorithm("key 2", NULL, MCP_SIGN_ES256);
  expect_algorithm("key 3", NULL, MCP_SIGN_EDDSA);
  expect_algorithm("key 1", "RS256", MCP_SIGN_RS256);
}

JWT_TEST(the_claims_are_those_of_rfc_7523) {
  mcpi_buf *text = scratch_buf();
  mcpi_jwt jwt;
  mcp_error err;
  int64_t iat_ms;
  int64_t exp_ms;
  rig.options.key_id = "my key";
  assert_int_equal(make("key 2", NULL, text, &err), 0);
  assert_int_equal(
      mcpi_jwt_read(&jwt, mcpi_buf_str(text), mcp_allocator_default(), &err),
      0);
  const mcp_json *claims = mcp_doc_root(jwt.claims);
  assert_string_equal(jwt.kid, "my key");
  assert_string_equal(mcp_json_string(mcp_json_get(claims, "iss")), "me");
  assert_string_equal(mcp_json_string(mcp_json_get(claims, "sub")), "me");
  assert_string_equal(mcp_json_string(mcp_json_get(claims, "aud")),
                      "https://as.test");
  assert_int_equal(strlen(mcp_json_string(mcp_json_get(claims, "jti"))), 22);
  assert_int_equal(mcpi_jwt_time(claims, "iat", &iat_ms), 0);
  assert_int_equal(mcpi_jwt_time(claims, "exp", &exp_ms), 0);
  assert_true(iat_ms == 1700000000000);
  assert_true(exp_ms > iat_ms && exp_ms - iat_ms <= 300000);
  mcpi_jwt_deinit(&jwt);
}

JWT_TEST(each_jwt_has_its_own_id) {
  mcpi_buf *a = scratch_buf();
  mcpi_buf *b = scratch_buf();
  mcp_error err;
  assert_int_equal(make("key 2", NULL, a, &err), 0);
  assert_int_equal(make("key 2", NULL, b, &err), 0);
  assert_false(mcpi_str_eq(mcpi_buf_str(a), mcpi_buf_str(b)));
}

JWT_TEST(keys_that_do_not_fit_are_refused) {
  static const struct {
    const char *key;
    const char *algorithm;
    const char *why;
  } cases[] = {{NULL, NULL, "private_key is NULL"},
               {"the-secret", NULL, "private_key is not a key in PEM"},
               {"", NULL, "private_key is not a key in PEM"},
               {"key 2", "RS256", "private_key cannot make signatures RS256"},
               {"key 2", "HS256", "private_key cannot make signatures HS256"},
               {"key 2", "none", "private_key cannot make signatures none"},
               {"key 9", NULL, "private_key cannot make signatures of a kind"}};
  mcp_error err;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_buf *text = scratch_buf();
    assert_int_equal(make(cases[i].key, cases[i].algorithm, text, &err),
                     MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, cases[i].why));
    assert_int_equal(text->len, 0);
  }
}

JWT_TEST(without_random_bytes_there_is_no_jwt) {
  mcp_error err;
  rig.random_result = MCP_ERR_IO;
  assert_int_equal(make("key 2", NULL, scratch_buf(), &err), MCP_ERR_IO);
  assert_int_equal(err.code, MCP_ERR_IO);
}

/* OpenSSL's signature, which the public key verifies. */
TEST(the_signature_is_good) {
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  const mcp_platform *platform = &loop->platform;
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  mcp_key *key = NULL;
  char pem[4096];
  mcpi_buf text;
  mcpi_jwt jwt;
  mcp_error err;
  assert_int_equal(
      platform->crypto->key_generate(platform->userdata, MCP_KEY_P256, &key),
      0);
  assert_int_equal(
      platform->crypto->key_to_pem(platform->userdata, key, pem, sizeof(pem)),
      0);
  options.private_key = pem;
  mcpi_buf_init(&text, &loop->allocator, SIZE_MAX);
  assert_int_equal(
      mcpi_client_jwt_put(&text, loop, &options, "me", "https://as.test", &err),
      0);
  assert_int_equal(
      mcpi_jwt_read(&jwt, mcpi_buf_str(&text), &loop->allocator, &err), 0);
  assert_int_equal(mcpi_jwt_verify(&jwt, loop, key), 0);
  mcpi_jwt_deinit(&jwt);
  mcpi_buf_deinit(&text);
  platform->crypto->key_free(platform->userdata, key);
  mcp_loop_free(loop);
}
