/* SPDX-License-Identifier: MIT */
/* Requests of HTTP+SSE that need a token: the GET, and the POSTs in their
 * order. */
#include "unit/http_client/fake_auth.h"
#include "unit/http_client/kit.h"

static mcp_http_client_options options;
static recorder near;
static request *opened; /* the GET that is a stream; NULL: there is none */

static int set_up(void **state) {
  begin(state);
  fake_auth_begin(fake.loop);
  memset(&ended, 0, sizeof(ended));
  near = (recorder){.keeps = 1};
  opened = NULL;
  options = (mcp_http_client_options){
      .size = sizeof(options), .proxy = "", .auth = &auth.auth};
  return 0;
}

static void drop_near(void) {
  if (near.transport != NULL) {
    near.transport->release(near.transport);
  }
  recorder_deinit(&near);
}

static int tear_down(void **state) {
  drop_near();
  if (client != NULL) {
    mcp_sync_close(client);
  }
  mcp_client_free(client);
  client = NULL;
  mcp_loop_wait(fake.loop, 0);
  fake_auth_end();
  return end(state);
}

#define SSE_TEST(name) TEST_WITH(name, set_up, tear_down)

static void respond_demand(request *asked) {
  static const mcp_http_header demand[] = {{"WWW-Authenticate", "Bearer"}};
  asked->responder->respond(asked->exchange, 401, demand, 1, "no", 2);
}

/* Accepts the token t-1 alone. */
static void answer_guarded(request *asked) {
  if (strcmp(asked->secret, "Bearer t-1") != 0) {
    respond_demand(asked);
  } else if (strcmp(asked->method, "GET") == 0) {
    opened = asked;
    stream(asked, "event: endpoint\ndata: /post\n\n", 0);
  } else {
    asked->responder->respond(asked->exchange, 202, NULL, 0, NULL, 0);
  }
}

static void start(void) {
  mcp_error err = {0};
  mcp_transport *transport =
      mcp_transport_sse(fake.loop, fake.url, &options, &err);
  assert_string_equal(err.message, "");
  fake.answer = answer_guarded;
  recorder_start(&near, transport);
}

static void open_it(void) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1);
}

static void run_for(uint64_t ms) {
  for (uint64_t began = uv_hrtime(); uv_hrtime() - began < ms * 1000000;) {
    mcp_loop_wait(fake.loop, 1);
  }
}

/* --- the stream ----------------------------------------------------------- */

SSE_TEST(the_stream_is_opened_after_the_login) {
  options.connect_timeout_ms = 200;
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  assert_string_equal(auth.revision, "2024-11-05");
  run_for(300); /* past the limit for the endpoint */
  assert_int_equal(near.close_count, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.open_count == 1);
  assert_int_equal(fake.count, 2);
  assert_string_equal(last_asked()->secret, "Bearer t-1");
}

static void answer_silently(request *asked) {
  if (strcmp(asked->secret, "Bearer t-1") != 0) {
    respond_demand(asked);
  }
}

SSE_TEST(the_limit_for_the_endpoint_begins_after_the_login) {
  options.connect_timeout_ms = 100;
  start();
  fake.answer = answer_silently;
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(150);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_TIMEOUT);
}

SSE_TEST(a_login_that_fails_ends_the_transport) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_string_equal(near.close_error.message, "the user did not agree");
  assert_int_equal(near.close_error.status, 401);
}

SSE_TEST(a_refusal_that_no_login_cures_ends_the_transport) {
  auth.refusal = (mcp_error){.code = MCP_ERR_REFUSED, .message = "no metadata"};
  start();
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_string_equal(near.close_error.message, "no metadata");
}

SSE_TEST(without_auth_the_error_says_what_to_do) {
  options.auth = NULL;
  start();
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_REFUSED);
  assert_int_equal(near.close_error.status, 401);
  assert_non_null(
      strstr(near.close_error.message, "set mcp_http_client_options.auth"));
}

SSE_TEST(it_may_be_closed_while_the_stream_waits) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(fake_waiting_count(), 0);
}

SSE_TEST(it_may_be_released_while_the_stream_waits) {
  start();
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  drop_near();
  near = (recorder){.keeps = 1};
  assert_int_equal(fake_waiting_count(), 0);
}

/* --- posts ---------------------------------------------------------------- */

static void post(const char *method) {
  char text[80];
  snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}",
           method);
  recorder_send(&near, text);
}

