/* SPDX-License-Identifier: MIT */
/* Requests of Streamable HTTP that need a token: they wait, are sent again, and
 * may be dropped meanwhile. fake_auth.h decides what a login brings. */
#include "support/failing_alloc.h"
#include "unit/http_client/fake_auth.h"
#include "unit/http_client/kit.h"
#include <stdio.h>

static mcp_http_client_options options;
static void (*answer_inside)(request *asked);

static int set_up(void **state) {
  begin(state);
  fake_auth_begin(fake.loop);
  memset(&ended, 0, sizeof(ended));
  options = (mcp_http_client_options){
      .size = sizeof(options), .proxy = "", .auth = &auth.auth};
  return 0;
}

static int tear_down(void **state) {
  if (client != NULL) {
    mcp_sync_close(client);
  }
  mcp_client_free(client);
  client = NULL;
  WAIT_UNTIL(fake.loop, auth.server.references == 0);
  fake_auth_end();
  return end(state);
}

#define AUTH_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- a server that demands a token ---------------------------------------- */

static const mcp_http_header demand[] = {
    {"WWW-Authenticate", "Bearer error=\"invalid_token\""},
    {"DPoP-Nonce", "n-1"}};
static const mcp_http_header demand_more[] = {
    {"WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"w\""}};

static void respond_demand(request *asked) {
  asked->responder->respond(asked->exchange, 401, demand, 2, "no", 2);
}

static void respond_demand_more(request *asked) {
  asked->responder->respond(asked->exchange, 403, demand_more, 1, "no", 2);
}

/* Accepts the token t-1 alone. */
static void answer_guarded(request *asked) {
  if (strcmp(asked->secret, "Bearer t-1") == 0) {
    answer_inside(asked);
  } else {
    respond_demand(asked);
  }
}

static void begin_connecting(uint32_t policy, void (*inside)(request *asked)) {
  answer_inside = inside;
  fake.answer = answer_guarded;
  begin_client(policy);
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, &options, note_done, NULL, NULL),
      0);
}

static void connect_with_login(uint32_t policy,
                               void (*inside)(request *asked)) {
  begin_connecting(policy, inside);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
  memset(&ended, 0, sizeof(ended));
}

/* Runs the loop for that time. */
static void run_for(uint64_t ms) {
  for (uint64_t began = uv_hrtime(); uv_hrtime() - began < ms * 1000000;) {
    mcp_loop_wait(fake.loop, 1);
  }
}

static size_t count_of(const char *method) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += asks(&fake.requests[i], method) != 0;
  }
  return count;
}

/* --- a login -------------------------------------------------------------- */

AUTH_TEST(a_request_is_sent_again_with_the_token) {
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(20);
  assert_int_equal(fake.count, 1);
  assert_string_equal(auth.challenges, "Bearer error=\"invalid_token\"\n");
  assert_string_equal(auth.revision, "2026-07-28");
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
  assert_int_equal(fake.count, 2);
  assert_string_equal(fake.requests[0].secret, "");
  assert_string_equal(fake.requests[1].secret, "Bearer t-1");
  assert_string_equal(fake.requests[1].target, fake.requests[0].target);
  assert_null(strstr(fake.requests[1].target, "t-1")); /* it is in no URL */
  assert_string_equal(fake.requests[1].body, fake.requests[0].body);
  assert_string_equal(mcp_client_revision(client), "2026-07-28");
  assert_int_equal(auth.logins, 1);
}

AUTH_TEST(the_server_is_the_url_of_the_transport) {
  connect_with_login(MCP_POLICY_AUTO, answer_modern);
  char expected[96];
  assert_string_equal(auth.server_url, fake.url);
  snprintf(expected, sizeof(expected), "POST %s", fake.url);
  assert_string_equal(auth.prepared[0], expected);
}

AUTH_TEST(a_token_that_is_there_is_sent_at_once) {
  fake_log_in("t-1");
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
  assert_int_equal(fake.count, 1);
}

AUTH_TEST(a_request_may_be_sent_again_without_a_login) {
  auth.retries = 3;
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_int_equal(fake.count, 4);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
}

