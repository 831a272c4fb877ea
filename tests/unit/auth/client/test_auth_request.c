/* SPDX-License-Identifier: MIT */
#include "auth/client/auth.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)
#define SCOPE_CHALLENGE(scopes)                                                \
  "Bearer error=\"insufficient_scope\", scope=\"" scopes "\""

static auth_rig rig;
static rig_request one;
static rig_request two;

static int open_rig(void **state) {
  assert_int_equal(auth_rig_init(&rig, NULL), 0);
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_init(&two, rig.auth, RIG_URL);
  return 0;
}

static int close_rig(void **state) {
  rig_request_deinit(&one);
  rig_request_deinit(&two);
  auth_rig_deinit(&rig);
  return 0;
}

#define RIG_TEST(name) TEST_WITH(name, open_rig, close_rig)

static void put_token(const char *access, const char *more) {
  char text[512];
  snprintf(text, sizeof(text),
           "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"%s\",%s"
           "\"issuer\":\"https://as.example\",\"scope\":\"read\"},"
           "\"scopes\":\"read\"}",
           access, more);
  auth_rig_put(&rig, RIG_URL, text);
}

static void send_now(rig_request *request) {
  if (rig_request_send(request) == MCP_PENDING) {
    auth_rig_turn(&rig);
  }
  assert_true(request->order > 0);
}

/* The server refuses a request, and then a login brings a token. */
static void log_in(rig_request *request, int status, const char *challenge,
                   const char *access) {
  assert_int_equal(rig_request_refuse(request, status, challenge, NULL),
                   MCP_PENDING);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, access, NULL, HOUR_MS, NULL, NULL);
  assert_true(request->order > 0);
}

/* --- without authorization ------------------------------------------------ */

TEST(without_a_server_nothing_is_done) {
  mcpi_auth_request request;
  mcpi_auth_headers headers = {{"x", 1}, {"x", 1}};
  mcpi_auth_answer answer;
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  mcpi_auth_request_init(&request, NULL, NULL, NULL);
  assert_int_equal(mcpi_auth_prepare(&request, "GET", RIG_URL, &headers, NULL),
                   0);
  assert_null(headers.authorization.ptr);
  assert_null(headers.dpop.ptr);
  mcpi_auth_note_answer(&request, &answer);
  assert_int_equal(mcpi_auth_refused(&request, 401, &answer, NULL, NULL),
                   MCP_ERR_NOT_FOUND);
  mcpi_auth_request_deinit(&request);
  mcpi_auth_request_deinit(&request);
  mcpi_auth_answer_deinit(&answer);
}

TEST(a_request_of_zeros_can_be_deinitialised) {
  mcpi_auth_request request = {.owner = NULL};
  mcpi_auth_request_deinit(&request);
}

RIG_TEST(other_statuses_are_not_about_authorization) {
  send_now(&one);
  assert_int_equal(rig_request_refuse(&one, 404, "Bearer", NULL),
                   MCP_ERR_NOT_FOUND);
  assert_int_equal(rig_request_refuse(&one, 403, NULL, NULL),
                   MCP_ERR_NOT_FOUND);
  assert_int_equal(
      rig_request_refuse(&one, 403, "Bearer error=\"invalid_token\"", NULL),
      MCP_ERR_NOT_FOUND);
  assert_int_equal(
      rig_request_refuse(&one, 403, "Basic error=\"insufficient_scope\"", NULL),
      MCP_ERR_NOT_FOUND);
}

RIG_TEST(a_server_without_tls_gets_no_token) {
  rig_request plain;
  rig_request_init(&plain, rig.auth, "http://192.0.2.1/mcp");
  assert_int_equal(rig_request_send(&plain), 0);
  assert_string_equal(plain.authorization, "");
  assert_int_equal(rig_request_refuse(&plain, 403, "Bearer", NULL),
                   MCP_ERR_NOT_FOUND);
  assert_int_equal(rig_request_refuse(&plain, 401, "Bearer", NULL),
                   MCP_ERR_REFUSED);
  assert_int_equal(plain.err.status, 401);
  assert_non_null(strstr(plain.err.message, "http://192.0.2.1/mcp"));
  rig_request_deinit(&plain);
}

