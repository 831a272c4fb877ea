/* SPDX-License-Identifier: MIT */
#include "auth/resource/verifier.h"

#include "auth/jwt.h"
#include "auth/resource/nonce.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"
#include <stdio.h>
#include <stdlib.h>

#define FIXED "fixed-token-0001"
#define METADATA_URL                                                           \
  "https://rs.example/.well-known/oauth-protected-resource/mcp"

/* A verifier with the key of the issuer, and two fixed tokens. */
static resource_rig *rig_with(int requires_dpop, int demands_nonce) {
  resource_rig *rig = resource_rig_new(NULL);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  rig->options.scopes = "read";
  rig->options.requires_dpop = requires_dpop;
  rig->options.demands_nonce = demands_nonce;
  rig->options.tokens = requires_dpop ? NULL
                                      : FIXED " bob read write\n"
                                              "weak-token-000001 carl write\n";
  assert_int_equal(resource_rig_open(rig), 0);
  free(jwks);
  return rig;
}

static int open_rig(void **state) {
  *state = rig_with(0, 0);
  return 0;
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

static char *bound_token(resource_rig *rig) {
  char *cnf = resource_rig_cnf(rig);
  char *token = resource_rig_token(rig, resource_rig_claims("cnf", cnf));
  free(cnf);
  return token;
}

/* --- the header --------------------------------------------------------- */

TEST_WITH(a_request_without_a_token_learns_where_to_get_one, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  rig_check *check = resource_rig_check(rig, NULL, NULL, NULL);
  assert_string_equal(check->text, "401 an access token is needed");
  assert_string_equal(check->header,
                      "Bearer scope=\"read\", resource_metadata=\"" METADATA_URL
                      "\"");
  check = resource_rig_check(rig, "Basic", "YTpi", NULL);
  assert_string_equal(check->text, "401 an access token is needed");
}

TEST_WITH(the_scheme_may_have_any_case, open_rig, close_rig) {
  static const char *const schemes[] = {"Bearer", "bearer", "BEARER",
                                        "Bearer  ", " bEaReR"};
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
    resource_rig_check(*state, schemes[i], FIXED, NULL);
    assert_string_equal(resource_rig_result(*state), "bob: read write");
  }
}

TEST_WITH(a_broken_header_is_status_400, open_rig, close_rig) {
  static const char *const tokens[] = {"",  "a b", "a,b",        "\"quoted\"",
                                       "=", "a=b", "caf\xC3\xA9"};
  for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
    rig_check *check = resource_rig_check(*state, "Bearer", tokens[i], NULL);
    assert_string_equal(check->text, "400 invalid_request: the header "
                                     "Authorization has no valid token");
  }
}

TEST_WITH(a_repeated_header_is_status_400, open_rig, close_rig) {
  const mcpi_token_request request = {.authorization =
                                          MCPI_STR("Bearer " FIXED),
                                      .is_repeated = 1,
                                      .method = "POST",
                                      .resource = MCPI_STR(RIG_RESOURCE)};
  rig_check *check = resource_rig_check_request(*state, &request);
  assert_string_equal(check->text, "400 invalid_request: the header "
                                   "Authorization or DPoP occurs twice");
}

TEST_WITH(a_token_has_a_longest_length, open_rig, close_rig) {
  char *token = malloc(MCPI_JWT_MAX + 2);
  memset(token, 'a', MCPI_JWT_MAX + 1);
  token[MCPI_JWT_MAX + 1] = '\0';
  resource_rig_check(*state, "Bearer", token, NULL);
  assert_string_equal(resource_rig_result(*state),
                      "401 invalid_token: the token is too long");
  token[MCPI_JWT_MAX] = '\0';
  resource_rig_check(*state, "Bearer", token, NULL);
  assert_string_equal(resource_rig_result(*state),
                      "401 invalid_token: the token is not known");
  free(token);
}

TEST_WITH(a_refused_token_says_why, open_rig, close_rig) {
  rig_check *check = resource_rig_check(*state, "Bearer", "unknown", NULL);
  assert_string_equal(
      check->header,
      "Bearer error=\"invalid_token\", error_description=\"the token is not "
      "known\", scope=\"read\", resource_metadata=\"" METADATA_URL "\"");
}