AUTH_TEST(each_attempt_has_a_proof_of_its_own) {
  auth.has_proofs = 1;
  connect_with_login(MCP_POLICY_AUTO, answer_modern);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(fake.count, 3);
  assert_string_equal(fake.requests[0].proof, "proof-1");
  assert_string_equal(fake.requests[1].proof, "proof-2");
  assert_string_equal(fake.requests[2].proof, "proof-3");
}

/* Any answer may bring a nonce. */
static void answer_with_nonce(request *asked) {
  char body[256];
  const mcp_http_header headers[] = {{"Content-Type", "application/json"},
                                     {"DPoP-Nonce", "n-2"}};
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
    return;
  }
  snprintf(body, sizeof(body),
           "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"resultType\":"
           "\"complete\",\"tools\":[],\"ttlMs\":0,\"cacheScope\":\"private\"}}",
           id_of(asked));
  asked->responder->respond(asked->exchange, 200, headers, 2, body,
                            strlen(body));
}

AUTH_TEST(the_nonce_of_each_answer_is_noted) {
  connect_with_login(MCP_POLICY_AUTO, answer_with_nonce);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_string_equal(auth.nonces, "n-1 n-2 ");
}

/* --- many requests -------------------------------------------------------- */

/* By the `n` of a call: the number of its proof. */
static unsigned long proofs[16];
static size_t answer_count;

static void answer_calls(request *asked) {
  const char *n = strstr(asked->body, "\"n\":");
  if (n != NULL) {
    unsigned long number = strtoul(n + 4, NULL, 10);
    assert_true(number < 16);
    answer_count++;
    if (asked->proof[0] != '\0') {
      proofs[number] = strtoul(asked->proof + strlen("proof-"), NULL, 10);
    }
  }
  answer_modern(asked);
}

static size_t done_count;
static int done_status;

static void count_done(mcp_client *told, const mcp_outcome *outcome,
                       void *userdata) {
  done_count++;
  done_status = outcome->status;
}

static void call_numbered(int number, uint64_t *id) {
  char arguments[32];
  const mcp_request_options how = {.size = sizeof(how), .request = id};
  snprintf(arguments, sizeof(arguments), "{\"n\":%d}", number);
  assert_int_equal(mcp_client_call_tool(client, "a", arguments, &how,
                                        count_done, NULL, NULL),
                   0);
}

static void start_calls(int count) {
  answer_count = 0;
  done_count = 0;
  for (int i = 1; i <= count; i++) {
    call_numbered(i, NULL);
  }
}

AUTH_TEST(requests_that_meet_401_together_wait_for_one_login) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  fake_log_in("stale");
  start_calls(8);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 8);
  assert_int_equal(auth.logins, 2);
  size_t before = fake.count;
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 8);
  assert_int_equal(done_status, 0);
  assert_int_equal(fake.count - before, 8);
  assert_int_equal(answer_count, 8);
}

/* Proofs are made when requests are sent. */
AUTH_TEST(requests_that_waited_are_sent_in_their_order) {
  auth.has_proofs = 1;
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  auth.state = AUTH_LOGGING_IN;
  size_t before = fake.count;
  start_calls(8);
  assert_int_equal(fake_waiting_count(), 8);
  run_for(10);
  assert_int_equal(fake.count, before);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 8);
  assert_int_equal(fake.count - before, 8);
  for (int i = 1; i < 8; i++) {
    assert_true(proofs[i] < proofs[i + 1]);
  }
}

AUTH_TEST(a_403_with_a_challenge_asks_for_more_rights) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  fake.answer = respond_demand_more;
  start_calls(1);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_int_equal(auth.logins, 2);
  assert_non_null(strstr(auth.challenges, "insufficient_scope"));
  fake.answer = answer_guarded;
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_status, 0);
}

static void answer_forbidden(request *asked) {
  respond(asked, 403, "not for you");
}

AUTH_TEST(a_403_without_a_challenge_is_reported) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  fake.answer = answer_forbidden;
  mcp_error err = {0};
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_REFUSED);
  assert_int_equal(err.status, 403);
  assert_non_null(strstr(err.message, "answered HTTP 403: \"not for you\""));
  assert_int_equal(auth.logins, 1);
}

/* --- failures ------------------------------------------------------------- */