SSE_TEST(posts_keep_their_order_through_a_login) {
  open_it();
  auth.state = AUTH_NONE;
  post("a");
  post("b");
  post("c");
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
  run_for(10);
  assert_int_equal(fake.count, 3); /* two GETs and one POST */
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, fake.count == 6);
  assert_true(asks(&fake.requests[2], "a"));
  assert_true(asks(&fake.requests[3], "a"));
  assert_true(asks(&fake.requests[4], "b"));
  assert_true(asks(&fake.requests[5], "c"));
  assert_string_equal(fake.requests[3].target, "/post");
  assert_int_equal(near.error_count, 0);
}

SSE_TEST(a_post_waits_for_a_token_before_it_is_sent) {
  open_it();
  auth.state = AUTH_LOGGING_IN;
  post("a");
  post("b");
  assert_int_equal(fake_waiting_count(), 1);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, fake.count == 4);
  assert_true(asks(&fake.requests[2], "a"));
  assert_true(asks(&fake.requests[3], "b"));
}

SSE_TEST(a_post_that_is_not_authorized_fails_alone) {
  open_it();
  auth.state = AUTH_LOGGING_IN;
  post("a");
  post("b");
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  assert_int_equal(near.error_count, 1);
  assert_string_equal(near.error.message, "the user did not agree");
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1); /* b has met 401 */
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, fake.count == 4);
  assert_int_equal(near.error_count, 1);
}

SSE_TEST(a_failure_before_a_post_is_sent_is_reported_later) {
  open_it();
  auth.trouble = (mcp_error){.code = MCP_ERR_CLOSED, .message = "auth is gone"};
  post("a");
  assert_int_equal(near.error_count, 0);
  WAIT_UNTIL(fake.loop, near.error_count == 1);
  assert_string_equal(near.error.message, "auth is gone");
}

SSE_TEST(it_may_be_closed_while_a_post_waits) {
  options.close_wait_ms = 20;
  open_it();
  auth.state = AUTH_LOGGING_IN;
  post("a");
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(fake_waiting_count(), 0);
}

/* --- from Streamable HTTP ------------------------------------------------- */

/* A server of 2024-11-05 that demands a token. */
static void answer_older(request *asked) {
  char event[512];
  if (strcmp(asked->target, "/post") != 0 &&
      strcmp(asked->method, "POST") == 0) {
    respond(asked, 405, "");
    return;
  }
  answer_guarded(asked);
  if (opened != NULL && strcmp(asked->method, "POST") == 0 &&
      asks(asked, "initialize")) {
    snprintf(event, sizeof(event),
             "data: {\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{"
             "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
             "\"serverInfo\":{\"name\":\"f\",\"version\":\"1\"}}}\n\n",
             id_of(asked));
    opened->responder->write(opened->exchange, event, strlen(event));
  }
}

static void begin_connecting(void) {
  const mcp_client_options wishes = {.size = sizeof(wishes),
                                     .connect_timeout_ms = 400,
                                     .on_closed = note_closed};
  fake.answer = answer_older;
  client = mcp_client_new(fake.loop, "test", "1", &wishes, NULL);
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, &options, note_done, NULL, NULL),
      0);
  WAIT_UNTIL(fake.loop, fake_waiting_count() == 1);
}

SSE_TEST(a_client_falls_back_to_it_after_a_login) {
  begin_connecting();
  run_for(500); /* past the limit of connecting */
  assert_int_equal(ended.size, 0);
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
  assert_string_equal(mcp_client_revision(client), "2024-11-05");
}

SSE_TEST(a_client_that_cannot_fall_back_without_a_login_says_so) {
  begin_connecting();
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_REFUSED);
  assert_int_equal(auth.logins, 1);
}

/* The loop remembers such a server, and the GET comes first. */
SSE_TEST(a_known_server_is_not_asked_in_another_way_after_a_failed_login) {
  begin_connecting();
  fake_log_in("t-1");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  mcp_sync_close(client);
  mcp_client_free(client);
  auth.state = AUTH_NONE;
  auth.logins = 0;
  memset(&ended, 0, sizeof(ended));
  size_t before = fake.count;
  begin_connecting();
  assert_int_equal(fake.count, before + 1);
  fake_fail(MCP_ERR_REFUSED, "the user did not agree");
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_REFUSED);
  assert_int_equal(fake.count, before + 1);
  assert_int_equal(auth.logins, 1);
}