TEST_WITH(a_token_that_lacks_a_scope_is_status_403, open_rig, close_rig) {
  rig_check *check =
      resource_rig_check(*state, "Bearer", "weak-token-000001", NULL);
  assert_string_equal(check->text, "403 insufficient_scope: the token lacks a "
                                   "scope that this server needs");
  assert_non_null(strstr(check->header, "scope=\"read\""));
}

/* --- the cache ---------------------------------------------------------- */

TEST_WITH(a_checked_token_is_remembered_until_it_expires, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  rig_check *first = resource_rig_check(rig, "Bearer", token, NULL);
  rig_check *second = resource_rig_check(rig, "Bearer", token, NULL);
  assert_ptr_equal(first->grant, second->grant);
  assert_int_equal(first->grant->expires_ms, INT64_C(1700000660000));
  assert_int_equal(first->grant->stream_ms, INT64_MAX);
  rig->wall_ms = INT64_C(1700000659999);
  rig_check *third = resource_rig_check(rig, "Bearer", token, NULL);
  assert_ptr_equal(first->grant, third->grant);
  rig->wall_ms++;
  resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the token has expired");
  free(token);
}

TEST(without_a_resource_a_token_counts_for_one_host_only) {
  resource_rig *rig = resource_rig_new(NULL);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  rig->options.resource = NULL;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(
      rig, resource_rig_claims("aud", "\"http://localhost:1/mcp\""));
  char header[2000];
  snprintf(header, sizeof(header), "Bearer %s", token);
  mcpi_token_request request = {.authorization = mcpi_str_z(header),
                                .method = "POST",
                                .resource = MCPI_STR("http://localhost:1/mcp")};
  assert_string_equal(resource_rig_check_request(rig, &request)->text,
                      "ann: read");
  request.resource = MCPI_STR("http://localhost:2/mcp");
  rig_check *other = resource_rig_check_request(rig, &request);
  assert_string_equal(other->text,
                      "401 invalid_token: the token is for another audience");
  assert_non_null(strstr(other->header, "http://localhost:2/.well-known/"));
  free(token);
  free(jwks);
  resource_rig_free(rig);
}

/* --- DPoP --------------------------------------------------------------- */

TEST_WITH(a_bound_token_needs_its_proof, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = bound_token(rig);
  char *proof = resource_rig_proof(rig, token, NULL);
  resource_rig_check(rig, "dpop", token, proof);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  rig_check *check = resource_rig_check(rig, "DPoP", token, NULL);
  assert_string_equal(check->text, "401 invalid_dpop_proof: the request has no "
                                   "header DPoP");
  assert_memory_equal(check->header, "DPoP error=", 11);
  assert_non_null(strstr(check->header, "algs=\"ES256 EdDSA PS256 RS256\""));
  free(token);
  free(proof);
}

TEST_WITH(a_bound_token_is_for_this_server, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *cnf = resource_rig_cnf(rig);
  char claims[500];
  snprintf(claims, sizeof(claims),
           "{\"iss\":\"" RIG_ISSUER "\",\"aud\":\"https://other.example/mcp\","
           "\"sub\":\"ann\",\"exp\":1700000600,\"cnf\":%s}",
           cnf);
  char *token = resource_rig_sign(
      rig, rig->key, MCP_SIGN_ES256,
      "{\"alg\":\"ES256\",\"kid\":\"k1\",\"typ\":\"at+jwt\"}", claims);
  char *proof = resource_rig_proof(rig, token, NULL);
  resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the token is for another audience");
  free(cnf);
  free(token);
  free(proof);
}

TEST_WITH(a_bound_token_is_no_bearer_token, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = bound_token(rig);
  char *proof = resource_rig_proof(rig, token, NULL);
  rig_check *check = resource_rig_check(rig, "Bearer", token, proof);
  assert_string_equal(check->text, "401 invalid_token: the token is bound to a "
                                   "key; use the scheme DPoP");
  assert_memory_equal(check->header, "Bearer error=\"invalid_token\"", 28);
  assert_non_null(strstr(check->header, ", DPoP algs=\"ES256"));
  free(token);
  free(proof);
}

