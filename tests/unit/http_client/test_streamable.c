/* SPDX-License-Identifier: MIT */
/* The Streamable HTTP client: eras, errors, streams, sessions, options. */
#include "unit/http_client/kit.h"

/* --- eras ---------------------------------------------------------------- */

WEB_TEST(a_legacy_server_is_found_out) {
  must_connect(MCP_POLICY_AUTO, answer_legacy);
  assert_string_equal(mcp_client_revision(client), "2025-11-25");
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_string_equal(last_asked()->session, "s-1");
  assert_string_equal(last_asked()->version, "2025-11-25");
  assert_string_equal(last_asked()->mirror, " ");
  mcp_sync_close(client);
  assert_string_equal(last_asked()->method, "DELETE");
  assert_string_equal(last_asked()->session, "s-1");
  assert_int_equal(closed_count, 1);
}

WEB_TEST(the_first_request_waits_for_the_handshake) {
  must_connect(MCP_POLICY_LEGACY, answer_legacy);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_true(asks(&fake.requests[1], "notifications/initialized"));
  assert_string_equal(fake.requests[2].method, "GET");
  assert_true(asks(&fake.requests[3], "tools/list"));
}

WEB_TEST(a_modern_server_sees_mirrored_headers) {
  must_connect(MCP_POLICY_AUTO, answer_modern);
  assert_string_equal(mcp_client_verdict(client), "modern 2026-07-28");
  assert_int_equal(
      mcp_sync_call_tool(client, " \xc3\xa4 ", NULL, NULL, NULL, NULL), 0);
  assert_string_equal(last_asked()->mirror, "tools/call =?base64?IMOkIA==?=");
  assert_string_equal(last_asked()->version, "2026-07-28");
  assert_string_equal(last_asked()->session, "");
}

static void answer_unauthorized(request *asked) {
  respond(asked, 401, "");
}

WEB_TEST(a_refused_client_learns_nothing_of_the_era) {
  mcp_error err = {0};
  assert_int_equal(
      connect_with(MCP_POLICY_AUTO, answer_unauthorized, NULL, &err),
      MCP_ERR_REFUSED);
  assert_int_equal(err.status, 401);
  assert_int_equal(fake.count, 1);
  assert_non_null(strstr(err.message, "HTTP 401"));
  assert_non_null(strstr(err.message, "http://127.0.0.1:"));
  assert_null(strstr(err.message, "secret"));
}

WEB_TEST(a_server_that_is_not_there_is_told_of) {
  mcp_error err = {0};
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(
      mcp_sync_connect_url(client, "http://127.0.0.1:1/", NULL, &err),
      MCP_ERR_IO);
  assert_non_null(strstr(err.message, "http://127.0.0.1:1/"));
}

/* --- what was found out --------------------------------------------------- */

static void end_client(void) {
  mcp_sync_close(client);
  mcp_client_free(client);
  client = NULL;
}

static size_t count_asked(const char *method) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += asks(&fake.requests[i], method) ? 1 : 0;
  }
  return count;
}

WEB_TEST(a_legacy_origin_is_probed_once) {
  must_connect(MCP_POLICY_AUTO, answer_legacy);
  end_client();
  must_connect(MCP_POLICY_AUTO, answer_legacy);
  assert_string_equal(mcp_client_revision(client), "2025-11-25");
  assert_int_equal(count_asked("server/discover"), 1);
}

