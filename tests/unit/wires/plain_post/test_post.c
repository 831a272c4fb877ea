/* SPDX-License-Identifier: MIT */
/* A client that speaks by plain POSTs: MCP, and the mcp-core dialect. The tests
 * whose names begin with one of its checklists are its lines. */
#include "unit/http_client/kit.h"

#include "support/failing_alloc.h"
#include "support/tool_schemas.h"

#define FIVE "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}]}"
#define FIVE_MCP                                                               \
  "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}],"                         \
  "\"resultType\":\"complete\"}"
#define ARGUMENTS "{\"a\":2,\"b\":3}"

/* How a call has ended, and what it was shown before. */
static struct {
  int count;
  int status;
  int remote;
  char message[MCP_ERROR_TEXT_SIZE];
  char result[1024];
  char data[512];
  char shown[256];
} done;

static void put_json(const mcp_json *value, char *out, size_t size) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_value(builder, NULL, value);
  snprintf(out, size, "%s", mcp_builder_text(builder, NULL));
  mcp_builder_free(builder);
}

static void on_call(mcp_client *told, const mcp_outcome *outcome,
                    void *userdata) {
  done.count++;
  done.status = outcome->status;
  done.remote = outcome->error->status;
  snprintf(done.message, sizeof(done.message), "%s", outcome->error->message);
  if (outcome->result != NULL) {
    put_json(mcp_result_json(outcome->result), done.result,
             sizeof(done.result));
  }
  if (outcome->error_data != NULL) {
    put_json(outcome->error_data, done.data, sizeof(done.data));
  }
}

static void on_shown(mcp_client *told, double progress, double total,
                     const char *message, void *userdata) {
  size_t used = strlen(done.shown);
  snprintf(done.shown + used, sizeof(done.shown) - used, "%g:%s ", progress,
           message != NULL ? message : "-");
}

static void start_call(const mcp_request_options *options) {
  memset(&done, 0, sizeof(done));
  assert_int_equal(mcp_client_call_tool(client, "add", ARGUMENTS, options,
                                        on_call, NULL, NULL),
                   0);
}

static void call(const mcp_request_options *options) {
  start_call(options);
  WAIT_UNTIL(fake.loop, done.count == 1);
}

