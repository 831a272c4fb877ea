/* SPDX-License-Identifier: MIT */
#include "auth/client/login.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)
#define RIGHT_URL "http://127.0.0.1:1234/callback?code=c&state=right"

static auth_rig rig;
static rig_request one;

/* What the program does inside its callback. */
typedef enum inside {
  INSIDE_NOTHING,
  INSIDE_ANSWER,
  INSIDE_WRONG_ANSWER,
  INSIDE_ABANDON,
  INSIDE_FREE
} inside;

static struct {
  inside inside;
  int result;
  int calls;
  uint64_t login;
  char scopes[64];
  char url[64];
  char redirect_uri[64];
} program;

static int on_prompt(mcp_auth *auth, const mcp_auth_prompt *prompt,
                     void *userdata) {
  assert_ptr_equal(userdata, &rig);
  program.calls++;
  if (program.inside == INSIDE_FREE) { /* the prompt is borrowed from us */
    mcp_auth_free(rig.auth);
    rig.auth = NULL;
  }
  program.login = prompt->login;
  snprintf(program.scopes, sizeof(program.scopes), "%s", prompt->scopes);
  snprintf(program.url, sizeof(program.url), "%s",
           prompt->url != NULL ? prompt->url : "-");
  snprintf(program.redirect_uri, sizeof(program.redirect_uri), "%s",
           prompt->redirect_uri != NULL ? prompt->redirect_uri : "-");
  if (program.inside == INSIDE_ABANDON) {
    assert_int_equal(mcp_auth_abandon(auth, prompt->login, "no", NULL), 0);
  }
  return program.result;
}

static int on_browser(mcp_auth *auth, const mcp_auth_prompt *prompt,
                      void *userdata) {
  if (program.inside == INSIDE_ANSWER) {
    assert_int_equal(mcp_auth_redirected(auth, prompt->login, RIGHT_URL, NULL),
                     0);
  } else if (program.inside == INSIDE_WRONG_ANSWER) {
    assert_int_equal(mcp_auth_redirected(auth, prompt->login, "?state=x", NULL),
                     0);
  }
  return on_prompt(auth, prompt, userdata);
}

static int on_assertion(mcp_auth *auth, const mcp_auth_prompt *prompt,
                        void *userdata) {
  if (program.inside == INSIDE_ANSWER) {
    assert_int_equal(mcp_auth_assert(auth, prompt->login, "jwt", NULL), 0);
  }
  return on_prompt(auth, prompt, userdata);
}

static int on_client(mcp_auth *auth, const mcp_auth_prompt *prompt,
                     void *userdata) {
  if (program.inside == INSIDE_ANSWER) {
    assert_int_equal(
        mcp_auth_give_client(auth, prompt->login, "id", "secret", NULL), 0);
  }
  return on_prompt(auth, prompt, userdata);
}

static int on_token(mcp_auth *auth, const mcp_auth_prompt *prompt,
                    void *userdata) {
  assert_null(prompt->issuer);
  if (program.inside == INSIDE_ANSWER) {
    assert_int_equal(mcp_auth_give_token(auth, prompt->login, "mine",
                                         rig.wall_ms + HOUR_MS, NULL),
                     0);
  }
  return on_prompt(auth, prompt, userdata);
}

static int init_rig(void **state) {
  memset(&program, 0, sizeof(program));
  return auth_rig_init(&rig, NULL);
}

static int close_rig(void **state) {
  rig_request_deinit(&one);
  auth_rig_deinit(&rig);
  return 0;
}

#define RIG_TEST(name) TEST_WITH(name, init_rig, close_rig)

/* Opens the mcp_auth, and leads it to a login. */
static void begin(const char *challenge) {
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  assert_int_equal(one.order > 0, 1);
  assert_int_equal(rig_request_refuse(&one, 401, challenge, NULL), MCP_PENDING);
  auth_rig_turn(&rig);
}

/* --- the browser ---------------------------------------------------------- */

