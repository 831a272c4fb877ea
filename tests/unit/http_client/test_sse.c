/* SPDX-License-Identifier: MIT */
/* HTTP+SSE clients (MCP 2024-11-05, Transports: HTTP with SSE), and Streamable
 * HTTP that falls back to it (MCP 2025-11-25, Transports: Backwards
 * Compatibility). */
#include "core/verdicts.h"
#include "support/failing_alloc.h"
#include "unit/http_client/kit.h"

/* --- a server of that time ----------------------------------------------- */

static struct {
  request *stream; /* the GET; NULL: none is open */
  request *post;   /* the last, when it waits for its answer */
  const char *endpoint;
  int holds_posts;
  int holds_initialized;
  int post_status; /* of requests behind the handshake; 0: 202 */
} old;

static void tell(const char *text) {
  old.stream->responder->write(old.stream->exchange, text, strlen(text));
}

static void tell_endpoint(void) {
  char text[200];
  snprintf(text, sizeof(text), "event: endpoint\ndata: %s\n\n", old.endpoint);
  tell(text);
}

static void tell_result(unsigned long id, const char *result) {
  char text[1024];
  snprintf(text, sizeof(text),
           "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%lu,%s}\n\n", id,
           result);
  tell(text);
}

static void accept_post(request *asked, int status) {
  asked->responder->respond(asked->exchange, status, NULL, 0, NULL, 0);
}

static void answer_post(request *asked) {
  char text[400];
  if (asks(asked, "server/discover")) {
    tell_result(id_of(asked),
                "\"error\":{\"code\":-32601,\"message\":\"what?\"}");
  } else if (asks(asked, "initialize")) {
    snprintf(text, sizeof(text), "\"result\":%s", hello);
    tell_result(id_of(asked), text);
  } else if (id_of(asked) != 0) {
    tell_result(id_of(asked), "\"result\":{\"tools\":[]}");
  }
}

/* The stream is at any path but /post. */
static void answer_sse(request *asked) {
  int is_later = !asks(asked, "initialize") && !asks(asked, "server/discover");
  if (strcmp(asked->method, "GET") == 0) {
    old.stream = asked;
    asked->responder->begin(asked->exchange, 200, event_type, 1);
    if (old.endpoint != NULL) {
      tell_endpoint();
    }
  } else if (strncmp(asked->target, "/post", 5) != 0) {
    accept_post(asked, 405);
  } else if (old.post_status != 0 && is_later) {
    accept_post(asked, old.post_status);
  } else if (old.holds_posts || (old.holds_initialized &&
                                 asks(asked, "notifications/initialized"))) {
    old.post = asked;
  } else {
    accept_post(asked, 202);
    answer_post(asked);
  }
}

static int begin_old(void **state) {
  memset(&old, 0, sizeof(old));
  old.endpoint = "/post?session=1";
  return begin(state);
}

static int connect_sse(uint32_t policy, const mcp_http_client_options *options,
                       mcp_error *err) {
  char url[100];
  snprintf(url, sizeof(url), "SSE+%s", fake.url);
  fake.answer = answer_sse;
  begin_client(policy);
  return mcp_sync_connect_url(client, url, options, err);
}

static void must_connect_sse(uint32_t policy) {
  mcp_error err = {0};
  if (connect_sse(policy, NULL, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

#define PING                                                                   \
  "event: message\ndata: "                                                     \
  "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}"                     \
  "\n\n"
#define PONG "\"id\":\"q\",\"result\":{}"

#define SSE_TEST(name) TEST_WITH(name, begin_old, end)

/* --- the wire ------------------------------------------------------------ */

SSE_TEST(a_stream_and_posts) {
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(fake.count, 4);
  assert_string_equal(fake.requests[0].method, "GET");
  assert_string_equal(fake.requests[0].target, "/mcp?key=secret");
  assert_true(asks(&fake.requests[1], "initialize"));
  assert_string_equal(fake.requests[1].version, "");
  assert_true(asks(&fake.requests[2], "notifications/initialized"));
  assert_true(asks(&fake.requests[3], "tools/list"));
  assert_string_equal(fake.requests[3].method, "POST");
  assert_string_equal(fake.requests[3].target, "/post?session=1");
  assert_string_equal(fake.requests[3].version, "2025-11-25");
  assert_string_equal(fake.requests[3].session, "");
  assert_string_equal(fake.requests[3].mirror, " ");
}

SSE_TEST(a_probe_comes_first) {
  must_connect_sse(MCP_POLICY_AUTO);
  assert_true(asks(&fake.requests[1], "server/discover"));
  assert_true(asks(&fake.requests[2], "initialize"));
  assert_string_equal(mcp_client_verdict(client), "legacy 2025-11-25");
}

SSE_TEST(headers_are_the_programs) {
  const char *const headers[] = {"Authorization: Bearer abc", NULL};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .headers = headers};
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, NULL), 0);
  assert_string_equal(fake.requests[0].secret, "Bearer abc");
  assert_string_equal(fake.requests[1].secret, "Bearer abc");
}

