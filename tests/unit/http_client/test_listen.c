/* SPDX-License-Identifier: MIT */
/* Streams of what the server says unasked: a listen in 2026-07-28, GET before.
 */
#include "unit/http_client/kit.h"

/* --- a modern listen ------------------------------------------------------ */

static int listen_status; /* 0: a stream; else the status of the answer */

static void acknowledge(request *asked) {
  char text[320];
  snprintf(text, sizeof(text),
           "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
           "subscriptions/acknowledged\",\"params\":{\"notifications\":{"
           "\"toolsListChanged\":true},\"_meta\":{"
           "\"io.modelcontextprotocol/subscriptionId\":%lu}}}\n\n",
           id_of(asked));
  stream(asked, text, 0);
}

static void answer_listening(request *asked) {
  if (!asks(asked, "subscriptions/listen")) {
    answer_modern(asked);
  } else if (listen_status != 0) {
    respond(asked, listen_status, "");
  } else {
    acknowledge(asked);
  }
}

static void tell_change(request *asked) {
  char text[240];
  snprintf(text, sizeof(text),
           "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
           "list_changed\",\"params\":{\"_meta\":{"
           "\"io.modelcontextprotocol/subscriptionId\":%lu}}}\n\n",
           id_of(asked));
  asked->responder->write(asked->exchange, text, strlen(text));
}

static size_t open_count;

static void note_open(mcp_client *told, const mcp_json *granted,
                      void *userdata) {
  assert_true(mcp_json_bool(mcp_json_get(granted, "toolsListChanged")));
  open_count++;
}

static void listen_to_tools(void) {
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = 1};
  listen_status = 0;
  open_count = 0;
  ended.size = 0;
  must_connect(MCP_POLICY_MODERN, answer_listening);
  assert_int_equal(mcp_client_listen(client, &filter, NULL, note_open,
                                     note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, open_count == 1);
}

static void hear_on(request *asked) {
  size_t before = change_count;
  tell_change(asked);
  WAIT_UNTIL(fake.loop, change_count == before + 1);
}

WEB_TEST(a_listen_whose_stream_ends_is_opened_again) {
  listen_to_tools();
  request *first = last_asked();
  hear_on(first);
  first->responder->end(first->exchange);
  WAIT_UNTIL(fake.loop, error_count == 1);
  assert_int_equal(last_error.code, MCP_ERR_CLOSED);
  WAIT_UNTIL(fake.loop, last_asked() != first);
  hear_on(last_asked());
  assert_int_equal(open_count, 1);
  assert_int_equal(ended.size, 0);
}

WEB_TEST(a_listen_outlives_its_server) {
  listen_to_tools();
  request *first = last_asked();
  mcpi_http1_free(fake.http1);
  serve_fake();
  WAIT_UNTIL(fake.loop, last_asked() != first);
  hear_on(last_asked());
  assert_int_equal(ended.size, 0);
}

WEB_TEST(a_listen_that_is_refused_then_has_ended) {
  listen_to_tools();
  request *first = last_asked();
  listen_status = 403;
  first->responder->end(first->exchange);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_REFUSED);
  assert_int_equal(fake.count, 3);
}

WEB_TEST(a_listen_that_is_refused_at_first_has_ended) {
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = 1};
  listen_status = 503;
  ended.size = 0;
  must_connect(MCP_POLICY_MODERN, answer_listening);
  mcp_client_listen(client, &filter, NULL, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_IO);
  assert_int_equal(fake.count, 2);
}

/* --- the legacy stream ---------------------------------------------------- */

static const char *get_text; /* what a stream begins with, and then ends */
static int get_status;

static void answer_streaming(request *asked) {
  if (strcmp(asked->method, "GET") != 0) {
    answer_legacy(asked);
  } else if (get_status != 0) {
    respond(asked, get_status, "");
  } else {
    stream(asked, get_text, 1);
  }
}

static size_t count_gets(void) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += strcmp(fake.requests[i].method, "GET") == 0;
  }
  return count;
}

static const request *get_at(size_t index) {
  for (size_t i = 0; i < fake.count; i++) {
    if (strcmp(fake.requests[i].method, "GET") == 0 && index-- == 0) {
      return &fake.requests[i];
    }
  }
  return NULL;
}

WEB_TEST(a_stream_is_opened_again_when_it_was_told) {
  get_status = 0;
  get_text = "id: e-7\nretry: 30\ndata:\n\n";
  must_connect(MCP_POLICY_LEGACY, answer_streaming);
  WAIT_UNTIL(fake.loop, count_gets() == 3);
  assert_string_equal(get_at(0)->last_id, "");
  assert_string_equal(get_at(2)->last_id, "e-7");
  assert_string_equal(get_at(2)->session, "s-1");
}

