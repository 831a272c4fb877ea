/* SPDX-License-Identifier: MIT */
#include "auth/client/auth.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

static mcpi_auth_answer answer;

static int set_up(void **state) {
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  return 0;
}

static int tear_down(void **state) {
  mcpi_auth_answer_deinit(&answer);
  return 0;
}

static void take(const char *line) {
  assert_int_equal(mcpi_auth_answer_take(&answer, mcpi_str_z(line)), 0);
}

static void assert_challenges(const char *expected) {
  assert_int_equal(answer.challenges.len, strlen(expected));
  assert_memory_equal(answer.challenges.data, expected, strlen(expected));
}

TEST_WITH(challenges_are_collected_and_other_headers_are_not, set_up,
          tear_down) {
  take("HTTP/1.1 401 Unauthorized");
  take("Content-Type: text/plain");
  take("WWW-Authenticate: Bearer x=\"1\"\r\n");
  take("www-authenticate:DPoP");
  take("WWW-Authenticate-Not: y");
  take("");
  assert_challenges("Bearer x=\"1\"\nDPoP\n");
  assert_null(answer.nonce);
}

TEST_WITH(the_newest_nonce_counts, set_up, tear_down) {
  take("DPoP-Nonce: first");
  take("dpop-nonce: second \r\n");
  assert_string_equal(answer.nonce, "second");
}

TEST_WITH(a_nonce_with_other_characters_is_ignored, set_up, tear_down) {
  take("DPoP-Nonce: ");
  take("DPoP-Nonce: a b");
  take("DPoP-Nonce: a\"b");
  take("DPoP-Nonce: a\\b");
  take("DPoP-Nonce: \x7f");
  take("DPoP-Nonce: \xc3\xa4");
  assert_null(answer.nonce);
}

TEST_WITH(a_nonce_has_a_limit, set_up, tear_down) {
  char line[12 + 1025 + 1] = "DPoP-Nonce: ";
  memset(line + 12, 'x', 1025);
  take(line);
  assert_null(answer.nonce);
  line[12 + 1024] = '\0';
  take(line);
  assert_int_equal(strlen(answer.nonce), 1024);
}

TEST_WITH(challenges_have_a_limit, set_up, tear_down) {
  static char line[18 + 16 * 1024 + 1] = "WWW-Authenticate: ";
  memset(line + 18, 'x', 16 * 1024);
  take(line);
  assert_int_equal(answer.challenges.len, 0);
  line[18 + 16 * 1024 - 1] = '\0';
  take(line);
  assert_int_equal(answer.challenges.len, 16 * 1024);
  take("WWW-Authenticate: Bearer");
  assert_int_equal(answer.challenges.len, 16 * 1024);
}

TEST_WITH(an_answer_can_be_forgotten, set_up, tear_down) {
  take("WWW-Authenticate: Bearer");
  take("DPoP-Nonce: n");
  mcpi_auth_answer_clear(&answer);
  assert_int_equal(answer.challenges.len, 0);
  assert_null(answer.nonce);
  take("WWW-Authenticate: DPoP");
  assert_challenges("DPoP\n");
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_auth_answer_init(&answer, allocator);
  int rc = mcpi_auth_answer_take(&answer, MCPI_STR("WWW-Authenticate: Bearer"));
  if (rc == 0) {
    rc = mcpi_auth_answer_take(&answer, MCPI_STR("DPoP-Nonce: n"));
  }
  mcpi_auth_answer_deinit(&answer);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(2, scenario, NULL);
}
