/* SPDX-License-Identifier: MIT */
/* WebSockets whose opening needs a token. */
#include "support/failing_alloc.h"
#include "unit/http_client/fake_auth.h"
#include "unit/http_client/kit.h"

static recorder near; /* the client's end */
static recorder far;  /* the fake's */
static mcp_http_client_options options;

static int set_up(void **state) {
  near = (recorder){.keeps = 1};
  far = (recorder){.keeps = 1};
  begin(state);
  fake_auth_begin(fake.loop);
  options = (mcp_http_client_options){
      .size = sizeof(options), .proxy = "", .auth = &auth.auth};
  return 0;
}

static void drop(recorder *end_of) {
  if (end_of->transport != NULL) {
    end_of->transport->release(end_of->transport);
  }
  recorder_deinit(end_of);
}

static int tear_down(void **state) {
  drop(&near);
  drop(&far);
  if (client != NULL) {
    mcp_sync_close(client);
  }
  mcp_client_free(client);
  client = NULL;
  for (int i = 0; i < 3; i++) {
    mcp_loop_wait(fake.loop, 0); /* its handles close */
  }
  fake_auth_end();
  return end(state);
}

#define SOCKET_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Accepts the token t-1 alone. */
static void answer_guarded(request *asked) {
  static const mcp_http_header demand[] = {{"WWW-Authenticate", "Bearer"},
                                           {"DPoP-Nonce", "n-1"}};
  if (strcmp(asked->secret, "Bearer t-1") != 0) {
    asked->responder->respond(asked->exchange, 401, demand, 2, "no", 2);
  } else {
    mcp_transport *transport =
        asked->responder->upgrade(asked->exchange, 100000);
    recorder_start(&far, transport);
  }
}

static const char *url_of(void) {
  static char url[128];
  snprintf(url, sizeof(url), "ws%s", strchr(fake.url, ':'));
  return url;
}

static void start(void) {
  mcp_error err = {0};
  mcp_transport *transport =
      mcp_transport_websocket(fake.loop, url_of(), &options, &err);
  assert_string_equal(err.message, "");
  fake.answer = answer_guarded;
  recorder_start(&near, transport);
}

static void run_for(uint64_t ms) {
  for (uint64_t began = uv_hrtime(); uv_hrtime() - began < ms * 1000000;) {
    mcp_loop_wait(fake.loop, 1);
  }
}

SOCKET_TEST(it_connects_again_with_the_token) {
  char expected[96];
  auth.has_proofs = 1;
  start();
  recorder_send(&near, "{}"); /* waits for the WebSocket */
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_string_equal(auth.server_url, fake.url);
  assert_string_equal(auth.challenges, "Bearer\n");
  assert_string_equal(auth.nonces, "n-1 ");
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1 && far.message_count == 1);
  assert_int_equal(fake.count, 2);
  assert_string_equal(fake.requests[0].proof, "proof-1");
  assert_string_equal(fake.requests[1].proof, "proof-2");
  snprintf(expected, sizeof(expected), "GET %s", fake.url);
  assert_string_equal(auth.prepared[1], expected);
}

SOCKET_TEST(it_waits_for_a_token_before_it_connects) {
  auth.state = AUTH_LOGGING_IN;
  start();
  run_for(10);
  assert_int_equal(fake.connection_count, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1);
  assert_int_equal(fake.count, 1);
}

SOCKET_TEST(it_may_connect_again_at_once) {
  auth.retries = 3;
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_int_equal(fake.count, 4);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1);
}

SOCKET_TEST(its_time_limit_does_not_count_the_login) {
  options.connect_timeout_ms = 200;
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(300);
  assert_int_equal(near.close_count, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1);
}

static void answer_nothing(request *asked) {
}

SOCKET_TEST(its_time_limit_begins_again_after_the_login) {
  options.connect_timeout_ms = 100;
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake.answer = answer_nothing;
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_TIMEOUT);
}

SOCKET_TEST(a_login_that_fails_ends_it) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_string_equal(near.close_error.message, "the user did not agree");
  assert_int_equal(near.close_error.status, 401);
}