AUTH_TEST(a_login_that_fails_fails_the_requests_with_its_error) {
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_TIMEOUT, "the user did not agree");
  mcp_error err = {0};
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_TIMEOUT);
  assert_int_equal(fake.count, 1); /* not taken for a legacy server */
  client = (mcp_client_free(client), NULL);
  fake.answer = answer_guarded;
  auth.refusal = (mcp_error){.code = MCP_ERR_REFUSED, .message = "no metadata"};
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, &err),
                   MCP_ERR_REFUSED);
  assert_string_equal(err.message, "no metadata");
  assert_int_equal(err.status, 401);
}

/* `send` cannot report it. */
AUTH_TEST(a_failure_before_the_request_is_sent_fails_it_later) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  size_t before = fake.count;
  auth.trouble = (mcp_error){.code = MCP_ERR_CLOSED, .message = "auth is gone"};
  start_calls(2);
  assert_int_equal(done_count, 0);
  WAIT_UNTIL(fake.loop, done_count == 2);
  assert_int_equal(done_status, MCP_ERR_CLOSED);
  assert_int_equal(fake.count, before);
  start_calls(1);
  mcp_client_free(client); /* before the failure is reported */
  client = NULL;
}

AUTH_TEST(without_auth_the_error_says_what_to_do) {
  const char *const own[] = {"Authorization: Bearer mine", NULL};
  mcp_http_client_options none = {.size = sizeof(none), .proxy = ""};
  mcp_error err = {0};
  begin_client(MCP_POLICY_AUTO);
  fake.answer = answer_guarded;
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &none, &err),
                   MCP_ERR_REFUSED);
  assert_int_equal(err.status, 401);
  assert_non_null(strstr(err.message,
                         "answered HTTP 401: the server demands authorization; "
                         "set mcp_http_client_options.auth"));
  none.headers = own;
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &none, &err),
                   MCP_ERR_REFUSED);
  assert_non_null(strstr(err.message, "does not accept this program's "
                                      "Authorization"));
  assert_null(strstr(err.message, "mine"));
}

static void expect_refused(const char *url, const char *message) {
  mcp_error err = {0};
  assert_null(mcp_transport_http(fake.loop, url, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

AUTH_TEST(options_that_contradict_auth_are_refused) {
  const char *const own[] = {"authorization: Bearer mine", NULL};
  const char *const proof[] = {"dpop: mine", NULL};
  mcp_error err = {0};
  expect_refused("http://me@127.0.0.1/",
                 "url: with auth, it must not name a user");
  options.headers = own;
  expect_refused("http://127.0.0.1/",
                 "headers: Authorization and DPoP are set by auth");
  options.headers = proof;
  expect_refused("http://127.0.0.1/",
                 "headers: Authorization and DPoP are set by auth");
  options.headers = NULL;
  auth.auth.loop = NULL;
  expect_refused("http://127.0.0.1/", "auth belongs to another loop");
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(
      mcp_sync_connect_url(client, "tcp://127.0.0.1:1", &options, &err),
      MCP_ERR_INVALID);
}

AUTH_TEST(a_token_is_not_sent_over_plain_http) {
  mcp_error err = {0};
  fake_log_in("t-1");
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(
      mcp_sync_connect_url(client, "http://192.0.2.1/mcp", &options, &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "http://192.0.2.1/mcp needs a token, and a token is sent "
                      "only to an https:// or wss:// URL, or to a host of the "
                      "loopback interface");
}

/* A loopback address is safe because nothing leaves this machine. */
AUTH_TEST(a_proxy_of_the_environment_gets_nothing_that_is_for_this_machine) {
  setenv("http_proxy", "http://127.0.0.1:1", 1); /* nothing listens there */
  setenv("no_proxy", "", 1);
  options.proxy = NULL;
  connect_with_login(MCP_POLICY_AUTO, answer_modern);
  unsetenv("http_proxy");
  unsetenv("no_proxy");
  assert_string_equal(fake.requests[1].secret, "Bearer t-1");
}

AUTH_TEST(a_token_is_not_sent_over_plain_http_to_a_proxy) {
  char expected[256];
  mcp_error err = {0};
  fake_log_in("t-1");
  begin_client(MCP_POLICY_AUTO);
  options.proxy = "http://127.0.0.1:1";
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, &err),
                   MCP_ERR_INVALID);
  snprintf(expected, sizeof(expected),
           "%.*s needs a token, which the proxy could read: set "
           "mcp_http_client_options.proxy to \"\", or use an https:// or "
           "wss:// URL",
           (int)strcspn(fake.url, "?"), fake.url);
  assert_string_equal(err.message, expected);
}

/* --- redirects ------------------------------------------------------------ */

static char elsewhere[96];

static void answer_redirect(request *asked) {
  const mcp_http_header to[] = {{"Location", elsewhere}};
  if (strcmp(asked->target, "/other") == 0) {
    answer_modern(asked);
  } else {
    asked->responder->respond(asked->exchange, 307, to, 1, NULL, 0);
  }
}

AUTH_TEST(a_redirected_request_is_authorized_for_its_new_url) {
  char expected[96];
  auth.has_proofs = 1;
  snprintf(elsewhere, sizeof(elsewhere), "/other");
  connect_with_login(MCP_POLICY_AUTO, answer_redirect);
  snprintf(expected, sizeof(expected), "POST %.*s/other",
           (int)(strstr(fake.url, "/mcp") - fake.url), fake.url);
  assert_string_equal(auth.prepared[auth.prepared_count - 1], expected);
  assert_string_equal(last_asked()->secret, "Bearer t-1");
  assert_string_equal(last_asked()->proof, "proof-3");
}

/* localhost and 127.0.0.1 are two origins, even if they are one server. */
AUTH_TEST(a_token_is_not_sent_to_another_origin) {
  mcp_error err = {0};
  fake_log_in("t-1");
  snprintf(elsewhere, sizeof(elsewhere), "http://localhost%s",
           strchr(fake.url + 5, ':'));
  answer_inside = answer_redirect;
  fake.answer = answer_guarded;
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, &err),
                   MCP_ERR_PROTOCOL);
  for (size_t i = 0; i < fake.count; i++) {
    assert_null(strstr(fake.requests[i].host, "localhost"));
  }
}

