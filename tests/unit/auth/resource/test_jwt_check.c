/* SPDX-License-Identifier: MIT */
#include "auth/resource/jwt_check.h"

#include "support/cm.h"
#include "support/libmcp/resource_rig.h"
#include <stdio.h>
#include <stdlib.h>

/* Tokens whose issuer has one key are checked by a whole verifier. */
static int open_rig(void **state) {
  resource_rig *rig = resource_rig_new(NULL);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  int rc = resource_rig_open(rig);
  free(jwks);
  rig->options.jwks = NULL;
  *state = rig;
  return rc;
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

/* Takes the token. */
static const char *check_token(resource_rig *rig, char *token) {
  resource_rig_check(rig, "Bearer", token, NULL);
  free(token);
  return resource_rig_result(rig);
}

/* The usual claims with another value of one of them. */
static const char *check_claim(resource_rig *rig, const char *name,
                               const char *json) {
  return check_token(rig,
                     resource_rig_token(rig, resource_rig_claims(name, json)));
}

/* A token with another header, signed as it should be. */
static const char *check_header(resource_rig *rig, const char *header) {
  char *claims = resource_rig_claims(NULL, NULL);
  char *token =
      resource_rig_sign(rig, rig->key, MCP_SIGN_ES256, header, claims);
  free(claims);
  return check_token(rig, token);
}

#define REFUSED(reason) "401 invalid_token: " reason

TEST_WITH(a_good_token_is_accepted, open_rig, close_rig) {
  assert_string_equal(check_claim(*state, NULL, NULL), "ann: read");
}

/* --- who made it, and for whom ------------------------------------------ */

TEST_WITH(another_issuer_is_refused, open_rig, close_rig) {
  const char *refused = REFUSED("the token is of another issuer");
  assert_string_equal(check_claim(*state, "iss", "\"https://evil.example\""),
                      refused);
  assert_string_equal(check_claim(*state, "iss", "\"" RIG_ISSUER "/\""),
                      refused);
  assert_string_equal(check_claim(*state, "iss", "[\"" RIG_ISSUER "\"]"),
                      refused);
  assert_string_equal(check_claim(*state, "iss", NULL), refused);
}

TEST_WITH(another_audience_is_refused, open_rig, close_rig) {
  const char *refused = REFUSED("the token is for another audience");
  assert_string_equal(check_claim(*state, "aud", "\"https://rs.example\""),
                      refused);
  assert_string_equal(check_claim(*state, "aud", "\"" RIG_RESOURCE "//\""),
                      refused);
  assert_string_equal(check_claim(*state, "aud", "[\"a\",7,null]"), refused);
  assert_string_equal(check_claim(*state, "aud", "[]"), refused);
  assert_string_equal(check_claim(*state, "aud", "{}"), refused);
  assert_string_equal(check_claim(*state, "aud", NULL),
                      REFUSED("the token names no audience"));
}

TEST_WITH(the_audience_may_be_one_of_several, open_rig, close_rig) {
  assert_string_equal(
      check_claim(*state, "aud", "[\"account\",\"" RIG_RESOURCE "\"]"),
      "ann: read");
  assert_string_equal(check_claim(*state, "aud", "\"" RIG_RESOURCE "/\""),
                      "ann: read");
}

/* --- times -------------------------------------------------------------- */

TEST_WITH(an_expired_token_is_refused, open_rig, close_rig) {
  const char *refused = REFUSED("the token has expired");
  assert_string_equal(check_claim(*state, "exp", "1699999940"), refused);
  assert_string_equal(check_claim(*state, "exp", "1699999941"), "ann: read");
  assert_string_equal(check_claim(*state, "exp", "0"), refused);
  assert_string_equal(check_claim(*state, "exp", "\"1700000600\""),
                      REFUSED("the claim exp is not a time"));
  assert_string_equal(check_claim(*state, "exp", NULL),
                      REFUSED("the token has no exp"));
}

TEST_WITH(a_token_of_the_future_is_refused, open_rig, close_rig) {
  assert_string_equal(
      check_claim(*state, "nbf", "1700000061"),
      REFUSED("the token is not valid yet: nbf is in the future"));
  assert_string_equal(check_claim(*state, "nbf", "1700000060"), "ann: read");
  assert_string_equal(
      check_claim(*state, "iat", "1700000061"),
      REFUSED("the token is not valid yet: iat is in the future"));
  assert_string_equal(check_claim(*state, "iat", "1700000060"), "ann: read");
}

/* --- signatures --------------------------------------------------------- */

TEST_WITH(a_wrong_signature_is_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *claims = resource_rig_claims(NULL, NULL);
  char *token = resource_rig_sign(rig, rig->other, MCP_SIGN_ES256,
                                  "{\"alg\":\"ES256\",\"kid\":\"k1\"}", claims);
  free(claims);
  assert_string_equal(check_token(rig, token),
                      REFUSED("the signature of the token is wrong"));
}

TEST_WITH(changed_claims_are_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  char *other = resource_rig_token(rig, resource_rig_claims("sub", "\"root\""));
  /* the claims of one with the signature of the other */
  char *mixed = malloc(strlen(token) + strlen(other) + 1);
  size_t len = (size_t)(strrchr(other, '.') - other);
  memcpy(mixed, other, len);
  strcpy(mixed + len, strrchr(token, '.'));
  free(token);
  free(other);
  assert_string_equal(check_token(rig, mixed),
                      REFUSED("the signature of the token is wrong"));
}

TEST_WITH(algorithms_that_need_no_private_key_are_refused, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  static const char *const headers[] = {
      "{\"alg\":\"none\"}", "{\"alg\":\"None\"}", "{\"alg\":\"\"}",
      "{\"alg\":\"HS256\",\"kid\":\"k1\"}", "{\"kid\":\"k1\"}"};
  char *claims = resource_rig_claims(NULL, NULL);
  for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
    for (size_t len = 0; len <= 32; len += 32) {
      char *token = resource_rig_forge(headers[i], claims,
                                       "0123456789abcdef0123456789abcdef", len);
      assert_string_equal(
          check_token(rig, token),
          REFUSED("the token is not a JWT that this server accepts"));
    }
  }
  free(claims);
}