static void answer_both(request *asked) {
  if (asked->body[0] != '\0' && asks(asked, "server/discover")) {
    answer_modern(asked);
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(what_the_program_insists_on_is_no_finding) {
  must_connect(MCP_POLICY_LEGACY, answer_both);
  end_client();
  must_connect(MCP_POLICY_AUTO, answer_both);
  assert_string_equal(mcp_client_revision(client), "2026-07-28");
}

/* Has never heard of `initialize`, and says so by a status alone. */
static void answer_modern_only(request *asked) {
  if (asks(asked, "initialize")) {
    respond(asked, 400, "what?");
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(a_wrong_finding_is_dropped) {
  must_connect(MCP_POLICY_AUTO, answer_legacy);
  end_client();
  must_connect(MCP_POLICY_AUTO, answer_modern_only);
  assert_string_equal(mcp_client_revision(client), "2026-07-28");
  assert_int_equal(count_asked("initialize"), 2);
  end_client();
  must_connect(MCP_POLICY_AUTO, answer_modern_only);
  assert_int_equal(count_asked("initialize"), 2);
}

WEB_TEST(the_programs_verdict_may_be_wrong_too) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .verdict = "legacy 2025-11-25"};
  fake.answer = answer_modern_only;
  client = mcp_client_new(fake.loop, "test", "1", &options, NULL);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, NULL, NULL), 0);
  assert_string_equal(mcp_client_revision(client), "2026-07-28");
}

/* --- errors -------------------------------------------------------------- */

static void answer_error(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 404,
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
            "-32601,\"message\":\"no such thing\"}}");
  }
}

WEB_TEST(an_error_without_id_is_the_requests) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_error);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_REMOTE);
  assert_int_equal(err.status, -32601);
  assert_string_equal(err.message, "no such thing");
}

static void answer_broken(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 503,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,"
            "\"message\":\"come back later\"}}");
  }
}

WEB_TEST(a_failure_ends_its_request_alone) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_broken);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err), MCP_ERR_IO);
  assert_int_equal(err.status, 503);
  assert_non_null(strstr(err.message, "come back later"));
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL, NULL), 0);
}

static void answer_nonsense(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 200, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}");
  }
}

WEB_TEST(an_answer_to_something_else_is_none) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_nonsense);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_PROTOCOL);
}

/* --- streams ------------------------------------------------------------- */

static void answer_cut(request *asked) {
  char text[160];
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
    return;
  }
  int len = snprintf(text, sizeof(text),
                     ": hello\r\nid: 1\r\n\r\ndata: {\"jsonrpc\":\"2.0\","
                     "\"id\":%lu,\r\ndata: \"result\":{\"tools\":[]}}\r\n\r\n",
                     id_of(asked));
  asked->responder->begin(asked->exchange, 200, event_type, 1);
  for (int i = 0; i < len; i++) {
    asked->responder->write(asked->exchange, text + i, 1);
  }
  asked->responder->end(asked->exchange);
}

WEB_TEST(an_answer_may_come_in_pieces) {
  must_connect(MCP_POLICY_AUTO, answer_cut);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
}

static void answer_short(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    stream(asked, "id: 1\nretry: 1\ndata:\n\n", 1);
  }
}

WEB_TEST(a_broken_modern_stream_ends_the_request) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_short);
  size_t before = fake.count;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err), MCP_ERR_IO);
  assert_int_equal(fake.count, before + 1);
}

static unsigned long resumed;

static void answer_polling(request *asked) {
  char text[160];
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    resumed = id_of(asked);
    stream(asked, "id: e-1\nretry: 20\ndata:\n\n", 1);
  } else if (strcmp(asked->method, "GET") == 0 && asked->last_id[0] != '\0') {
    snprintf(text, sizeof(text),
             "data: {\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"tools\":[]}}"
             "\n\n",
             resumed);
    stream(asked, text, 1);
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(a_legacy_stream_is_taken_up_again) {
  must_connect(MCP_POLICY_LEGACY, answer_polling);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_string_equal(last_asked()->method, "GET");
  assert_string_equal(last_asked()->last_id, "e-1");
  assert_string_equal(last_asked()->session, "s-1");
}

static int resume_status;

static void answer_deaf(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    stream(asked, "id: e-1\nretry: 1\ndata:\n\n", 1);
  } else if (asked->last_id[0] != '\0') {
    respond(asked, resume_status, "");
  } else {
    answer_legacy(asked);
  }
}