/* --- sessions ------------------------------------------------------------- */

/* A legacy server with sessions and a stream. */
static void answer_session(request *asked) {
  if (strcmp(asked->method, "GET") == 0) {
    stream(asked, ": open\n\n", 0);
  } else {
    answer_legacy(asked);
  }
}

static size_t count_methods(const char *method) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += strcmp(fake.requests[i].method, method) == 0;
  }
  return count;
}

AUTH_TEST(initialize_and_the_stream_are_authorized) {
  connect_with_login(MCP_POLICY_LEGACY, answer_session);
  assert_string_equal(auth.revision, "");
  WAIT_UNTIL(fake.loop, count_methods("GET") == 1);
  assert_string_equal(last_asked()->secret, "Bearer t-1");
  assert_string_equal(last_asked()->session, "s-1");
}

static int stream_refusals;

static void answer_refusing_streams(request *asked) {
  if (strcmp(asked->method, "GET") == 0 && stream_refusals > 0) {
    stream_refusals--;
    respond_demand(asked);
  } else {
    answer_session(asked);
  }
}

AUTH_TEST(a_stream_that_meets_401_is_opened_after_the_login) {
  stream_refusals = 1;
  connect_with_login(MCP_POLICY_LEGACY, answer_refusing_streams);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_int_equal(count_methods("GET"), 1);
  assert_string_equal(auth.revision, "2025-11-25");
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, count_methods("GET") == 2);
  assert_int_equal(error_count, 0);
}

AUTH_TEST(a_stream_whose_login_fails_is_opened_with_the_next_success) {
  stream_refusals = 1;
  connect_with_login(MCP_POLICY_LEGACY, answer_refusing_streams);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_TIMEOUT, "the user did not agree");
  assert_int_equal(error_count, 1);
  assert_string_equal(last_error.message, "the user did not agree");
  run_for(10);
  assert_int_equal(count_methods("GET"), 1);
  fake_log_in("t-1");
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, count_methods("GET") == 2);
}

/* Fails the test if a request overtakes notifications/initialized. */
static int is_initialized;

static void answer_in_order(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    assert_true(is_initialized);
  }
  if (strcmp(asked->method, "POST") == 0 &&
      asks(asked, "notifications/initialized")) {
    is_initialized = 1;
  }
  answer_legacy(asked);
}