TEST_WITH(a_signature_that_is_zero_or_cut_is_refused, open_rig, close_rig) {
  static const char zeros[72];
  char *claims = resource_rig_claims(NULL, NULL);
  for (size_t len = 0; len <= sizeof(zeros); len += 8) {
    char *token = resource_rig_forge("{\"alg\":\"ES256\",\"kid\":\"k1\"}",
                                     claims, zeros, len);
    assert_int_equal(
        strncmp(check_token(*state, token), "401 invalid_token: ", 19), 0);
  }
  free(claims);
}

TEST_WITH(the_algorithm_must_be_that_of_the_key, open_rig, close_rig) {
  static const char *const names[] = {"RS256", "PS256", "EdDSA", "ES384"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char header[64];
    snprintf(header, sizeof(header), "{\"alg\":\"%s\",\"kid\":\"k1\"}",
             names[i]);
    assert_int_equal(
        strncmp(check_header(*state, header), "401 invalid_token: ", 19), 0);
  }
}

TEST_WITH(a_key_in_the_token_is_not_used, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *claims = resource_rig_claims(NULL, NULL);
  char *jwks = resource_rig_jwks(rig, rig->other, NULL);
  char *jwk = strchr(jwks, '[') + 1;
  jwk[strlen(jwk) - 2] = '\0';
  char header[600];
  snprintf(header, sizeof(header), "{\"alg\":\"ES256\",\"jwk\":%s}", jwk);
  char *token =
      resource_rig_sign(rig, rig->other, MCP_SIGN_ES256, header, claims);
  assert_string_equal(check_token(rig, token),
                      REFUSED("the issuer of the token has no key that fits"));
  token = resource_rig_sign(
      rig, rig->other, MCP_SIGN_ES256,
      "{\"alg\":\"ES256\",\"kid\":\"k1\","
      "\"jku\":\"https://evil.example/keys\","
      "\"x5u\":\"https://evil.example/cert\",\"x5c\":[\"AAAA\"]}",
      claims);
  assert_string_equal(check_token(rig, token),
                      REFUSED("the signature of the token is wrong"));
  assert_int_equal(rig->fetch_count, 0);
  free(jwks);
  free(claims);
}

TEST_WITH(a_kid_is_only_a_name, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const kids[] = {"../../../dev/null", "k1' OR '1'='1", "",
                                     "https://evil.example/k"};
  for (size_t i = 0; i < sizeof(kids) / sizeof(kids[0]); i++) {
    char header[128];
    snprintf(header, sizeof(header), "{\"alg\":\"ES256\",\"kid\":\"%s\"}",
             kids[i]);
    assert_string_equal(
        check_header(rig, header),
        REFUSED("the issuer of the token has no key that fits"));
  }
  assert_int_equal(rig->fetch_count, 0);
}

