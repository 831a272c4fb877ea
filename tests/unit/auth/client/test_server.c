/* SPDX-License-Identifier: MIT */
#include "auth/client/server.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)
/* Of the default options: taking.h. */
#define TAKING_LIMIT_MS (75000 + 6 * 30000)

static auth_rig rig;
static rig_request one;
static rig_request two;
static rig_request three;

static int open_rig(void **state) {
  assert_int_equal(auth_rig_init(&rig, NULL), 0);
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_init(&two, rig.auth, RIG_URL);
  rig_request_init(&three, rig.auth, RIG_URL);
  return 0;
}

static int close_rig(void **state) {
  rig_request_deinit(&one);
  rig_request_deinit(&two);
  rig_request_deinit(&three);
  auth_rig_deinit(&rig);
  return 0;
}

#define RIG_TEST(name) TEST_WITH(name, open_rig, close_rig)

/* Stores a token for RIG_URL that is valid for that time. */
static void put_token(const char *access, const char *refresh,
                      int64_t left_ms) {
  char text[512];
  snprintf(text, sizeof(text),
           "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"%s\","
           "%s%s%s\"issuer\":\"https://as.example\",\"expires_at_ms\":%lld},"
           "\"scopes\":\"read\"}",
           access, refresh != NULL ? "\"refresh_token\":\"" : "",
           refresh != NULL ? refresh : "", refresh != NULL ? "\"," : "",
           (long long)(rig.wall_ms + left_ms));
  auth_rig_put(&rig, RIG_URL, text);
}

static void assert_stored(const char *part) {
  char text[1024];
  auth_rig_get(&rig, RIG_URL, text, sizeof(text));
  if (strstr(text, part) == NULL) {
    fail_msg("\"%s\" is not in %s", part, text);
  }
}

static void assert_not_stored(const char *part) {
  char text[1024];
  auth_rig_get(&rig, RIG_URL, text, sizeof(text));
  if (strstr(text, part) != NULL) {
    fail_msg("\"%s\" is in %s", part, text);
  }
}

/* Sends a request whose token is "a" now. */
static void send_with_token(rig_request *request, const char *authorization) {
  if (rig_request_send(request) == MCP_PENDING) {
    auth_rig_turn(&rig);
  }
  assert_true(request->order > 0);
  assert_string_equal(request->authorization, authorization);
}

/* --- reading -------------------------------------------------------------- */

RIG_TEST(the_first_request_waits_for_the_record) {
  rig.is_slow = 1;
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.take_count, 1);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_store_go_on(&rig);
  assert_true(one.order > 0 && two.order == one.order + 1);
  assert_string_equal(one.authorization, "");
  assert_int_equal(rig.taken, 0);
}

RIG_TEST(nothing_is_asked_of_the_store_inside_prepare) {
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  assert_int_equal(rig.gives, 0);
  auth_rig_turn(&rig);
  assert_int_equal(rig.gives, 1);
}

RIG_TEST(a_stored_token_is_used) {
  put_token("abc", NULL, HOUR_MS);
  send_with_token(&one, "Bearer abc");
  assert_int_equal(rig.flow_count, 0);
  send_with_token(&two, "Bearer abc");
  assert_int_equal(two.readies, 0);
}

RIG_TEST(a_token_changes_the_generation) {
  mcpi_auth_server *server = one.request.server;
  uint64_t before = mcpi_auth_server_generation(server);
  put_token("abc", NULL, HOUR_MS);
  send_with_token(&one, "Bearer abc");
  assert_true(mcpi_auth_server_generation(server) != before);
}

RIG_TEST(a_record_that_is_not_valid_counts_as_absent) {
  auth_rig_put(&rig, RIG_URL, "{\"server\":\"https://other.example\"");
  send_with_token(&one, "");
}

RIG_TEST(a_store_that_fails_fails_the_request_and_is_asked_again) {
  rig.take_error = MCP_ERR_IO;
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_IO);
  assert_string_equal(one.err.message, "the disk is broken");
  rig.take_error = 0;
  rig.take_result = MCP_ERR_IO;
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(two.err.code, MCP_ERR_IO);
  rig.take_result = 0;
  put_token("abc", NULL, HOUR_MS);
  send_with_token(&one, "Bearer abc");
}

static int sent_again;

static void send_another(rig_request *self) {
  if (self->err.code == MCP_ERR_NOMEM) {
    sent_again = rig_request_send(&two);
  }
}

