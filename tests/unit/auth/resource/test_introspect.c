/* SPDX-License-Identifier: MIT */
#include "auth/resource/introspect.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"
#include <stdlib.h>

#define ENDPOINT "https://as.example/introspect"
#define OPAQUE "opaque+token/1=="

static int open_rig(void **state) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.introspection_endpoint = ENDPOINT;
  rig->options.introspection_client_id = "rs:1";
  rig->options.introspection_client_secret = "s&cret";
  *state = rig;
  return resource_rig_open(rig);
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

/* The usual claims and this one, in an answer. */
static char *answer_with(const char *name, const char *json) {
  char *claims = resource_rig_claims(name, json);
  char *answer = malloc(strlen(claims) + 32);
  strcpy(answer, "{\"active\":true,");
  strcat(answer, claims + 1);
  free(claims);
  return answer;
}

/* Lets the token be checked by an answer. */
static const char *check_by(resource_rig *rig, const char *name,
                            const char *json) {
  char *answer = answer_with(name, json);
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  resource_rig_answer(rig, 200, answer);
  free(answer);
  resource_rig_pass(rig, 10000);
  return resource_rig_result(rig);
}

TEST_WITH(the_endpoint_is_asked_with_the_servers_secret, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *answer = answer_with(NULL, NULL);
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  const rig_fetch *fetch = resource_rig_fetch(rig);
  assert_string_equal(fetch->url, ENDPOINT);
  assert_string_equal(fetch->method, "POST");
  assert_string_equal(fetch->body, "token=opaque%2Btoken%2F1%3D%3D&"
                                   "token_type_hint=access_token");
  assert_string_equal(fetch->headers,
                      "Accept: application/json\n"
                      "Content-Type: application/x-www-form-urlencoded\n"
                      "Authorization: Basic cnMlM0ExOnMlMjZjcmV0\n");
  assert_int_equal(fetch->timeout_ms, 10000);
  assert_int_equal(fetch->max_answer, MCPI_INTROSPECT_MAX_ANSWER);
  resource_rig_answer(rig, 200, answer);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  free(answer);
}

/* They take turns if many wait. */
TEST_WITH(the_questions_of_a_client_are_a_group, open_rig, close_rig) {
  resource_rig *rig = *state;
  resource_rig_check(rig, "Bearer", "one", NULL);
  resource_rig_check(rig, "Bearer", "two", NULL);
  rig->peer = "192.0.2.2:5000";
  resource_rig_check(rig, "Bearer", "three", NULL);
  rig->peer = NULL;
  resource_rig_check(rig, "Bearer", "four", NULL);
  const rig_fetch *fetches = rig->fetches;
  assert_int_equal(rig->fetch_count, 4);
  assert_int_equal(fetches[0].group, fetches[1].group);
  assert_int_not_equal(fetches[0].group, fetches[2].group);
  assert_int_not_equal(fetches[3].group, fetches[2].group);
  assert_int_not_equal(fetches[3].group, 0);
}

TEST_WITH(a_token_that_is_not_active_is_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const answers[] = {
      "{\"active\":false}", "{}", "{\"active\":\"true\"}", "{\"active\":1}"};
  for (size_t i = 0; i < 4; i++) {
    resource_rig_check(rig, "Bearer", OPAQUE, NULL);
    resource_rig_answer(rig, 200, answers[i]);
    assert_string_equal(resource_rig_result(rig),
                        "401 invalid_token: the token is not valid");
  }
}

TEST_WITH(the_answer_is_checked_as_claims_are, open_rig, close_rig) {
  resource_rig *rig = *state;
  assert_string_equal(check_by(rig, "aud", "\"https://other\""),
                      "401 invalid_token: the token is for another audience");
  assert_string_equal(check_by(rig, "aud", NULL),
                      "401 invalid_token: the token names no audience");
  assert_string_equal(check_by(rig, "exp", "1"),
                      "401 invalid_token: the token has expired");
  assert_string_equal(check_by(rig, "exp", NULL), "ann: read");
  assert_string_equal(check_by(rig, "token_type", "\"bearer\""), "ann: read");
  assert_string_equal(check_by(rig, "token_type", "\"refresh_token\""),
                      "401 invalid_token: the token is not an access token: "
                      "token_type is neither Bearer nor DPoP");
}

