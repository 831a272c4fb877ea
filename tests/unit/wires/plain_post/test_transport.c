/* SPDX-License-Identifier: MIT */
/* Plain POSTs of MCP, as a transport: the bytes on the wire, and the calls of
 * its owner. */
#include "unit/http_client/kit.h"

#include "support/failing_alloc.h"

#define REQUEST "{\"id\": \"a/1\",\"jsonrpc\":\"2.0\",\"method\":\"x\"}"
#define ANSWER                                                                 \
  "{ \"result\" : {\"b\":2,\"a\":1.0}, \"id\":\"a/1\",\"jsonrpc\":\"2.0\"}\n"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

/* What the transport reported to its owner. */
static struct {
  char message[256];
  int message_count;
  int failure_count;
  uint64_t failed;
  mcp_error failure;
  int error_count;
  int close_count;
} told;

static mcp_transport *post;

static void on_message(mcp_transport *transport, const char *text, size_t len) {
  told.message_count++;
  snprintf(told.message, sizeof(told.message), "%.*s", (int)len, text);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  told.error_count++;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  told.close_count++;
}

static void on_request_failed(mcp_transport *transport, uint64_t number,
                              const mcp_error *err) {
  told.failure_count++;
  told.failed = number;
  told.failure = *err;
}

static int is_waiting(mcp_transport *transport, uint64_t number) {
  return told.message_count == 0;
}

static int open_post(mcp_loop *loop, const mcp_http_client_options *options) {
  mcp_error err = {0};
  memset(&told, 0, sizeof(told));
  post = mcp_transport_post(loop, fake.url, options, &err);
  if (post == NULL) {
    return err.code;
  }
  post->on_message = on_message;
  post->on_error = on_error;
  post->on_close = on_close;
  post->on_request_failed = on_request_failed;
  post->is_waiting = is_waiting;
  return post->start(post, &err);
}

static void open_with(mcp_http_client_options *options,
                      void (*answer)(request *asked)) {
  options->size = sizeof(mcp_http_client_options);
  fake.answer = answer;
  assert_int_equal(open_post(fake.loop, options), 0);
}

static void open_plainly(void (*answer)(request *asked)) {
  mcp_http_client_options options = {.size = 0};
  open_with(&options, answer);
}

static void close_post(void) {
  post->close(post);
  assert_int_equal(told.close_count, 0); /* never inside close */
  WAIT_UNTIL(fake.loop, told.close_count == 1);
  mcp_transport_free(post);
}

static int give(const char *message, uint64_t number) {
  const mcp_send_info info = {.size = sizeof(info), .request = number};
  return post->send(post, message, strlen(message), &info);
}

static void expect_failure(int code, const char *message) {
  assert_int_equal(give(REQUEST, 7), 0);
  assert_int_equal(told.failure_count, 0); /* never inside send */
  WAIT_UNTIL(fake.loop, told.failure_count == 1);
  assert_int_equal(told.failed, 7);
  assert_int_equal(told.failure.code, code);
  assert_non_null(strstr(told.failure.message, message));
  assert_null(strstr(told.failure.message, "secret"));
  assert_int_equal(told.message_count, 0);
  close_post();
}

static void answer_oddly(request *asked) {
  respond(asked, 200, ANSWER);
}

WEB_TEST(messages_pass_untouched) {
  open_plainly(answer_oddly);
  mcp_loop_wait(fake.loop, 0);
  assert_int_equal(fake.count, 0); /* nothing of its own accord */
  assert_int_equal(give(REQUEST, 7), 0);
  WAIT_UNTIL(fake.loop, told.message_count == 1);
  assert_string_equal(told.message, ANSWER);
  assert_int_equal(fake.count, 1);
  assert_string_equal(fake.requests[0].method, "POST");
  assert_string_equal(fake.requests[0].body, REQUEST);
  assert_string_equal(fake.requests[0].type, "application/json");
  assert_string_equal(fake.requests[0].session, "");
  assert_string_equal(fake.requests[0].version, "");
  assert_string_equal(fake.requests[0].mirror, " ");
  close_post();
  assert_int_equal(fake.count, 1);
}

static void answer_nothing(request *asked) {
  asked->responder->respond(asked->exchange, 204, NULL, 0, NULL, 0);
}

WEB_TEST(no_content_is_no_message) {
  open_plainly(answer_nothing);
  assert_int_equal(give(NOTE, 0), 0);
  WAIT_UNTIL(fake.loop, fake.count == 1 && post->queued(post) == 0);
  assert_int_equal(told.message_count + told.error_count + told.failure_count,
                   0);
  close_post();
}

WEB_TEST(a_request_must_have_an_answer) {
  open_plainly(answer_nothing);
  expect_failure(MCP_ERR_PROTOCOL, "HTTP 204, without an answer");
}

WEB_TEST(headers_of_the_program_go_along) {
  static const char *const headers[] = {"Authorization: Bearer secret", NULL};
  mcp_http_client_options options = {.headers = headers};
  open_with(&options, answer_oddly);
  assert_int_equal(give(REQUEST, 7), 0);
  WAIT_UNTIL(fake.loop, told.message_count == 1);
  assert_string_equal(fake.requests[0].secret, "Bearer secret");
  close_post();
}

static void answer_elsewhere(request *asked) {
  const mcp_http_header there = {"Location", "/other"};
  asked->responder->respond(asked->exchange, 307, &there, 1, NULL, 0);
}

