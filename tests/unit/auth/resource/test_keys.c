/* SPDX-License-Identifier: MIT */
#include "auth/resource/keys.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"
#include <stdio.h>
#include <stdlib.h>

static int open_rig(void **state) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  *state = rig;
  return resource_rig_open(rig);
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

/* Begins to check a token with this `jti`, so that no cache knows it. */
static rig_check *check_new(resource_rig *rig) {
  char number[16];
  snprintf(number, sizeof(number), "%zu", rig->check_count);
  char *token = resource_rig_token(rig, resource_rig_claims("n", number));
  rig_check *check = resource_rig_check(rig, "Bearer", token, NULL);
  free(token);
  return check;
}

/* The same with another key of the issuer. */
static rig_check *check_signed(resource_rig *rig, const mcp_key *key,
                               const char *header) {
  char number[16];
  snprintf(number, sizeof(number), "%zu", rig->check_count);
  char *claims = resource_rig_claims("n", number);
  char *token = resource_rig_sign(rig, key, MCP_SIGN_ES256, header, claims);
  free(claims);
  rig_check *check = resource_rig_check(rig, "Bearer", token, NULL);
  free(token);
  return check;
}

#define KID_2 "{\"alg\":\"ES256\",\"kid\":\"k2\"}"

/* Answers the request for keys with both keys of the rig. */
static void give_both(resource_rig *rig) {
  char *both = resource_rig_join(resource_rig_jwks(rig, rig->key, "k1"),
                                 resource_rig_jwks(rig, rig->other, "k2"));
  resource_rig_answer(rig, 200, both);
  free(both);
}

/* Answers the request for keys with the same key as before. */
static void give_keys_again(resource_rig *rig) {
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
}

/* --- where the keys are ------------------------------------------------- */

TEST_WITH(metadata_name_the_keys, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  assert_string_equal(resource_rig_url(rig), RIG_METADATA);
  assert_string_equal(resource_rig_fetch(rig)->method, "GET");
  assert_int_equal(resource_rig_fetch(rig)->max_answer, MCPI_KEYS_MAX_ANSWER);
  assert_int_equal(resource_rig_fetch(rig)->timeout_ms, 10000);
  resource_rig_answer(rig, 200, resource_rig_metadata());
  assert_string_equal(resource_rig_url(rig), RIG_JWKS_URI);
  assert_string_equal(resource_rig_result(rig), "waits");
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  check_new(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_int_equal(rig->fetch_count, 2);
}

TEST_WITH(metadata_are_looked_for_at_three_places, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  assert_string_equal(resource_rig_url(rig), RIG_METADATA);
  resource_rig_answer(rig, 404, "");
  assert_string_equal(resource_rig_url(rig),
                      "https://as.example/.well-known/openid-configuration/t1");
  resource_rig_answer(rig, 200, "<html>");
  assert_string_equal(resource_rig_url(rig),
                      "https://as.example/t1/.well-known/openid-configuration");
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
}

TEST(without_a_path_there_are_two_places) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = "https://as.example";
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(
      rig, resource_rig_claims("iss", "\"https://as.example\""));
  resource_rig_check(rig, "Bearer", token, NULL);
  free(token);
  assert_string_equal(
      resource_rig_url(rig),
      "https://as.example/.well-known/oauth-authorization-server");
  resource_rig_answer(rig, 500, "");
  assert_string_equal(resource_rig_url(rig),
                      "https://as.example/.well-known/openid-configuration");
  resource_rig_answer(rig, 404, "");
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the metadata of https://as.example: "
                      "the answer has status 404");
  resource_rig_free(rig);
}

TEST(the_program_may_name_the_keys) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks_uri = "https://keys.example/k";
  rig->options.fetch_timeout_ms = 77;
  rig->options.ca_file = "ca.pem";
  assert_int_equal(resource_rig_open(rig), 0);
  check_new(rig);
  assert_string_equal(resource_rig_url(rig), "https://keys.example/k");
  assert_int_equal(resource_rig_fetch(rig)->timeout_ms, 77);
  assert_false(resource_rig_fetch(rig)->is_public_only);
  give_both(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  resource_rig_free(rig);
}