static void open_with(mcp_http_client_options *options,
                      void (*answer)(request *asked)) {
  mcp_error err = {0};
  options->size = sizeof(mcp_http_client_options);
  if (connect_with(MCP_POLICY_AUTO, answer, options, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

static void open_dialect(uint32_t dialect, void (*answer)(request *asked)) {
  mcp_http_client_options options = {.dialect = dialect};
  open_with(&options, answer);
  assert_int_equal(fake.count, 0); /* connecting asks nothing */
}

static void shows(const char *result) {
  if (done.status != 0) {
    fail_msg("%s", done.message);
  }
  assert_string_equal(done.result, result);
}

static void refused(int code, const char *message) {
  assert_int_equal(done.status, MCP_ERR_REMOTE);
  assert_int_equal(done.remote, code);
  assert_string_equal(done.message, message);
}

static void failed(int code, const char *message) {
  char text[MCP_ERROR_TEXT_SIZE];
  snprintf(text, sizeof(text), "%.*s: %s", (int)strcspn(fake.url, "?"),
           fake.url, message);
  assert_int_equal(done.status, code);
  assert_string_equal(done.message, text);
}

/* --- the dialect, as JSON ------------------------------------------------- */

static void answer_five(request *asked) {
  respond_result(asked, FIVE);
}

static void answer_bare(request *asked) {
  respond(asked, 200, FIVE);
}

WEB_TEST(each_form_is_posted_as_it_is_written) {
  static const struct {
    uint32_t dialect;
    const char *body;
    const char *accept;
  } cases[] = {
      {MCP_DIALECT_MCP_CORE,
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
       "\"name\":\"add\",\"arguments\":" ARGUMENTS "}}",
       "application/json, text/event-stream"},
      {MCP_DIALECT_MCP_CORE_RPC,
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
       "\"name\":\"add\",\"arguments\":" ARGUMENTS "}}",
       "application/json, text/event-stream"},
      {MCP_DIALECT_MCP_CORE_BARE,
       "{\"name\":\"add\",\"arguments\":" ARGUMENTS "}", "application/json"},
  };
  for (size_t i = 0; i < 3; i++) {
    int is_bare = cases[i].dialect == MCP_DIALECT_MCP_CORE_BARE;
    open_dialect(cases[i].dialect, is_bare ? answer_bare : answer_five);
    call(NULL);
    shows(FIVE_MCP);
    assert_string_equal(last_asked()->body, cases[i].body);
    assert_string_equal(last_asked()->accept, cases[i].accept);
    assert_int_equal(
        tool_schema_accepts(TOOL_REQUEST, cases[i].body, strlen(cases[i].body)),
        !is_bare);
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
    free(fake.requests[0].body);
    fake.count = 0;
  }
}

static void answer_plain(request *asked) {
  respond(asked, 201, "{\"sum\":[5]}");
}

WEB_TEST(a_bare_answer_is_any_value) {
  open_dialect(MCP_DIALECT_MCP_CORE_BARE, answer_plain);
  call(NULL);
  shows("{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"sum\\\":[5]}\"}],"
        "\"structuredContent\":{\"sum\":[5]},\"resultType\":\"complete\"}");
}

static const char *given; /* the body that answers */
static int given_status;

static void answer_given(request *asked) {
  respond(asked, given_status, given);
}

WEB_TEST(answers_that_are_not_the_dialects_fail) {
  static const char *const cases[][2] = {
      {"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":" FIVE "}",
       "the answer is not the dialect's: its id is not the request's"},
      {FIVE, "the answer is not the dialect's: it is neither a toolResponse "
             "nor a toolError"},
      {"", "the answer is not the dialect's: it is not JSON"},
      {"<html>", "the answer is not the dialect's: it is not JSON"},
      {"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"content\":[]}}",
       "the answer is not the dialect's: result.content is not an array of at "
       "least one item"},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":"
       "\"text\",\"text\":\"no\"}],\"isError\":\"true\"}}",
       "the answer is not the dialect's: result.isError is not a boolean"},
      {"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[{\"type\":"
       "\"text\",\"text\":\"no\"}],\"structuredContent\":7}}",
       "the answer is not the dialect's: result.structuredContent is not an "
       "object"},
      {"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":" FIVE ",\"error\":{}}",
       "the answer is not the dialect's: it is neither a toolResponse nor a "
       "toolError"},
  };
  given_status = 200;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_given);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    given = cases[i][0];
    call(NULL);
    failed(MCP_ERR_PROTOCOL, cases[i][1]);
  }
}

/* The client drops superfluous members, and reports an error in the server's
 * own words. */
WEB_TEST(answers_of_the_dialect_are_taken_kindly) {
  given_status = 200;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_given);
  given = "{\"jsonrpc\":\"2.0\",\"id\":2,\"took\":7,\"error\":null,\"result\":{"
          "\"content\":[{\"type\":\"text\",\"text\":\"5\"}],\"ttlMs\":5,"
          "\"resultType\":\"input_required\",\"isError\":null}}";
  call(NULL);
  shows(FIVE_MCP);
  given = "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":\"E_TOOL\","
          "\"message\":\"the disk is full\"}}";
  call(NULL);
  refused(-32000, "the disk is full");
}

WEB_TEST(what_the_dialect_has_not_is_not_posted) {
  mcp_error err;
  mcp_result *result;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_five);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &result, &err),
                   MCP_ERR_REMOTE);
  assert_int_equal(err.status, MCP_RPC_METHOD_NOT_FOUND);
  assert_int_equal(fake.count, 0);
}

static void answer_ping(request *asked) {
  assert_string_equal(asked->body, "{\"name\":\"ping\"}");
  respond(asked, 200, "{\"ok\":true}");
}

WEB_TEST(a_ping_is_posted) {
  static const uint32_t policies[] = {MCP_POLICY_LEGACY, MCP_POLICY_MODERN};
  for (size_t i = 0; i < 2; i++) {
    mcp_error err = {0};
    mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                       .dialect = MCP_DIALECT_MCP_CORE_BARE};
    assert_int_equal(connect_with(policies[i], answer_ping, &options, &err), 0);
    assert_int_equal(fake.count, i);
    assert_int_equal(mcp_sync_ping(client, NULL, &err), 0);
    assert_int_equal(fake.count, i + 1);
    assert_int_equal(mcp_sync_close(client), 0);
    mcp_client_free(client);
    client = NULL;
  }
}