SSE_TEST(the_server_may_ask_and_tell) {
  must_connect_sse(MCP_POLICY_LEGACY);
  tell("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
       "\"notifications/tools/list_changed\"}\n\n");
  WAIT_UNTIL(fake.loop, change_count == 1);
  tell(": a comment\n\nevent: other\ndata: {}\n\nevent: message\ndata: "
       "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n");
  WAIT_UNTIL(fake.loop, fake.count == 4 && last_asked()->body != NULL);
  assert_non_null(strstr(last_asked()->body, PONG));
  assert_int_equal(error_count, 0);
}

static int connect_later(const mcp_http_client_options *options) {
  char url[100];
  snprintf(url, sizeof(url), "sse+%s", fake.url);
  fake.answer = answer_sse;
  begin_client(MCP_POLICY_LEGACY);
  ended.size = 0;
  return mcp_client_connect_url(client, url, options, note_done, NULL, NULL);
}

SSE_TEST(messages_wait_for_the_endpoint) {
  old.endpoint = NULL;
  assert_int_equal(connect_later(NULL), 0);
  WAIT_UNTIL(fake.loop, old.stream != NULL);
  tell(": soon\n\n");
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(fake.count, 1);
  assert_int_equal(mcp_client_ping(client, NULL, note_done, NULL, NULL),
                   MCP_ERR_CLOSED);
  old.endpoint = "post";
  tell_endpoint();
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
  assert_string_equal(last_asked()->target, "/post");
}

SSE_TEST(closing_does_not_wait_for_the_endpoint) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .close_wait_ms = 600000};
  old.endpoint = NULL;
  assert_int_equal(connect_later(&options), 0);
  WAIT_UNTIL(fake.loop, old.stream != NULL);
  mcp_client_close(client);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
}

static void run_for_a_while(void) {
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 10);
  }
}

SSE_TEST(posts_keep_their_order) {
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  size_t before = fake.count;
  old.holds_posts = 1;
  tell(PING);
  WAIT_UNTIL(fake.loop, fake.count == before + 1);
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  run_for_a_while();
  assert_int_equal(fake.count, before + 1);
  assert_non_null(strstr(old.post->body, PONG));
  old.holds_posts = 0;
  accept_post(old.post, 202);
  WAIT_UNTIL(fake.loop, fake.count == before + 2);
  assert_true(asks(last_asked(), "tools/list"));
}

/* The server knows of it before anything else comes. */
SSE_TEST(initialized_is_not_overtaken) {
  old.holds_initialized = 1;
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_client_ping(client, NULL, note_done, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, old.post != NULL);
  run_for_a_while();
  assert_true(asks(last_asked(), "notifications/initialized"));
  accept_post(old.post, 202);
  WAIT_UNTIL(fake.loop, asks(last_asked(), "ping"));
}

/* --- a server that holds each POST until its result is ready ------------- */

static void answer_holding(request *asked) {
  if (strcmp(asked->method, "POST") != 0 || id_of(asked) == 0 ||
      asks(asked, "initialize")) {
    answer_sse(asked);
  }
}

static void must_connect_holding(void) {
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  fake.answer = answer_holding;
}

static void let_go(request *asked) {
  accept_post(asked, 202);
  answer_post(asked);
}

SSE_TEST(a_held_request_holds_up_nothing) {
  must_connect_holding();
  size_t before = fake.count;
  ended.size = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, fake.count == before + 1);
  tell(PING);
  WAIT_UNTIL(fake.loop, fake.count == before + 2);
  assert_non_null(strstr(last_asked()->body, PONG));
  assert_int_equal(ended.size, 0);
  let_go(&fake.requests[before]);
  WAIT_UNTIL(fake.loop, ended.size == 1);
  assert_int_equal(ended.status, 0);
}