/* --- what metadata may not say ------------------------------------------ */

TEST_WITH(metadata_of_another_issuer_are_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_answer(rig, 200,
                      "{\"issuer\":\"https://as.example/t2\",\"jwks_uri\":"
                      "\"https://as.example/k\",\"token_endpoint\":"
                      "\"https://as.example/t\"}");
  assert_memory_equal(resource_rig_result(rig), "503 cannot fetch the metadata",
                      29);
  assert_null(resource_rig_fetch(rig));
}

TEST_WITH(keys_without_tls_are_not_fetched, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_answer(rig, 200,
                      "{\"issuer\":\"" RIG_ISSUER "\",\"jwks_uri\":"
                      "\"http://as.example/k\",\"token_endpoint\":"
                      "\"https://as.example/t\"}");
  assert_memory_equal(resource_rig_result(rig), "503 cannot fetch the metadata",
                      29);
  assert_null(resource_rig_fetch(rig));
}

TEST_WITH(keys_elsewhere_are_not_fetched_from_private_addresses, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  assert_false(resource_rig_fetch(rig)->is_public_only);
  resource_rig_answer(rig, 200,
                      "{\"issuer\":\"" RIG_ISSUER "\",\"jwks_uri\":"
                      "\"https://keys.example/k\",\"token_endpoint\":"
                      "\"https://as.example/t\"}");
  assert_string_equal(resource_rig_url(rig), "https://keys.example/k");
  assert_true(resource_rig_fetch(rig)->is_public_only);
  resource_rig_fail(rig, MCP_ERR_REFUSED, "10.0.0.1 is a private address");
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the keys of " RIG_ISSUER
                      ": 10.0.0.1 is a private address");
}

/* A proxy would look these names up for us. */
TEST(keys_at_names_that_are_known_to_be_private_are_not_fetched) {
  static const char *const urls[] = {"https://10.0.0.1/k", "https://[::1]/k",
                                     "http://localhost/k"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    resource_rig *rig = resource_rig_new(NULL);
    char text[200];
    rig->options.issuer = RIG_ISSUER;
    assert_int_equal(resource_rig_open(rig), 0);
    check_new(rig);
    snprintf(text, sizeof(text),
             "{\"issuer\":\"" RIG_ISSUER "\",\"jwks_uri\":\"%s\","
             "\"token_endpoint\":\"https://as.example/t\"}",
             urls[i]);
    resource_rig_answer(rig, 200, text);
    assert_null(resource_rig_fetch(rig));
    assert_string_equal(resource_rig_result(rig),
                        "503 cannot fetch the keys of " RIG_ISSUER
                        ": jwks_uri has a private address");
    resource_rig_free(rig);
  }
}

TEST_WITH(metadata_without_keys_are_not_the_last_word, open_rig, close_rig) {
  resource_rig *rig = *state;
  const char *none = "{\"issuer\":\"" RIG_ISSUER "\",\"token_endpoint\":"
                     "\"https://as.example/t\"}";
  check_new(rig);
  resource_rig_answer(rig, 200, none);
  resource_rig_answer(rig, 200, none);
  assert_string_equal(resource_rig_result(rig), "waits");
  resource_rig_answer(rig, 200, none);
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the metadata of " RIG_ISSUER
                      ": none of them has jwks_uri");
}

/* --- the issuer is down ------------------------------------------------- */

