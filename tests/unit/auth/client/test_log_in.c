/* SPDX-License-Identifier: MIT */
/* mcp_auth_login, mcp_auth_logout and mcp_auth_list. */
#include "auth/client/auth.h"

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

static struct {
  int count;
  mcp_error err; /* code 0: none */
  int frees;     /* on_done frees the mcp_auth */
  char listed[512];
} done;

static void on_done(mcp_auth *auth, const mcp_error *err, void *userdata) {
  assert_ptr_equal(userdata, &done);
  done.count++;
  done.err.code = 0;
  if (err != NULL) {
    done.err = *err;
  }
  if (done.frees) {
    mcp_auth_free(rig.auth);
    rig.auth = NULL;
  }
}

/* `stored` is borrowed until this returns, also if it frees the mcp_auth. */
static void on_stored(mcp_auth *auth, const mcp_auth_stored *stored,
                      void *userdata) {
  size_t len = strlen(done.listed);
  if (done.frees) {
    mcp_auth_free(rig.auth);
    rig.auth = NULL;
  }
  len += (size_t)snprintf(done.listed + len, sizeof(done.listed) - len,
                          "%s %s %s '%s' %d%d", stored->server_url,
                          stored->issuer, stored->client_id, stored->scopes,
                          (int)stored->is_renewable, (int)stored->is_bound);
  if (stored->grant != MCP_AUTH_CODE) {
    len += (size_t)snprintf(done.listed + len, sizeof(done.listed) - len,
                            " of %d", (int)stored->grant);
  }
  snprintf(done.listed + len, sizeof(done.listed) - len, ";");
}

static int open_rig(void **state) {
  memset(&done, 0, sizeof(done));
  int rc = auth_rig_init(&rig, NULL);
  return rc == 0 ? auth_rig_open(&rig) : rc;
}

static int close_rig(void **state) {
  auth_rig_deinit(&rig);
  return 0;
}

#define RIG_TEST(name) TEST_WITH(name, open_rig, close_rig)

static void put_token(const char *url, const char *access, const char *more) {
  char text[512];
  snprintf(text, sizeof(text),
           "{\"server\":\"%s\",\"token\":{\"access_token\":\"%s\",%s"
           "\"issuer\":\"https://as.example\",\"scope\":\"read\"}}",
           url, access, more);
  auth_rig_put(&rig, url, text);
}

static void assert_stored(const char *expected, int is_there) {
  char text[1024];
  auth_rig_get(&rig, RIG_URL, text, sizeof(text));
  assert_int_equal(strstr(text, expected) != NULL, is_there);
}

static void log_in(int forces) {
  assert_int_equal(
      mcp_auth_login(rig.auth, RIG_URL, forces, on_done, &done, NULL), 0);
  assert_int_equal(done.count, 0);
  auth_rig_turn(&rig);
}

/* --- login ---------------------------------------------------------------- */

RIG_TEST(a_login_asks_the_server_what_it_demands) {
  log_in(0);
  assert_int_equal(rig.fetches, 1);
  auth_rig_answer(&rig, 401, "www-authenticate", "Bearer scope=\"read\"");
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->demanded, "read");
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  assert_stored("\"abc\"", 1);
}

RIG_TEST(a_token_that_is_not_stored_is_reported) {
  rig.give_result = MCP_ERR_IO;
  log_in(0);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.err.code, MCP_ERR_IO);
  assert_string_equal(done.err.message,
                      "logged in to " RIG_URL
                      ", but the token is not stored: the disk is full");
  rig.give_result = 0;
  done.count = 0;
  log_in(1);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  rig.take_error = MCP_ERR_IO; /* the record is taken again to write it */
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  auth_rig_turn(&rig);
  assert_string_equal(done.err.message,
                      "logged in to " RIG_URL
                      ", but the token is not stored: the disk is broken");
  rig.take_error = 0;
  done.count = 0;
  log_in(1);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  auth_rig_token(&rig, "ghi", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  assert_stored("\"ghi\"", 1);
}

RIG_TEST(a_login_goes_on_without_a_challenge) {
  static const int errors[] = {0, MCP_ERR_TIMEOUT, MCP_ERR_LIMIT};
  for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
    done.count = 0;
    log_in(1);
    if (errors[i] == 0) {
      auth_rig_answer(&rig, 405, "WWW-Authenticate", "Bearer scope=\"read\"");
    } else {
      auth_rig_answer_error(&rig, errors[i]);
    }
    auth_rig_turn(&rig);
    assert_string_equal(rig.flow->demanded, "-");
    auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
    assert_int_equal(done.count, 1);
  }
}