/* Each has a connection. */
SSE_TEST(a_server_holds_only_so_many) {
  uint64_t last = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &last};
  must_connect_holding();
  size_t before = fake.count;
  for (int i = 0; i < 6; i++) {
    assert_int_equal(mcp_client_ping(client, &options, note_done, NULL, NULL),
                     0);
  }
  WAIT_UNTIL(fake.loop, fake.count == before + 4);
  tell(PING);
  WAIT_UNTIL(fake.loop, fake.count == before + 5);
  assert_non_null(strstr(last_asked()->body, PONG));
  run_for_a_while();
  assert_int_equal(fake.count, before + 5);
  /* The client never sends a request that is cancelled while it waits, nor its
   * cancellation. */
  ended.size = 0;
  mcp_client_cancel(client, last, NULL);
  WAIT_UNTIL(fake.loop, ended.size == 1);
  assert_int_equal(ended.status, MCP_ERR_CANCELLED);
  fake.answer = answer_sse;
  for (size_t i = before; i < before + 4; i++) {
    let_go(&fake.requests[i]);
  }
  WAIT_UNTIL(fake.loop, fake.count == before + 6);
  assert_int_equal(id_of(last_asked()) + 1, last);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  assert_int_equal(fake.count, before + 7);
}

/* The server may hold the POST of a cancelled request for good. */
SSE_TEST(what_is_given_up_takes_no_place) {
  uint64_t numbers[4];
  must_connect_holding();
  size_t before = fake.count;
  for (int i = 0; i < 4; i++) {
    const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                         .request = &numbers[i]};
    mcp_client_ping(client, &options, note_done, NULL, NULL);
  }
  WAIT_UNTIL(fake.loop, fake.count == before + 4);
  mcp_client_list_tools(client, NULL, note_done, NULL, NULL);
  mcp_client_cancel(client, numbers[2], NULL);
  WAIT_UNTIL(fake.loop, fake.count == before + 6 && last_asked()->body != NULL);
  assert_true(asks(&fake.requests[before + 4], "notifications/cancelled"));
  assert_true(asks(last_asked(), "tools/list"));
  WAIT_UNTIL(fake.loop, fake.requests[before + 2].is_gone);
  assert_false(fake.requests[before + 1].is_gone);
}

/* The answer may come nevertheless. */
SSE_TEST(a_post_that_is_held_for_long_is_given_up) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .notify_timeout_ms = 200};
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, NULL), 0);
  fake.answer = answer_holding;
  ended.size = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, last_asked()->is_gone);
  assert_int_equal(ended.size, 0);
  answer_post(last_asked());
  WAIT_UNTIL(fake.loop, ended.size == 1);
  assert_int_equal(ended.status, 0);
  assert_int_equal(error_count, 0);
}

/* The head says that it has arrived, whatever follows. */
static void answer_endless(request *asked) {
  if (strcmp(asked->method, "POST") != 0 || asks(asked, "initialize")) {
    answer_sse(asked);
  } else {
    asked->responder->begin(asked->exchange, 202, json_type, 1);
    asked->responder->write(asked->exchange, " ", 1);
  }
}

SSE_TEST(a_post_whose_answer_does_not_end_has_arrived) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .notify_timeout_ms = 200};
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, NULL), 0);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  fake.answer = answer_endless;
  ended.size = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, last_asked()->is_gone);
  tell(PING);
  WAIT_UNTIL(fake.loop, last_asked()->body != NULL &&
                            strstr(last_asked()->body, PONG) != NULL);
  WAIT_UNTIL(fake.loop, last_asked()->is_gone);
  assert_int_equal(ended.size, 0);
  assert_int_equal(error_count, 0);
  answer_post(&fake.requests[fake.count - 2]);
  WAIT_UNTIL(fake.loop, ended.size == 1);
  assert_int_equal(ended.status, 0);
}

SSE_TEST(closing_does_not_wait_for_what_is_held) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .close_wait_ms = 600000};
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, NULL), 0);
  fake.answer = answer_holding;
  size_t before = fake.count;
  assert_int_equal(mcp_client_ping(client, NULL, note_done, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, fake.count > before && asks(last_asked(), "ping"));
  mcp_client_close(client);
  WAIT_UNTIL(fake.loop, old.stream->is_gone);
}