TEST_WITH(failures_of_a_fetch_are_503, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const struct {
    int error;
    const char *why;
  } failures[] = {{MCP_ERR_IO, "connection refused"},
                  {MCP_ERR_TIMEOUT, "no answer within 10000 ms"},
                  {MCP_ERR_LIMIT, "the answer is longer than 262144 bytes"},
                  {MCP_ERR_NOMEM, "out of memory"}};
  for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
    char expected[200];
    check_new(rig);
    resource_rig_fail(rig, failures[i].error, failures[i].why);
    snprintf(expected, sizeof(expected),
             "503 cannot fetch the metadata of " RIG_ISSUER ": %s",
             failures[i].why);
    assert_string_equal(resource_rig_result(rig), expected);
    resource_rig_pass(rig, MCPI_KEYS_RETRY_MS);
  }
}

TEST_WITH(a_failed_fetch_is_not_repeated_at_once, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_fail(rig, MCP_ERR_IO, "down");
  resource_rig_pass(rig, MCPI_KEYS_RETRY_MS - 1);
  check_new(rig);
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the metadata of " RIG_ISSUER ": down");
  assert_int_equal(rig->fetch_count, 1);
  resource_rig_pass(rig, 1);
  check_new(rig);
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
}

TEST_WITH(the_whole_fetch_has_one_limit, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_pass(rig, 9000);
  resource_rig_answer(rig, 404, "");
  assert_int_equal(resource_rig_fetch(rig)->timeout_ms, 1000);
  resource_rig_pass(rig, 2000);
  resource_rig_answer(rig, 404, "");
  assert_int_equal(resource_rig_fetch(rig)->timeout_ms, 1);
  resource_rig_fail(rig, MCP_ERR_TIMEOUT, "late");
}

TEST_WITH(a_request_that_cannot_begin_is_503, open_rig, close_rig) {
  resource_rig *rig = *state;
  rig->fetch_error = MCP_ERR_INVALID;
  check_new(rig);
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the keys of " RIG_ISSUER
                      ": invalid argument");
  rig->fetch_error = 0;
  resource_rig_pass(rig, MCPI_KEYS_RETRY_MS);
  check_new(rig);
  rig->fetch_error = MCP_ERR_NOMEM;
  resource_rig_answer(rig, 200, resource_rig_metadata());
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the keys of " RIG_ISSUER
                      ": out of memory");
}

TEST_WITH(sets_without_usable_keys_are_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const sets[] = {
      "",          "[]",
      "{}",        "{\"keys\":[]}",
      "{\"keys\"", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}"};
  for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
    check_new(rig);
    resource_rig_answer(rig, 200, resource_rig_metadata());
    resource_rig_answer(rig, 200, sets[i]);
    assert_memory_equal(resource_rig_result(rig),
                        "503 cannot fetch the keys of", 28);
    resource_rig_pass(rig, MCPI_KEYS_RETRY_MS);
  }
}

/* --- age and rotation --------------------------------------------------- */