TEST_WITH(a_bearer_token_is_not_accepted_with_dpop, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *proof = resource_rig_proof(rig, FIXED, NULL);
  resource_rig_check(rig, "DPoP", FIXED, proof);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the token is not bound to a key; use "
                      "the scheme Bearer");
  free(proof);
}

TEST_WITH(the_proof_is_of_the_tokens_key, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = bound_token(rig);
  mcp_key *mine = rig->proof;
  rig->proof = rig->other;
  char *proof = resource_rig_proof(rig, token, NULL);
  rig->proof = mine;
  resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the token is bound to another key "
                      "than that of the proof");
  free(token);
  free(proof);
}

TEST_WITH(a_proof_is_of_this_request, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = bound_token(rig);
  char *proof = resource_rig_proof(rig, token, NULL);
  char *of_other = resource_rig_proof(rig, FIXED, NULL);
  char header[2000];
  snprintf(header, sizeof(header), "DPoP %s", token);
  const mcpi_token_request good = {.authorization = mcpi_str_z(header),
                                   .dpop = mcpi_str_z(proof),
                                   .method = "POST",
                                   .resource = MCPI_STR(RIG_RESOURCE)};
  mcpi_token_request wrong = good;
  wrong.method = "GET";
  rig_check *check = resource_rig_check_request(rig, &wrong);
  assert_memory_equal(check->text, "401 invalid_dpop_proof", 22);
  wrong = good;
  wrong.url = MCPI_STR("https://rs.example/sse");
  check = resource_rig_check_request(rig, &wrong);
  assert_memory_equal(check->text, "401 invalid_dpop_proof", 22);
  wrong = good;
  wrong.dpop = mcpi_str_z(of_other);
  check = resource_rig_check_request(rig, &wrong);
  assert_memory_equal(check->text, "401 invalid_dpop_proof", 22);
  wrong.dpop = MCPI_STR("a.b.c");
  check = resource_rig_check_request(rig, &wrong);
  assert_memory_equal(check->text, "401 invalid_dpop_proof", 22);
  assert_string_equal(resource_rig_check_request(rig, &good)->text,
                      "ann: read");
  free(token);
  free(proof);
  free(of_other);
}

TEST_WITH(a_proof_is_used_once, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = bound_token(rig);
  char *proof = resource_rig_proof(rig, token, NULL);
  resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  resource_rig_pass(rig, 300000);
  resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_dpop_proof: the proof was used before");
  resource_rig_pass(rig, 1);
  resource_rig_check(rig, "DPoP", token, proof);
  assert_memory_equal(resource_rig_result(rig), "401 invalid_dpop_proof", 22);
  free(token);
  free(proof);
}

/* The check waits for the keys, and meanwhile the proof becomes too old. */
TEST(a_proof_that_ages_during_the_check_is_refused) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = bound_token(rig);
  char *proof = resource_rig_proof(rig, token, NULL);
  rig_check *check = resource_rig_check(rig, "DPoP", token, proof);
  rig->wall_ms += 300001; /* only the wall clock: the fetch is not too late */
  resource_rig_give_keys(rig);
  assert_string_equal(check->text,
                      "401 invalid_dpop_proof: the proof is too old");
  free(token);
  free(proof);
  resource_rig_free(rig);
}

TEST_WITH(a_proof_with_a_refused_token_is_not_used, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *proof = resource_rig_proof(rig, FIXED, NULL);
  resource_rig_check(rig, "DPoP", FIXED, proof);
  resource_rig_check(rig, "DPoP", FIXED, proof);
  assert_memory_equal(resource_rig_result(rig), "401 invalid_token", 17);
  free(proof);
}