SSE_TEST(what_was_sent_goes_out_before_the_end) {
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  size_t before = fake.count;
  mcp_client_ping(client, NULL, note_done, NULL, NULL);
  mcp_client_ping(client, NULL, note_done, NULL, NULL);
  mcp_client_close(client);
  WAIT_UNTIL(fake.loop, closed_count == 1 && fake.count >= before + 2);
  WAIT_UNTIL(fake.loop, old.stream->is_gone);
}

/* --- endpoints ----------------------------------------------------------- */

static void refuses(const char *endpoint, const char *said) {
  mcp_error err = {0};
  old.endpoint = endpoint;
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, NULL, &err), MCP_ERR_CLOSED);
  assert_non_null(strstr(err.message, said));
  assert_non_null(strstr(err.message, "http://127.0.0.1:"));
  assert_null(strstr(err.message, "secret"));
  assert_int_equal(fake.count, 1);
}

SSE_TEST(an_endpoint_of_another_origin_is_refused) {
  refuses("http://example.org/post", "a URL of another origin");
}

SSE_TEST(an_endpoint_beside_the_host_is_refused) {
  refuses("//example.org/post", "a URL of another origin");
}

SSE_TEST(an_endpoint_that_is_none) {
  refuses("http://[", "not a valid URL");
}

SSE_TEST(an_endpoint_that_does_not_come) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .connect_timeout_ms = 50};
  mcp_error err = {0};
  old.endpoint = NULL;
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, &err),
                   MCP_ERR_CLOSED);
  assert_non_null(strstr(err.message, "no event said where to post"));
}

SSE_TEST(a_whole_url_will_do) {
  char url[100];
  snprintf(url, sizeof(url), "%.*s/post/there",
           (int)strcspn(fake.url + 7, "/") + 7, fake.url);
  old.endpoint = url;
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_string_equal(last_asked()->target, "/post/there");
}

SSE_TEST(messages_that_wait_have_a_limit) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_queue = 50};
  mcp_error err = {0};
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, &err),
                   MCP_ERR_LIMIT);
}

/* --- what fails ---------------------------------------------------------- */

static int get_status;
static const char *get_body;

static void answer_get(request *asked) {
  if (strcmp(asked->method, "GET") == 0) {
    respond(asked, get_status, get_body);
  } else {
    accept_post(asked, 202);
  }
}

static void gets(int status, const char *body, int code, const char *said) {
  char url[100];
  mcp_error err = {0};
  get_status = status;
  get_body = body;
  fake.answer = answer_get;
  snprintf(url, sizeof(url), "sse+%s", fake.url);
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, &err), code);
  if (strstr(err.message, said) == NULL) {
    fail_msg("%s: not in: %s", said, err.message);
  }
  mcp_client_free(client);
  client = NULL;
}

SSE_TEST(a_get_that_is_refused) {
  gets(401, "", MCP_ERR_REFUSED, "answered HTTP 401");
  gets(403, "", MCP_ERR_REFUSED, "answered HTTP 403");
  gets(404, "", MCP_ERR_CLOSED, "answered HTTP 404");
  gets(503, "away", MCP_ERR_CLOSED, "answered HTTP 503");
  gets(200, "{}", MCP_ERR_CLOSED,
       "the answer to GET is not a stream of events");
  gets(200, "", MCP_ERR_CLOSED, "the answer to GET is not a stream of events");
}

SSE_TEST(a_server_that_is_not_there) {
  mcp_error err = {0};
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(
      mcp_sync_connect_url(client, "sse+http://127.0.0.1:1/", NULL, &err),
      MCP_ERR_CLOSED);
  assert_non_null(strstr(err.message, "http://127.0.0.1:1/"));
}

SSE_TEST(urls_that_are_none) {
  mcp_error err = {0};
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, "sse+ftp://x/", NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_sync_connect_url(client, "sse+", NULL, &err),
                   MCP_ERR_INVALID);
  assert_null(mcp_transport_sse(fake.loop, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
}

SSE_TEST(a_post_that_fails_ends_its_request) {
  static const struct {
    int status;
    int code;
  } rows[] = {{404, MCP_ERR_PROTOCOL},
              {401, MCP_ERR_REFUSED},
              {500, MCP_ERR_IO},
              {307, MCP_ERR_PROTOCOL}};
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  for (size_t i = 0; i < 4; i++) {
    mcp_error err = {0};
    old.post_status = rows[i].status;
    assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                     rows[i].code);
    assert_int_equal(err.status, rows[i].status);
    assert_non_null(strstr(err.message, "answered HTTP"));
  }
  old.post_status = 0;
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(closed_count, 0);
}