/* Nothing at the server's address registers clients. */
static void fail_to_register(int status) {
  done.count = 0;
  log_in(1);
  auth_rig_answer(&rig, status, NULL, NULL);
  auth_rig_turn(&rig);
  auth_rig_fail_with_status(&rig, 404, "/register: HTTP 404");
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, MCP_ERR_REFUSED);
}

RIG_TEST(the_error_says_if_the_server_perhaps_needs_no_login) {
  fail_to_register(405);
  assert_string_equal(done.err.message,
                      RIG_URL " answered HTTP 405 and perhaps needs no login: "
                              "/register: HTTP 404");
  fail_to_register(401);
  assert_string_equal(done.err.message, "/register: HTTP 404");
}

RIG_TEST(a_server_that_is_down_fails_the_login) {
  log_in(0);
  auth_rig_answer_error(&rig, MCP_ERR_IO);
  assert_int_equal(done.err.code, MCP_ERR_IO);
  assert_non_null(strstr(done.err.message, RIG_URL ": no route"));
  rig.fetch_result = MCP_ERR_PLATFORM;
  done.count = 0;
  log_in(0);
  assert_int_equal(done.err.code, MCP_ERR_PLATFORM);
}

RIG_TEST(a_stored_token_is_enough_unless_the_login_is_forced) {
  put_token(RIG_URL, "abc", "");
  log_in(0);
  assert_int_equal(done.count, 1);
  assert_int_equal(rig.fetches, 0);
  done.count = 0;
  log_in(1);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.count, 1);
  assert_stored("\"def\"", 1);
}

RIG_TEST(a_stored_token_that_has_expired_is_renewed) {
  put_token(RIG_URL, "abc", "\"refresh_token\":\"r\",\"expires_at_ms\":1,");
  log_in(0);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  assert_int_equal(rig.fetches, 0);
}

RIG_TEST(a_stored_token_that_has_expired_for_good_is_replaced) {
  put_token(RIG_URL, "abc", "\"expires_at_ms\":1,");
  log_in(0);
  assert_int_equal(rig.fetches, 1);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "access_denied");
  assert_int_equal(done.err.code, MCP_ERR_REFUSED);
}