WEB_TEST(a_ping_tells_that_nobody_is_there) {
  mcp_error err = {0};
  open_dialect(MCP_DIALECT_MCP_CORE, answer_ping);
  uv_poll_stop(&fake.poll);
  assert_int_equal(close(fake.fd), 0);
  assert_int_equal(mcp_sync_ping(client, NULL, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "http://127.0.0.1:"));
  fake.fd = dup(0); /* for the end of the test to close */
}

static void keep_waiting(request *asked) {
}

enum { ENOUGH = 1000 }; /* for the test to fail, and not to hang */

static int pings;

static void ping_again(mcp_client *self, const mcp_outcome *outcome,
                       void *userdata) {
  if (outcome->status == 0 && ++pings < ENOUGH) {
    assert_int_equal(mcp_client_ping(self, NULL, ping_again, userdata, NULL),
                     0);
  }
}

/* In envelopes a ping is answered here. */
WEB_TEST(asking_again_and_again_keeps_nobody_off) {
  open_dialect(MCP_DIALECT_MCP_CORE_RPC, keep_waiting);
  pings = 0;
  assert_int_equal(mcp_client_ping(client, NULL, ping_again, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, pings > 0);
  assert_true(pings < ENOUGH);
}

WEB_TEST(cancelling_closes_the_connection) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  open_dialect(MCP_DIALECT_MCP_CORE, keep_waiting);
  start_call(&options);
  WAIT_UNTIL(fake.loop, fake.count == 1);
  mcp_client_cancel(client, number, NULL);
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone && done.count == 1);
  assert_int_equal(done.status, MCP_ERR_CANCELLED);
  assert_int_equal(fake.count, 1);
}

WEB_TEST(closing_ends_what_waits) {
  open_dialect(MCP_DIALECT_MCP_CORE, keep_waiting);
  start_call(NULL);
  WAIT_UNTIL(fake.loop, fake.count == 1);
  mcp_sync_close(client);
  WAIT_UNTIL(fake.loop, done.count == 1);
  assert_int_equal(done.status, MCP_ERR_CLOSED);
  assert_int_equal(closed_count, 1);
}

/* --- event streams -------------------------------------------------------- */

#define COMPLETE(id)                                                           \
  "event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":" id                     \
  ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":"  \
  "\"text\",\"text\":\"two\"}],\"structuredContent\":{\"last\":2}}}\n\n"
#define ONE                                                                    \
  "event: result\ndata: {\"content\":[{\"type\":\"text\",\"text\":\"one\"}]}"  \
  "\n\n"
#define TWO                                                                    \
  "event: result\r\ndata: {\"content\":[{\"type\":\"text\",\"text\":\"two\"}"  \
  "],\r\ndata: \"structuredContent\":{\"last\":2}}\r\n\r\n"
#define BOTH                                                                   \
  "{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\","     \
  "\"text\":\"two\"}],\"structuredContent\":{\"last\":2}"

static int is_unfinished;

static void answer_stream(request *asked) {
  stream(asked, given, !is_unfinished);
}

static void call_shown(void) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_shown};
  call(&options);
}

WEB_TEST(what_ends_a_stream_counts) {
  static const struct {
    const char *stream;
    const char *result;
  } fine[] = {
      /* A default event may be the answer; an unknown one is not. */
      {"data: 7\n\nevent: tick\ndata: {}\n\ndata: {\"error\":\"low\"}\n\n"
       "data: {\"jsonrpc\":\"2.0\","
       "\"id\":2,\"result\":" FIVE "}\n\n",
       FIVE_MCP},
      /* The last result may be the whole answer. */
      {"event: result\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":" FIVE
       "}\n\n",
       FIVE_MCP},
      /* The complete event counts, not the partial results before it. */
      {"\xef\xbb\xbf" ONE "event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":"
       "4,\"result\":" FIVE "}\n\nevent: complete\ndata: 7\n\n",
       FIVE_MCP},
  };
  static const struct {
    const char *stream;
    const char *message;
  } wrong[] = {
      {"event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" FIVE
       "}\n\n",
       "the answer is not the dialect's: its id is not the request's"},
      {"event: complete\ndata: {}\n\n",
       "the answer is not the dialect's: it is neither a toolResponse nor a "
       "toolError"},
      {"event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" FIVE
       "}\n\n",
       "the answer is not the dialect's: an error event has a toolResponse"},
      /* another request's ends the stream, whatever its event is called */
      {"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" FIVE
       "}\n\n" COMPLETE("8"),
       "the answer is not the dialect's: its id is not the request's"},
      {"event: result\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" FIVE
       "}\n\n" COMPLETE("9"),
       "the answer is not the dialect's: its id is not the request's"},
      {"event: error\ndata: no JSON\n\n",
       "the answer is not the dialect's: it is neither a toolResponse nor a "
       "toolError"},
  };
  is_unfinished = 0;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_stream);
  for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
    given = fine[i].stream;
    call(NULL);
    shows(fine[i].result);
  }
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    given = wrong[i].stream;
    call(NULL);
    failed(MCP_ERR_PROTOCOL, wrong[i].message);
  }
  /* A toolError is one, wherever it stands. */
  given = "event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":11,\"error\":{"
          "\"code\":404,\"message\":\"no tool named add\"}}\n\n";
  call(NULL);
  refused(404, "no tool named add");
}