static void answer_after_initialize(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "initialize")) {
    answer_inside(asked);
  } else {
    answer_guarded(asked);
  }
}

AUTH_TEST(nothing_overtakes_the_end_of_the_handshake) {
  options.notify_timeout_ms = 1; /* would end the hold after a second */
  is_initialized = 0;
  answer_inside = answer_in_order;
  fake.answer = answer_after_initialize;
  begin_client(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, NULL), 0);
  done_count = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, count_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(1100);
  assert_int_equal(fake_waiting_count(), 1);
  assert_int_equal(count_of("tools/list"), 0);
  options.notify_timeout_ms = 0;
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_status, 0);
  assert_int_equal(count_of("notifications/initialized"), 2);
}

AUTH_TEST(a_handshake_whose_end_is_not_authorized_opens_no_stream) {
  answer_inside = answer_session;
  fake.answer = answer_after_initialize;
  auth.refusal = (mcp_error){.code = MCP_ERR_REFUSED, .message = "no"};
  begin_client(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, NULL), 0);
  WAIT_UNTIL(fake.loop, error_count == 1);
  run_for(10);
  assert_int_equal(count_methods("GET"), 0);
}

/* The server forgets the session while a request waits for a token: the request
 * is sent again in the new session. */
static int has_forgotten;

static void answer_forgetful(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list") &&
      !has_forgotten) {
    has_forgotten = 1;
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

AUTH_TEST(a_request_that_waits_survives_the_end_of_its_session) {
  has_forgotten = 1;
  connect_with_login(MCP_POLICY_LEGACY, answer_forgetful);
  WAIT_UNTIL(fake.loop, count_methods("GET") == 1);
  has_forgotten = 0;
  done_count = 0;
  mcp_client_list_tools(client, NULL, count_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, count_of("tools/list") == 1);
  auth.state = AUTH_LOGGING_IN;
  mcp_client_list_prompts(client, NULL, count_done, NULL, NULL);
  mcp_client_list_tools(client, NULL, count_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, has_forgotten);
  run_for(1200); /* the new session waits for a second at most */
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count >= 2);
  assert_int_equal(done_status, 0);
  assert_int_equal(count_of("initialize"), 3); /* 401, then two sessions */
}

/* --- the end of a session ------------------------------------------------- */

AUTH_TEST(the_end_of_a_session_is_sent_with_the_token) {
  connect_with_login(MCP_POLICY_LEGACY, answer_legacy);
  assert_int_equal(mcp_sync_close(client), 0);
  assert_string_equal(last_asked()->method, "DELETE");
  assert_string_equal(last_asked()->secret, "Bearer t-1");
}

AUTH_TEST(the_end_of_a_session_does_not_wait_for_a_token) {
  connect_with_login(MCP_POLICY_LEGACY, answer_legacy);
  WAIT_UNTIL(fake.loop, count_methods("GET") == 1);
  auth.state = AUTH_LOGGING_IN;
  assert_int_equal(mcp_sync_close(client), 0);
  assert_int_equal(count_methods("DELETE"), 0);
  assert_int_equal(fake_waiting_count(), 0);
}

AUTH_TEST(the_end_of_a_session_begins_no_login) {
  connect_with_login(MCP_POLICY_LEGACY, answer_legacy);
  fake_log_in("stale");
  assert_int_equal(mcp_sync_close(client), 0);
  assert_int_equal(count_methods("DELETE"), 1);
  assert_int_equal(auth.logins, 1);
}

/* --- requests that end while they wait ------------------------------------ */

AUTH_TEST(a_modern_request_that_waits_can_be_cancelled) {
  uint64_t number = 0;
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  auth.state = AUTH_LOGGING_IN;
  size_t before = fake.count;
  done_count = 0;
  call_numbered(1, &number);
  assert_int_equal(fake_waiting_count(), 1);
  assert_int_equal(mcp_client_cancel(client, number, "enough"), 0);
  assert_int_equal(fake_waiting_count(), 0);
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_status, MCP_ERR_CANCELLED);
  fake_log_in("t-1");
  run_for(10);
  assert_int_equal(fake.count, before);
}