RIG_TEST(a_request_to_another_origin_gets_no_token) {
  mcpi_auth_headers headers;
  put_token("abc", "");
  send_now(&one);
  assert_string_equal(one.authorization, "Bearer abc");
  static const char *const urls[] = {
      "https://evil.example/mcp", "http://example.com/mcp",
      "https://example.com:8443/mcp", "https://example.com.evil/mcp", "x"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    assert_int_equal(
        mcpi_auth_prepare(&one.request, "GET", urls[i], &headers, NULL), 0);
    assert_null(headers.authorization.ptr);
  }
  static const char *const ours[] = {RIG_URL, RIG_URL "/x", RIG_URL "?q",
                                     "https://EXAMPLE.com/other",
                                     "wss://user:pw@example.com:443/mcp#x"};
  for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
    assert_int_equal(
        mcpi_auth_prepare(&one.request, "GET", ours[i], &headers, NULL), 0);
    assert_int_equal(headers.authorization.len, 10);
  }
}

/* --- 401 ------------------------------------------------------------------ */

RIG_TEST(a_request_with_an_older_token_is_sent_again) {
  send_now(&one);
  send_now(&two);
  log_in(&one, 401, "Bearer", "abc");
  assert_int_equal(rig_request_refuse(&two, 401, "Bearer", NULL), 0);
  assert_int_equal(rig_request_send(&two), 0);
  assert_string_equal(two.authorization, "Bearer abc");
  assert_int_equal(rig.flow_count, 1);
}

RIG_TEST(a_stored_token_that_is_refused_is_renewed_then_replaced_then_final) {
  put_token("abc", "\"refresh_token\":\"r1\",");
  send_now(&one);
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  auth_rig_token(&rig, "def", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(one.authorization, "Bearer def");
  assert_string_equal(two.authorization, "Bearer def");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer scope=\"x\"", NULL),
                   MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  assert_string_equal(rig.flow->demanded, "x");
  assert_string_equal(rig.flow->earlier, "read");
  auth_rig_token(&rig, "ghi", "r3", HOUR_MS, NULL, "read x");
  assert_string_equal(one.authorization, "Bearer ghi");
  assert_int_equal(rig_request_refuse(&one, 401,
                                      "Bearer error=\"invalid_token\", "
                                      "error_description=\"wrong audience\"",
                                      NULL),
                   MCP_ERR_REFUSED);
  assert_int_equal(one.err.status, 401);
  assert_string_equal(one.err.message,
                      RIG_URL " refuses the token of a new login: "
                              "invalid_token: wrong audience");
  assert_int_equal(rig.flow_count, 2);
}

RIG_TEST(an_error_does_not_repeat_a_token_that_the_server_writes) {
  send_now(&one);
  log_in(&one, 401, "Bearer", "secret-token");
  rig_request_refuse(&one, 401,
                     "Bearer error=\"invalid_token\", "
                     "error_description=\"secret-token is bad\"",
                     NULL);
  assert_string_equal(one.err.message, RIG_URL
                      " refuses the token of a new login: invalid_token");
}

RIG_TEST(other_requests_do_not_log_in_again_at_once) {
  send_now(&one);
  log_in(&one, 401, "Bearer", "abc");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL),
                   MCP_ERR_REFUSED);
  send_now(&two);
  assert_int_equal(rig_request_refuse(&two, 401, "Bearer", NULL),
                   MCP_ERR_REFUSED);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_pass(&rig, 60000);
  rig_request later;
  rig_request_init(&later, rig.auth, RIG_URL);
  send_now(&later);
  log_in(&later, 401, "Bearer", "def");
  rig_request_deinit(&later);
}

RIG_TEST(a_token_that_ends_early_is_replaced_by_a_login) {
  send_now(&one);
  log_in(&one, 401, "Bearer", "abc");
  send_now(&two);
  log_in(&two, 401, "Bearer", "def");
  assert_string_equal(two.authorization, "Bearer def");
}

RIG_TEST(a_refused_refresh_token_leads_to_a_login_with_the_challenge) {
  put_token("abc", "\"refresh_token\":\"r1\",");
  send_now(&one);
  rig_request_refuse(&one, 401, "Bearer scope=\"x y\"", NULL);
  auth_rig_turn(&rig);
  auth_rig_refuse_refresh(&rig);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  assert_string_equal(rig.flow->demanded, "x y");
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  assert_string_equal(one.authorization, "Bearer def");
}

