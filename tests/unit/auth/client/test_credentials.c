/* SPDX-License-Identifier: MIT */
#include "auth/client/credentials.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static auth_rig rig;
static mcpi_credentials credentials;
static mcp_error err;

static int set_up(void **state) {
  assert_int_equal(auth_rig_init(&rig, NULL), 0);
  assert_int_equal(auth_rig_open(&rig), 0);
  mcpi_credentials_init(&credentials, rig.auth, RIG_URL, RIG_URL);
  return 0;
}

static int tear_down(void **state) {
  mcpi_credentials_deinit(&credentials);
  auth_rig_deinit(&rig);
  return 0;
}

#define CREDENTIALS_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Sets a token that expires in that time. */
static int set(const char *access, const char *refresh, const char *key,
               int64_t left_ms) {
  const mcpi_token text = {
      .access = (char *)access,
      .refresh = (char *)refresh,
      .issuer = (char *)"i",
      .key = (char *)key,
      .expires_ms = left_ms == INT64_MAX ? INT64_MAX : rig.wall_ms + left_ms};
  return mcpi_credentials_set_token(
      &credentials, mcpi_token_copy(&text, &rig.loop->allocator),
      MCPI_TOKEN_LOGIN, &err);
}

/* Reads a record with this token. Returns whether it has one. */
static int parse(mcpi_auth_record *record, const char *members) {
  char text[256];
  snprintf(text, sizeof(text), "{\"server\":\"" RIG_URL "\",\"token\":{%s}}",
           members);
  mcpi_auth_record_init(record);
  assert_int_equal(
      mcpi_credentials_parse(&credentials, record, mcpi_str_z(text)), 0);
  return record->token != NULL;
}

CREDENTIALS_TEST(without_a_token_there_is_nothing) {
  mcpi_auth_headers headers = {{"x", 1}, {"x", 1}};
  assert_false(mcpi_credentials_has_token(&credentials));
  assert_false(mcpi_credentials_is_usable(&credentials));
  assert_false(mcpi_credentials_is_due(&credentials));
  assert_false(mcpi_credentials_is_renewable(&credentials));
  assert_false(mcpi_credentials_has_expired(&credentials));
  assert_int_equal(mcpi_credentials_put_headers(&credentials, "GET", RIG_URL,
                                                &headers, &err),
                   0);
  assert_null(headers.authorization.ptr);
  assert_null(headers.dpop.ptr);
  mcpi_credentials_drop_refresh(&credentials);
  mcpi_credentials_drop_token(&credentials);
}

CREDENTIALS_TEST(a_token_is_usable_until_five_seconds_are_left) {
  assert_int_equal(set("a", "r", NULL, 100000), 0);
  rig.wall_ms += 95000;
  assert_true(mcpi_credentials_is_usable(&credentials));
  assert_true(mcpi_credentials_has_token(&credentials));
  rig.wall_ms += 1;
  assert_false(mcpi_credentials_is_usable(&credentials));
  assert_true(mcpi_credentials_is_due(&credentials));
  assert_false(mcpi_credentials_has_expired(&credentials));
  rig.wall_ms += 4999;
  assert_true(mcpi_credentials_has_expired(&credentials));
  mcpi_credentials_drop_refresh(&credentials);
  assert_true(mcpi_credentials_is_usable(&credentials));
  assert_false(mcpi_credentials_is_due(&credentials));
}

CREDENTIALS_TEST(a_token_with_a_short_life_is_usable_for_half_of_it) {
  assert_int_equal(set("a", "r", NULL, 2000), 0);
  rig.wall_ms += 1000;
  assert_true(mcpi_credentials_is_usable(&credentials));
  assert_false(mcpi_credentials_is_due(&credentials));
  rig.wall_ms += 1;
  assert_false(mcpi_credentials_is_usable(&credentials));
  assert_true(mcpi_credentials_is_due(&credentials));
}