WEB_TEST(a_stream_that_breaks_off_tells_what_came) {
  is_unfinished = 0;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_stream);
  given = ONE TWO "event: complete\ndata: {\"jsonrpc\":";
  call_shown();
  refused(-32000, "stream ended before complete");
  assert_string_equal(done.data, "{\"partial\":" BOTH "}}");
  assert_string_equal(done.shown, "1:one 2:two ");
  given = ": nothing\n\n";
  call(NULL);
  refused(-32000, "stream ended before complete");
  assert_string_equal(done.data, "");
  /* A whole answer that something follows was not the last. */
  given = "event: result\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":" FIVE
          "}\n\n" ONE;
  call(NULL);
  refused(-32000, "stream ended before complete");
}

WEB_TEST(a_stream_that_is_silent_is_given_up) {
  mcp_http_client_options options = {.dialect = MCP_DIALECT_MCP_CORE,
                                     .silence_timeout_ms = 100};
  is_unfinished = 1;
  given = ONE;
  open_with(&options, answer_stream);
  call(NULL);
  failed(MCP_ERR_TIMEOUT,
         "the stream has brought nothing for silence_timeout_ms");
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone);
}

static void beat(uv_timer_t *timer) {
  request *asked = timer->data;
  if (asked->is_gone) {
    uv_close((uv_handle_t *)timer, nothing);
  } else {
    asked->responder->write(asked->exchange, ": heartbeat\n\n", 13);
  }
}

static void answer_heartbeats(request *asked) {
  static uv_timer_t timer;
  stream(asked, ONE, 0);
  timer.data = asked;
  uv_timer_init(mcpi_uv_of(fake.loop)->uv, &timer);
  uv_timer_start(&timer, beat, 20, 20);
}

WEB_TEST(heartbeats_break_the_silence_and_extend_no_limit) {
  mcp_http_client_options options = {.dialect = MCP_DIALECT_MCP_CORE,
                                     .silence_timeout_ms = 300,
                                     .request_timeout_ms = 900};
  open_with(&options, answer_heartbeats);
  call(NULL);
  failed(MCP_ERR_TIMEOUT, "no answer within 900 ms (request_timeout_ms)");
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone);
  mcp_loop_wait(fake.loop, 50); /* the timer has stopped */
}

/* --- once more ------------------------------------------------------------ */

static const mcp_request_options idempotent = {
    .size = sizeof(mcp_request_options), .is_idempotent = 1};
static int busy_status;

static void answer_busy_first(request *asked) {
  if (fake.count == 1) {
    respond(asked, busy_status, "{\"error\":\"busy\"}");
  } else {
    respond_result(asked, FIVE);
  }
}

WEB_TEST(what_passes_is_tried_again) {
  busy_status = 503;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_busy_first);
  call(&idempotent);
  shows(FIVE_MCP);
  assert_int_equal(fake.count, 2);
  assert_string_equal(fake.requests[0].body, fake.requests[1].body);
}

WEB_TEST(what_does_not_pass_or_may_not_is_not) {
  busy_status = 500;
  open_dialect(MCP_DIALECT_MCP_CORE, answer_busy_first);
  call(&idempotent);
  refused(500, "busy");
  fake.count = 0;
  busy_status = 503;
  free(fake.requests[0].body);
  call(NULL); /* nobody has said that it may be */
  refused(503, "busy");
  assert_int_equal(fake.count, 1);
}