/* Lets the allocation with this number fail while the record is read. Returns
 * whether there was one. */
static int read_without_memory(size_t number) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  assert_int_equal(auth_rig_init(&rig, &alloc.allocator), 0);
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_init(&two, rig.auth, RIG_URL);
  put_token("abc", NULL, HOUR_MS);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  one.on_ready = send_another;
  sent_again = MCP_PENDING;
  alloc.fail_at = alloc.calls + number;
  auth_rig_turn(&rig);
  int has_failed = alloc.failures > 0;
  assert_int_equal(sent_again, MCP_PENDING);
  auth_rig_turn(&rig);
  assert_true(one.err.code == 0 || two.order > 0);
  rig_request_deinit(&one);
  rig_request_deinit(&two);
  auth_rig_deinit(&rig);
  return has_failed;
}

TEST(a_request_that_comes_while_others_fail_waits_for_the_record) {
  size_t count = 1;
  while (read_without_memory(count)) {
    count++;
  }
  assert_true(count > 5);
}

RIG_TEST(a_record_that_is_taken_for_too_long_fails_the_request) {
  rig.is_slow = 1;
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  auth_rig_pass(&rig, TAKING_LIMIT_MS - 1);
  assert_int_equal(one.readies, 0);
  auth_rig_pass(&rig, 1);
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
  assert_int_equal(rig.take_count, 0);
}

RIG_TEST(a_request_that_ends_while_it_waits_is_skipped) {
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  rig_request_deinit(&one);
  auth_rig_turn(&rig);
  assert_int_equal(one.readies, 0);
  assert_int_equal(two.readies, 1);
}

/* --- renewing ------------------------------------------------------------- */

RIG_TEST(a_token_that_has_expired_is_renewed_with_the_record_taken) {
  put_token("old", "r1", -1);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  assert_string_equal(rig.flow->refresh, "r1");
  assert_int_equal(rig.taken, 1);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_int_equal(rig.taken, 0);
  assert_string_equal(one.authorization, "Bearer new");
  assert_string_equal(two.authorization, "Bearer new");
  assert_int_equal(rig.flow_count, 1);
  assert_stored("\"r2\"");
  assert_stored("\"new\"");
}

RIG_TEST(a_token_without_refresh_token_is_sent_until_the_server_refuses_it) {
  put_token("old", NULL, -1);
  send_with_token(&one, "Bearer old");
}

RIG_TEST(the_refresh_token_is_kept_if_no_other_is_sent) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "new", NULL, HOUR_MS, NULL, "read");
  assert_stored("\"r1\"");
  assert_stored("\"new\"");
}

RIG_TEST(a_token_is_renewed_before_it_expires_while_requests_use_it) {
  put_token("old", "r1", 61000);
  send_with_token(&one, "Bearer old");
  auth_rig_pass(&rig, 1000);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 0);
  auth_rig_pass(&rig, 1);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_pass(&rig, 54998); /* 5001 ms are left */
  send_with_token(&two, "Bearer old");
  auth_rig_pass(&rig, 2);
  assert_int_equal(rig_request_send(&three), MCP_PENDING);
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(three.authorization, "Bearer new");
  assert_int_equal(rig.flow_count, 1);
}

RIG_TEST(a_token_with_a_short_life_is_renewed_at_a_tenth_of_it) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "new", "r2", 100000, NULL, "read");
  auth_rig_pass(&rig, 90000);
  send_with_token(&one, "Bearer new");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_pass(&rig, 1);
  send_with_token(&one, "Bearer new");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 2);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
}

RIG_TEST(a_token_that_another_process_has_renewed_is_used) {
  put_token("old", "r1", HOUR_MS);
  send_with_token(&one, "Bearer old");
  auth_rig_pass(&rig, HOUR_MS);
  put_token("theirs", "r2", HOUR_MS);
  send_with_token(&one, "Bearer theirs");
  assert_int_equal(rig.flow_count, 0);
}

RIG_TEST(a_refresh_token_of_another_process_is_used) {
  put_token("old", "r1", HOUR_MS);
  send_with_token(&one, "Bearer old");
  auth_rig_pass(&rig, HOUR_MS);
  put_token("theirs", "r2", -1);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r2");
  auth_rig_token(&rig, "new", "r3", HOUR_MS, NULL, "read");
  assert_string_equal(one.authorization, "Bearer new");
}