/* --- other kinds of tokens ---------------------------------------------- */

TEST_WITH(the_header_says_that_it_is_an_access_token, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const good[] = {"at+jwt", "AT+JWT", "application/at+jwt",
                                     "JWT", "jwt"};
  static const char *const wrong[] = {"dpop+jwt", "logout+jwt", "ID",
                                      "oauth-id-jag+jwt", "application/"};
  char header[128];
  for (size_t i = 0; i < 5; i++) {
    snprintf(header, sizeof(header), "{\"alg\":\"ES256\",\"typ\":\"%s\"}",
             good[i]);
    assert_string_equal(check_header(rig, header), "ann: read");
    snprintf(header, sizeof(header), "{\"alg\":\"ES256\",\"typ\":\"%s\"}",
             wrong[i]);
    assert_string_equal(
        check_header(rig, header),
        REFUSED("the token is not an access token: its typ is wrong"));
  }
  assert_string_equal(check_header(rig, "{\"alg\":\"ES256\"}"), "ann: read");
}

TEST(a_server_may_demand_the_type_of_access_tokens) {
  resource_rig *rig = resource_rig_new(NULL);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  rig->options.only_at_jwt = 1;
  assert_int_equal(resource_rig_open(rig), 0);
  const char *refused =
      REFUSED("the token is not an access token: its typ is wrong");
  assert_string_equal(check_header(rig, "{\"alg\":\"ES256\"}"), refused);
  assert_string_equal(check_header(rig, "{\"alg\":\"ES256\",\"typ\":\"JWT\"}"),
                      refused);
  assert_string_equal(
      check_header(rig, "{\"alg\":\"ES256\",\"typ\":\"at+jwt\"}"), "ann: read");
  free(jwks);
  resource_rig_free(rig);
}

/* The usual claims and this one, in a token of type JWT. */
static const char *check_untyped(resource_rig *rig, const char *name,
                                 const char *json) {
  char *claims = resource_rig_claims(name, json);
  char *token =
      resource_rig_sign(rig, rig->key, MCP_SIGN_ES256,
                        "{\"alg\":\"ES256\",\"typ\":\"JWT\"}", claims);
  free(claims);
  return check_token(rig, token);
}

TEST_WITH(an_id_token_is_refused, open_rig, close_rig) {
  static const char *const names[] = {"at_hash", "c_hash", "s_hash", "nonce",
                                      "events"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char refused[128];
    snprintf(refused, sizeof(refused),
             REFUSED("the token is not an access token: it has the claim %s"),
             names[i]);
    assert_string_equal(check_untyped(*state, names[i], "\"x\""), refused);
    assert_string_equal(check_claim(*state, names[i], "\"x\""), "ann: read");
  }
}

TEST_WITH(keycloak_says_in_a_claim_what_a_token_is, open_rig, close_rig) {
  static const char *const kinds[] = {"\"ID\"", "\"Refresh\"", "\"Offline\"",
                                      "7"};
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    assert_string_equal(
        check_untyped(*state, "typ", kinds[i]),
        REFUSED("the token is not an access token: typ is neither Bearer nor "
                "DPoP"));
  }
  assert_string_equal(check_untyped(*state, "typ", "\"Bearer\""), "ann: read");
}

TEST_WITH(cognito_says_in_a_claim_what_a_token_is_for, open_rig, close_rig) {
  static const char *const uses[] = {"\"id\"", "\"refresh_token\"", "\"\"",
                                     "7"};
  for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
    assert_string_equal(
        check_untyped(*state, "token_use", uses[i]),
        REFUSED("the token is not an access token: token_use is not access"));
  }
  assert_string_equal(check_untyped(*state, "token_use", "\"access\""),
                      "ann: read");
  assert_string_equal(check_claim(*state, "token_use", "\"access_token\""),
                      "ann: read");
}