TEST_WITH(old_keys_are_used_until_new_ones_are_there, open_rig, close_rig) {
  resource_rig *rig = *state;
  rig_check *first = check_new(rig);
  resource_rig_give_keys(rig);
  assert_string_equal(first->text, "ann: read");
  rig->now_ms += 3600000 - 1;
  check_new(rig);
  assert_int_equal(rig->fetch_count, 2);
  rig->now_ms += 1;
  check_new(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_string_equal(resource_rig_url(rig), RIG_METADATA);
  check_new(rig);
  assert_int_equal(rig->fetch_count, 3);
  resource_rig_answer(rig, 200, resource_rig_metadata());
  char *jwks = resource_rig_jwks(rig, rig->other, "k2");
  resource_rig_answer(rig, 200, jwks);
  check_new(rig);
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
  assert_string_equal(
      resource_rig_result(rig),
      "401 invalid_token: the issuer of the token has no key that fits");
}

TEST_WITH(old_keys_stay_while_the_issuer_is_down, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  for (int hour = 0; hour < 5; hour++) {
    rig->now_ms += 3600000;
    check_new(rig);
    assert_string_equal(resource_rig_result(rig), "ann: read");
    resource_rig_fail(rig, MCP_ERR_IO, "down");
    check_new(rig);
    assert_string_equal(resource_rig_result(rig), "ann: read");
    assert_null(resource_rig_fetch(rig));
  }
}

/* Also if the token has been checked before, and was used meanwhile. */
TEST_WITH(a_key_that_the_issuer_takes_away_is_no_longer_good, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  char *token =
      resource_rig_token(rig, resource_rig_claims("exp", "1800000000"));
  resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  rig->now_ms += 3599999;
  resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_null(resource_rig_fetch(rig));
  rig->now_ms += 1;
  resource_rig_check(rig, "Bearer", token, NULL); /* still by the old keys */
  assert_string_equal(resource_rig_result(rig), "ann: read");
  char *jwks = resource_rig_jwks(rig, rig->other, "k2");
  resource_rig_answer(rig, 200, resource_rig_metadata());
  resource_rig_answer(rig, 200, jwks);
  rig_check *last = resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_answer(rig, 200, jwks); /* the key may have come back */
  free(jwks);
  assert_string_equal(last->text,
                      "401 invalid_token: the issuer of the token has no key "
                      "that fits");
  free(token);
}

/* A token with an unknown key has them fetched early. */
TEST_WITH(an_early_fetch_also_tells_which_keys_are_gone, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  char *jwks = resource_rig_jwks(rig, rig->other, "k2");
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
  assert_string_equal(waiting->text, "ann: read");
  resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the issuer of the token has no key "
                      "that fits");
  free(token);
}

/* Junk tokens that fetch the same keys again cost the others nothing. */
TEST_WITH(the_same_keys_leave_checked_tokens_alone, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  rig_check *first = resource_rig_check(rig, "Bearer", token, NULL);
  resource_rig_give_keys(rig);
  check_signed(rig, rig->other, KID_2);
  give_keys_again(rig);
  rig_check *again = resource_rig_check(rig, "Bearer", token, NULL);
  assert_ptr_equal(first->grant, again->grant);
  free(token);
}

TEST_WITH(a_token_without_a_key_id_is_tried_with_four_keys_at_most, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  char *jwks = resource_rig_jwks(rig, rig->other, "a");
  for (int i = 0; i < 4; i++) {
    if (i == 3) { /* the fifth is the right one */
      jwks = resource_rig_join(jwks, resource_rig_jwks(rig, rig->key, "k"));
    } else {
      jwks = resource_rig_join(jwks, resource_rig_jwks(rig, rig->proof, "b"));
    }
  }
  rig_check *fifth = check_signed(rig, rig->key, "{\"alg\":\"ES256\"}");
  resource_rig_answer(rig, 200, resource_rig_metadata());
  resource_rig_answer(rig, 200, jwks);
  if (resource_rig_fetch(rig) != NULL) { /* the key may be new */
    resource_rig_answer(rig, 200, jwks);
  }
  assert_memory_equal(fifth->text, "401 invalid_token", 17);
  free(jwks);
}

TEST_WITH(a_new_key_is_fetched_when_a_token_has_it, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  rig->now_ms += MCPI_KEYS_PAUSE_MS;
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  assert_string_equal(waiting->text, "waits");
  check_new(rig); /* the old key still works */
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_string_equal(resource_rig_url(rig), RIG_JWKS_URI);
  give_both(rig);
  assert_string_equal(waiting->text, "ann: read");
}

/* The issuer may change its keys right after the server has fetched them. */
TEST_WITH(a_new_key_is_fetched_soon_after_the_first_ones, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  assert_string_equal(waiting->text, "waits");
  give_both(rig);
  assert_string_equal(waiting->text, "ann: read");
}

TEST_WITH(a_token_whose_key_is_unknown_waits_for_one_fetch, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  resource_rig_give_keys(rig);
  assert_string_equal(
      waiting->text,
      "401 invalid_token: the issuer of the token has no key that fits");
  assert_int_equal(rig->fetch_count, 2);
}

