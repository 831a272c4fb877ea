/* SPDX-License-Identifier: MIT */
/* Tokens of Keycloak, with claims in its shape (support/keycloak.h), signed by
 * a key of the test. */
#include "auth/resource/verifier.h"

#include "support/cm.h"
#include "support/keycloak.h"
#include "support/libmcp/resource_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"k1\"}"
#define SUBJECT "36fa0f91-f94d-4a0c-afed-6b7d952e47da"
#define FOR_US ",\"aud\":\"" RIG_RESOURCE "\""
#define ACCEPTED SUBJECT ": mcp:tools profile email"
#define REFUSED "401 invalid_token: "

static int open_rig(void **state) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = KEYCLOAK;
  rig->options.scopes = "mcp:tools";
  *state = rig;
  return resource_rig_open(rig);
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

/* Its set also has a key for encryption, and certificates. */
static void give_keys(resource_rig *rig) {
  char *one = resource_rig_jwks(rig, rig->key, "k1");
  char *two =
      strdup("{\"keys\":[{\"kid\":\"e1\",\"kty\":\"RSA\",\"alg\":\"RSA-OAEP\","
             "\"use\":\"enc\",\"x5c\":[\"MIIC\"],\"x5t\":\"c2hh\","
             "\"x5t#S256\":\"c2hhMg\",\"n\":\"sXchaBc\",\"e\":\"AQAB\"}]}");
  char *all = resource_rig_join(two, one);
  resource_rig_answer(rig, 200, all);
  free(all);
}

static const char *check(resource_rig *rig, const char *claims) {
  char *token =
      resource_rig_sign(rig, rig->key, MCP_SIGN_ES256, HEADER, claims);
  resource_rig_check(rig, "Bearer", token, NULL);
  free(token);
  if (resource_rig_fetch(rig) != NULL) {
    resource_rig_answer(rig, 404, "{\"error\":\"HTTP 404 Not Found\"}");
    resource_rig_answer(rig, 404, "{\"error\":\"HTTP 404 Not Found\"}");
    assert_string_equal(resource_rig_url(rig),
                        KEYCLOAK "/.well-known/openid-configuration");
    resource_rig_answer(rig, 200, KEYCLOAK_METADATA);
    assert_string_equal(resource_rig_url(rig), KEYCLOAK_OPENID "/certs");
    give_keys(rig);
  }
  return resource_rig_result(rig);
}

TEST_WITH(a_token_with_our_audience_is_accepted, open_rig, close_rig) {
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS(FOR_US, "Bearer", "")),
                      ACCEPTED);
}

/* An audience mapper adds to the list. */
TEST_WITH(our_audience_may_be_one_of_several, open_rig, close_rig) {
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS(",\"aud\":[\"" RIG_RESOURCE
                                                    "\",\"account\"]",
                                                    "Bearer", "")),
                      ACCEPTED);
}

/* The default realm, without a mapper for the MCP server. */
TEST_WITH(the_audience_account_is_not_ours, open_rig, close_rig) {
  assert_string_equal(
      check(*state, KEYCLOAK_CLAIMS(",\"aud\":\"account\"", "Bearer", "")),
      REFUSED "the token is for another audience");
}

TEST_WITH(a_token_without_an_audience_is_refused, open_rig, close_rig) {
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS("", "Bearer", "")),
                      REFUSED "the token names no audience");
}

/* The client to which the token was given is not its audience. */
TEST(azp_is_not_an_audience) {
  static const char *const audiences[] = {KEYCLOAK_CLIENT_ID, NULL};
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = KEYCLOAK;
  rig->options.audiences = audiences;
  assert_int_equal(resource_rig_open(rig), 0);
  assert_string_equal(check(rig, KEYCLOAK_CLAIMS("", "Bearer", "")),
                      REFUSED "the token names no audience");
  resource_rig_free(rig);
}

TEST(the_server_may_have_a_name_as_its_audience) {
  static const char *const audiences[] = {"mcp-server", NULL};
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = KEYCLOAK;
  rig->options.audiences = audiences;
  assert_int_equal(resource_rig_open(rig), 0);
  assert_string_equal(
      check(rig, KEYCLOAK_CLAIMS(",\"aud\":[\"account\",\"mcp-server\"]",
                                 "Bearer", "")),
      ACCEPTED);
  resource_rig_free(rig);
}