TEST_WITH(keycloaks_access_token_is_accepted, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = resource_rig_sign(
      rig, rig->key, MCP_SIGN_ES256,
      "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"k1\"}",
      "{\"exp\":1700000300,\"iat\":1700000000,\"auth_time\":1699999990,"
      "\"jti\":\"onrtac:5cd0\",\"iss\":\"" RIG_ISSUER "\","
      "\"aud\":[\"" RIG_RESOURCE "\",\"account\"],"
      "\"sub\":\"6b3f1f4e-8d0c-4c8e-9a55-0d6d7b9d1c11\",\"typ\":\"Bearer\","
      "\"azp\":\"mcp-client\",\"nonce\":\"n\",\"sid\":\"s\",\"acr\":\"1\","
      "\"allowed-origins\":[\"*\"],"
      "\"realm_access\":{\"roles\":[\"offline_access\"]},"
      "\"scope\":\"openid mcp:tools profile\",\"email_verified\":true}");
  assert_string_equal(check_token(rig, token),
                      "6b3f1f4e-8d0c-4c8e-9a55-0d6d7b9d1c11: "
                      "openid mcp:tools profile");
}

/* --- principals and scopes ---------------------------------------------- */

TEST_WITH(a_client_without_a_user_is_named_by_its_id, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *claims = resource_rig_claims("sub", NULL);
  claims[strlen(claims) - 1] = '\0';
  char more[600];
  snprintf(more, sizeof(more), "%s,\"client_id\":\"robot\",\"azp\":\"x\"}",
           claims);
  assert_string_equal(check_token(rig, resource_rig_token(rig, strdup(more))),
                      "client:robot: read");
  snprintf(more, sizeof(more), "%s,\"azp\":\"robot\"}", claims);
  assert_string_equal(check_token(rig, resource_rig_token(rig, strdup(more))),
                      "client:robot: read");
  free(claims);
  assert_string_equal(
      check_claim(rig, "sub", NULL),
      REFUSED("the token names neither a subject nor a client"));
  assert_string_equal(
      check_claim(rig, "sub", "\"\""),
      REFUSED("the token names neither a subject nor a client"));
}

TEST_WITH(a_user_cannot_look_like_a_client, open_rig, close_rig) {
  assert_string_equal(check_claim(*state, "sub", "\"client:robot\""),
                      "sub:client:robot: read");
  assert_string_equal(check_claim(*state, "sub", "\"sub:ann\""),
                      "sub:sub:ann: read");
  assert_string_equal(check_claim(*state, "sub", "\"token:1\""),
                      "sub:token:1: read");
}

TEST_WITH(scopes_have_several_forms, open_rig, close_rig) {
  assert_string_equal(check_claim(*state, "scope", "\"a b\""), "ann: a b");
  assert_string_equal(check_claim(*state, "scope", "[\"a\",\"b\",7]"),
                      "ann: a b");
  assert_string_equal(check_claim(*state, "scp", "[\"write\"]"),
                      "ann: read write");
  assert_string_equal(check_claim(*state, "scp", "\"write read\""),
                      "ann: read write");
  assert_string_equal(check_claim(*state, "scope", NULL), "ann: ");
}

/* --- bindings ----------------------------------------------------------- */

TEST_WITH(a_binding_that_cannot_be_checked_is_refused, open_rig, close_rig) {
  static const char *const cnfs[] = {
      "{}",
      "null",
      "{\"x5t#S256\":\"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2\"}",
      "{\"jkt\":\"short\"}",
      "{\"jkt\":7}",
      ("{\"jkt\":\"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2\","
       "\"x5t#S256\":\"x\"}")};
  for (size_t i = 0; i < sizeof(cnfs) / sizeof(cnfs[0]); i++) {
    assert_string_equal(
        check_claim(*state, "cnf", cnfs[i]),
        REFUSED("the token is bound in a way that this server cannot check; "
                "only cnf.jkt is supported"));
  }
}

/* --- the form ----------------------------------------------------------- */

TEST(a_jwt_has_three_parts_and_begins_with_an_object) {
  assert_true(mcpi_jwt_checker_is_jwt(MCPI_STR("eyJhIjoxfQ.e30.")));
  assert_false(mcpi_jwt_checker_is_jwt(MCPI_STR("eyJhIjoxfQ.e30")));
  assert_false(mcpi_jwt_checker_is_jwt(MCPI_STR("eyJhIjoxfQ.e30.a.b.c")));
  assert_false(mcpi_jwt_checker_is_jwt(MCPI_STR("abc.def.ghi")));
  assert_false(mcpi_jwt_checker_is_jwt(MCPI_STR("")));
}

TEST_WITH(what_is_not_a_jwt_is_refused, open_rig, close_rig) {
  assert_string_equal(check_token(*state, strdup("opaque-token-1234567")),
                      REFUSED("the token is not known"));
  assert_string_equal(
      check_token(*state, strdup("eyJhIjoxfQ.e30.AAAA")),
      REFUSED("the token is not a JWT that this server accepts"));
}