static void hang_up_first(request *asked) {
  if (fake.count == 1) {
    asked->responder->abort(asked->exchange);
  } else {
    respond_result(asked, FIVE);
  }
}

WEB_TEST(a_connection_that_breaks_is_made_again) {
  open_dialect(MCP_DIALECT_MCP_CORE, hang_up_first);
  call(&idempotent);
  shows(FIVE_MCP);
  assert_int_equal(fake.count, 2);
}

/* TLS with a server that does not speak TLS, and with a file that does not
 * exist. */
WEB_TEST(what_stays_wrong_is_told_at_once) {
  static const char *const files[] = {NULL, "/nowhere/ca.pem"};
  char url[80];
  snprintf(url, sizeof(url), "https:%s", strchr(fake.url, '/'));
  for (size_t i = 0; i < 2; i++) {
    const mcp_http_client_options options = {
        .size = sizeof(mcp_http_client_options),
        .dialect = MCP_DIALECT_MCP_CORE,
        .ca_file = files[i]};
    fake.connection_count = 0;
    begin_client(MCP_POLICY_AUTO);
    assert_int_equal(mcp_sync_connect_url(client, url, &options, NULL), 0);
    call(&idempotent);
    assert_int_equal(done.status, MCP_ERR_IO);
    assert_int_equal(fake.connection_count, 1);
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
  }
}

static const char *retry_after;

static void ask_to_wait(request *asked) {
  const mcp_http_header later[] = {{"Content-Type", "application/json"},
                                   {"Retry-After", retry_after}};
  const char *body = "{\"error\":\"later\"}";
  asked->responder->respond(asked->exchange, 429, later, 2, body, strlen(body));
}

WEB_TEST(what_a_server_says_of_later_counts) {
  mcp_http_client_options options = {.dialect = MCP_DIALECT_MCP_CORE,
                                     .request_timeout_ms = 30000};
  retry_after = "60";
  open_with(&options, ask_to_wait);
  call(&idempotent); /* a minute is too long */
  refused(429, "later");
  assert_int_equal(fake.count, 1);
}

/* Seconds beyond all clocks: an hour is meant. */
WEB_TEST(a_pause_has_a_limit) {
  retry_after = "9223372036854775807";
  open_dialect(MCP_DIALECT_MCP_CORE, ask_to_wait);
  start_call(&idempotent);
  WAIT_UNTIL(fake.loop, fake.count == 1);
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(fake.count, 1);
  assert_int_equal(done.count, 0);
}

/* --- the checklists ------------------------------------------------------- */

WEB_TEST(http_requests_use_post_with_json) {
  open_dialect(MCP_DIALECT_MCP_CORE, answer_five);
  call(NULL);
  assert_string_equal(last_asked()->method, "POST");
  assert_string_equal(last_asked()->type, "application/json");
}

WEB_TEST(http_non_200_responses_translate_into_errors) {
  char unread[128];
  snprintf(unread, sizeof(unread), "%s: HTTP 502", "URL");
  static const struct {
    int status;
    const char *body;
    int code;
    const char *message;
  } cases[] = {
      {404,
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":"
       "\"no tool named add\"}}",
       -32602, "no tool named add"},
      {400, "{\"error\":\"no name\"}", 400, "no name"},
      {405, "{\"error\":{}}", 405, NULL},
      {500, "<h1>oh</h1>", 500, NULL},
  };
  open_dialect(MCP_DIALECT_MCP_CORE, answer_given);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    given = cases[i].body;
    given_status = cases[i].status;
    call(NULL);
    if (cases[i].message != NULL) {
      refused(cases[i].code, cases[i].message);
    } else {
      snprintf(unread, sizeof(unread), "%.*s: HTTP %d",
               (int)strcspn(fake.url, "?"), fake.url, cases[i].status);
      refused(cases[i].code, unread);
    }
  }
}

WEB_TEST(http_client_honours_keep_alive_and_timeouts) {
  mcp_http_client_options options = {.dialect = MCP_DIALECT_MCP_CORE,
                                     .request_timeout_ms = 300};
  open_with(&options, answer_five);
  call(NULL);
  call(NULL);
  shows(FIVE_MCP);
  assert_int_equal(mcpi_http1_connection_count(fake.http1), 1);
  fake.answer = keep_waiting;
  call(NULL);
  failed(MCP_ERR_TIMEOUT, "no answer within 300 ms (request_timeout_ms)");
  WAIT_UNTIL(fake.loop, last_asked()->is_gone);
}