static size_t count_resumes(void) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += fake.requests[i].last_id[0] != '\0';
  }
  return count;
}

WEB_TEST(taking_up_is_given_up) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_LEGACY, answer_deaf);
  resume_status = 503;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err), MCP_ERR_IO);
  assert_int_equal(count_resumes(), 5);
  resume_status = 405;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_PROTOCOL);
  assert_int_equal(count_resumes(), 6);
}

/* --- how soon a stream is opened again ------------------------------------ */

enum { HASTY_COUNT = 7 };

static const char *hasty_event;
static size_t hasty_count;
static uint64_t hasty_at[HASTY_COUNT]; /* when each GET came, in ns */

static void answer_hastily(request *asked) {
  if (strcmp(asked->method, "GET") != 0) {
    answer_legacy(asked);
  } else if (hasty_count < HASTY_COUNT) {
    hasty_at[hasty_count++] = uv_hrtime();
    stream(asked, hasty_event, 1);
  }
}

/* How long all the pauses took. */
static uint64_t time_hasty(const char *event) {
  hasty_event = event;
  hasty_count = 0;
  must_connect(MCP_POLICY_LEGACY, answer_hastily);
  WAIT_UNTIL(fake.loop, hasty_count == HASTY_COUNT);
  end_client();
  return hasty_at[HASTY_COUNT - 1] - hasty_at[0];
}

#define A_MESSAGE                                                              \
  "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"

/* Events without a message say nothing of whether it is worth while. */
WEB_TEST(retry_0_makes_no_client_hurry) {
  uint64_t pause_ns = 99 * 1000000; /* timers count whole milliseconds */
  uint64_t idle_ns = time_hasty("retry: 0\nid: 1\ndata:\n\n");
  for (size_t i = 1; i < HASTY_COUNT; i++) {
    assert_true(hasty_at[i] - hasty_at[i - 1] >= pause_ns);
    pause_ns += pause_ns / 2;
  }
  assert_true(time_hasty("retry: 0\n" A_MESSAGE) < idle_ns);
}

static void answer_long(request *asked) {
  char text[600];
  memset(text, 'x', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  if (asks(asked, "tools/list")) {
    respond(asked, 200, text);
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(a_bad_answer_ends_the_request) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_long);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_PROTOCOL);
  assert_int_equal(last_error.code, MCP_ERR_PARSE);
}

/* --- sessions ------------------------------------------------------------ */

static int lost_count; /* POSTs in a session that are answered 404 */

static size_t count_method(const char *method) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += strcmp(fake.requests[i].method, method) == 0;
  }
  return count;
}

static void answer_forgetful(request *asked) {
  if (lost_count > 0 && strcmp(asked->method, "POST") == 0 &&
      asked->session[0] != '\0') {
    lost_count--;
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

static void connect_forgetful(void) {
  lost_count = 0;
  must_connect(MCP_POLICY_LEGACY, answer_forgetful);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
}

WEB_TEST(a_call_in_a_lost_session_is_sent_again) {
  connect_forgetful();
  lost_count = 1;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_asked("initialize"), 2);
  assert_int_equal(count_asked("tools/list"), 3);
  assert_string_equal(last_asked()->session, "s-1");
  assert_int_equal(error_count, 1);
  assert_int_equal(last_error.code, MCP_ERR_CLOSED);
  assert_int_equal(closed_count, 0);
}

/* The second session answers notifications/initialized. */
static void answer_no_list(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(it_is_sent_again_once) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_LEGACY, answer_no_list);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_CLOSED);
  assert_int_equal(count_asked("tools/list"), 2);
  assert_non_null(strstr(err.message, "session"));
}

/* A server with sessions that answers 404 for a reason of the request's. */
static void answer_unknown(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    respond(asked, 404,
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":"
            "-32601,\"message\":\"no such thing\"}}");
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(the_second_404_ends_it_with_the_servers_error) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_LEGACY, answer_unknown);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_REMOTE);
  assert_int_equal(err.status, -32601);
  assert_string_equal(err.message, "no such thing");
  assert_int_equal(count_asked("tools/list"), 2);
  assert_int_equal(count_asked("initialize"), 2);
}