RIG_TEST(a_logout_of_another_process_drops_the_token) {
  put_token("old", "r1", HOUR_MS);
  send_with_token(&one, "Bearer old");
  auth_rig_pass(&rig, HOUR_MS);
  auth_rig_put(&rig, RIG_URL, NULL);
  send_with_token(&one, "");
  assert_int_equal(rig.flow_count, 0);
}

RIG_TEST(a_token_that_could_not_be_stored_is_renewed_nevertheless) {
  put_token("old", "r1", -1);
  rig.give_result = MCP_ERR_IO;
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(one.authorization, "Bearer new");
  auth_rig_put(&rig, RIG_URL, NULL);
  auth_rig_pass(&rig, HOUR_MS);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r2");
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
}

/* The store still has t1 and r1. A second use of r1 would revoke the login. */
RIG_TEST(a_token_that_could_not_be_stored_is_not_replaced_by_an_older_one) {
  put_token("t1", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r1");
  rig.give_result = MCP_ERR_IO;
  auth_rig_token(&rig, "t2", "r2", HOUR_MS, NULL, "read");
  assert_stored("\"r1\"");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r2");
  auth_rig_token(&rig, "t3", "r3", HOUR_MS, NULL, "read");
  auth_rig_pass(&rig, HOUR_MS);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r3");
  rig.give_result = 0;
  auth_rig_token(&rig, "t4", "r4", HOUR_MS, NULL, "read");
  assert_stored("\"r4\"");
}

RIG_TEST(a_token_of_another_process_replaces_one_that_could_not_be_stored) {
  put_token("t1", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  rig.give_result = MCP_ERR_IO;
  auth_rig_token(&rig, "t2", "r2", HOUR_MS, NULL, "read");
  rig.give_result = 0;
  put_token("theirs", "r9", HOUR_MS);
  auth_rig_pass(&rig, HOUR_MS);
  put_token("theirs", "r9", HOUR_MS);
  send_with_token(&one, "Bearer theirs");
}

/* Otherwise each login would find it again, and end with it. */
RIG_TEST(a_lost_refresh_token_does_not_come_back_from_the_store) {
  put_token("t1", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  rig.give_result = MCP_ERR_IO;
  auth_rig_refuse_refresh(&rig);
  assert_stored("\"r1\"");
  assert_string_equal(one.authorization, "");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  auth_rig_token(&rig, "t2", "r2", HOUR_MS, NULL, NULL);
  assert_string_equal(one.authorization, "Bearer t2");
}

RIG_TEST(a_refresh_token_that_is_refused_is_dropped_and_the_request_goes) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_refuse_refresh(&rig);
  assert_int_equal(one.err.code, 0);
  assert_string_equal(one.authorization, "");
  assert_true(one.order > 0);
  assert_not_stored("\"r1\"");
}

RIG_TEST(a_refused_refresh_token_leaves_a_token_that_is_valid) {
  put_token("old", "r1", 30000);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  auth_rig_refuse_refresh(&rig);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
}

/* A captive portal, a proxy or the refusal of the client says nothing about the
 * refresh token. */
RIG_TEST(a_refusal_of_something_else_leaves_the_refresh_token) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "answered HTTP 403");
  assert_string_equal(one.authorization, "Bearer old");
  assert_stored("\"r1\"");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "access_denied");
  assert_string_equal(one.err.message, "access_denied");
  assert_stored("\"r1\"");
}

RIG_TEST(a_renewal_that_was_refused_is_tried_again_after_a_pause) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "answered HTTP 403");
  auth_rig_pass(&rig, 29999);
  send_with_token(&two, "Bearer old");
  assert_int_equal(rig.flow_count, 1);
  auth_rig_pass(&rig, 1);
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->refresh, "r1");
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(two.authorization, "Bearer new");
}

RIG_TEST(a_renewal_that_was_refused_after_401_becomes_a_login) {
  put_token("old", "r1", HOUR_MS);
  send_with_token(&one, "Bearer old");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "the token belongs to another client");
  assert_stored("\"r1\"");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(one.authorization, "Bearer new");
  assert_not_stored("\"r1\"");
}

RIG_TEST(a_refresh_token_is_lost_with_its_registration) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_fail_with_client(&rig, NULL);
  assert_string_equal(one.authorization, "");
  assert_not_stored("\"r1\"");
}