SOCKET_TEST(a_refusal_that_no_login_cures_ends_it) {
  auth.refusal = (mcp_error){.code = MCP_ERR_REFUSED, .message = "no metadata"};
  start();
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_string_equal(near.close_error.message, "no metadata");
}

SOCKET_TEST(a_failure_before_it_connects_is_reported_later) {
  auth.trouble = (mcp_error){.code = MCP_ERR_CLOSED, .message = "auth is gone"};
  start();
  assert_int_equal(near.close_count, 0);
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_string_equal(near.close_error.message, "auth is gone");
}

SOCKET_TEST(without_auth_the_error_says_what_to_do) {
  options.auth = NULL;
  start();
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_REFUSED);
  assert_int_equal(near.close_error.status, 401);
  assert_non_null(
      strstr(near.close_error.message, "set mcp_http_client_options.auth"));
}

SOCKET_TEST(it_may_be_closed_while_it_waits) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(fake_waiting_count(), 0);
}

SOCKET_TEST(it_may_be_released_at_any_time) {
  for (int turns = 0; turns < 12; turns++) {
    start();
    for (int i = 0; i < turns; i++) {
      mcp_loop_wait(fake.loop, 1);
      if (fake_waiting_count() == 1) {
        fake_log_in("t-1");
      }
    }
    drop(&near);
    for (int i = 0; i < 20; i++) {
      mcp_loop_wait(fake.loop, 0);
    }
    drop(&far);
    auth.state = AUTH_NONE;
  }
}

SOCKET_TEST(the_time_limit_of_connecting_stands_still_during_a_login) {
  static const uint32_t dialects[] = {MCP_DIALECT_MCP, MCP_DIALECT_MCP_CORE};
  for (size_t i = 0; i < 2; i++) {
    const mcp_client_options wishes = {.size = sizeof(wishes),
                                       .connect_timeout_ms = 200};
    memset(&ended, 0, sizeof(ended));
    options.dialect = dialects[i];
    auth.state = AUTH_NONE;
    fake.answer = answer_guarded;
    client = mcp_client_new(fake.loop, "test", "1", &wishes, NULL);
    assert_int_equal(mcp_client_connect_url(client, url_of(), &options,
                                            note_done, NULL, NULL),
                     0);
    WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
    run_for(300);
    assert_int_equal(ended.size, 0);
    fake_log_in("t-1");
    WAIT_UNTIL(fake.loop, far.transport != NULL);
    mcp_client_free(client);
    client = NULL;
    WAIT_UNTIL(fake.loop, far.transport == NULL || far.close_count == 1);
    drop(&far);
    far = (recorder){.keeps = 1};
  }
}

/* --- memory -------------------------------------------------------------- */

static int talk(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options own = {.size = sizeof(mcp_loop_options),
                                .allocator = allocator};
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new(&own, NULL);
  if (loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  fake_auth_begin(loop);
  mcp_transport *transport =
      mcp_transport_websocket(loop, url_of(), &options, &err);
  int rc = err.code;
  near = (recorder){.keeps = 1};
  if (transport != NULL) {
    recorder_own(&near, transport);
    rc = transport->start(transport, &err);
    rc = rc != 0 ? rc : transport->send(transport, "hello", 5, NULL);
    while (rc == 0 && near.close_count == 0 && far.message_count == 0) {
      mcp_loop_wait(loop, 1);
      mcp_loop_wait(fake.loop, 0);
      if (fake_waiting_count() == 1) {
        fake_log_in("t-1");
      }
    }
    rc = rc != 0 ? rc : near.close_error.code;
    drop(&near);
  }
  mcp_loop_free(loop);
  while (far.transport != NULL && far.close_count == 0) {
    mcp_loop_wait(fake.loop, 1);
  }
  recorder_deinit(&far);
  far.keeps = 1;
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
  fake_auth_end();
  return rc != 0 ? MCP_ERR_NOMEM : 0;
}

SOCKET_TEST(each_allocation_may_fail) {
  fake.answer = answer_guarded;
  failing_alloc_rerun_least(10, talk, NULL);
}