/* The server has not seen it: neither the request nor its cancellation is
 * sent. */
AUTH_TEST(a_legacy_request_that_waits_can_be_cancelled) {
  uint64_t number = 0;
  connect_with_login(MCP_POLICY_LEGACY, answer_legacy);
  WAIT_UNTIL(fake.loop, count_methods("GET") == 1);
  run_for(10);
  auth.state = AUTH_LOGGING_IN;
  size_t before = fake.count;
  done_count = 0;
  call_numbered(1, &number);
  assert_int_equal(mcp_client_cancel(client, number, "enough"), 0);
  assert_int_equal(fake_waiting_count(), 0);
  WAIT_UNTIL(fake.loop, done_count == 1);
  fake_log_in("t-1");
  run_for(10);
  assert_int_equal(fake.count, before);
}

AUTH_TEST(the_time_limit_of_a_request_counts_the_login) {
  const mcp_request_options how = {.size = sizeof(how), .timeout_ms = 30};
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  auth.state = AUTH_LOGGING_IN;
  done_count = 0;
  mcp_client_call_tool(client, "a", NULL, &how, count_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_status, MCP_ERR_TIMEOUT);
  assert_int_equal(fake_waiting_count(), 0);
  auth.state = AUTH_VALID;
}

AUTH_TEST(the_time_limit_of_http_does_not_count_the_login) {
  options.request_timeout_ms = 200;
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(300);
  assert_int_equal(ended.size, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
}

AUTH_TEST(closing_ends_a_wait_at_once) {
  begin_connecting(MCP_POLICY_AUTO, answer_modern);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  mcp_client_close(client);
  assert_int_equal(fake_waiting_count(), 0);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
}

AUTH_TEST(freeing_the_client_ends_a_wait) {
  begin_connecting(MCP_POLICY_LEGACY, answer_legacy);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  mcp_client_free(client);
  client = NULL;
  assert_int_equal(fake_waiting_count(), 0);
  run_for(5);
  assert_int_equal(auth.server.references, 0);
}

static void free_client(mcp_client *told, const mcp_outcome *outcome,
                        void *userdata) {
  done_count++;
  mcp_client_free(told);
  client = NULL;
}

AUTH_TEST(a_failure_may_free_the_client) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  auth.state = AUTH_LOGGING_IN;
  done_count = 0;
  for (int i = 0; i < 3; i++) {
    mcp_client_call_tool(client, "a", NULL, NULL, free_client, NULL, NULL);
  }
  fake_fail(MCP_ERR_REFUSED, "no");
  WAIT_UNTIL(fake.loop, client == NULL && done_count == 3);
}

static void connect_again(mcp_client *told, const mcp_outcome *outcome,
                          void *userdata) {
  done_count++;
  auth.refusal = (mcp_error){.code = MCP_ERR_REFUSED, .message = "no"};
  mcp_client_call_tool(told, "a", NULL, NULL, count_done, NULL, NULL);
}

AUTH_TEST(a_failure_may_begin_another_request) {
  connect_with_login(MCP_POLICY_AUTO, answer_calls);
  fake_log_in("stale");
  done_count = 0;
  mcp_client_call_tool(client, "a", NULL, NULL, connect_again, NULL, NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_REFUSED, "no");
  WAIT_UNTIL(fake.loop, done_count == 2);
  assert_int_equal(done_status, MCP_ERR_REFUSED);
}

/* --- connecting ----------------------------------------------------------- */

static void begin_limited(uint32_t policy, uint32_t connect_ms) {
  const mcp_client_options wishes = {.size = sizeof(wishes),
                                     .policy = policy,
                                     .connect_timeout_ms = connect_ms,
                                     .on_closed = note_closed,
                                     .on_error = note_error};
  client = mcp_client_new(fake.loop, "test", "1", &wishes, NULL);
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, &options, note_done, NULL, NULL),
      0);
}

AUTH_TEST(the_time_limit_of_connecting_stands_still_during_a_login) {
  answer_inside = answer_modern;
  fake.answer = answer_guarded;
  begin_limited(MCP_POLICY_AUTO, 300);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(400);
  assert_int_equal(ended.size, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
}

static void answer_nothing(request *asked) {
}

AUTH_TEST(the_time_limit_of_connecting_goes_on_after_a_login) {
  answer_inside = answer_nothing;
  fake.answer = answer_guarded;
  begin_limited(MCP_POLICY_LEGACY, 300);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(400);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_TIMEOUT);
}