TEST_WITH(verifiers_can_share_what_proofs_were_used, open_rig, close_rig) {
  resource_rig *one = *state;
  resource_rig *two = rig_with(0, 0);
  char *token = bound_token(one);
  char *proof = resource_rig_proof(one, token, NULL);
  char *jwks = resource_rig_jwks(one, one->key, "k1");
  mcpi_verifier_free(two->verifier);
  two->options.jwks = jwks;
  assert_int_equal(resource_rig_open(two), 0);
  mcpi_verifier_share(two->verifier, mcpi_verifier_proofs(one->verifier));
  resource_rig_check(one, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(one), "ann: read");
  resource_rig_check(two, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(two),
                      "401 invalid_dpop_proof: the proof was used before");
  free(token);
  free(proof);
  free(jwks);
  resource_rig_free(two);
}

TEST(a_server_may_require_dpop) {
  resource_rig *rig = rig_with(1, 0);
  rig_check *check = resource_rig_check(rig, NULL, NULL, NULL);
  assert_memory_equal(check->header, "DPoP scope=\"read\"", 17);
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  check = resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(check->text, "401 invalid_token: this server needs a "
                                   "token that is bound to a key (DPoP)");
  assert_memory_equal(check->header, "DPoP error=", 11);
  char *proof = resource_rig_proof(rig, token, NULL);
  check = resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(check->text, "401 invalid_token: this server needs a "
                                   "token that is bound to a key (DPoP)");
  free(proof);
  free(token);
  token = bound_token(rig);
  check = resource_rig_check(rig, "Bearer", token, NULL);
  assert_memory_equal(check->text, "401 invalid_token", 17);
  assert_memory_equal(check->header, "DPoP error=", 11);
  proof = resource_rig_proof(rig, token, NULL);
  resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  free(token);
  free(proof);
  resource_rig_free(rig);
}

/* --- nonces ------------------------------------------------------------- */

static rig_check *check_with_nonce(resource_rig *rig, const char *token,
                                   const char *nonce) {
  char *proof = resource_rig_proof(rig, token, nonce);
  rig_check *check = resource_rig_check(rig, "DPoP", token, proof);
  free(proof);
  return check;
}

TEST(a_server_may_demand_its_nonce) {
  resource_rig *rig = rig_with(0, 1);
  char *token = bound_token(rig);
  rig_check *check = check_with_nonce(rig, token, NULL);
  assert_string_equal(check->text, "401 use_dpop_nonce: the proof needs a "
                                   "nonce of this server");
  char nonce[MCPI_NONCE_SIZE];
  assert_int_equal(strlen(check->nonce), MCPI_NONCE_SIZE - 1);
  strcpy(nonce, check->nonce);
  check = check_with_nonce(rig, token, nonce);
  assert_string_equal(check->text, "ann: read");
  assert_string_equal(check->nonce, "");
  resource_rig_pass(rig, MCPI_NONCE_MS / 2);
  check = check_with_nonce(rig, token, nonce);
  assert_string_equal(check->text, "ann: read");
  assert_string_not_equal(check->nonce, "");
  assert_string_not_equal(check->nonce, nonce);
  resource_rig_pass(rig, MCPI_NONCE_MS / 2);
  check = check_with_nonce(rig, token, nonce);
  assert_memory_equal(check->text, "401 use_dpop_nonce", 18);
  check = check_with_nonce(rig, token, "made-up");
  assert_memory_equal(check->text, "401 use_dpop_nonce", 18);
  resource_rig_check(rig, "Bearer", FIXED, NULL);
  assert_string_equal(resource_rig_result(rig), "bob: read write");
  free(token);
  resource_rig_free(rig);
}

/* A signature is checked only after the nonce, which costs less. */
TEST(the_nonce_is_checked_before_the_signature) {
  resource_rig *rig = rig_with(0, 1);
  char *token = bound_token(rig);
  char nonce[MCPI_NONCE_SIZE];
  char *proof = resource_rig_proof(rig, token, NULL);
  char *last = proof + strlen(proof) - 2;
  *last = *last == 'A' ? 'B' : 'A';
  rig_check *check = resource_rig_check(rig, "DPoP", token, proof);
  assert_memory_equal(check->text, "401 use_dpop_nonce", 18);
  strcpy(nonce, check->nonce);
  free(proof);
  proof = resource_rig_proof(rig, token, nonce);
  last = proof + strlen(proof) - 2;
  *last = *last == 'A' ? 'B' : 'A';
  check = resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(check->text, "401 invalid_dpop_proof: the DPoP proof has "
                                   "a wrong signature");
  free(proof);
  free(token);
  resource_rig_free(rig);
}