RIG_TEST(the_host_opens_the_browser_and_listens_for_it) {
  mcp_error err;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, &err), 0);
  assert_int_equal(rig.browsers, 1);
  assert_int_equal(rig.redirects_opened, 1);
  uint64_t login = rig.flow->start.login;
  assert_int_equal(mcp_auth_redirected(rig.auth, login, "?state=x", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "another state");
  assert_int_equal(mcp_auth_redirected(rig.auth, login, RIGHT_URL, &err), 0);
  assert_string_equal(rig.flow->redirected, RIGHT_URL);
  assert_int_equal(rig.redirects_closed, 0);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
  assert_int_equal(rig.redirects_closed, 1);
  assert_int_equal(rig.close_code, 0);
  assert_int_equal(mcp_auth_redirected(rig.auth, login, RIGHT_URL, &err),
                   MCP_ERR_INVALID);
}

RIG_TEST(a_browser_may_return_each_time_that_the_user_is_asked) {
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), 0);
  assert_int_equal(rig.redirects_awaited, 1);
  uint64_t login = rig.flow->start.login;
  assert_int_equal(mcp_auth_redirected(rig.auth, login, RIGHT_URL, NULL), 0);
  assert_int_equal(auth_rig_flow_browse_again(&rig, NULL), 0);
  assert_int_equal(rig.redirects_awaited, 2);
  assert_int_equal(mcp_auth_redirected(rig.auth, login, RIGHT_URL, NULL), 0);
}

RIG_TEST(the_page_says_why_the_login_failed) {
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), 0);
  auth_rig_fail(&rig, MCP_ERR_REFUSED, "access_denied");
  assert_int_equal(rig.redirects_closed, 1);
  assert_int_equal(rig.close_code, MCP_ERR_REFUSED);
}

RIG_TEST(a_browser_that_cannot_be_opened_is_an_error) {
  mcp_error err;
  rig.browser_result = MCP_ERR_IO;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, &err), MCP_ERR_IO);
  assert_string_equal(err.message, "there is no browser");
}

RIG_TEST(the_program_may_open_the_browser_and_take_the_return) {
  rig.options.open_browser = on_browser;
  rig.options.redirect_uri = "https://app.example/callback";
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), 0);
  assert_int_equal(rig.browsers, 0);
  assert_int_equal(rig.redirects_opened, 0);
  assert_int_equal(rig.redirects_awaited, 0);
  assert_string_equal(program.url, "https://as.example/authorize");
  assert_string_equal(program.redirect_uri, "https://app.example/callback");
  assert_int_equal(
      mcp_auth_redirected(rig.auth, program.login, RIGHT_URL, NULL), 0);
}

RIG_TEST(an_answer_inside_the_callback_is_acted_upon_later) {
  rig.options.open_browser = on_browser;
  program.inside = INSIDE_ANSWER;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), 0);
  assert_string_equal(rig.flow->redirected, "");
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->redirected, RIGHT_URL);
  auth_rig_token(&rig, "abc", NULL, HOUR_MS, NULL, NULL);
}

RIG_TEST(a_wrong_answer_inside_the_callback_leaves_the_login_waiting) {
  rig.options.open_browser = on_browser;
  program.inside = INSIDE_WRONG_ANSWER;
  begin("Bearer");
  auth_rig_flow_browse(&rig, NULL);
  auth_rig_turn(&rig);
  assert_int_equal(
      mcp_auth_redirected(rig.auth, program.login, RIGHT_URL, NULL), 0);
  assert_string_equal(rig.flow->redirected, RIGHT_URL);
}

RIG_TEST(a_callback_that_fails_fails_the_step) {
  mcp_error err;
  rig.options.open_browser = on_browser;
  program.result = MCP_ERR_UNSUPPORTED;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, &err), MCP_ERR_UNSUPPORTED);
  assert_non_null(strstr(err.message, "open_browser"));
  assert_int_equal(
      mcp_auth_redirected(rig.auth, program.login, RIGHT_URL, NULL),
      MCP_ERR_INVALID);
}

RIG_TEST(the_mcp_auth_may_be_freed_in_a_callback) {
  rig.options.open_browser = on_browser;
  program.inside = INSIDE_FREE;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), MCP_ERR_CLOSED);
  assert_int_equal(one.err.code, MCP_ERR_CLOSED);
  assert_int_equal(rig.host_releases, 1);
}