/* The next answer is the next request's, though bare ones have no ids. */
SSE_TEST(so_it_does_in_a_dialect) {
  fake.answer = answer_sse;
  begin_client(MCP_POLICY_AUTO);
  mcp_transport *wire = mcp_transport_dialect(
      fake.loop, mcp_transport_sse(fake.loop, fake.url, NULL, NULL),
      MCP_DIALECT_MCP_CORE_BARE, 0, NULL);
  assert_int_equal(mcp_sync_connect(client, wire, NULL), 0);
  old.post_status = 404;
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL, NULL),
                   MCP_ERR_PROTOCOL);
  old.post_status = 0;
  size_t before = fake.count;
  ended.size = 0;
  mcp_client_call_tool(client, "b", NULL, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, fake.count > before && last_asked()->body != NULL);
  tell("event: message\ndata: {\"content\":[]}\n\n");
  WAIT_UNTIL(fake.loop, ended.size == 1);
  assert_int_equal(ended.status, 0);
}

SSE_TEST(a_notification_that_fails_is_told_of) {
  old.post_status = 413; /* notifications/initialized, too */
  must_connect_sse(MCP_POLICY_LEGACY);
  WAIT_UNTIL(fake.loop, error_count == 1);
  assert_int_equal(last_error.status, 413);
}

SSE_TEST(the_end_of_the_stream_is_the_end) {
  must_connect_sse(MCP_POLICY_LEGACY);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  old.holds_posts = 1;
  ended.size = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, old.post != NULL);
  old.stream->responder->end(old.stream->exchange);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(ended.size, 1);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
  assert_int_equal(mcp_client_ping(client, NULL, note_done, NULL, NULL),
                   MCP_ERR_CLOSED);
}

SSE_TEST(a_stream_that_ends_too_soon) {
  old.endpoint = NULL;
  assert_int_equal(connect_later(NULL), 0);
  WAIT_UNTIL(fake.loop, old.stream != NULL);
  old.stream->responder->end(old.stream->exchange);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
}

/* The event need not end for that. */
SSE_TEST(an_event_that_is_too_long_ends_the_connection) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_message = 400};
  char text[600] = "event: message\ndata: ";
  assert_int_equal(connect_sse(MCP_POLICY_LEGACY, &options, NULL), 0);
  old.holds_posts = 1;
  ended.size = 0;
  assert_int_equal(mcp_client_list_tools(client, NULL, note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, old.post != NULL);
  memset(text + strlen(text), ' ', 500);
  tell(text);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(closed_with.code, MCP_ERR_LIMIT);
  assert_non_null(strstr(closed_with.message, "max_message"));
  assert_int_equal(ended.size, 1);
}

/* --- redirects ----------------------------------------------------------- */

static const char *location;

static void answer_elsewhere(request *asked) {
  const mcp_http_header headers[] = {{"Location", location}};
  if (strncmp(asked->target, "/mcp?", 5) == 0) {
    asked->responder->respond(asked->exchange, 307, headers, 1, "moved\n", 6);
  } else {
    answer_sse(asked);
  }
}

static int connect_elsewhere(const char *where, mcp_error *err) {
  char url[100];
  location = where;
  snprintf(url, sizeof(url), "sse+%s", fake.url);
  fake.answer = answer_elsewhere;
  begin_client(MCP_POLICY_LEGACY);
  return mcp_sync_connect_url(client, url, NULL, err);
}

SSE_TEST(a_redirected_get_is_followed) {
  old.endpoint = "post"; /* beside where the stream is */
  assert_int_equal(connect_elsewhere("/post/", NULL), 0);
  assert_string_equal(last_asked()->target, "/post/post");
}

SSE_TEST(not_to_another_origin) {
  mcp_error err = {0};
  assert_int_equal(connect_elsewhere("http://127.0.0.1:1/sse", &err),
                   MCP_ERR_CLOSED);
  assert_int_equal(err.status, 307);
  assert_non_null(strstr(err.message, "it leads to http://127.0.0.1:1/sse: "
                                      "redirects are followed within the "
                                      "origin only"));
  assert_int_equal(fake.count, 1);
}

SSE_TEST(nor_for_ever) {
  mcp_error err = {0};
  assert_int_equal(connect_elsewhere("/mcp?again", &err), MCP_ERR_CLOSED);
  assert_int_equal(fake.count, 6);
}