TEST_WITH(an_answer_that_says_nothing_is_status_503, open_rig, close_rig) {
  resource_rig *rig = *state;
  static const char *const broken[] = {
      "", "[]", "{\"active\":true,\"active\":true}", "{\"active\":tru"};
  for (size_t i = 0; i < 4; i++) {
    resource_rig_check(rig, "Bearer", OPAQUE, NULL);
    resource_rig_answer(rig, 200, broken[i]);
    assert_string_equal(resource_rig_result(rig),
                        "503 the introspection endpoint gave an answer that "
                        "cannot be read");
  }
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  resource_rig_answer(rig, 401, "");
  assert_string_equal(resource_rig_result(rig),
                      "503 the introspection endpoint gave an answer with "
                      "status 401");
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  resource_rig_fail(rig, MCP_ERR_TIMEOUT, "no answer");
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot ask the introspection endpoint: no answer");
  rig->fetch_error = MCP_ERR_INVALID;
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  assert_string_equal(resource_rig_result(rig),
                      "503 cannot ask the introspection endpoint: invalid "
                      "argument");
}

TEST_WITH(an_answer_is_used_for_a_while, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *answer = answer_with(NULL, NULL);
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  resource_rig_answer(rig, 200, answer);
  resource_rig_pass(rig, 9999);
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_int_equal(rig->fetch_count, 1);
  resource_rig_pass(rig, 1);
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  assert_string_equal(resource_rig_result(rig), "waits");
  resource_rig_answer(rig, 200, "{\"active\":false}");
  assert_memory_equal(resource_rig_result(rig), "401 invalid_token", 17);
  free(answer);
}

static int may_not_check(mcpi_token_wait *wait) {
  (void)wait;
  return 0;
}

TEST_WITH(an_accepted_token_may_be_asked_about_again, open_rig, close_rig) {
  const mcpi_token_request request = {.authorization =
                                          MCPI_STR("Bearer " OPAQUE),
                                      .method = "POST",
                                      .resource = MCPI_STR(RIG_RESOURCE),
                                      .may_check = may_not_check};
  resource_rig *rig = *state;
  resource_rig_check_request(rig, &request);
  assert_string_equal(resource_rig_result(rig), "429 too many requests");
  assert_string_equal(check_by(rig, NULL, NULL), "ann: read");
  resource_rig_pass(rig, 10000);
  resource_rig_check_request(rig, &request);
  assert_string_equal(resource_rig_result(rig), "waits");
  resource_rig_answer(rig, 200, "{\"active\":false}");
  assert_memory_equal(resource_rig_result(rig), "401 invalid_token", 17);
  resource_rig_check_request(rig, &request);
  assert_string_equal(resource_rig_result(rig), "429 too many requests");
}

TEST(streams_with_such_a_token_are_limited) {
  static const struct {
    uint32_t option;
    int64_t stream_ms;
  } cases[] = {{0, 900000}, {5, 5}, {UINT32_MAX, INT64_MAX}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    resource_rig *rig = resource_rig_new(NULL);
    rig->options.introspection_endpoint = ENDPOINT;
    rig->options.stream_ms = cases[i].option;
    assert_int_equal(resource_rig_open(rig), 0);
    assert_string_equal(check_by(rig, NULL, NULL), "ann: read");
    assert_int_equal(rig->checks[0].grant->stream_ms, cases[i].stream_ms);
    resource_rig_free(rig);
  }
}