static size_t list_count;

static void count_list(mcp_client *told, const mcp_outcome *outcome,
                       void *userdata) {
  assert_int_equal(outcome->status, 0);
  list_count++;
}

/* The second 404 comes when the first has been read. */
WEB_TEST(calls_under_way_together_are_all_sent_again) {
  connect_forgetful();
  lost_count = 2;
  list_count = 0;
  mcp_client_list_tools(client, NULL, count_list, NULL, NULL);
  mcp_client_list_tools(client, NULL, count_list, NULL, NULL);
  WAIT_UNTIL(fake.loop, list_count == 2);
  assert_int_equal(count_asked("initialize"), 2);
  assert_int_equal(error_count, 1);
}

static void answer_half(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/call")) {
    stream(asked, ": it runs\n\n", 0);
  } else {
    answer_forgetful(asked);
  }
}

WEB_TEST(a_call_that_may_have_run_is_not_sent_again) {
  connect_forgetful();
  fake.answer = answer_half;
  ended.size = 0;
  mcp_client_call_tool(client, "t", NULL, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, count_asked("tools/call") == 1);
  lost_count = 1;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(ended.size, 1);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
  assert_int_equal(ended.was_sent, 1);
  assert_int_equal(count_asked("tools/call"), 1);
}

static request *unanswered; /* a call */

static void answer_later(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/call")) {
    unanswered = asked;
  } else {
    answer_forgetful(asked);
  }
}

/* Its 404 may be on the way; but nobody waits for it for long. */
WEB_TEST(a_call_without_an_answer_holds_nothing_up) {
  connect_forgetful();
  fake.answer = answer_later;
  ended.size = 0;
  mcp_client_call_tool(client, "t", NULL, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, count_asked("tools/call") == 1);
  lost_count = 1;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
}

WEB_TEST(a_late_answer_of_a_lost_session_counts) {
  connect_forgetful();
  fake.answer = answer_later;
  ended.size = 0;
  list_count = 0;
  mcp_client_call_tool(client, "t", NULL, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, count_asked("tools/call") == 1);
  lost_count = 1;
  mcp_client_list_tools(client, NULL, count_list, NULL, NULL);
  WAIT_UNTIL(fake.loop, lost_count == 0);
  respond_result(unanswered, "{\"content\":[]}");
  WAIT_UNTIL(fake.loop, ended.size == 1 && list_count == 1);
  assert_int_equal(ended.status, 0);
  assert_int_equal(count_asked("tools/call"), 1);
}

static void answer_no_route(request *asked) {
  if (strcmp(asked->method, "GET") == 0) {
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(a_get_answered_404_does_not_end_the_session) {
  must_connect(MCP_POLICY_LEGACY, answer_no_route);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(count_method("GET"), 1);
  assert_int_equal(count_asked("initialize"), 1);
  assert_int_equal(error_count, 0);
}

static int gets;

static void answer_route_once(request *asked) {
  if (strcmp(asked->method, "GET") == 0 && gets++ == 0) {
    stream(asked, "retry: 1\n\n", 1);
  } else if (strcmp(asked->method, "GET") == 0 && gets == 2) {
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(a_get_answered_404_after_200_ends_the_session) {
  gets = 0;
  must_connect(MCP_POLICY_LEGACY, answer_route_once);
  WAIT_UNTIL(fake.loop, count_asked("initialize") == 2);
  assert_int_equal(last_error.code, MCP_ERR_CLOSED);
  WAIT_UNTIL(fake.loop, gets == 3);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
}

static int restarts; /* of the server, while the client only listens */
static int is_lost;  /* the server does not know the session */

static void answer_restarting(request *asked) {
  int is_get = strcmp(asked->method, "GET") == 0;
  if (!is_get && strcmp(asked->method, "POST") == 0 &&
      asks(asked, "initialize")) {
    is_lost = 0;
    answer_legacy(asked);
  } else if (is_lost) {
    respond(asked, 404, "");
  } else if (is_get && restarts > 0) {
    restarts--;
    is_lost = 1;
    stream(asked, "retry: 1\n\n", 1);
  } else if (is_get) {
    respond(asked, 405, "");
  } else {
    answer_legacy(asked);
  }
}

WEB_TEST(a_listening_client_outlives_many_restarts) {
  restarts = 4;
  is_lost = 0;
  must_connect(MCP_POLICY_LEGACY, answer_restarting);
  WAIT_UNTIL(fake.loop, count_asked("notifications/initialized") == 5);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
}

/* --- limits and options --------------------------------------------------- */

static void answer_never(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  }
}

WEB_TEST(a_silent_server_is_given_up) {
  mcp_error err = {0};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .request_timeout_ms = 100};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer_never, &options, &err),
                   0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_TIMEOUT);
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL, NULL), 0);
}