CREDENTIALS_TEST(a_new_token_that_has_expired_is_used_until_it_is_refused) {
  static const int64_t left_ms[] = {999, 0, -1, INT64_MIN + 2000000};
  for (size_t i = 0; i < sizeof(left_ms) / sizeof(left_ms[0]); i++) {
    assert_int_equal(set("a", "r", NULL, left_ms[i]), 0);
    assert_true(mcpi_credentials_is_usable(&credentials));
    assert_false(mcpi_credentials_is_due(&credentials));
  }
  assert_int_equal(set("a", "r", NULL, 1000), 0);
  rig.wall_ms += 1000;
  assert_true(mcpi_credentials_is_due(&credentials));
}

CREDENTIALS_TEST(a_token_that_never_expires_is_never_due) {
  assert_int_equal(set("a", "r", NULL, INT64_MAX), 0);
  assert_true(mcpi_credentials_is_usable(&credentials));
  assert_false(mcpi_credentials_is_due(&credentials));
}

CREDENTIALS_TEST(a_time_long_ago_is_past) {
  mcpi_auth_record record;
  assert_true(parse(&record, "\"access_token\":\"a\",\"issuer\":\"i\","
                             "\"refresh_token\":\"r\",\"expires_at_ms\":"
                             "-9223372036854775808"));
  assert_int_equal(mcpi_credentials_adopt(&credentials, &record, &err), 0);
  assert_true(mcpi_credentials_has_expired(&credentials));
  assert_true(mcpi_credentials_is_due(&credentials));
  assert_false(mcpi_credentials_is_usable(&credentials));
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
}

CREDENTIALS_TEST(a_token_is_due_when_a_minute_or_a_tenth_is_left) {
  assert_int_equal(set("a", "r", NULL, 3600000), 0);
  rig.wall_ms += 3540000;
  assert_false(mcpi_credentials_is_due(&credentials));
  rig.wall_ms += 1;
  assert_true(mcpi_credentials_is_due(&credentials));
  assert_int_equal(set("a", "r", NULL, 200000), 0);
  rig.wall_ms += 180000;
  assert_false(mcpi_credentials_is_due(&credentials));
  rig.wall_ms += 1;
  assert_true(mcpi_credentials_is_due(&credentials));
}

CREDENTIALS_TEST(a_token_that_no_header_can_carry_changes_nothing) {
  static const char *const bad[] = {"", "a b", "a\r\nb", "\x7f", "\xc3\xa4"};
  assert_int_equal(set("good", NULL, NULL, 10000), 0);
  uint64_t before = credentials.generation;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(set(bad[i], NULL, NULL, 10000), MCP_ERR_INVALID);
  }
  assert_int_equal(set("a", NULL, "no key", 10000), MCP_ERR_INVALID);
  assert_null(strstr(err.message, "no key"));
  assert_int_equal(credentials.generation, before);
  assert_string_equal(credentials.record.token->access, "good");
}

CREDENTIALS_TEST(a_new_token_replaces_the_key_and_the_refusal) {
  assert_int_equal(set("a", NULL, "PEM", 10000), 0);
  assert_non_null(credentials.key);
  credentials.is_refused = 1;
  assert_false(mcpi_credentials_has_token(&credentials));
  uint64_t before = credentials.generation;
  assert_int_equal(set("b", NULL, NULL, 10000), 0);
  assert_null(credentials.key);
  assert_true(mcpi_credentials_has_token(&credentials));
  assert_true(credentials.generation > before);
  assert_int_equal(rig.keys_alive, 0);
}

CREDENTIALS_TEST(a_key_needs_crypto) {
  rig.loop->platform.crypto = NULL;
  assert_int_equal(set("a", NULL, "PEM", 10000), MCP_ERR_PLATFORM);
}

/* --- records -------------------------------------------------------------- */

static int is_news(const char *members) {
  mcpi_auth_record record;
  parse(&record, members);
  int result = mcpi_credentials_is_news(&credentials, &record);
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  return result;
}