/* --- falling back -------------------------------------------------------- */

static int refusal_status;
static const char *refusal_body;

/* Refuses POSTs at the URL; the stream is there too. */
static void answer_refusing(request *asked) {
  if (strcmp(asked->method, "POST") == 0 &&
      strncmp(asked->target, "/mcp", 4) == 0) {
    respond(asked, refusal_status, refusal_body);
  } else {
    answer_sse(asked);
  }
}

static size_t count_gets(void) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += strcmp(fake.requests[i].method, "GET") == 0;
  }
  return count;
}

static void end_client(void) {
  mcp_sync_close(client);
  mcp_client_free(client);
  client = NULL;
}

SSE_TEST(old_servers_are_found_out) {
  static const int statuses[] = {400, 404, 405, 415, 422};
  static const char *const bodies[] = {
      "", "no",
      ("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,"
       "\"message\":\"no\"}}")};
  for (size_t i = 0; i < 15; i++) {
    refusal_status = statuses[i % 5];
    refusal_body = bodies[i / 5];
    must_connect(MCP_POLICY_LEGACY, answer_refusing);
    assert_string_equal(mcp_client_revision(client), "2025-11-25");
    assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
    assert_string_equal(last_asked()->target, "/post?session=1");
    assert_string_equal(last_asked()->version, "2025-11-25");
    end_client();
    while (fake.count > 0) {
      free(fake.requests[--fake.count].body);
    }
  }
}

SSE_TEST(the_probe_is_not_disturbed) {
  must_connect(MCP_POLICY_AUTO, answer_sse);
  assert_true(asks(&fake.requests[0], "server/discover"));
  assert_true(asks(&fake.requests[1], "initialize"));
  assert_string_equal(fake.requests[2].method, "GET");
  assert_true(asks(&fake.requests[3], "initialize"));
  assert_string_equal(fake.requests[3].target, "/post?session=1");
  assert_string_equal(mcp_client_verdict(client), "legacy 2025-11-25");
  tell("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
       "\"notifications/tools/list_changed\"}\n\n");
  WAIT_UNTIL(fake.loop, change_count == 1);
  end_client();
  assert_int_equal(closed_count, 1);
}

static void answer_nothing(request *asked);

/* Nothing is posted to it that it would refuse. */
SSE_TEST(an_old_server_is_remembered) {
  must_connect(MCP_POLICY_AUTO, answer_sse);
  end_client();
  size_t before = fake.count;
  must_connect(MCP_POLICY_AUTO, answer_sse);
  assert_string_equal(fake.requests[before].method, "GET");
  assert_true(asks(&fake.requests[before + 1], "initialize"));
  assert_string_equal(fake.requests[before + 1].target, "/post?session=1");
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  assert_int_equal(fake.count, before + 4);
}

static void refuse_get(request *asked, void (*answer)(request *asked)) {
  if (strcmp(asked->method, "GET") == 0) {
    respond(asked, 405, "");
  } else {
    answer(asked);
  }
}

static void answer_new(request *asked) {
  if (asks(asked, "initialize")) {
    respond(asked, 400,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
            "\"message\":\"no\"}}");
  } else {
    refuse_get(asked, answer_modern);
  }
}

SSE_TEST(one_that_has_become_new_is_forgotten) {
  must_connect(MCP_POLICY_AUTO, answer_sse);
  end_client();
  size_t before = fake.count;
  must_connect(MCP_POLICY_AUTO, answer_new);
  assert_string_equal(mcp_client_revision(client), "2026-07-28");
  assert_string_equal(fake.requests[before].method, "GET");
  assert_true(asks(&fake.requests[before + 1], "initialize"));
  end_client();
  before = fake.count;
  must_connect(MCP_POLICY_AUTO, answer_new);
  assert_true(asks(&fake.requests[before], "server/discover"));
  assert_int_equal(fake.count, before + 1);
}

static void answer_streamable(request *asked) {
  refuse_get(asked, answer_legacy);
}

/* Which may be of both eras. */
SSE_TEST(what_it_has_become_is_found_out_anew) {
  must_connect(MCP_POLICY_AUTO, answer_sse);
  end_client();
  must_connect(MCP_POLICY_AUTO, answer_streamable);
  assert_string_equal(mcp_client_revision(client), "2025-11-25");
  end_client();
  size_t before = fake.count;
  must_connect(MCP_POLICY_AUTO, answer_modern);
  assert_true(asks(&fake.requests[before], "server/discover"));
  end_client();
  must_connect(MCP_POLICY_LEGACY, answer_sse); /* and back */
  assert_string_equal(last_asked()->target, "/post?session=1");
}