TEST(an_answer_need_not_be_kept) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.introspection_endpoint = ENDPOINT;
  rig->options.introspection_ms = UINT32_MAX;
  assert_int_equal(resource_rig_open(rig), 0);
  assert_string_equal(check_by(rig, NULL, NULL), "ann: read");
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  assert_string_equal(resource_rig_result(rig), "waits");
  assert_string_equal(resource_rig_fetch(rig)->headers,
                      "Accept: application/json\n"
                      "Content-Type: application/x-www-form-urlencoded\n");
  mcpi_verifier_cancel(&rig->checks[1].wait);
  assert_true(rig->fetches[1].is_cancelled);
  resource_rig_free(rig);
}

TEST_WITH(checks_of_one_token_share_a_question, open_rig, close_rig) {
  resource_rig *rig = *state;
  char *answer = answer_with(NULL, NULL);
  rig_check *first = resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  rig_check *second = resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  rig_check *other = resource_rig_check(rig, "Bearer", "another", NULL);
  assert_int_equal(rig->fetch_count, 2);
  mcpi_verifier_cancel(&first->wait);
  assert_false(rig->fetches[0].is_over);
  resource_rig_answer(rig, 200, answer);
  assert_int_equal(first->calls, 0);
  assert_string_equal(second->text, "ann: read");
  assert_string_equal(other->text, "waits");
  mcpi_verifier_cancel(&other->wait);
  assert_true(rig->fetches[1].is_cancelled);
  free(answer);
}

static void free_verifier(rig_check *check) {
  mcpi_verifier_free(check->rig->verifier);
  check->rig->verifier = NULL;
}

TEST_WITH(a_check_may_free_the_verifier, open_rig, close_rig) {
  resource_rig *rig = *state;
  resource_rig_check(rig, "Bearer", OPAQUE, NULL)->on_done = free_verifier;
  resource_rig_check(rig, "Bearer", OPAQUE, NULL);
  resource_rig_check(rig, "Bearer", "another", NULL);
  resource_rig_answer(rig, 200, "{\"active\":false}");
  assert_int_equal(rig->checks[0].calls, 1);
  assert_int_equal(rig->checks[1].calls, 0);
  assert_true(rig->fetches[1].is_cancelled);
}

TEST(with_an_issuer_only_opaque_tokens_are_asked_about) {
  resource_rig *rig = resource_rig_new(NULL);
  rig->options.introspection_endpoint = ENDPOINT;
  rig->options.issuer = RIG_ISSUER;
  assert_int_equal(resource_rig_open(rig), 0);
  char *token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  resource_rig_check(rig, "Bearer", token, NULL);
  assert_string_equal(resource_rig_url(rig), RIG_METADATA);
  resource_rig_give_keys(rig);
  assert_string_equal(resource_rig_result(rig), "ann: read");
  assert_string_equal(check_by(rig, "iss", "\"https://evil.example\""),
                      "401 invalid_token: the token is of another issuer");
  assert_string_equal(check_by(rig, NULL, NULL), "ann: read");
  free(token);
  resource_rig_free(rig);
}

static int ask_once(const mcp_allocator *allocator, void *userdata) {
  resource_rig *rig = resource_rig_new(allocator);
  int rc = MCP_ERR_NOMEM;
  if (rig == NULL) {
    return rc;
  }
  char *answer = answer_with(NULL, NULL);
  rig->options.introspection_endpoint = ENDPOINT;
  rig->options.introspection_client_id = "id";
  if (resource_rig_open(rig) == 0) {
    resource_rig_check(rig, "Bearer", OPAQUE, NULL);
    if (resource_rig_fetch(rig) != NULL) {
      resource_rig_answer(rig, 200, answer);
    }
    const char *result = resource_rig_result(rig);
    rc = strcmp(result, "ann: read") == 0 ? 0 : MCP_ERR_NOMEM;
    assert_true(rc == 0 || strncmp(result, "503 ", 4) == 0);
  }
  free(answer);
  resource_rig_free(rig);
  return rc;
}

TEST(without_memory_a_token_is_refused_for_now) {
  for (size_t i = 1; i < 80; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    ask_once(&alloc.allocator, NULL);
    assert_int_equal(alloc.live_blocks, 0);
  }
}