TEST_WITH(unknown_keys_are_looked_for_every_30_s_at_most, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  check_signed(rig, rig->other, KID_2);
  give_keys_again(rig);
  assert_int_equal(rig->fetch_count, 3);
  rig->now_ms += MCPI_KEYS_PAUSE_MS - 1;
  check_signed(rig, rig->other, KID_2);
  assert_string_equal(
      resource_rig_result(rig),
      "401 invalid_token: the issuer of the token has no key that fits");
  assert_int_equal(rig->fetch_count, 3);
  rig->now_ms += 1;
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  resource_rig_fail(rig, MCP_ERR_IO, "down");
  assert_string_equal(waiting->text,
                      "503 cannot fetch the keys of " RIG_ISSUER ": down");
  check_signed(rig, rig->other, KID_2);
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot fetch the keys of " RIG_ISSUER ": down");
  check_new(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_int_equal(rig->fetch_count, 4);
}

TEST_WITH(a_place_where_the_keys_are_no_longer_is_forgotten, open_rig,
          close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  rig->now_ms += MCPI_KEYS_PAUSE_MS;
  check_signed(rig, rig->other, KID_2);
  resource_rig_answer(rig, 404, "");
  rig->now_ms += MCPI_KEYS_PAUSE_MS;
  rig_check *waiting = check_signed(rig, rig->other, KID_2);
  assert_string_equal(resource_rig_url(rig), RIG_METADATA);
  resource_rig_answer(rig, 200, resource_rig_metadata());
  give_both(rig);
  assert_string_equal(waiting->text, "ann: read");
}

TEST_WITH(a_token_that_names_no_key_may_have_a_new_one, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  check_signed(rig, rig->other, "{\"alg\":\"ES256\"}");
  give_keys_again(rig);
  assert_string_equal(
      resource_rig_result(rig),
      "401 invalid_token: the issuer of the token has no key that fits");
  rig->now_ms += MCPI_KEYS_PAUSE_MS;
  rig_check *waiting = check_signed(rig, rig->other, "{\"alg\":\"ES256\"}");
  give_both(rig);
  assert_string_equal(waiting->text, "ann: read");
}

TEST_WITH(a_wrong_signature_fetches_nothing, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig);
  resource_rig_give_keys(rig);
  rig->now_ms += MCPI_KEYS_PAUSE_MS;
  check_signed(rig, rig->other, "{\"alg\":\"ES256\",\"kid\":\"k1\"}");
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the signature of the token is wrong");
  assert_null(resource_rig_fetch(rig));
}

TEST_WITH(tokens_that_are_refused_anyway_fetch_nothing, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const wrong[][2] = {
      {"iss", "\"https://evil.example\""}, {"aud", "\"x\""}, {"exp", "1"}};
  for (size_t i = 0; i < 3; i++) {
    char *token =
        resource_rig_token(rig, resource_rig_claims(wrong[i][0], wrong[i][1]));
    resource_rig_check(rig, "Bearer", token, NULL);
    free(token);
    assert_memory_equal(resource_rig_result(rig), "401 invalid_token", 17);
  }
  assert_int_equal(rig->fetch_count, 0);
}

/* --- waiting ------------------------------------------------------------ */

TEST_WITH(waiting_checks_share_one_fetch, open_rig, close_rig) {
  resource_rig *rig = *state;
  for (int i = 0; i < 10; i++) {
    check_new(rig);
  }
  assert_int_equal(rig->fetch_count, 1);
  resource_rig_give_keys(rig);
  assert_int_equal(rig->fetch_count, 2);
  for (int i = 0; i < 10; i++) {
    assert_string_equal(rig->checks[i].text, "ann: read");
    assert_int_equal(rig->checks[i].calls, 1);
  }
}