RIG_TEST(a_renewal_that_cannot_be_tried_fails_the_request) {
  put_token("abc", "\"refresh_token\":\"r1\",");
  send_now(&one);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_TIMEOUT, "no answer");
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
  /* The refused token is not sent again, but its refresh token is good. */
  send_now(&two);
  assert_string_equal(two.authorization, "");
  rig_request_refuse(&two, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, "read");
  assert_string_equal(two.authorization, "Bearer def");
}

RIG_TEST(a_token_that_is_refused_while_it_is_renewed_is_not_sent_again) {
  put_token("abc", "\"refresh_token\":\"r1\",\"expires_at_ms\":1050000,");
  send_now(&one);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, "read");
  assert_string_equal(one.authorization, "Bearer def");
  assert_string_equal(two.authorization, "Bearer def");
}

RIG_TEST(a_server_that_refuses_all_ends_the_request) {
  int count = 0;
  send_now(&one);
  while (count < 10 &&
         rig_request_refuse(&one, 401, "Bearer", NULL) == MCP_PENDING) {
    char access[16];
    snprintf(access, sizeof(access), "t%d", count++);
    put_token(access, "");
    auth_rig_turn(&rig);
  }
  assert_int_equal(count, 4);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
}

RIG_TEST(a_401_with_no_challenge_begins_a_login) {
  send_now(&one);
  assert_int_equal(rig_request_refuse(&one, 401, NULL, NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->metadata_url, "-");
  assert_string_equal(rig.flow->demanded, "-");
}

RIG_TEST(a_request_that_waits_may_be_prepared_again) {
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(one.readies, 1);
}

RIG_TEST(an_authorization_server_whose_tokens_expire_at_once_is_not_asked_on) {
  put_token("abc", "\"refresh_token\":\"r1\",\"expires_at_ms\":1,");
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "def", "r2", 0, NULL, "read");
  auth_rig_turn(&rig);
  assert_string_equal(one.authorization, "Bearer def");
  assert_int_equal(rig.flow_count, 1);
}

/* --- DPoP ----------------------------------------------------------------- */

static void log_in_with_dpop(rig_request *request) {
  send_now(request);
  rig_request_refuse(request, 401, "DPoP algs=\"ES256\"", NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->start.wants_dpop, 1);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, "PEM 1", NULL);
}

RIG_TEST(a_bound_token_is_sent_with_a_new_proof_each_time) {
  log_in_with_dpop(&one);
  assert_string_equal(one.authorization, "DPoP abc");
  assert_string_equal(one.dpop, "proof");
  assert_string_equal(rig.proof_url, "POST " RIG_URL);
  assert_string_equal(rig.nonce, "-");
  send_now(&two);
  assert_int_equal(rig.proofs, 2);
  assert_int_equal(rig.keys_alive, 1);
}

RIG_TEST(a_nonce_of_any_answer_is_used_in_the_next_proof) {
  mcpi_auth_answer answer;
  log_in_with_dpop(&one);
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  mcpi_auth_answer_take(&answer, MCPI_STR("dpop-nonce: n1"));
  mcpi_auth_note_answer(&one.request, &answer);
  mcpi_auth_answer_deinit(&answer);
  send_now(&two);
  assert_string_equal(rig.nonce, "n1");
}

RIG_TEST(a_demanded_nonce_sends_the_request_again_at_most_twice) {
  const char *challenge = "DPoP error=\"use_dpop_nonce\"";
  log_in_with_dpop(&one);
  assert_int_equal(rig_request_refuse(&one, 401, challenge, "n1"), 0);
  assert_int_equal(rig_request_send(&one), 0);
  assert_string_equal(rig.nonce, "n1");
  assert_int_equal(rig_request_refuse(&one, 401, challenge, "n2"), 0);
  assert_int_equal(rig_request_send(&one), 0);
  assert_string_equal(rig.nonce, "n2");
  assert_int_equal(rig_request_refuse(&one, 401, challenge, "n3"),
                   MCP_ERR_REFUSED);
  assert_int_equal(one.err.status, 401);
  assert_null(strstr(one.err.message, "n3"));
  assert_int_equal(rig.flow_count, 1);
}