RIG_TEST(a_login_joins_one_that_is_under_way) {
  rig_request request;
  rig_request_init(&request, rig.auth, RIG_URL);
  rig_request_send(&request);
  auth_rig_turn(&rig);
  rig_request_refuse(&request, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  log_in(1);
  assert_int_equal(rig.fetches, 0);
  assert_int_equal(rig.flow_count, 1);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  rig_request_deinit(&request);
}

RIG_TEST(a_forced_login_does_not_mind_trouble_with_the_old_token) {
  put_token(RIG_URL, "abc", "\"refresh_token\":\"r\",\"expires_at_ms\":1,");
  log_in(1);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
  assert_int_equal(rig.fetches, 1);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow->kind, RIG_FLOW_LOG_IN);
  auth_rig_token(&rig, "def", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(done.err.code, 0);
}

RIG_TEST(a_login_needs_a_secure_url) {
  mcp_error err;
  assert_int_equal(
      mcp_auth_login(rig.auth, "http://192.0.2.1/", 0, on_done, &done, &err),
      0);
  auth_rig_turn(&rig);
  assert_int_equal(done.err.code, MCP_ERR_REFUSED);
}

RIG_TEST(wrong_arguments_are_refused) {
  static const char *const urls[] = {"",         "x",  "ftp://h/",
                                     "https://", NULL, "https://h/\n"};
  mcp_error err;
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    assert_int_equal(mcp_auth_login(rig.auth, urls[i], 0, on_done, &done, &err),
                     MCP_ERR_INVALID);
    assert_int_equal(mcp_auth_logout(rig.auth, urls[i], on_done, &done, &err),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(mcp_auth_login(NULL, RIG_URL, 0, on_done, &done, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_login(rig.auth, RIG_URL, 0, NULL, &done, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_list(rig.auth, NULL, on_done, &done, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_list(NULL, on_stored, on_done, &done, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(done.count, 0);
}

RIG_TEST(freeing_ends_a_login_in_each_state) {
  log_in(0);
  mcp_auth_free(rig.auth);
  assert_int_equal(rig.fetch_cancels, 1);
  assert_int_equal(done.err.code, MCP_ERR_CLOSED);
  assert_int_equal(auth_rig_open(&rig), 0);
  done.count = 0;
  log_in(0);
  auth_rig_answer(&rig, 401, NULL, NULL);
  auth_rig_turn(&rig);
  mcp_auth_free(rig.auth);
  assert_int_equal(done.err.code, MCP_ERR_CLOSED);
  assert_int_equal(done.count, 1);
  assert_int_equal(auth_rig_open(&rig), 0);
  assert_int_equal(mcp_auth_login(rig.auth, RIG_URL, 0, on_done, &done, NULL),
                   0);
  mcp_auth_free(rig.auth);
  assert_int_equal(done.count, 2);
  rig.auth = NULL;
}

RIG_TEST(the_mcp_auth_may_be_freed_in_on_done) {
  put_token(RIG_URL, "abc", "");
  done.frees = 1;
  log_in(0);
  assert_int_equal(done.count, 1);
  assert_int_equal(rig.host_releases, 1);
}

/* --- list ----------------------------------------------------------------- */

static void list_all(void) {
  done.count = 0;
  assert_int_equal(mcp_auth_list(rig.auth, on_stored, on_done, &done, NULL), 0);
  assert_string_equal(done.listed, "");
  auth_rig_turn(&rig);
}

RIG_TEST(each_stored_token_is_listed) {
  put_token(RIG_URL, "abc",
            "\"refresh_token\":\"r\",\"key\":\"PEM\",\"client_id\":\"c\",");
  put_token("https://b.example", "def", "");
  auth_rig_put(&rig, "https://d.example", "{\"server\":\"https://d.example\"}");
  list_all();
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  assert_non_null(
      strstr(done.listed, RIG_URL " https://as.example c 'read' 11;"));
  assert_non_null(
      strstr(done.listed, "https://b.example https://as.example  'read' 00;"));
  assert_null(strstr(done.listed, "d.example"));
  assert_int_equal(rig.taken, 0);
}

RIG_TEST(a_token_of_each_grant_is_listed_with_the_url_of_the_server) {
  put_token(RIG_URL, "abc", "");
  put_token(RIG_URL "#client_credentials", "def", "");
  list_all();
  assert_non_null(
      strstr(done.listed, RIG_URL " https://as.example  'read' 00;"));
  assert_non_null(
      strstr(done.listed, RIG_URL " https://as.example  'read' 00 of 1;"));
}

RIG_TEST(a_record_that_is_not_valid_is_reported_at_the_end) {
  auth_rig_put(&rig, RIG_URL, "{}");
  put_token("https://b.example", "def", "");
  list_all();
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, MCP_ERR_PARSE);
  assert_string_equal(done.err.message,
                      "the stored record for " RIG_URL " is not valid: log out "
                      "of the server, or log in to it again");
  assert_non_null(strstr(done.listed, "https://b.example"));
  assert_int_equal(rig.taken, 0);
}

RIG_TEST(an_empty_store_lists_nothing) {
  list_all();
  assert_int_equal(done.count, 1);
  assert_string_equal(done.listed, "");
}

RIG_TEST(a_slow_store_is_listed) {
  put_token(RIG_URL, "abc", "");
  put_token("https://b.example", "def", "");
  rig.is_slow = 1;
  list_all();
  auth_rig_store_go_on(&rig);
  assert_int_equal(done.count, 0);
  auth_rig_store_go_on(&rig);
  assert_int_equal(done.count, 1);
}

RIG_TEST(a_record_that_cannot_be_taken_is_reported_at_the_end) {
  put_token(RIG_URL, "abc", "");
  put_token("https://b.example", "def", "");
  rig.is_slow = 1;
  list_all();
  auth_rig_pass(&rig, TAKING_LIMIT_MS);
  assert_int_equal(done.count, 0);
  auth_rig_store_go_on(&rig);
  assert_int_equal(done.err.code, MCP_ERR_TIMEOUT);
  assert_true(done.listed[0] != '\0');
}

RIG_TEST(the_mcp_auth_may_be_freed_while_it_lists) {
  put_token(RIG_URL, "abc", "");
  put_token("https://b.example", "def", "");
  done.frees = 1;
  list_all();
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, MCP_ERR_CLOSED);
}

static int open_silent_rig(void **state) {
  memset(&done, 0, sizeof(done));
  int rc = auth_rig_init(&rig, NULL);
  rig.options.never_asks = 1;
  return rc == 0 ? auth_rig_open(&rig) : rc;
}

/* Asks for a login without the user; the server answers so. */
static void log_in_silently(int forces, int status) {
  log_in(forces);
  auth_rig_answer(&rig, status, NULL, NULL);
  auth_rig_turn(&rig);
  assert_int_equal(done.err.code, MCP_ERR_REFUSED);
  done.count = 0;
}

#define NOT_ASKED                                                              \
  "cannot log in to " RIG_URL ": this program must not ask the user "          \
  "(mcp_auth_options.never_asks)"

TEST_WITH(a_refused_login_says_what_the_server_answered, open_silent_rig,
          close_rig) {
  log_in_silently(0, 401);
  assert_string_equal(done.err.message, RIG_URL " demands a login (HTTP 401)");
  assert_int_equal(done.err.status, 401);
  log_in_silently(0, 200);
  assert_string_equal(done.err.message, NOT_ASKED);
  assert_int_equal(done.err.status, 0);
  log_in_silently(1, 401);
  assert_string_equal(done.err.message, NOT_ASKED);
  assert_int_equal(done.err.status, 0);
}

/* Nobody else reports it. */
RIG_TEST(a_renewed_token_that_could_not_be_stored_is_reported) {
  rig_request request;
  put_token(RIG_URL, "t1", "\"refresh_token\":\"r1\",\"expires_at_ms\":1,");
  rig_request_init(&request, rig.auth, RIG_URL);
  rig_request_send(&request);
  auth_rig_turn(&rig);
  rig.give_result = MCP_ERR_IO;
  auth_rig_token(&rig, "t2", "r2", HOUR_MS, NULL, "read");
  rig.give_result = 0;
  rig_request_deinit(&request);
  log_in(0);
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, MCP_ERR_IO);
  assert_non_null(strstr(done.err.message, "is not stored: the disk is full"));
}

/* --- logout --------------------------------------------------------------- */

static void log_out(void) {
  done.count = 0;
  assert_int_equal(mcp_auth_logout(rig.auth, RIG_URL, on_done, &done, NULL), 0);
  auth_rig_turn(&rig);
}

/* The revocation ends; code 0: well. */
static void end_revocation(int code, const char *why) {
  auth_rig_fail(&rig, code, why);
  auth_rig_turn(&rig);
}

RIG_TEST(a_logout_revokes_the_token_and_removes_it) {
  rig_request request;
  put_token(RIG_URL, "abc", "\"refresh_token\":\"r1\",");
  rig_request_init(&request, rig.auth, RIG_URL);
  rig_request_send(&request);
  auth_rig_turn(&rig);
  assert_string_equal(request.authorization, "Bearer abc");
  log_out();
  assert_int_equal(rig.flow->kind, RIG_FLOW_REVOKE);
  assert_string_equal(rig.flow->refresh, "r1");
  assert_int_equal(rig.taken, 1);
  end_revocation(0, "");
  assert_int_equal(done.count, 1);
  assert_int_equal(done.err.code, 0);
  assert_int_equal(rig.taken, 0);
  char text[64];
  auth_rig_get(&rig, RIG_URL, text, sizeof(text));
  assert_string_equal(text, "");
  assert_int_equal(rig_request_send(&request), 0);
  assert_string_equal(request.authorization, "");
  rig_request_deinit(&request);
}

RIG_TEST(a_logout_keeps_the_registration) {
  auth_rig_put(&rig, RIG_URL,
               "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":\"a\","
               "\"issuer\":\"i\"},\"client\":{\"issuer\":\"i\",\"client_id\":"
               "\"c1\",\"token_endpoint_auth_method\":\"none\"}}");
  log_out();
  assert_string_equal(rig.flow->known_client, "c1");
  end_revocation(MCP_ERR_UNSUPPORTED, "no revocation");
  assert_int_equal(done.err.code, 0);
  assert_stored("\"c1\"", 1);
  assert_stored("access_token", 0);
}

RIG_TEST(a_token_that_cannot_be_revoked_is_removed) {
  put_token(RIG_URL, "abc", "");
  log_out();
  end_revocation(MCP_ERR_IO, "no route");
  assert_int_equal(done.err.code, MCP_ERR_IO);
  assert_non_null(strstr(done.err.message, "was not revoked: no route"));
  assert_stored("abc", 0);
}

/* The store has the older token, which the server has replaced. */
RIG_TEST(a_token_that_could_not_be_stored_is_revoked) {
  rig_request request;
  put_token(RIG_URL, "t1", "\"refresh_token\":\"r1\",\"expires_at_ms\":1,");
  rig_request_init(&request, rig.auth, RIG_URL);
  rig_request_send(&request);
  auth_rig_turn(&rig);
  rig.give_result = MCP_ERR_IO;
  auth_rig_token(&rig, "t2", "r2", HOUR_MS, NULL, "read");
  rig.give_result = 0;
  rig_request_deinit(&request);
  log_out();
  assert_string_equal(rig.flow->refresh, "r2");
  end_revocation(0, "");
  assert_int_equal(done.err.code, 0);
  assert_stored("r1", 0);
}

RIG_TEST(a_logout_without_a_token_finds_nothing) {
  log_out();
  assert_int_equal(done.err.code, MCP_ERR_NOT_FOUND);
}

RIG_TEST(a_logout_removes_a_record_that_is_not_valid) {
#define OF_ANOTHER                                                             \
  "{\"server\":\"https://b.example\",\"token\":{\"access_token\":\"abc\"}}"
  static const char *const texts[] = {"rubbish \"access_token\":\"abc\"",
                                      "{\"access_token\":\"abc\"}", OF_ANOTHER};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    char text[64];
    auth_rig_put(&rig, RIG_URL, texts[i]);
    log_out();
    assert_int_equal(done.count, 1);
    assert_int_equal(done.err.code, MCP_ERR_PARSE);
    assert_string_equal(done.err.message,
                        "the token for " RIG_URL " is removed, but was not "
                        "revoked: its stored record is not valid");
    auth_rig_get(&rig, RIG_URL, text, sizeof(text));
    assert_string_equal(text, "");
    assert_int_equal(rig.taken, 0);
  }
}

RIG_TEST(a_logout_is_for_each_grant) {
  put_token(RIG_URL, "abc", "\"refresh_token\":\"r1\",");
  put_token(RIG_URL "#workload", "def", "\"refresh_token\":\"r2\",");
  log_out();
  assert_string_equal(rig.flow->refresh, "r1");
  end_revocation(0, "");
  assert_int_equal(done.count, 0);
  assert_string_equal(rig.flow->refresh, "r2");
  end_revocation(MCP_ERR_IO, "no route");
  assert_int_equal(done.count, 1);
  assert_non_null(strstr(done.err.message, "was not revoked: no route"));
  list_all();
  assert_string_equal(done.listed, "");
}

RIG_TEST(a_store_that_fails_fails_a_logout) {
  put_token(RIG_URL, "abc", "");
  rig.take_error = MCP_ERR_IO;
  log_out();
  assert_int_equal(done.err.code, MCP_ERR_IO);
  rig.take_error = 0;
  rig.give_result = MCP_ERR_IO;
  log_out();
  end_revocation(0, "");
  assert_int_equal(done.err.code, MCP_ERR_IO);
  rig.give_result = 0;
  rig.is_slow = 1;
  log_out();
  auth_rig_pass(&rig, TAKING_LIMIT_MS);
  assert_int_equal(done.err.code, MCP_ERR_TIMEOUT);
}

RIG_TEST(freeing_ends_a_logout) {
  put_token(RIG_URL, "abc", "");
  log_out();
  mcp_auth_free(rig.auth);
  rig.auth = NULL;
  assert_int_equal(done.err.code, MCP_ERR_CLOSED);
  assert_stored("abc", 1);
}

/* --- memory --------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  memset(&done, 0, sizeof(done));
  int rc = auth_rig_init(&rig, allocator);
  if (rc == 0) {
    rc = auth_rig_open(&rig);
  }
  if (rc == 0) {
    rc = mcp_auth_login(rig.auth, RIG_URL, 1, on_done, &done, NULL);
  }
  if (rc == 0) {
    auth_rig_turn(&rig);
    if (rig.fetch_done != NULL) {
      auth_rig_answer(&rig, 401, "WWW-Authenticate", "Bearer scope=\"a\"");
      auth_rig_turn(&rig);
    }
    if (rig.flow != NULL) {
      auth_rig_token(&rig, "abc", "r", HOUR_MS, NULL, NULL);
    }
    assert_int_equal(done.count, 1);
    rc = done.err.code;
  }
  if (rc == 0) {
    rc = mcp_auth_list(rig.auth, on_stored, on_done, &done, NULL);
  }
  if (rc == 0) {
    auth_rig_turn(&rig);
    assert_int_equal(done.count, 2);
    rc = done.err.code;
  }
  if (rc == 0) {
    rc = mcp_auth_logout(rig.auth, RIG_URL, on_done, &done, NULL);
  }
  if (rc == 0) {
    auth_rig_turn(&rig);
    if (rig.flow != NULL) {
      end_revocation(0, "");
    }
    assert_int_equal(done.count, 3);
    rc = done.err.code == MCP_ERR_NOT_FOUND ? MCP_ERR_NOMEM : done.err.code;
  }
  auth_rig_deinit(&rig);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(30, scenario, NULL);
}