TEST(a_refusal_brings_a_new_nonce_too) {
  resource_rig *rig = rig_with(0, 1);
  char *token = bound_token(rig);
  char nonce[MCPI_NONCE_SIZE];
  strcpy(nonce, check_with_nonce(rig, token, NULL)->nonce);
  resource_rig_pass(rig, MCPI_NONCE_MS / 2);
  char *proof = resource_rig_proof(rig, token, nonce);
  resource_rig_check(rig, "DPoP", token, proof);
  rig_check *check = resource_rig_check(rig, "DPoP", token, proof);
  assert_string_equal(check->text,
                      "401 invalid_dpop_proof: the proof was used before");
  assert_int_equal(strlen(check->nonce), MCPI_NONCE_SIZE - 1);
  assert_string_not_equal(check->nonce, nonce);
  free(proof);
  free(token);
  resource_rig_free(rig);
}

/* --- several issuers ---------------------------------------------------- */

TEST(issuers_cannot_give_out_the_principals_of_others) {
  static const char *const more[] = {"https://as2.example", NULL};
  resource_rig *rig = resource_rig_new(NULL);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  rig->options.more_issuers = more;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), RIG_ISSUER " ann: read");
  free(token);
  token = resource_rig_token(
      rig, resource_rig_claims("iss", "\"https://as2.example\""));
  resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(
      resource_rig_url(rig),
      "https://as2.example/.well-known/oauth-authorization-server");
  resource_rig_answer(rig, 200,
                      "{\"issuer\":\"https://as2.example\",\"jwks_uri\":"
                      "\"https://as2.example/k\",\"token_endpoint\":"
                      "\"https://as2.example/t\"}");
  resource_rig_answer(rig, 200, jwks);
  assert_string_equal(resource_rig_result(rig),
                      "https://as2.example ann: read");
  free(token);
  free(jwks);
  resource_rig_free(rig);
}

/* --- limits ------------------------------------------------------------- */

TEST(only_so_many_checks_wait) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  rig->options.max_checks = 2;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  rig_check *first = resource_rig_check(rig, "Bearer", token, NULL);
  rig_check *second = resource_rig_check(rig, "Bearer", token, NULL);
  rig_check *third = resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(second->text, "waits");
  assert_string_equal(third->text, "503 too many tokens wait for a check");
  assert_string_equal(third->header, "");
  mcpi_verifier_cancel(&first->wait);
  rig_check *fourth = resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_give_keys(rig);
  assert_string_equal(fourth->text, "ann: read");
  assert_int_equal(first->calls, 0);
  free(token);
  resource_rig_free(rig);
}

static rig_check *check_of(resource_rig *rig, const char *token,
                           const char *peer) {
  char header[2000];
  snprintf(header, sizeof(header), "Bearer %s", token);
  const mcpi_token_request request = {.authorization = mcpi_str_z(header),
                                      .method = "POST",
                                      .resource = MCPI_STR(RIG_RESOURCE),
                                      .peer = peer};
  return resource_rig_check_request(rig, &request);
}

TEST(checks_of_one_client_leave_some_for_others) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  rig->options.tokens = FIXED " bob";
  rig->options.max_checks = 20;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  for (int i = 0; i < 16; i++) {
    const char *peer = i % 2 == 0 ? "192.0.2.1:1" : "192.0.2.1:2";
    assert_string_equal(check_of(rig, token, peer)->text, "waits");
  }
  assert_string_equal(check_of(rig, token, "192.0.2.1:3")->text,
                      "503 too many tokens wait for a check");
  assert_string_equal(check_of(rig, FIXED, "192.0.2.1:3")->text, "bob: ");
  rig_check *other = check_of(rig, token, "192.0.2.2:1");
  assert_string_equal(other->text, "waits");
  resource_rig_give_keys(rig);
  assert_string_equal(other->text, "ann: read");
  assert_string_equal(check_of(rig, "unknown", "192.0.2.1:3")->text,
                      "401 invalid_token: the token is not known");
  free(token);
  resource_rig_free(rig);
}