WEB_TEST(cancelling_closes_the_stream) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  ended.size = 0;
  must_connect(MCP_POLICY_AUTO, answer_never);
  size_t before = fake.count;
  assert_int_equal(
      mcp_client_list_tools(client, &options, note_done, NULL, NULL), 0);
  while (fake.count == before) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(mcp_client_cancel(client, number, NULL), 0);
  while (ended.size == 0 || !last_asked()->is_gone) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(ended.status, MCP_ERR_CANCELLED);
}

WEB_TEST(headers_are_sent_and_checked) {
  const char *const good[] = {"Authorization: Bearer abc", NULL};
  const char *const bad[][2] = {{"x", NULL},
                                {"a b: c", NULL},
                                {"X: a\r\nY: b", NULL},
                                {"mcp-session-id: x", NULL}};
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .headers = good};
  mcp_error err = {0};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer_modern, &options, &err),
                   0);
  assert_string_equal(last_asked()->secret, "Bearer abc");
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    options.headers = bad[i];
    assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
}

WEB_TEST(a_port_that_is_not_one_is_quoted_but_no_password) {
  const char *const secret[] = {
      "http://me:s3cr/et@127.0.0.1/", "http://me:s3cr?et@127.0.0.1/",
      "http://me:s3cr#et@127.0.0.1:80/", "http://me:99999/word@127.0.0.1/"};
  mcp_error err = {0};
  for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
    assert_null(mcp_transport_http(fake.loop, secret[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "the port is not a number"));
    assert_null(strstr(err.message, "s3cr"));
    assert_null(strstr(err.message, "99999"));
  }
  assert_null(
      mcp_transport_http(fake.loop, "http://me:word@[::1]:99999/", NULL, &err));
  assert_string_equal(err.message,
                      "url: the port \"99999\" is not a number from 1 to "
                      "65535");
  assert_null(
      mcp_transport_http(fake.loop, "http://127.0.0.1:0/mcp", NULL, &err));
  assert_string_equal(err.message,
                      "url: the port \"0\" is not a number from 1 to 65535");
  assert_null(mcp_transport_http(fake.loop, "http://[::1/mcp", NULL, &err));
  assert_non_null(strstr(err.message, "url: not a valid URL: "));
}