static void answer_too_long(request *asked) {
  static char text[700];
  if (strcmp(asked->method, "GET") != 0) {
    answer_legacy(asked);
    return;
  }
  int len = snprintf(text, sizeof(text),
                     "id: e-1\nretry: 30\ndata:\n\nid: e-2\ndata: ");
  memset(text + len, ' ', 600);
  stream(asked, count_gets() == 1 ? text : ": nothing\n\n", 0);
}

/* The long event does not end, and the server keeps sending it. */
WEB_TEST(a_stream_with_an_event_that_is_too_long_is_opened_again) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_message = 500};
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_too_long, &options, NULL), 0);
  WAIT_UNTIL(fake.loop, count_gets() == 2);
  assert_int_equal(last_error.code, MCP_ERR_LIMIT);
  assert_string_equal(get_at(1)->last_id, "e-2");
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
}

/* A second, then one and a half: not less, and who knows how much more. */
WEB_TEST(without_a_word_it_waits) {
  get_status = 0;
  get_text = ": nothing\n\n";
  must_connect(MCP_POLICY_LEGACY, answer_streaming);
  WAIT_UNTIL(fake.loop, count_gets() == 1);
  uint64_t begin_ns = uv_hrtime();
  WAIT_UNTIL(fake.loop, count_gets() == 3);
  assert_true(uv_hrtime() - begin_ns >= UINT64_C(2400000000));
}

static void connect_with_one_retry(int status) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_retries = 1};
  get_status = status;
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_streaming, &options, NULL), 0);
}

WEB_TEST(a_stream_that_cannot_be_opened_is_given_up) {
  connect_with_one_retry(503);
  WAIT_UNTIL(fake.loop, error_count == 1);
  assert_int_equal(last_error.code, MCP_ERR_IO);
  assert_int_equal(last_error.status, 503);
  assert_int_equal(count_gets(), 2);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
}

WEB_TEST(a_server_without_a_stream_is_not_asked_again) {
  connect_with_one_retry(405);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_gets(), 1);
  assert_int_equal(error_count, 0);
}

WEB_TEST(the_program_may_want_no_stream) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .skip_stream = 1};
  get_status = 0;
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_streaming, &options, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_gets(), 0);
}

static void answer_elsewhere(request *asked) {
  static const mcp_http_header there[] = {{"Location", "/stream"}};
  if (strcmp(asked->method, "GET") == 0 &&
      strcmp(asked->target, "/stream") != 0) {
    asked->responder->respond(asked->exchange, 307, there, 1, NULL, 0);
  } else {
    answer_streaming(asked);
  }
}

/* On which the server may ask something back. */
WEB_TEST(requests_wait_for_a_stream_that_is_elsewhere) {
  get_status = 0;
  get_text = ": nothing\n\n";
  must_connect(MCP_POLICY_LEGACY, answer_elsewhere);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_true(asks(last_asked(), "tools/list"));
  assert_string_equal(fake.requests[fake.count - 2].target, "/stream");
}

/* --- cancelling ----------------------------------------------------------- */

static void answer_obstinate(request *asked) {
  if (strcmp(asked->method, "POST") == 0 &&
      asks(asked, "notifications/cancelled")) {
    respond(asked, 500, "");
  } else if (strcmp(asked->method, "POST") != 0 || !asks(asked, "tools/list")) {
    answer_legacy(asked);
  }
}

/* Nobody waits for it, whatever the server thinks of that. */
WEB_TEST(a_request_that_is_given_up_ends) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  must_connect(MCP_POLICY_LEGACY, answer_obstinate);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  size_t before = fake.count;
  mcp_client_list_tools(client, &options, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop,
             fake.count > before && fake.requests[before].body != NULL);
  mcp_client_cancel(client, number, NULL);
  WAIT_UNTIL(fake.loop, error_count == 1);
  assert_int_equal(last_error.status, 500);
  WAIT_UNTIL(fake.loop, fake.requests[before].is_gone);
}

/* --- closing -------------------------------------------------------------- */

static void answer_hostile(request *asked) {
  if (strcmp(asked->method, "POST") == 0 &&
      asks(asked, "notifications/initialized")) {
    respond(asked, 400, "");
  } else {
    answer_legacy(asked);
  }
}

static void close_on_error(mcp_client *told, const mcp_error *err,
                           void *userdata) {
  mcp_client_close(told);
}

/* After the close the client opens no stream. */
WEB_TEST(closing_when_the_handshake_is_refused) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = MCP_POLICY_LEGACY,
                                      .on_error = close_on_error,
                                      .on_closed = note_closed};
  fake.answer = answer_hostile;
  client = mcp_client_new(fake.loop, "test", "1", &options, NULL);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(count_gets(), 0);
}