static int may_check_calls;

static int may_check(mcpi_token_wait *wait) {
  assert_null(wait->state);
  return ++may_check_calls == 1;
}

TEST_WITH(only_a_token_that_is_not_known_needs_leave_for_a_check, open_rig,
          close_rig) {
  static const char *const tokens[] = {"Bearer " FIXED, "Bearer guess",
                                       "Bearer " FIXED, "Bearer guess",
                                       "Bearer " FIXED, "Bearer a,b"};
  static const char *const results[] = {
      "bob: read write",
      "401 invalid_token: the token is not known",
      "bob: read write",
      "429 too many requests",
      "bob: read write",
      ("400 invalid_request: the header Authorization has no "
       "valid token")};
  may_check_calls = 0;
  for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
    const mcpi_token_request request = {.authorization = mcpi_str_z(tokens[i]),
                                        .method = "POST",
                                        .resource = MCPI_STR(RIG_RESOURCE),
                                        .may_check = may_check};
    rig_check *check = resource_rig_check_request(*state, &request);
    assert_string_equal(check->text, results[i]);
    assert_int_equal(check->header[0] != '\0', i % 2 == 1 && i != 3);
    assert_int_equal(check->is_invalid, i == 1);
  }
  assert_int_equal(may_check_calls, 2);
}

TEST_WITH(a_proof_of_an_unknown_token_needs_leave_too, open_rig, close_rig) {
  const mcpi_token_request request = {.authorization = MCPI_STR("DPoP guess"),
                                      .dpop = MCPI_STR("no.real.proof"),
                                      .method = "POST",
                                      .resource = MCPI_STR(RIG_RESOURCE),
                                      .may_check = may_check};
  may_check_calls = 0;
  rig_check *check = resource_rig_check_request(*state, &request);
  assert_memory_equal(check->text, "401 invalid_dpop_proof", 22);
  assert_true(check->is_invalid);
  check = resource_rig_check_request(*state, &request);
  assert_string_equal(check->text, "429 too many requests");
  assert_false(check->is_invalid);
}

TEST_WITH(a_wait_of_zeros_may_be_cancelled, open_rig, close_rig) {
  mcpi_token_wait wait = {.state = NULL};
  mcpi_verifier_cancel(&wait);
  resource_rig_check(*state, "Bearer", FIXED, NULL);
  mcpi_verifier_cancel(&((resource_rig *)*state)->checks[0].wait);
}

/* --- what the endpoint writes ------------------------------------------- */

TEST_WITH(the_endpoint_can_write_challenges_and_metadata, open_rig, close_rig) {
  resource_rig *rig = *state;
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_grant grant = {.thumbprint = ""};
  mcpi_verifier_put_scope_challenge(rig->verifier, &grant, &buf,
                                    MCPI_STR("http://ignored"),
                                    MCPI_STR("files:read"));
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(
      buf.data,
      "Bearer error=\"insufficient_scope\", error_description=\"the token "
      "lacks a scope that this request needs\", scope=\"files:read\", "
      "resource_metadata=\"" METADATA_URL "\"");
  mcpi_buf_clear(&buf);
  strcpy(grant.thumbprint, "bound");
  mcpi_verifier_put_scope_challenge(rig->verifier, &grant, &buf,
                                    MCPI_STR("http://ignored"),
                                    MCPI_STR("files:read"));
  mcpi_buf_putc(&buf, '\0');
  assert_int_equal(strncmp(buf.data, "DPoP error=\"insufficient_scope\"", 31),
                   0);
  mcpi_buf_clear(&buf);
  assert_true(mcpi_verifier_has_metadata(rig->verifier));
  assert_int_equal(mcpi_verifier_put_metadata(rig->verifier, &buf,
                                              MCPI_STR("http://ignored")),
                   0);
  mcpi_buf_putc(&buf, '\0');
  assert_non_null(strstr(buf.data, "\"resource\":\"" RIG_RESOURCE "\""));
  mcpi_buf_deinit(&buf);
  assert_null(mcpi_verifier_options(rig->verifier)->tokens);
}

