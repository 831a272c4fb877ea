/* SPDX-License-Identifier: MIT */
/* Plain POSTs that need a token. */
#include "unit/http_client/fake_auth.h"
#include "unit/http_client/kit.h"

static mcp_http_client_options options;
static size_t done_count;
static mcp_error done_error;

static int set_up(void **state) {
  begin(state);
  fake_auth_begin(fake.loop);
  done_count = 0;
  options = (mcp_http_client_options){.size = sizeof(options),
                                      .proxy = "",
                                      .dialect = MCP_DIALECT_MCP_CORE,
                                      .auth = &auth.auth};
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

#define POST_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Accepts the token t-1 alone. */
static void answer_guarded(request *asked) {
  static const mcp_http_header demand[] = {{"WWW-Authenticate", "Bearer"},
                                           {"DPoP-Nonce", "n-1"}};
  if (strcmp(asked->secret, "Bearer t-1") == 0) {
    respond(asked, 200,
            "{\"toolResponse\":{\"name\":\"a\",\"content\":[{\"type\":\"text\","
            "\"text\":\"hi\"}]}}");
  } else {
    asked->responder->respond(asked->exchange, 401, demand, 2, "no", 2);
  }
}

static void note_call(mcp_client *told, const mcp_outcome *outcome,
                      void *userdata) {
  done_count++;
  done_error = outcome->error != NULL ? *outcome->error : (mcp_error){0};
  done_error.code = outcome->status;
}

static void begin_call(uint64_t *id) {
  const mcp_request_options how = {.size = sizeof(how), .request = id};
  assert_int_equal(
      mcp_client_call_tool(client, "a", "{}", &how, note_call, NULL, NULL), 0);
}

static void connect_plainly(void) {
  fake.answer = answer_guarded;
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, NULL), 0);
}

static void run_for(uint64_t ms) {
  for (uint64_t began = uv_hrtime(); uv_hrtime() - began < ms * 1000000;) {
    mcp_loop_wait(fake.loop, 1);
  }
}

POST_TEST(a_call_is_sent_again_with_the_token) {
  auth.has_proofs = 1;
  connect_plainly();
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_string_equal(auth.nonces, "n-1 ");
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(fake.count, 2);
  assert_string_equal(fake.requests[0].body, fake.requests[1].body);
  assert_string_equal(fake.requests[0].proof, "proof-1");
  assert_string_equal(fake.requests[1].proof, "proof-2");
}

POST_TEST(its_time_limit_does_not_count_the_login) {
  options.request_timeout_ms = 200;
  connect_plainly();
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(300);
  assert_int_equal(done_count, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_not_equal(done_error.code, MCP_ERR_TIMEOUT);
  assert_int_equal(fake.count, 2);
}

POST_TEST(a_login_that_fails_fails_the_call) {
  connect_plainly();
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_error.code, MCP_ERR_REFUSED);
  assert_string_equal(done_error.message, "the user did not agree");
  assert_int_equal(done_error.status, 401);
}

POST_TEST(a_failure_before_the_call_is_sent_fails_it_later) {
  connect_plainly();
  auth.trouble = (mcp_error){.code = MCP_ERR_CLOSED, .message = "auth is gone"};
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_string_equal(done_error.message, "auth is gone");
  assert_int_equal(fake.count, 0);
}

POST_TEST(a_call_that_waits_can_be_cancelled) {
  uint64_t id = 0;
  connect_plainly();
  begin_call(&id);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_int_equal(mcp_client_cancel(client, id, NULL), 0);
  assert_int_equal(fake_waiting_count(), 0);
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_error.code, MCP_ERR_CANCELLED);
}

static void free_client(mcp_client *told, const mcp_outcome *outcome,
                        void *userdata) {
  done_count++;
  mcp_client_free(told);
  client = NULL;
}

POST_TEST(a_failure_may_free_the_client) {
  connect_plainly();
  mcp_client_call_tool(client, "a", "{}", NULL, free_client, NULL, NULL);
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 2);
  fake_fail(MCP_ERR_REFUSED, "no");
  WAIT_UNTIL(fake.loop, client == NULL && done_count == 2);
}

POST_TEST(without_auth_the_error_says_what_to_do) {
  options.auth = NULL;
  connect_plainly();
  begin_call(NULL);
  WAIT_UNTIL(fake.loop, done_count == 1);
  assert_int_equal(done_error.code, MCP_ERR_REMOTE); /* as of a tool */
  assert_non_null(
      strstr(done_error.message, "set mcp_http_client_options.auth"));
}