/* The trace is a transport around the other one. */
static void show_trace(mcp_client *told, const mcp_traced_message *message,
                       void *userdata) {
  assert_null(memmem(message->text, message->len, "t-1", 3));
  printf("trace: %.*s\n", (int)message->len, message->text);
}

AUTH_TEST(a_traced_client_waits_too_and_shows_no_token) {
  const mcp_client_options wishes = {.size = sizeof(wishes),
                                     .connect_timeout_ms = 300,
                                     .on_trace = show_trace};
  answer_inside = answer_modern;
  fake.answer = answer_guarded;
  client = mcp_client_new(fake.loop, "test", "1", &wishes, NULL);
  mcp_client_connect_url(client, fake.url, &options, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(400);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
}

/* --- kept answers --------------------------------------------------------- */

static void answer_cacheable(request *asked) {
  if (asks(asked, "tools/list")) {
    respond_result(asked, "{\"resultType\":\"complete\",\"tools\":[],"
                          "\"ttlMs\":60000,\"cacheScope\":\"private\"}");
  } else {
    answer_modern(asked);
  }
}

AUTH_TEST(another_identity_does_not_get_the_answers_of_the_first) {
  connect_with_login(MCP_POLICY_AUTO, answer_cacheable);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_of("tools/list"), 1);
  fake_log_in("t-1");
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_of("tools/list"), 2);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_of("tools/list"), 2);
}

static void answer_after_new_login(request *asked) {
  if (asks(asked, "tools/list")) {
    fake_log_in("t-1");
  }
  answer_cacheable(asked);
}

AUTH_TEST(an_answer_to_another_identity_is_not_kept) {
  connect_with_login(MCP_POLICY_AUTO, answer_after_new_login);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_of("tools/list"), 2);
}

/* --- memory --------------------------------------------------------------- */

static void run_both(mcp_loop *loop) {
  mcp_loop_wait(loop, 1);
  mcp_loop_wait(fake.loop, 0);
  if (fake_waiting_count() > 0) {
    fake_log_in("t-1");
  }
}

static void converse(mcp_loop *loop, mcp_client *self) {
  memset(&ended, 0, sizeof(ended));
  if (mcp_client_connect_url(self, fake.url, &options, note_done, NULL, NULL) !=
      0) {
    ended.status = MCP_ERR_NOMEM;
    return;
  }
  while (ended.size == 0) {
    run_both(loop);
  }
  if (ended.status != 0) {
    return;
  }
  memset(&ended, 0, sizeof(ended));
  auth.state = AUTH_NONE;
  if (mcp_client_list_tools(self, NULL, note_done, NULL, NULL) != 0) {
    ended.status = MCP_ERR_NOMEM;
    return;
  }
  while (ended.size == 0) {
    run_both(loop);
  }
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options own = {.size = sizeof(own), .allocator = allocator};
  const mcp_client_options wishes = {.size = sizeof(wishes),
                                     .policy = *(uint32_t *)userdata};
  mcp_loop *loop = mcp_loop_new(&own, NULL);
  mcp_client *self = mcp_client_new(loop, "test", "1", &wishes, NULL);
  fake_auth_begin(loop);
  ended.status = MCP_ERR_NOMEM;
  if (self != NULL) {
    converse(loop, self);
  }
  assert_int_not_equal(ended.status, MCP_ERR_TIMEOUT); /* nothing is lost */
  mcp_client_free(self);
  mcp_loop_free(loop);
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
  fake_auth_end();
  return ended.status != 0 ? MCP_ERR_NOMEM : 0;
}

AUTH_TEST(each_allocation_may_fail) {
  uint32_t policies[] = {MCP_POLICY_MODERN, MCP_POLICY_LEGACY};
  options.close_wait_ms = 1; /* the server's loop stands still meanwhile */
  fake.answer = answer_guarded;
  for (size_t i = 0; i < 2; i++) {
    answer_inside = i == 0 ? answer_modern : answer_session;
    failing_alloc_rerun_least(30, scenario, &policies[i]);
  }
}