SSE_TEST(one_that_is_remembered_may_be_away) {
  mcp_error err = {0};
  must_connect(MCP_POLICY_LEGACY, answer_sse);
  end_client();
  refusal_status = 503;
  refusal_body = "";
  get_status = 503;
  get_body = "";
  assert_int_equal(connect_with(MCP_POLICY_LEGACY, answer_nothing, NULL, &err),
                   MCP_ERR_IO);
  assert_int_equal(err.status, 503);
  end_client();
  must_connect(MCP_POLICY_LEGACY, answer_sse);
}

SSE_TEST(who_wants_no_old_server_gets_none) {
  mcp_error err = {0};
  assert_int_not_equal(connect_with(MCP_POLICY_MODERN, answer_sse, NULL, &err),
                       0);
  assert_int_equal(count_gets(), 0);
}

SSE_TEST(not_every_refusal_is_a_sign) {
  static const int statuses[] = {401, 403, 408, 429, 500, 503, 302};
  refusal_body = "";
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    refusal_status = statuses[i];
    assert_int_not_equal(
        connect_with(MCP_POLICY_LEGACY, answer_refusing, NULL, NULL), 0);
    end_client();
  }
  refusal_status = 400;
  refusal_body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,"
                 "\"message\":\"no\",\"data\":{\"supported\":[\"x\"],"
                 "\"requested\":\"y\"}}}";
  assert_int_not_equal(
      connect_with(MCP_POLICY_LEGACY, answer_refusing, NULL, NULL), 0);
  assert_int_equal(count_gets(), 0);
}

static void answer_nothing(request *asked) {
  if (strcmp(asked->method, "GET") == 0) {
    respond(asked, get_status, get_body);
  } else {
    respond(asked, refusal_status, refusal_body);
  }
}

SSE_TEST(a_refusal_stands_when_nothing_comes_of_it) {
  static const int statuses[] = {404, 405, 200, 401};
  refusal_status = 404;
  get_body = "{}";
  for (size_t i = 0; i < 4; i++) {
    mcp_error err = {0};
    refusal_body = "";
    get_status = statuses[i];
    assert_int_equal(
        connect_with(MCP_POLICY_LEGACY, answer_nothing, NULL, &err),
        MCP_ERR_PROTOCOL);
    assert_int_equal(err.status, 404);
    assert_non_null(strstr(err.message, "answered HTTP 404"));
    assert_int_equal(count_gets(), i + 1);
    end_client();
  }
}

static void answer_with_messages(request *asked) {
  if (strcmp(asked->method, "GET") == 0) {
    stream(asked, PING, 1);
  } else {
    respond(asked, 404, "");
  }
}

/* Only an endpoint tells that HTTP+SSE is spoken. */
SSE_TEST(a_stream_without_an_endpoint_is_no_sign) {
  mcp_error err = {0};
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_with_messages, NULL, &err),
      MCP_ERR_PROTOCOL);
  assert_int_equal(err.status, 404);
  assert_int_equal(count_gets(), 1);
  assert_false(mcpi_verdicts_is_sse(fake.loop, fake.url));
}

/* An error of JSON-RPC's is the server's word. */
SSE_TEST(and_so_does_what_it_says) {
  mcp_error err = {0};
  refusal_status = 400;
  refusal_body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,"
                 "\"message\":\"not today\"}}";
  get_status = 405;
  get_body = "";
  assert_int_equal(connect_with(MCP_POLICY_LEGACY, answer_nothing, NULL, &err),
                   MCP_ERR_REMOTE);
  assert_non_null(strstr(err.message, "not today"));
}

SSE_TEST(an_old_servers_end_is_told) {
  must_connect(MCP_POLICY_LEGACY, answer_sse);
  assert_int_equal(mcp_sync_ping(client, NULL, NULL), 0);
  old.stream->responder->end(old.stream->exchange);
  WAIT_UNTIL(fake.loop, closed_count == 1);
}