TEST_WITH(a_check_may_end_at_each_step, open_rig, close_rig) {
  resource_rig *rig = *state;
  rig_check *first = check_new(rig);
  mcpi_verifier_cancel(&first->wait);
  mcpi_verifier_cancel(&first->wait);
  rig_check *second = check_new(rig);
  resource_rig_answer(rig, 200, resource_rig_metadata());
  mcpi_verifier_cancel(&second->wait);
  rig_check *third = check_new(rig);
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
  mcpi_verifier_cancel(&third->wait);
  assert_int_equal(first->calls + second->calls, 0);
  assert_string_equal(third->text, "ann: read");
  assert_int_equal(third->calls, 1);
}

static void cancel_next(rig_check *check) {
  mcpi_verifier_cancel(&check[1].wait);
}

TEST_WITH(a_check_may_end_another_that_waits_with_it, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig)->on_done = cancel_next;
  check_new(rig);
  check_new(rig);
  resource_rig_give_keys(rig);
  assert_string_equal(rig->checks[0].text, "ann: read");
  assert_string_equal(rig->checks[1].text, "waits");
  assert_string_equal(rig->checks[2].text, "ann: read");
}

static void free_verifier(rig_check *check) {
  mcpi_verifier_free(check->rig->verifier);
  check->rig->verifier = NULL;
}

TEST_WITH(a_check_may_free_the_verifier, open_rig, close_rig) {
  resource_rig *rig = *state;
  check_new(rig)->on_done = free_verifier;
  check_new(rig);
  resource_rig_give_keys(rig);
  assert_string_equal(rig->checks[0].text, "ann: read");
  assert_int_equal(rig->checks[1].calls, 0);
}

TEST_WITH(freeing_the_verifier_ends_the_fetch, open_rig, close_rig) {
  resource_rig *rig = *state;
  rig_check *check = check_new(rig);
  mcpi_verifier_free(rig->verifier);
  rig->verifier = NULL;
  assert_true(rig->fetches[0].is_cancelled);
  assert_int_equal(check->calls, 0);
}

/* --- fixed keys --------------------------------------------------------- */

TEST(fixed_keys_must_be_usable) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.issuer = RIG_ISSUER;
  rig->options.jwks = "{\"keys\":[]}";
  assert_int_equal(resource_rig_open(rig), MCP_ERR_INVALID);
  assert_string_equal(rig->err.message,
                      "jwks: there is no key that can be used");
  rig->options.jwks = "{";
  assert_int_equal(resource_rig_open(rig), MCP_ERR_INVALID);
  resource_rig_free(rig);
}

/* --- memory ------------------------------------------------------------- */

/* A lack of memory refuses the check for now; it never accepts or crashes. */
static int fetch_and_verify(const mcp_allocator *allocator, void *userdata) {
  resource_rig *rig = resource_rig_new(allocator);
  int rc = MCP_ERR_NOMEM;
  if (rig == NULL) {
    return rc;
  }
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  if (resource_rig_open(rig) == 0) {
    resource_rig_check(rig, "Bearer", token, NULL);
    for (int i = 0; i < 4 && resource_rig_fetch(rig) != NULL; i++) {
      int is_keys = strcmp(resource_rig_url(rig), RIG_JWKS_URI) == 0;
      resource_rig_answer(rig, 200, is_keys ? jwks : resource_rig_metadata());
    }
    const char *result = resource_rig_result(rig);
    rc = strcmp(result, "ann: read") == 0 ? 0 : MCP_ERR_NOMEM;
    assert_true(rc == 0 || strncmp(result, "503 ", 4) == 0);
  } else {
    assert_int_equal(rig->err.code, MCP_ERR_NOMEM);
  }
  free(token);
  free(jwks);
  resource_rig_free(rig);
  return rc;
}

TEST(without_memory_a_token_is_refused_for_now) {
  failing_alloc_rerun_least(15, fetch_and_verify, NULL);
}