CREDENTIALS_TEST(a_token_is_news_if_it_is_another_and_good) {
  assert_int_equal(set("ours", NULL, NULL, 10000), 0);
  assert_true(is_news("\"access_token\":\"a\",\"issuer\":\"i\""));
  assert_false(is_news("\"access_token\":\"ours\",\"issuer\":\"i\""));
  assert_false(is_news("\"issuer\":\"i\""));
  assert_false(
      is_news("\"access_token\":\"a\",\"issuer\":\"i\",\"expires_at_ms\":1"));
  assert_true(is_news("\"access_token\":\"a\",\"issuer\":\"i\","
                      "\"expires_at_ms\":1,\"refresh_token\":\"r\""));
}

#define OLDER                                                                  \
  "\"access_token\":\"older\",\"issuer\":\"i\",\"refresh_token\":\"r\""

CREDENTIALS_TEST(an_older_token_of_the_store_is_not_news) {
  mcpi_auth_record record;
  assert_true(parse(&record, OLDER));
  assert_int_equal(mcpi_credentials_adopt(&credentials, &record, &err), 0);
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  assert_int_equal(set("newer", "r2", NULL, 10000), 0);
  assert_false(is_news(OLDER));
  assert_int_equal(set("newest", "r3", NULL, 10000), 0);
  assert_false(is_news(OLDER));
  mcpi_credentials_drop_token(&credentials);
  assert_false(is_news(OLDER));
  mcpi_credentials_note_stored(&credentials);
  assert_true(is_news(OLDER));
}

CREDENTIALS_TEST(a_token_of_another_client_or_issuer_does_not_count) {
  mcpi_auth_record record;
  rig.auth->options.client_id = mcpi_strdup(&rig.loop->allocator, "c");
  assert_false(parse(&record, "\"access_token\":\"a\",\"issuer\":\"i\""));
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  assert_false(parse(&record, "\"access_token\":\"a\",\"issuer\":\"i\","
                              "\"client_id\":\"d\""));
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  assert_true(parse(&record, "\"access_token\":\"a\",\"issuer\":\"i\","
                             "\"client_id\":\"c\""));
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  rig.auth->options.client_issuer = mcpi_strdup(&rig.loop->allocator, "j");
  assert_false(parse(&record, "\"access_token\":\"a\",\"issuer\":\"i\","
                              "\"client_id\":\"c\""));
  mcpi_auth_record_deinit(&record, &rig.loop->allocator);
}

CREDENTIALS_TEST(a_record_gives_its_token_and_its_client) {
  mcpi_auth_record record;
  const char *text =
      "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"a\","
      "\"issuer\":\"i\"},\"token_life_ms\":100,\"scopes\":\"x\",\"client\":{"
      "\"issuer\":\"i\",\"client_id\":\"c\",\"token_endpoint_auth_method\":"
      "\"none\"}}";
  for (int i = 0; i < 2; i++) {
    mcpi_auth_record_init(&record);
    mcpi_credentials_parse(&credentials, &record, mcpi_str_z(text));
    assert_int_equal(mcpi_credentials_adopt(&credentials, &record, &err), 0);
    mcpi_credentials_adopt_client(&credentials, &record);
    mcpi_auth_record_deinit(&record, &rig.loop->allocator);
  }
  assert_string_equal(credentials.record.token->access, "a");
  assert_int_equal(credentials.record.life_ms, 100);
  assert_int_equal(credentials.origin, MCPI_TOKEN_STORED);
  assert_true(credentials.is_stored);
  assert_string_equal(credentials.record.scopes, "x");
  assert_string_equal(credentials.record.client.client_id, "c");
  mcpi_credentials_adopt_client(&credentials, &record); /* an empty one */
  assert_string_equal(credentials.record.client.client_id, "c");
}

/* --- nonces --------------------------------------------------------------- */

CREDENTIALS_TEST(the_newest_nonce_is_kept) {
  mcpi_credentials_set_nonce(&credentials, "a");
  mcpi_credentials_set_nonce(&credentials, "b");
  const char *kept = credentials.nonce;
  mcpi_credentials_set_nonce(&credentials, "b");
  assert_ptr_equal(credentials.nonce, kept);
  assert_string_equal(kept, "b");
}