WEB_TEST(redirects_are_not_followed) {
  open_plainly(answer_elsewhere);
  expect_failure(MCP_ERR_PROTOCOL, "HTTP 307: it leads to http://127.0.0.1:");
  assert_int_equal(fake.count, 1);
}

static void answer_at_length(request *asked) {
  static char body[2000];
  memset(body, ' ', sizeof(body) - 1);
  respond(asked, 200, body);
}

WEB_TEST(a_long_answer_is_refused) {
  mcp_http_client_options options = {.max_message = 1000};
  open_with(&options, answer_at_length);
  expect_failure(MCP_ERR_LIMIT, "max_message");
}

static void keep_waiting(request *asked) {
}

WEB_TEST(a_late_answer_is_given_up) {
  mcp_http_client_options options = {.request_timeout_ms = 20};
  open_with(&options, keep_waiting);
  expect_failure(MCP_ERR_TIMEOUT, "no answer within 20 ms");
  WAIT_UNTIL(fake.loop, fake.count == 0 || fake.requests[0].is_gone);
}

WEB_TEST(what_waits_is_bounded) {
  mcp_http_client_options options = {.max_queue = sizeof(REQUEST)};
  open_with(&options, keep_waiting);
  assert_int_equal(give(REQUEST, 7), 0);
  assert_int_equal(give(REQUEST, 8), MCP_ERR_LIMIT);
  close_post();
}

#define DISCOVERY "{\"id\":1,\"method\":\"server/discover\"}"

/* What the dialect answers here is longer than what was asked. */
WEB_TEST(what_waits_may_be_longer_than_what_was_sent) {
  mcp_http_client_options options = {.max_queue = sizeof(DISCOVERY),
                                     .dialect = MCP_DIALECT_MCP_CORE};
  open_with(&options, keep_waiting);
  assert_int_equal(give(DISCOVERY, 1), 0);
  assert_true(post->queued(post) > sizeof(DISCOVERY));
  assert_int_equal(give(DISCOVERY, 2), MCP_ERR_LIMIT);
  close_post();
}

WEB_TEST(closing_sends_what_was_taken) {
  open_plainly(answer_nothing);
  assert_int_equal(give(NOTE, 0), 0);
  close_post();
  assert_int_equal(fake.count, 1);
  assert_string_equal(fake.requests[0].body, NOTE);
}

WEB_TEST(and_waits_for_it_only_so_long) {
  mcp_http_client_options options = {.close_wait_ms = 20};
  open_with(&options, keep_waiting);
  assert_int_equal(give(NOTE, 0), 0);
  WAIT_UNTIL(fake.loop, fake.count == 1);
  close_post();
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone);
}

WEB_TEST(aborting_ends_one_request_alone) {
  open_plainly(keep_waiting);
  assert_int_equal(give(REQUEST, 7), 0);
  assert_int_equal(give(REQUEST, 8), 0);
  WAIT_UNTIL(fake.loop, fake.count == 2);
  post->abort(post, 7);
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone || fake.requests[1].is_gone);
  assert_int_equal(fake.requests[0].is_gone + fake.requests[1].is_gone, 1);
  assert_int_equal(told.failure_count, 0); /* who aborts knows */
  assert_int_equal(fake.count, 2);
  close_post();
}

/* --- of the modern era ---------------------------------------------------- */

static void answer_discovery(request *asked) {
  if (asks(asked, "server/discover")) {
    answer_modern(asked);
  }
}

WEB_TEST(a_modern_request_is_cancelled_by_its_end) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  mcp_error err = {0};
  fake.answer = answer_discovery;
  begin_client(MCP_POLICY_MODERN);
  assert_int_equal(
      mcp_sync_connect(
          client, mcp_transport_post(fake.loop, fake.url, NULL, &err), &err),
      0);
  memset(&ended, 0, sizeof(ended));
  mcp_client_call_tool(client, "wait", NULL, &options, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, fake.count == 2);
  mcp_client_cancel(client, number, "enough");
  WAIT_UNTIL(fake.loop, fake.requests[1].is_gone && ended.size == 1);
  assert_int_equal(ended.status, MCP_ERR_CANCELLED);
  mcp_sync_close(client);
  assert_int_equal(fake.count, 2); /* no message said so */
}

/* --- memory -------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .allocator = allocator};
  post = NULL;
  mcp_loop *loop = mcp_loop_new(&options, NULL);
  int rc = loop != NULL ? open_post(loop, NULL) : MCP_ERR_NOMEM;
  int has_started = rc == 0;
  rc = rc == 0 ? give(REQUEST, 7) : rc;
  for (int i = 0; rc == 0 && told.message_count + told.failure_count == 0;
       i++) {
    assert_true(i < 30000);
    mcp_loop_wait(loop, 1);
    mcp_loop_wait(fake.loop, 0);
  }
  rc = rc == 0 ? told.failure.code : rc;
  if (has_started) {
    post->close(post);
    WAIT_UNTIL(loop, told.close_count == 1);
  }
  mcp_transport_free(post);
  mcp_loop_free(loop);
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
  return rc;
}

WEB_TEST(each_allocation_may_fail) {
  fake.answer = answer_oddly;
  assert_true(failing_alloc_rerun(scenario, NULL) > 5);
}