RIG_TEST(an_authorization_server_that_is_down_fails_those_that_wait) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
  assert_int_equal(one.err.code, MCP_ERR_IO);
  assert_string_equal(one.err.message, "no route");
  assert_stored("\"r1\"");
  assert_int_equal(rig_request_send(&two), MCP_PENDING);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_string_equal(two.authorization, "Bearer new");
}

RIG_TEST(a_renewal_that_failed_is_not_tried_again_at_once) {
  put_token("old", "r1", 50000);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
  auth_rig_pass(&rig, 29999);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_pass(&rig, 1);
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 2);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
}

RIG_TEST(a_record_in_use_leaves_a_token_that_is_valid) {
  put_token("old", "r1", 200000);
  send_with_token(&one, "Bearer old");
  auth_rig_pass(&rig, 145000);
  rig.take_error = MCP_ERR_IO;
  send_with_token(&one, "Bearer old");
  auth_rig_turn(&rig);
  rig.take_error = 0;
  send_with_token(&one, "Bearer old");
  assert_int_equal(one.err.code, 0);
}

/* --- logging in ----------------------------------------------------------- */

RIG_TEST(many_requests_that_meet_401_share_one_login_and_go_in_order) {
  send_with_token(&one, "");
  send_with_token(&two, "");
  assert_int_equal(rig_request_refuse(&one, 401,
                                      "Bearer resource_metadata=\"https://"
                                      "example.com/prm\", scope=\"read\"",
                                      NULL),
                   MCP_PENDING);
  assert_int_equal(rig_request_refuse(&two, 401, "Bearer", NULL), MCP_PENDING);
  assert_int_equal(rig_request_send(&three), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 1);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  assert_string_equal(rig.flow->metadata_url, "https://example.com/prm");
  assert_string_equal(rig.flow->demanded, "read");
  assert_string_equal(rig.flow->revision, "2026-07-28");
  assert_string_equal(rig.flow->earlier, "-");
  assert_int_equal(rig.flow->start.wants_dpop, 0);
  assert_int_equal(rig.taken, 0); /* while a user reads a page */
  auth_rig_token(&rig, "abc", "r1", HOUR_MS, NULL, NULL);
  assert_string_equal(one.authorization, "Bearer abc");
  assert_int_equal(two.order, one.order + 1);
  assert_int_equal(three.order, one.order + 2);
  assert_stored("\"abc\"");
  assert_stored("\"scopes\":\"read\"");
  assert_int_equal(rig.flow_count, 1);
}

RIG_TEST(each_request_that_waits_fails_with_the_login) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  rig_request_send(&two);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "access_denied");
  assert_string_equal(one.err.message, "access_denied");
  assert_string_equal(two.err.message, "access_denied");
  assert_int_equal(two.err.code, MCP_ERR_REFUSED);
  send_with_token(&three, "");
}

RIG_TEST(a_registration_is_kept_although_the_login_fails) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  auth_rig_fail_with_client(&rig, "c1");
  assert_stored("\"c1\"");
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->known_client, "c1");
  auth_rig_fail_with_client(&rig, NULL);
  assert_not_stored("\"c1\"");
}

RIG_TEST(a_token_that_another_process_got_meanwhile_ends_the_login) {
  send_with_token(&one, "");
  put_token("theirs", NULL, HOUR_MS);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 0);
  assert_string_equal(one.authorization, "Bearer theirs");
}

RIG_TEST(a_token_that_another_process_got_replaces_a_login_that_failed) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  put_token("theirs", NULL, HOUR_MS);
  auth_rig_fail_with_client(&rig, "c1");
  assert_string_equal(one.authorization, "Bearer theirs");
  assert_stored("\"c1\"");
  assert_stored("\"theirs\"");
}