SSE_TEST(closing_while_it_is_tried) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .close_wait_ms = 600000};
  old.endpoint = NULL;
  fake.answer = answer_sse;
  begin_client(MCP_POLICY_LEGACY);
  ended.size = 0;
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, &options, note_done, NULL, NULL),
      0);
  WAIT_UNTIL(fake.loop, old.stream != NULL);
  mcp_client_close(client);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
}

SSE_TEST(freeing_while_it_is_tried) {
  old.endpoint = NULL;
  fake.answer = answer_sse;
  begin_client(MCP_POLICY_LEGACY);
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, NULL, note_done, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, old.stream != NULL);
  mcp_client_free(client);
  client = NULL;
  WAIT_UNTIL(fake.loop, old.stream->is_gone);
}

/* --- memory -------------------------------------------------------------- */

static int is_remembered;
static int done_count;
static int is_closed;
static int has_failed;
static int is_blamed; /* the server, in an error */

static void count_done(mcp_client *told, const mcp_outcome *outcome,
                       void *userdata) {
  done_count++;
  has_failed |= outcome->status != 0;
  is_blamed |= strstr(outcome->error->message, "answered HTTP") != NULL ||
               strstr(outcome->error->message, "endpoint is") != NULL;
}

static void note_closing(mcp_client *told, const mcp_error *err,
                         void *userdata) {
  is_closed = 1;
}

static void run_until(mcp_loop *loop, const int *value, int wanted) {
  for (uint64_t began_ns = uv_hrtime(); *value < wanted;) {
    assert_true(uv_hrtime() - began_ns < UINT64_C(30000000000));
    mcp_loop_wait(loop, 1);
    mcp_loop_wait(fake.loop, 0);
  }
}

static void speak(mcp_loop *loop, mcp_client *self, const char *url) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .close_wait_ms = 100};
  if (mcp_client_connect_url(self, url, &options, count_done, NULL, NULL) !=
      0) {
    has_failed = 1;
    return;
  }
  run_until(loop, &done_count, 1);
  if (has_failed) {
    return;
  }
  if (mcp_client_list_tools(self, NULL, count_done, NULL, NULL) == 0) {
    run_until(loop, &done_count, 2);
  } else {
    has_failed = 1;
  }
}

/* The client may wait in vain for a message that was lost because memory ran
 * out. Short timeouts end this wait. */
static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .allocator = allocator};
  const mcp_client_options wishes = {.size = sizeof(mcp_client_options),
                                     .policy = MCP_POLICY_LEGACY,
                                     .connect_timeout_ms = 2000,
                                     .request_timeout_ms = 2000,
                                     .on_closed = note_closing};
  mcp_loop *loop = mcp_loop_new(&options, NULL);
  mcp_client *self = mcp_client_new(loop, "test", "1", &wishes, NULL);
  has_failed = self == NULL;
  if (is_remembered && !has_failed) {
    mcpi_verdicts_set_sse(loop, userdata, 1);
  }
  done_count = 0;
  is_closed = 0;
  if (!has_failed) {
    speak(loop, self, userdata);
    mcp_client_close(self);
    run_until(loop, &is_closed, mcp_client_revision(self) != NULL);
  }
  mcp_client_free(self);
  mcp_loop_free(loop);
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
  return has_failed ? MCP_ERR_NOMEM : 0;
}

SSE_TEST(each_allocation_may_fail) {
  char url[100];
  fake.answer = answer_sse;
  snprintf(url, sizeof(url), "sse+%s", fake.url);
  assert_true(failing_alloc_rerun(scenario, url) > 30);
}

/* The server is not blamed for it. */
SSE_TEST(each_allocation_may_fail_on_the_way_elsewhere) {
  char url[100];
  is_blamed = 0;
  location = "/sse";
  fake.answer = answer_elsewhere;
  snprintf(url, sizeof(url), "sse+%s", fake.url);
  assert_true(failing_alloc_rerun(scenario, url) > 30);
  assert_false(is_blamed);
}

SSE_TEST(each_allocation_may_fail_while_falling_back) {
  fake.answer = answer_sse;
  assert_true(failing_alloc_rerun(scenario, fake.url) > 30);
}

SSE_TEST(each_allocation_may_fail_of_what_is_remembered) {
  fake.answer = answer_sse;
  is_remembered = 1;
  assert_true(failing_alloc_rerun(scenario, fake.url) > 30);
  fake.answer = answer_streamable;
  assert_true(failing_alloc_rerun(scenario, fake.url) > 30);
  is_remembered = 0;
}