RIG_TEST(the_user_may_refuse_inside_the_callback) {
  rig.options.open_browser = on_browser;
  program.inside = INSIDE_ABANDON;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), 0);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  assert_string_equal(one.err.message, "no");
}

RIG_TEST(the_user_may_refuse_later) {
  begin("Bearer");
  auth_rig_flow_browse(&rig, NULL);
  assert_int_equal(
      mcp_auth_abandon(rig.auth, rig.flow->start.login, "go away", NULL), 0);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  assert_string_equal(one.err.message, "go away");
}

RIG_TEST(a_login_that_fetches_can_be_abandoned) {
  begin("Bearer");
  assert_int_equal(
      mcp_auth_abandon(rig.auth, rig.flow->start.login, NULL, NULL), 0);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
}

/* The answer of a fetch leads to the page before the login has acted on what
 * the program said. */
RIG_TEST(a_login_that_was_abandoned_asks_for_nothing) {
  mcp_error err;
  rig.options.open_browser = on_browser;
  rig.options.get_client = on_client;
  begin("Bearer");
  uint64_t number = rig.flow->start.login;
  assert_int_equal(mcp_auth_abandon(rig.auth, number, "cancelled", NULL), 0);
  assert_int_equal(auth_rig_flow_browse(&rig, &err), MCP_ERR_REFUSED);
  assert_string_equal(err.message, "cancelled");
  assert_int_equal(auth_rig_flow_get_client(&rig, &err), MCP_ERR_REFUSED);
  assert_int_equal(program.calls, 0);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  assert_string_equal(one.err.message, "cancelled");
  assert_int_equal(mcp_auth_abandon(rig.auth, number, "again", &err),
                   MCP_ERR_INVALID);
}

RIG_TEST(a_login_that_was_abandoned_opens_no_browser) {
  mcp_error err;
  begin("Bearer");
  mcp_auth_abandon(rig.auth, rig.flow->start.login, NULL, NULL);
  assert_int_equal(auth_rig_flow_browse(&rig, &err), MCP_ERR_REFUSED);
  assert_int_equal(rig.browsers, 0);
  auth_rig_turn(&rig);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
}

RIG_TEST(a_user_who_does_not_agree_in_time_ends_the_login) {
  begin("Bearer");
  auth_rig_flow_browse(&rig, NULL);
  mcp_auth_redirected(rig.auth, rig.flow->start.login, "?state=x", NULL);
  auth_rig_pass(&rig, 299999);
  assert_int_equal(one.readies, 1);
  auth_rig_pass(&rig, 1);
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
  assert_string_equal(one.err.message, "the user did not agree in time");
  assert_int_equal(rig.close_code, MCP_ERR_TIMEOUT);
}

RIG_TEST(the_time_ends_when_the_user_has_agreed) {
  begin("Bearer");
  auth_rig_flow_browse(&rig, NULL);
  mcp_auth_redirected(rig.auth, rig.flow->start.login, RIGHT_URL, NULL);
  auth_rig_pass(&rig, 300000);
  assert_int_equal(one.err.code, 0);
}

RIG_TEST(numbers_of_logins_are_not_used_again) {
  begin("Bearer");
  uint64_t first = rig.flow->start.login;
  auth_rig_fail(&rig, MCP_ERR_IO, "no route");
  rig_request_send(&one);
  rig_request_refuse(&one, 401, "Bearer", NULL);
  auth_rig_turn(&rig);
  assert_true(rig.flow->start.login > first);
  assert_int_equal(mcp_auth_abandon(rig.auth, first, "x", NULL),
                   MCP_ERR_INVALID);
}

RIG_TEST(a_login_that_must_not_ask_fails_before_it_fetches) {
  rig.options.never_asks = 1;
  begin("Bearer error=\"invalid_token\", error_description=\"It expired\"");
  assert_int_equal(rig.flow_count, 0);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  assert_int_equal(one.err.status, 401);
  assert_string_equal(one.err.message,
                      RIG_URL " demands a login (HTTP 401): invalid_token: "
                              "It expired");
}