/* A login for more scopes, while the token t1 stays good. */
static void begin_step_up(void) {
  put_token("t1", "r1", HOUR_MS);
  send_with_token(&one, "Bearer t1");
  assert_int_equal(
      rig_request_refuse(&one, 403,
                         "Bearer error=\"insufficient_scope\", scope=\"write\"",
                         NULL),
      MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
}

RIG_TEST(a_login_that_failed_leaves_the_newer_token_of_another_process) {
  begin_step_up();
  put_token("t2", "r2", HOUR_MS);
  auth_rig_fail_with_client(&rig, "c1");
  assert_stored("\"t2\"");
  assert_stored("\"r2\"");
  assert_stored("\"c1\"");
  assert_not_stored("\"t1\"");
}

RIG_TEST(a_login_that_failed_brings_no_token_back_after_a_logout) {
  begin_step_up();
  auth_rig_put(&rig, RIG_URL, NULL);
  auth_rig_fail_with_client(&rig, "c1");
  assert_not_stored("\"t1\"");
  assert_stored("\"c1\"");
}

RIG_TEST(a_login_that_failed_leaves_the_token_of_another_client) {
  static const char text[] =
      "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"theirs\","
      "\"issuer\":\"https://as.example\",\"client_id\":\"c9\"}}";
  rig.auth->options.client_id = mcpi_strdup(&rig.loop->allocator, "c1");
  send_with_token(&one, "");
  auth_rig_put(&rig, RIG_URL, text);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  auth_rig_fail_with_client(&rig, NULL);
  assert_stored("\"theirs\"");
}

RIG_TEST(a_token_that_cannot_be_stored_is_used) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  rig.take_error = MCP_ERR_IO;
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_string_equal(one.authorization, "Bearer abc");
}

RIG_TEST(a_slow_store_delays_each_step_of_a_login) {
  rig.is_slow = 1;
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_store_go_on(&rig);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 0);
  auth_rig_store_go_on(&rig);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(one.order, 0);
  auth_rig_store_go_on(&rig);
  assert_string_equal(one.authorization, "Bearer abc");
}

RIG_TEST(a_store_that_never_answers_does_not_stop_a_login) {
  rig_request_send(&one);
  auth_rig_turn(&rig);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  rig.is_slow = 1;
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  auth_rig_pass(&rig, TAKING_LIMIT_MS);
  assert_string_equal(one.authorization, "Bearer abc");
}

RIG_TEST(a_login_for_which_there_is_no_memory_fails) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  rig.flow_new_fails = 1;
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_NOMEM);
}

RIG_TEST(a_token_that_no_header_can_carry_fails_the_login) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "a\r\nb", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(one.err.code, MCP_ERR_INVALID);
  assert_null(strstr(one.err.message, "a?"));
}

static const char *log_in_and_get_bound(const char *client_id) {
  static char bound[64];
  mcpi_strfree(&rig.loop->allocator,
               (char *)(uintptr_t)rig.auth->options.client_id);
  rig.auth->options.client_id = mcpi_strdup(&rig.loop->allocator, client_id);
  rig_request another;
  rig_request_init(&another, rig.auth, RIG_URL);
  rig_request_send(&another);
  auth_rig_turn(&rig);
  rig_request_refuse(&another, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  snprintf(bound, sizeof(bound), "%s", rig.flow->bound_issuer);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  rig_request_deinit(&another);
  return bound;
}

RIG_TEST(the_programs_client_id_is_bound_to_its_issuer) {
  assert_string_equal(log_in_and_get_bound("client"), "-");
  assert_stored("\"bound\":{\"client_id\":\"client\"");
  assert_string_equal(log_in_and_get_bound("client"), "https://as.example");
  assert_string_equal(log_in_and_get_bound("other"), "-");
}

static int get_assertion(mcp_auth *auth, const mcp_auth_prompt *prompt,
                         void *userdata) {
  return 0;
}

/* The token of a user is not that of a workload, and the other way round. */
TEST(each_grant_has_its_own_token) {
  rig_request user;
  assert_int_equal(auth_rig_init(&rig, NULL), 0);
  rig.options.grant = MCP_AUTH_WORKLOAD;
  rig.options.get_assertion = get_assertion;
  assert_int_equal(auth_rig_open(&rig), 0);
  put_token("user", "r1", HOUR_MS);
  rig_request_init(&one, rig.auth, RIG_URL);
  send_with_token(&one, "");
  assert_int_equal(rig_request_refuse(&one, 401, "Bearer", NULL), MCP_PENDING);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "machine", NULL, HOUR_MS, NULL, NULL);
  assert_string_equal(one.authorization, "Bearer machine");
  assert_stored("\"user\"");
  assert_not_stored("\"machine\"");
  rig.options.grant = MCP_AUTH_CODE;
  mcp_auth *another = auth_rig_open_another(&rig);
  rig_request_init(&user, another, RIG_URL);
  send_with_token(&user, "Bearer user");
  rig_request_deinit(&user);
  rig_request_deinit(&one);
  mcp_auth_free(another);
  auth_rig_deinit(&rig);
}