RIG_TEST(a_nonce_for_a_token_that_is_not_bound_begins_a_login) {
  put_token("abc", "");
  send_now(&one);
  assert_int_equal(
      rig_request_refuse(&one, 401, "DPoP error=\"use_dpop_nonce\"", "n1"),
      MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->start.wants_dpop, 1);
}

RIG_TEST(the_key_of_a_stored_token_is_used) {
  put_token("abc", "\"key\":\"PEM 2\",");
  send_now(&one);
  assert_string_equal(one.authorization, "DPoP abc");
}

RIG_TEST(a_stored_token_with_a_broken_key_counts_as_absent) {
  put_token("abc", "\"key\":\"x\",");
  send_now(&one);
  assert_string_equal(one.authorization, "");
}

/* --- 403 ------------------------------------------------------------------ */

RIG_TEST(more_scopes_are_asked_for_while_others_use_the_token) {
  put_token("abc", "");
  send_now(&one);
  assert_int_equal(
      rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL),
      MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->demanded, "write");
  assert_string_equal(rig.flow->earlier, "read");
  send_now(&two);
  assert_string_equal(two.authorization, "Bearer abc");
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, "read write");
  assert_string_equal(one.authorization, "Bearer def");
}

RIG_TEST(the_same_scopes_are_asked_for_once) {
  put_token("abc", "");
  send_now(&one);
  rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, "read write");
  assert_int_equal(
      rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL),
      MCP_ERR_REFUSED);
  assert_int_equal(one.err.status, 403);
  assert_non_null(strstr(one.err.message, "\"write\""));
  send_now(&two);
  assert_int_equal(
      rig_request_refuse(&two, 403, SCOPE_CHALLENGE("write"), NULL),
      MCP_ERR_REFUSED);
  assert_int_equal(rig.flow_count, 1);
}

RIG_TEST(a_request_steps_up_twice_at_most) {
  static const char *const challenges[] = {
      SCOPE_CHALLENGE("a"), SCOPE_CHALLENGE("b"), SCOPE_CHALLENGE("c")};
  put_token("abc", "");
  send_now(&one);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(rig_request_refuse(&one, 403, challenges[i], NULL),
                     MCP_PENDING);
    auth_rig_turn(&rig);
    auth_rig_token(&rig, i == 0 ? "d" : "e", NULL, HOUR_MS, NULL, "read");
  }
  assert_int_equal(rig_request_refuse(&one, 403, challenges[2], NULL),
                   MCP_ERR_REFUSED);
  assert_int_equal(rig.flow_count, 2);
}

RIG_TEST(scopes_that_the_user_denied_are_not_asked_for_again) {
  put_token("abc", "");
  send_now(&one);
  rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "access_denied");
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  send_now(&two);
  assert_string_equal(two.authorization, "Bearer abc");
  assert_int_equal(
      rig_request_refuse(&two, 403, SCOPE_CHALLENGE("write"), NULL),
      MCP_ERR_REFUSED);
  assert_int_equal(rig_request_send(&two), 0);
  assert_int_equal(
      rig_request_refuse(&two, 403, SCOPE_CHALLENGE("write more"), NULL),
      MCP_PENDING);
}

RIG_TEST(trouble_does_not_deny_scopes) {
  put_token("abc", "");
  send_now(&one);
  rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
  send_now(&two);
  assert_int_equal(
      rig_request_refuse(&two, 403, SCOPE_CHALLENGE("write"), NULL),
      MCP_PENDING);
}

RIG_TEST(a_demand_without_scopes_fails) {
  put_token("abc", "");
  send_now(&one);
  assert_int_equal(rig_request_refuse(
                       &one, 403, "Bearer error=\"insufficient_scope\"", NULL),
                   MCP_ERR_REFUSED);
}

RIG_TEST(a_token_of_another_process_with_the_scopes_ends_a_step_up) {
  put_token("abc", "");
  send_now(&one);
  auth_rig_put(&rig, RIG_URL,
               "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"new\""
               ",\"issuer\":\"i\",\"scope\":\"read write\"}}");
  rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL);
  auth_rig_turn(&rig);
  assert_string_equal(one.authorization, "Bearer new");
  assert_int_equal(rig.flow_count, 0);
}