WEB_TEST(shared_timeouts_and_retries_respect_the_limit) {
  mcp_http_client_options options = {.dialect = MCP_DIALECT_MCP_CORE,
                                     .request_timeout_ms = 900};
  busy_status = 503;
  open_with(&options, answer_busy_first);
  call(&idempotent); /* the pause of a second would be too long */
  refused(503, "busy");
  assert_int_equal(fake.count, 1);
}

WEB_TEST(sse_client_concatenates_fragments_into_one_result) {
  is_unfinished = 1; /* the client closes it */
  given = ": heartbeat\n\n" ONE TWO COMPLETE("2");
  open_dialect(MCP_DIALECT_MCP_CORE, answer_stream);
  call_shown();
  shows(BOTH ",\"resultType\":\"complete\"}");
  assert_string_equal(done.shown, "1:one 2:two ");
  WAIT_UNTIL(fake.loop, fake.requests[0].is_gone);
  given = ONE "event: error\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{"
              "\"code\":404,\"message\":\"no tool named count\"}}\n\n";
  call(NULL);
  refused(404, "no tool named count");
}

/* --- plain POSTs of MCP -------------------------------------------------- */

static void connect_plainly(void (*answer)(request *asked)) {
  mcp_error err = {0};
  fake.answer = answer;
  begin_client(MCP_POLICY_LEGACY);
  mcp_transport *transport =
      mcp_transport_post(fake.loop, fake.url, NULL, &err);
  assert_non_null(transport);
  if (mcp_sync_connect(client, transport, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

/* The server of the profile. */
static void answer_profile(request *asked) {
  if (id_of(asked) == 0) {
    asked->responder->respond(asked->exchange, 204, NULL, 0, NULL, 0);
  } else if (asks(asked, "initialize")) {
    respond_result(asked,
                   "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{"
                   "\"tools\":{}},\"serverInfo\":{\"name\":\"server-name\","
                   "\"version\":\"1.0.0\"}}");
  } else {
    respond_result(asked, FIVE);
  }
}

WEB_TEST(plain_messages_go_as_they_are) {
  connect_plainly(answer_profile);
  call(NULL);
  assert_int_equal(done.status, 0);
  assert_string_equal(done.result, FIVE);
  assert_int_equal(fake.count, 3);
  assert_string_equal(fake.requests[0].type, "application/json");
  assert_string_equal(fake.requests[0].accept, "*/*");
  assert_true(asks(&fake.requests[0], "initialize"));
  assert_string_equal(
      fake.requests[1].body,
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  assert_string_equal(fake.requests[2].session, "");
  assert_string_equal(fake.requests[2].version, "");
  assert_string_equal(
      fake.requests[2].body,
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
      "\"name\":\"add\",\"arguments\":" ARGUMENTS "}}");
  assert_int_equal(error_count, 0);
}

WEB_TEST(plain_refusals_are_told_by_their_error) {
  connect_plainly(answer_profile);
  fake.answer = answer_given;
  given_status = 404;
  given = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,"
          "\"message\":\"no such tool\"}}";
  call(NULL);
  refused(-32602, "no such tool");
  given_status = 500;
  given = "oh";
  call(NULL);
  failed(MCP_ERR_IO, "HTTP 500");
  given_status = 403;
  call(NULL);
  failed(MCP_ERR_REFUSED, "HTTP 403");
  given_status = 418;
  call(NULL);
  failed(MCP_ERR_PROTOCOL, "HTTP 418");
  given_status = 200;
  given = "[]";
  call(NULL);
  failed(MCP_ERR_PROTOCOL, "the answer is not to this request");
  given = "";
  call(NULL);
  failed(MCP_ERR_PROTOCOL, "HTTP 200, without an answer");
}

WEB_TEST(plain_cancelling_is_told_and_closes) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  connect_plainly(answer_profile);
  fake.answer = keep_waiting;
  start_call(&options);
  WAIT_UNTIL(fake.loop, fake.count == 3);
  fake.answer = answer_profile;
  mcp_client_cancel(client, number, NULL);
  WAIT_UNTIL(fake.loop, fake.requests[2].is_gone);
  assert_true(asks(last_asked(), "notifications/cancelled"));
}

/* --- making one ---------------------------------------------------------- */

#define SPEAKS_MCP_ALONE                                                       \
  " speaks MCP alone; mcp_transport_post (http://) and "                       \
  "mcp_transport_websocket (ws://) speak others"

WEB_TEST(what_cannot_be_is_named) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .dialect = 9};
  mcp_error err;
  assert_null(mcp_transport_post(fake.loop, "ftp://x/", NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(mcp_transport_post(fake.loop, fake.url, &options, &err));
  assert_string_equal(err.message, "dialect: 9 is not one of MCP_DIALECT_*");
  options.dialect = MCP_DIALECT_MCP_CORE;
  assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
  assert_string_equal(err.message, "dialect: Streamable HTTP" SPEAKS_MCP_ALONE);
  assert_null(mcp_transport_sse(fake.loop, fake.url, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "dialect: HTTP+SSE" SPEAKS_MCP_ALONE);
  mcp_transport *unused =
      mcp_transport_post(fake.loop, fake.url, &options, &err);
  assert_non_null(unused);
  mcp_transport_free(unused);
}

/* --- memory -------------------------------------------------------------- */

static void forget_requests(void) {
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(fake.loop, 0);
  }
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
}

static int is_lost;

static void note_end(mcp_client *told, const mcp_error *err, void *userdata) {
  is_lost |= err->code != 0;
}

static void answer_all(request *asked) {
  char text[512];
  if (strstr(asked->body, "\"name\":\"add\"") != NULL) {
    snprintf(text, sizeof(text),
             ONE TWO "event: complete\ndata: {\"jsonrpc\":\"2.0\",\"id\":%lu,"
                     "\"result\":" FIVE "}\n\n",
             id_of(asked));
    stream(asked, text, 1);
  } else {
    respond(asked, 404, "{\"error\":\"no such tool\"}");
  }
}

/* Each ends, whatever it is, and none by its limit of time. */
static int ask(mcp_loop *loop, mcp_client *self, const char *tool, int wanted) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = on_shown};
  memset(&done, 0, sizeof(done));
  int rc = mcp_client_call_tool(self, tool, ARGUMENTS, &options, on_call, NULL,
                                NULL);
  for (int i = 0; rc == 0 && done.count == 0; i++) {
    assert_true(i < 30000);
    mcp_loop_wait(loop, 1);
    mcp_loop_wait(fake.loop, 0);
  }
  assert_int_not_equal(done.status, MCP_ERR_TIMEOUT);
  return rc != 0 || done.status != wanted || strstr(done.message, "memory") ||
         (wanted == 0 && strcmp(done.shown, "1:one 2:two ") != 0);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options loop_options = {.size = sizeof(mcp_loop_options),
                                         .allocator = allocator};
  const mcp_client_options wishes = {.size = sizeof(mcp_client_options),
                                     .on_closed = note_end};
  const mcp_http_client_options http = {.size = sizeof(mcp_http_client_options),
                                        .proxy = "",
                                        .dialect = MCP_DIALECT_MCP_CORE};
  mcp_error err;
  is_lost = 0;
  mcp_loop *loop = mcp_loop_new(&loop_options, NULL);
  mcp_client *self = mcp_client_new(loop, "test", "1", &wishes, NULL);
  int rc = self == NULL;
  memset(&done, 0, sizeof(done));
  if (rc == 0) {
    rc = mcp_client_connect_url(self, fake.url, &http, on_call, NULL, &err);
  }
  for (int i = 0; rc == 0 && done.count == 0; i++) {
    assert_true(i < 30000);
    mcp_loop_wait(loop, 1);
  }
  assert_int_not_equal(done.status, MCP_ERR_TIMEOUT);
  rc = rc != 0 || done.status != 0;
  rc = rc != 0 || ask(loop, self, "add", 0);
  rc = rc != 0 || ask(loop, self, "nope", MCP_ERR_REMOTE);
  mcp_client_free(self);
  mcp_loop_free(loop);
  forget_requests();
  return rc != 0 || is_lost ? MCP_ERR_NOMEM : 0;
}

WEB_TEST(each_allocation_may_fail) {
  fake.answer = answer_all;
  assert_true(failing_alloc_rerun(scenario, NULL) > 20);
}