RIG_TEST(a_login_for_scopes_that_must_not_ask_names_them) {
  rig.options.never_asks = 1;
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  rig_request_send(&one);
  auth_rig_turn(&rig);
  assert_int_equal(
      rig_request_refuse(&one, 403,
                         "Bearer error=\"insufficient_scope\", scope=\"a b\"",
                         NULL),
      MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(rig.flow_count, 0);
  assert_int_equal(one.err.code, MCP_ERR_REFUSED);
  assert_int_equal(one.err.status, 403);
  assert_string_equal(one.err.message,
                      RIG_URL " demands the scopes \"a b\" (HTTP 403): "
                              "insufficient_scope");
}

RIG_TEST(a_login_with_its_own_credentials_asks_nobody) {
  rig.options.never_asks = 1;
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "client";
  rig.options.client_secret = "secret";
  begin("Bearer");
  assert_int_equal(rig.flow_count, 1);
  assert_int_equal(auth_rig_flow_browse(&rig, NULL), MCP_ERR_REFUSED);
}

/* --- assertions and clients ----------------------------------------------- */

RIG_TEST(the_program_gives_its_assertion_now_or_later) {
  rig.options.grant = MCP_AUTH_WORKLOAD;
  rig.options.get_assertion = on_assertion;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_ask(&rig, NULL), 0);
  assert_int_equal(mcp_auth_assert(rig.auth, program.login, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_auth_give_client(rig.auth, program.login, "x", NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_assert(rig.auth, program.login, "later", NULL), 0);
  assert_string_equal(rig.flow->assertion, "later");
  assert_int_equal(mcp_auth_assert(rig.auth, program.login, "again", NULL),
                   MCP_ERR_INVALID);
  program.inside = INSIDE_ANSWER;
  assert_int_equal(auth_rig_flow_ask(&rig, NULL), 0);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->assertion, "jwt");
}

RIG_TEST(the_program_gives_its_client_now_or_later) {
  rig.options.get_client = on_client;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_get_client(&rig, NULL), 0);
  assert_int_equal(
      mcp_auth_give_client(rig.auth, program.login, NULL, NULL, NULL), 0);
  assert_string_equal(rig.flow->client, "-:-");
  program.inside = INSIDE_ANSWER;
  assert_int_equal(auth_rig_flow_get_client(&rig, NULL), 0);
  auth_rig_turn(&rig);
  assert_string_equal(rig.flow->client, "id:secret");
}

/* The record of the server is taken meanwhile. */
RIG_TEST(a_renewal_waits_for_the_client_only_as_long_as_for_a_request) {
  rig.options.get_client = on_client;
  rig.options.fetch_timeout_ms = 1000;
  auth_rig_put(&rig, RIG_URL,
               "{\"server\":\"" RIG_URL "\",\"token\":{\"access_token\":"
               "\"abc\",\"refresh_token\":\"r\",\"issuer\":\"i\"}}");
  begin("Bearer");
  assert_int_equal(rig.flow->kind, RIG_FLOW_REFRESH);
  assert_int_equal(rig.taken, 1);
  assert_int_equal(auth_rig_flow_get_client(&rig, NULL), 0);
  auth_rig_pass(&rig, 999);
  assert_int_equal(rig.taken, 1);
  auth_rig_pass(&rig, 1);
  assert_int_equal(rig.taken, 0);
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
  assert_string_equal(one.err.message,
                      "the program did not give its client id in time");
}

RIG_TEST(a_login_waits_for_the_client_as_long_as_for_the_user) {
  rig.options.get_client = on_client;
  rig.options.fetch_timeout_ms = 1000;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_get_client(&rig, NULL), 0);
  auth_rig_pass(&rig, 299999);
  assert_int_equal(one.readies, 1);
  auth_rig_pass(&rig, 1);
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
}

RIG_TEST(a_program_without_get_client_is_not_asked) {
  begin("Bearer");
  assert_int_equal(auth_rig_flow_get_client(&rig, NULL), MCPI_FLOW_NOT_ASKED);
}