RIG_TEST(a_token_of_another_process_without_the_scopes_does_not_end_it) {
  put_token("abc", "");
  send_now(&one);
  put_token("new", "");
  rig_request_refuse(&one, 403, SCOPE_CHALLENGE("write"), NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
}

/* --- streams -------------------------------------------------------------- */

/* One structure serves a stream that is opened again and again. */
RIG_TEST(a_stream_is_renewed_each_time_its_token_ends) {
  char access[16];
  char refresh[16];
  put_token("a0", "\"refresh_token\":\"r0\",");
  send_now(&one);
  for (int i = 1; i < 6; i++) {
    snprintf(access, sizeof(access), "a%d", i);
    snprintf(refresh, sizeof(refresh), "r%d", i);
    auth_rig_pass(&rig, HOUR_MS);
    assert_int_equal(rig_request_send(&one), 0);
    assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL),
                     MCP_PENDING);
    auth_rig_turn(&rig);
    assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
    auth_rig_token(&rig, access, refresh, INT64_MAX, NULL, "read");
    assert_int_equal(one.err.code, 0);
  }
}

RIG_TEST(a_stream_gets_a_new_nonce_each_time_it_needs_one) {
  char nonce[16];
  put_token("a0", "\"key\":\"PEM\",");
  send_now(&one);
  for (int i = 1; i < 6; i++) {
    snprintf(nonce, sizeof(nonce), "n%d", i);
    assert_int_equal(rig_request_send(&one), 0);
    assert_int_equal(
        rig_request_refuse(&one, 401, "DPoP error=\"use_dpop_nonce\"", nonce),
        0);
    assert_int_equal(rig_request_send(&one), 0);
    assert_string_equal(rig.nonce, nonce);
  }
}

RIG_TEST(a_stream_asks_for_more_scopes_each_time_it_is_opened) {
  static const char *const scopes[] = {"a", "b", "c", "d"};
  char challenge[80];
  put_token("a0", "");
  send_now(&one);
  for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
    snprintf(challenge, sizeof(challenge),
             "Bearer error=\"insufficient_scope\", scope=\"%s\"", scopes[i]);
    assert_int_equal(rig_request_send(&one), 0);
    assert_int_equal(rig_request_refuse(&one, 403, challenge, NULL),
                     MCP_PENDING);
    auth_rig_turn(&rig);
    auth_rig_token(&rig, scopes[i], NULL, INT64_MAX, NULL, NULL);
    assert_string_equal(one.authorization + 7, scopes[i]);
  }
}

RIG_TEST(a_stream_begins_anew_after_a_failure) {
  put_token("a0", "\"refresh_token\":\"r0\",");
  send_now(&one);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL),
                     MCP_PENDING);
    auth_rig_turn(&rig);
    assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
    auth_rig_fail(&rig, MCP_ERR_IO, "no route");
    assert_string_equal(one.err.message, "no route");
    assert_int_equal(rig_request_send(&one), 0);
  }
}

/* --- memory --------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  int rc = auth_rig_init(&rig, allocator);
  if (rc == 0) {
    rc = auth_rig_open(&rig);
  }
  if (rc != 0) {
    auth_rig_deinit(&rig);
    return rc;
  }
  rig_request_init(&one, rig.auth, RIG_URL);
  rc = one.err.code;
  if (rc == 0) {
    rc = rig_request_send(&one);
  }
  auth_rig_turn(&rig);
  if (rc >= 0 && one.order > 0) {
    rc = rig_request_refuse(&one, 401, "DPoP scope=\"read\"", "n1");
    auth_rig_turn(&rig);
  }
  if (rig.flow != NULL) {
    auth_rig_token(&rig, "abc", "r1", 50000, "PEM", NULL);
  }
  if (one.order > 0) {
    rc = rig_request_send(&one);
    auth_rig_turn(&rig);
  }
  if (rig.flow != NULL) {
    auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  }
  if (rc >= 0) {
    rc = one.err.code;
  }
  rig_request_deinit(&one);
  auth_rig_deinit(&rig);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(20, scenario, NULL);
}