/* --- life ----------------------------------------------------------------- */

static void free_auth(rig_request *self) {
  mcp_auth_free(rig.auth);
  rig.auth = NULL;
}

RIG_TEST(the_mcp_auth_may_be_freed_when_a_request_is_ready) {
  one.on_ready = free_auth;
  rig_request_send(&one);
  rig_request_send(&two);
  auth_rig_turn(&rig);
  assert_int_equal(one.readies, 1);
  assert_int_equal(two.readies, 1);
  assert_int_equal(two.err.code, MCP_ERR_CLOSED);
  assert_int_equal(rig.host_releases, 1);
  assert_int_equal(rig.store_releases, 1);
  assert_int_equal(rig_request_send(&three), MCP_ERR_CLOSED);
  assert_int_equal(rig_request_refuse(&three, 401, "Bearer", NULL),
                   MCP_ERR_CLOSED);
}

RIG_TEST(the_mcp_auth_may_be_freed_when_a_request_fails) {
  one.on_ready = free_auth;
  rig.take_error = MCP_ERR_IO;
  rig_request_send(&one);
  rig_request_send(&two);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_IO);
  assert_int_equal(two.err.code, MCP_ERR_IO);
  assert_int_equal(rig.host_releases, 1);
}

static void deinit_all(rig_request *self) {
  rig_request_deinit(&one);
  rig_request_deinit(&two);
  rig_request_deinit(&three);
  free_auth(self);
}

RIG_TEST(all_requests_may_end_when_one_is_ready) {
  one.on_ready = deinit_all;
  rig_request_send(&one);
  rig_request_send(&two);
  auth_rig_turn(&rig);
  assert_int_equal(two.readies, 0);
}

/* Frees the mcp_auth while a request waits in this step: DUE, TAKING, DUE of a
 * login, LOGIN, KEEPING. */
static void free_in_step(int step) {
  open_rig(NULL);
  rig.is_slow = step == 1;
  rig_request_send(&one);
  if (step > 0) {
    auth_rig_turn(&rig);
  }
  if (step > 1) {
    rig_request_refuse(&one, 401, "Bearer", NULL);
  }
  if (step > 2) {
    auth_rig_turn(&rig);
  }
  rig.is_slow = 1;
  if (step > 3) {
    auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  }
  assert_int_equal(one.err.code, 0);
  free_auth(NULL);
  assert_int_equal(one.err.code, MCP_ERR_CLOSED);
  close_rig(NULL);
}

TEST(freeing_ends_work_in_each_step) {
  for (int step = 0; step < 5; step++) {
    free_in_step(step);
  }
}

RIG_TEST(a_program_can_wait_for_a_renewal_before_it_frees_the_mcp_auth) {
  assert_false(mcp_auth_is_renewing(NULL));
  put_token("old", "r1", 30000);
  rig.is_slow = 1;
  rig_request_send(&one);
  auth_rig_turn(&rig);
  auth_rig_store_go_on(&rig); /* it is read */
  assert_string_equal(one.authorization, "Bearer old");
  auth_rig_turn(&rig);
  assert_false(mcp_auth_is_renewing(rig.auth)); /* the record is not taken */
  auth_rig_store_go_on(&rig);
  assert_true(mcp_auth_is_renewing(rig.auth));
  auth_rig_token(&rig, "new", "r2", HOUR_MS, NULL, "read");
  assert_false(mcp_auth_is_renewing(rig.auth));
  assert_stored("\"r2\"");
}

RIG_TEST(a_program_can_wait_until_a_new_token_is_stored) {
  send_with_token(&one, "");
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_false(mcp_auth_is_renewing(rig.auth)); /* the user reads a page */
  rig.is_slow = 1;
  auth_rig_token(&rig, "abc", "r1", HOUR_MS, NULL, NULL);
  assert_true(mcp_auth_is_renewing(rig.auth));
  auth_rig_store_go_on(&rig);
  assert_false(mcp_auth_is_renewing(rig.auth));
  assert_stored("\"r1\"");
}

RIG_TEST(a_renewal_that_is_cut_short_gives_the_record_back) {
  put_token("old", "r1", -1);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  assert_int_equal(rig.taken, 1);
  free_auth(NULL);
  assert_int_equal(rig.taken, 0);
  assert_stored("\"r1\"");
}