RIG_TEST(a_program_that_fails_to_find_its_client_is_not_one_without_it) {
  mcp_error err;
  rig.options.get_client = on_client;
  program.result = MCP_ERR_NOT_FOUND;
  begin("Bearer");
  assert_int_equal(auth_rig_flow_get_client(&rig, &err), MCP_ERR_NOT_FOUND);
  assert_string_equal(err.message,
                      "get_client of the program failed: not found");
  program.result = MCPI_FLOW_NOT_ASKED;
  assert_int_equal(auth_rig_flow_get_client(&rig, &err), MCP_ERR_INVALID);
}

/* --- tokens of the program ------------------------------------------------ */

RIG_TEST(the_program_gives_its_token_inside_the_callback) {
  rig.options.get_token = on_token;
  program.inside = INSIDE_ANSWER;
  begin("Bearer scope=\"a b\"");
  assert_string_equal(program.scopes, "a b");
  assert_string_equal(one.authorization, "Bearer mine");
  assert_int_equal(rig.flow_count, 0);
  assert_int_equal(rig.gives, 0);
}

RIG_TEST(the_program_gives_its_token_later) {
  mcp_error err;
  rig.options.get_token = on_token;
  begin("Bearer");
  assert_string_equal(program.scopes, "");
  assert_int_equal(one.readies, 0);
  assert_int_equal(
      mcp_auth_give_token(rig.auth, program.login, "mine", INT64_MAX, &err), 0);
  assert_string_equal(one.authorization, "Bearer mine");
  assert_int_equal(
      mcp_auth_give_token(rig.auth, program.login, "mine", INT64_MAX, &err),
      MCP_ERR_INVALID);
}

RIG_TEST(the_program_is_asked_again_when_its_token_is_refused_or_expires) {
  rig.options.get_token = on_token;
  program.inside = INSIDE_ANSWER;
  begin("Bearer");
  rig_request another;
  rig_request_init(&another, rig.auth, RIG_URL);
  assert_int_equal(rig_request_send(&another), 0);
  assert_int_equal(rig_request_refuse(&another, 401, "Bearer", NULL),
                   MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(program.calls, 2);
  assert_int_equal(rig_request_refuse(&another, 401, "Bearer", NULL),
                   MCP_ERR_REFUSED);
  assert_string_equal(another.err.message,
                      RIG_URL " refuses the program's token");
  auth_rig_pass(&rig, HOUR_MS - 4999);
  assert_int_equal(rig_request_send(&one), MCP_PENDING);
  auth_rig_turn(&rig);
  assert_int_equal(program.calls, 3);
  assert_string_equal(one.authorization, "Bearer mine");
  rig_request_deinit(&another);
}

RIG_TEST(a_program_that_has_no_token_fails_the_request) {
  rig.options.get_token = on_token;
  program.result = MCP_ERR_NOT_FOUND;
  begin("Bearer");
  assert_int_equal(one.err.code, MCP_ERR_NOT_FOUND);
}

RIG_TEST(a_program_that_gives_no_token_in_time_fails_the_request) {
  rig.options.get_token = on_token;
  rig.options.login_timeout_ms = 1000;
  begin("Bearer");
  auth_rig_pass(&rig, 1000);
  assert_int_equal(one.err.code, MCP_ERR_TIMEOUT);
}

RIG_TEST(the_mcp_auth_may_be_freed_in_get_token) {
  rig.options.get_token = on_token;
  program.inside = INSIDE_FREE;
  begin("Bearer scope=\"a b\"");
  assert_int_equal(one.err.code, MCP_ERR_CLOSED);
  assert_string_equal(program.scopes, "a b");
}

RIG_TEST(a_token_with_a_line_break_is_refused) {
  rig.options.get_token = on_token;
  begin("Bearer");
  mcp_auth_give_token(rig.auth, program.login, "a\nb", INT64_MAX, NULL);
  assert_int_equal(one.err.code, MCP_ERR_INVALID);
}

RIG_TEST(answers_need_an_mcp_auth_and_a_login) {
  mcp_error err;
  assert_int_equal(auth_rig_open(&rig), 0);
  rig_request_init(&one, rig.auth, RIG_URL);
  assert_int_equal(mcp_auth_redirected(NULL, 1, "x", &err), MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_redirected(rig.auth, 0, "x", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "login 0 has ended");
}