TEST(a_server_without_an_issuer_has_no_metadata) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.tokens = FIXED;
  assert_int_equal(resource_rig_open(rig), 0);
  assert_false(mcpi_verifier_has_metadata(rig->verifier));
  assert_string_equal(resource_rig_check(rig, NULL, NULL, NULL)->header,
                      "Bearer");
  resource_rig_free(rig);
}

/* --- memory ------------------------------------------------------------- */

static int check_with_proof(const mcp_allocator *allocator, void *userdata) {
  resource_rig *rig = resource_rig_new(allocator);
  int rc = MCP_ERR_NOMEM;
  if (rig == NULL) {
    return rc;
  }
  char *token = bound_token(rig);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  char *proof = resource_rig_proof(rig, token, NULL);
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  rig->options.tokens = FIXED " bob read\n";
  rig->options.demands_nonce = 1;
  if (resource_rig_open(rig) == 0) {
    rig_check *asked = resource_rig_check(rig, "DPoP", token, proof);
    char *again = resource_rig_proof(rig, token, asked->nonce);
    resource_rig_check(rig, "DPoP", token, again);
    const char *result = resource_rig_result(rig);
    rc = strcmp(result, "ann: read") == 0 ? 0 : MCP_ERR_NOMEM;
    assert_true(rc == 0 || strncmp(result, "503 ", 4) == 0 ||
                strncmp(asked->text, "503 ", 4) == 0);
    free(again);
  } else {
    assert_int_equal(rig->err.code, MCP_ERR_NOMEM);
  }
  free(token);
  free(jwks);
  free(proof);
  resource_rig_free(rig);
  return rc;
}

/* A cache that keeps nothing is not an error, so some runs end well. */
TEST(without_memory_a_request_is_refused_for_now) {
  for (size_t i = 1; i < 200; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    check_with_proof(&alloc.allocator, NULL);
    assert_int_equal(alloc.live_blocks, 0);
  }
}

/* A token of another audience, one with a wrong signature, one that is not
 * known, and a bound one without its proof. */
static int check_bad_tokens(const mcp_allocator *allocator, void *userdata) {
  resource_rig *rig = resource_rig_new(allocator);
  int rc = MCP_ERR_NOMEM;
  if (rig == NULL) {
    return rc;
  }
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  char *claims = resource_rig_claims(NULL, NULL);
  char *const tokens[] = {
      resource_rig_token(rig, resource_rig_claims("aud", "\"https://other\"")),
      resource_rig_sign(rig, rig->other, MCP_SIGN_ES256, "{\"alg\":\"ES256\"}",
                        claims),
      strdup("unknown"), bound_token(rig)};
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = jwks;
  rig->options.tokens = FIXED " bob read\n";
  if (resource_rig_open(rig) == 0) {
    rc = 0;
    for (size_t i = 0; i < 4; i++) {
      resource_rig_check(rig, "Bearer", tokens[i], NULL);
      const char *result = resource_rig_result(rig);
      int is_refused = strncmp(result, "401 ", 4) == 0;
      assert_true(is_refused || strncmp(result, "503 ", 4) == 0);
      rc = is_refused ? rc : MCP_ERR_NOMEM;
    }
  }
  for (size_t i = 0; i < 4; i++) {
    free(tokens[i]);
  }
  free(claims);
  free(jwks);
  resource_rig_free(rig);
  return rc;
}

TEST(without_memory_a_bad_token_is_never_accepted) {
  assert_int_equal(check_bad_tokens(NULL, NULL), 0);
  for (size_t i = 1; i < 200; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    check_bad_tokens(&alloc.allocator, NULL);
    assert_int_equal(alloc.live_blocks, 0);
  }
}