/* Their header has `typ` "JWT" too: only the claim tells them apart. */
TEST_WITH(its_other_tokens_are_refused, open_rig, close_rig) {
  const char *refused = REFUSED
      "the token is not an access token: typ is neither Bearer nor DPoP";
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS(FOR_US, "ID", "")),
                      refused);
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS(FOR_US, "Refresh", "")),
                      refused);
  assert_string_equal(check(*state, KEYCLOAK_CLAIMS(FOR_US, "Offline", "")),
                      refused);
  assert_string_equal(
      check(*state, KEYCLOAK_CLAIMS(FOR_US, "ID", ",\"at_hash\":\"x\"")),
      REFUSED "the token is not an access token: it has the claim at_hash");
}

/* A client that sent a nonce gets it back in its access token. */
TEST_WITH(an_access_token_may_have_a_nonce, open_rig, close_rig) {
  assert_string_equal(
      check(*state, KEYCLOAK_CLAIMS(FOR_US, "Bearer", ",\"nonce\":\"n\"")),
      ACCEPTED);
}

/* A service account is a user of its own. */
TEST_WITH(a_service_account_has_a_subject, open_rig, close_rig) {
  assert_string_equal(
      check(*state,
            KEYCLOAK_CLAIMS(FOR_US, "Bearer",
                            ",\"clientHost\":\"192.0.2.1\",\"clientAddress\":"
                            "\"192.0.2.1\",\"client_id\":\"machine\"")),
      ACCEPTED);
}

TEST_WITH(another_realm_is_another_issuer, open_rig, close_rig) {
  assert_string_equal(
      check(*state, "{\"exp\":1700000300,\"iss\":\"https://sso.test/realms/"
                    "other\",\"aud\":\"" RIG_RESOURCE
                    "\",\"sub\":\"ann\",\"typ\":\"Bearer\"}"),
      REFUSED "the token is of another issuer");
}

TEST(a_token_that_lacks_our_scope_is_status_403) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = KEYCLOAK;
  rig->options.scopes = "mcp:admin";
  assert_int_equal(resource_rig_open(rig), 0);
  assert_memory_equal(check(rig, KEYCLOAK_CLAIMS(FOR_US, "Bearer", "")),
                      "403 insufficient_scope", 22);
  resource_rig_free(rig);
}

TEST_WITH(a_bound_token_is_not_a_bearer_token, open_rig, close_rig) {
  const char *result = check(
      *state,
      KEYCLOAK_CLAIMS(FOR_US, "DPoP",
                      ",\"cnf\":{\"jkt\":"
                      "\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\"}"));
  assert_string_equal(result, REFUSED
                      "the token is bound to a key; use the scheme DPoP");
}

/* --- introspection ------------------------------------------------------ */

static const char *introspect(const char *answer) {
  static char result[256];
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.introspection_endpoint = KEYCLOAK_OPENID "/token/introspect";
  rig->options.introspection_client_id = "mcp-server";
  rig->options.introspection_client_secret = "the-secret";
  assert_int_equal(resource_rig_open(rig), 0);
  resource_rig_check(rig, "Bearer", "eyJh.eyJl.c2ln", NULL);
  assert_string_equal(resource_rig_url(rig),
                      KEYCLOAK_OPENID "/token/introspect");
  resource_rig_answer(rig, 200, answer);
  snprintf(result, sizeof(result), "%s", resource_rig_result(rig));
  resource_rig_free(rig);
  return result;
}

TEST(its_answer_about_a_token_is_understood) {
  assert_string_equal(
      introspect(KEYCLOAK_CLAIMS(
          ",\"aud\":[\"" RIG_RESOURCE "\",\"account\"]", "Bearer",
          ",\"client_id\":\"" KEYCLOAK_CLIENT_ID
          "\",\"username\":\"ann\",\"token_type\":\"Bearer\","
          "\"active\":true")),
      ACCEPTED);
  assert_string_equal(introspect("{\"active\":false}"),
                      REFUSED "the token is not valid");
}