WEB_TEST(urls_are_checked) {
  const char *const bad[] = {"", "mcp", "ftp://x/", "file:///etc/passwd",
                             "http://"};
  mcp_error err = {0};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_null(mcp_transport_http(fake.loop, bad[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
  assert_null(mcp_transport_http(fake.loop, NULL, NULL, &err));
  mcp_transport *never = mcp_transport_http(fake.loop, fake.url, NULL, &err);
  assert_non_null(never);
  mcp_transport_free(never);
}

/* --- arguments in headers ------------------------------------------------- */

static int mismatches; /* how often a call's headers are refused */

static void answer_annotated(request *asked) {
  if (asks(asked, "tools/list")) {
    respond_result(
        asked,
        "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\","
        "\"tools\":[{\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}},"
        "{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"city\":{\"type\":\"string\","
        "\"x-mcp-header\":\"City\"}}}},"
        "{\"name\":\"odd\",\"inputSchema\":{\"$schema\":\"urn:unknown\","
        "\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\","
        "\"x-mcp-header\":\"City\"}}}}]}");
  } else if (asks(asked, "tools/call") && mismatches > 0) {
    mismatches--;
    respond(asked, 400,
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32020,"
            "\"message\":\"headers\"}}");
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(arguments_travel_in_headers) {
  mcp_result *tools = NULL;
  mismatches = 0;
  must_connect(MCP_POLICY_AUTO, answer_annotated);
  mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}", NULL, NULL, NULL);
  assert_string_equal(last_asked()->param, "");
  assert_int_equal(mcp_sync_list_tools(client, NULL, &tools, NULL), 0);
  assert_int_equal(mcp_result_count(tools), 2);
  const mcp_json *page = mcp_result_json(tools);
  assert_int_equal(mcp_json_size(mcp_json_get(page, "tools")), 2);
  assert_string_equal(mcp_json_string(mcp_json_get(page, "cacheScope")),
                      "private");
  assert_non_null(strstr(last_error.message, "\"bad\""));
  mcp_result_unref(tools);
  mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}", NULL, NULL, NULL);
  assert_string_equal(last_asked()->param, "Oslo");
  mcp_sync_call_tool(client, "good", "{\"city\":null}", NULL, NULL, NULL);
  assert_string_equal(last_asked()->param, "");
  /* Of a schema that cannot be compiled nothing is known. */
  mcp_sync_call_tool(client, "odd", "{\"city\":\"Oslo\"}", NULL, NULL, NULL);
  assert_string_equal(last_asked()->param, "");
}

/* What the server sent, whatever is wrong with it. */
WEB_TEST(a_raw_list_is_as_it_came) {
  mcp_result *tools = NULL;
  must_connect(MCP_POLICY_AUTO, answer_annotated);
  assert_int_equal(
      mcp_sync_request(client, "tools/list", NULL, NULL, &tools, NULL), 0);
  const mcp_json *page = mcp_result_json(tools);
  assert_int_equal(mcp_json_size(mcp_json_get(page, "tools")), 3);
  mcp_result_unref(tools);
}

static void close_on_error(mcp_client *told, const mcp_error *err,
                           void *userdata) {
  mcp_client_close(told);
}

WEB_TEST(a_report_may_close_the_client) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .on_error = close_on_error};
  fake.answer = answer_annotated;
  client = mcp_client_new(fake.loop, "test", "1", &options, NULL);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, NULL, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL),
                   MCP_ERR_CLOSED);
}

WEB_TEST(refused_headers_are_learned_anew_once) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_annotated);
  mismatches = 1;
  assert_int_equal(mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}",
                                      NULL, NULL, &err),
                   0);
  assert_string_equal(last_asked()->param, "Oslo");
  assert_true(asks(&fake.requests[fake.count - 2], "tools/list"));
  mismatches = 2;
  assert_int_equal(mcp_sync_call_tool(client, "good", "{}", NULL, NULL, &err),
                   MCP_ERR_REMOTE);
  assert_int_equal(err.status, MCP_RPC_HEADER_MISMATCH);
}

/* --- the end ------------------------------------------------------------- */

static void free_client(mcp_client *told, const mcp_outcome *outcome,
                        void *userdata) {
  mcp_client_free(told);
  client = NULL;
}

WEB_TEST(a_client_may_be_freed_in_a_completion) {
  must_connect(MCP_POLICY_LEGACY, answer_legacy);
  mcp_client_list_tools(client, NULL, free_client, NULL, NULL);
  while (client != NULL) {
    mcp_loop_wait(fake.loop, 10);
  }
}
