/* SPDX-License-Identifier: MIT */
/* Transports that do more, or worse, than the memory pair: a far side that is
 * started again, streams for each request, sends that fail, answers and ends
 * that come from inside a call. */
#include "unit/client/kit.h"

typedef struct wire {
  mcp_transport transport;
  kit *k;
  int start_rc;
  int send_rc;
  int closes_on_send;
  const char *answer_on_send;
  int closes_at_once;
  int closes;
  int released;
  uint64_t aborted;
  char version[32];
  char versions[128];
} wire;

static wire w;

static int wire_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  return w.start_rc == 0 ? 0 : mcp_error_set(err, w.start_rc, "no start");
}

static int wire_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  assert_known(message, len, info);
  if (w.send_rc != 0) {
    return w.send_rc;
  }
  if (w.closes_on_send) {
    transport->on_close(transport, NULL);
    return MCP_ERR_CLOSED;
  }
  size_t used = strlen(w.k->got);
  memcpy(w.k->got + used, message, len);
  memcpy(w.k->got + used + len, "\n", 2);
  if (w.answer_on_send != NULL) {
    const char *answer = w.answer_on_send;
    w.answer_on_send = NULL;
    transport->on_message(transport, answer, strlen(answer));
  }
  return 0;
}

static void wire_close(mcp_transport *transport) {
  w.closes++;
  if (w.closes_at_once) {
    transport->on_close(transport, NULL);
  }
}

static void wire_release(mcp_transport *transport) {
  (void)transport;
  w.released++;
}

static void wire_abort(mcp_transport *transport, uint64_t request) {
  (void)transport;
  w.aborted = request;
}

static void wire_version(mcp_transport *transport, const char *version) {
  (void)transport;
  snprintf(w.version, sizeof(w.version), "%s", version);
}

static void wire_versions(mcp_transport *transport, const char *const *versions,
                          size_t count) {
  (void)transport;
  for (size_t i = 0; i < count; i++) {
    strcat(w.versions, versions[i]);
    strcat(w.versions, " ");
  }
}

static void wire_init(kit *k) {
  memset(&w, 0, sizeof(w));
  w.k = k;
  w.closes_at_once = 1;
  w.transport = (mcp_transport){.size = sizeof(mcp_transport),
                                .start = wire_start,
                                .send = wire_send,
                                .close = wire_close,
                                .release = wire_release,
                                .abort = wire_abort,
                                .set_protocol_version = wire_version,
                                .set_supported_versions = wire_versions};
}

static int dial(kit *k) {
  mcp_error err;
  return mcp_client_connect(k->client, &w.transport, on_done, &k->connected,
                            &err);
}

static void dial_with(kit *k, const mcp_client_options *options) {
  wire_init(k);
  assert_int_equal(kit_remake(k, options, NULL), 0);
  assert_int_equal(dial(k), 0);
}

static void hear(kit *k, const char *message) {
  w.transport.on_message(&w.transport, message, strlen(message));
  turn(k);
}

static void restart(kit *k) {
  w.transport.on_restart(&w.transport);
  turn(k);
}

static void dial_auto(kit *k) {
  mcp_client_options options = options_of(k);
  dial_with(k, &options);
  expect(k, PROBE);
}

static void dial_modern(kit *k) {
  dial_auto(k);
  hear(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.status, 0);
}

static void dial_legacy(kit *k) {
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  dial_with(k, &options);
  expect(k, INITIALIZE("1", "2025-11-25"));
  hear(k, HELLO_LEGACY("1", "2025-06-18"));
  expect(k, INITIALIZED);
  assert_int_equal(k->connected.status, 0);
}

static ending *call(kit *k) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL), 0);
  return e;
}

/* --- a wire that opens later --------------------------------------------- */

static void dial_opening(kit *k, uint32_t dialect) {
  mcp_client_options options = options_of(k);
  mcp_error err;
  options.connect_timeout_ms = 100;
  wire_init(k);
  w.transport.flags = MCP_TRANSPORT_OPENS_LATER;
  assert_int_equal(kit_remake(k, &options, NULL), 0);
  mcp_transport *outer =
      mcp_transport_dialect(k->loop, &w.transport, dialect, 0);
  assert_non_null(outer);
  assert_int_equal(
      mcp_client_connect(k->client, outer, on_done, &k->connected, &err), 0);
  expect_nothing(k);
}

static void is_refused(kit *k) {
  assert_int_equal(k->connected.count, 0);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, NULL, NULL),
      MCP_ERR_CLOSED);
}

static void nothing_is_said_before_it_is_open(void **state) {
  kit *k = *state;
  dial_opening(k, MCP_DIALECT_MCP);
  pass(k, 99);
  is_refused(k);
  restart(k);
  expect_nothing(k);
  w.transport.on_open(&w.transport);
  expect(k, PROBE);
  w.transport.on_open(&w.transport); /* that is known */
  expect_nothing(k);
  hear(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.status, 0);
  pass(k, 200);
  expect_log(k, "");
}

/* What the dialect answers in the server's place too. */
static void a_dialect_waits_for_it(void **state) {
  kit *k = *state;
  dial_opening(k, MCP_DIALECT_MCP_CORE);
  pass(k, 99);
  is_refused(k);
  w.transport.on_open(&w.transport);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
  call(k);
  expect(k, "{\"id\":1,\"name\":\"t\"}");
}

static void why_it_does_not_open_is_told(void **state) {
  kit *k = *state;
  mcp_error err;
  dial_opening(k, MCP_DIALECT_MCP_CORE);
  mcp_error_set(&err, MCP_ERR_IO, "nobody is there");
  w.transport.on_close(&w.transport, &err);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_CLOSED);
  assert_string_equal(k->connected.message, "nobody is there");
  assert_int_equal(w.released, 1);
}

static void it_has_the_time_for_connecting(void **state) {
  kit *k = *state;
  dial_opening(k, MCP_DIALECT_MCP);
  pass(k, 100);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_TIMEOUT);
  assert_string_equal(
      k->connected.message,
      "the connection did not open within 100 ms (connect_timeout_ms)");
  assert_int_equal(w.closes, 1);
  assert_int_equal(w.released, 1);
  expect_nothing(k);
}

static void it_may_be_closed_before(void **state) {
  kit *k = *state;
  dial_opening(k, MCP_DIALECT_MCP);
  w.closes_at_once = 0;
  mcp_client_close(k->client);
  w.transport.on_open(&w.transport); /* too late */
  expect_nothing(k);
  w.transport.on_close(&w.transport, NULL);
  expect_log(k, "closed MCP_OK\n");
  assert_int_equal(k->connected.status, MCP_ERR_CLOSED);
}

/* --- a far side that is started again ----------------------------------- */

static void a_server_that_dies_of_the_probe_is_legacy(void **state) {
  kit *k = *state;
  dial_auto(k);
  restart(k);
  expect(k, INITIALIZE("2", "2025-11-25"));
  hear(k, HELLO_LEGACY("2", "2025-11-25"));
  expect(k, INITIALIZED);
  assert_int_equal(k->connected.count, 1);
  assert_string_equal(mcp_client_verdict(k->client), "legacy 2025-11-25");
}

static void a_modern_client_probes_again(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_MODERN;
  dial_with(k, &options);
  expect(k, PROBE);
  restart(k);
  expect(k, PROBE_FOR("2", "{}"));
}

static void a_server_that_dies_of_initialize(void **state) {
  kit *k = *state;
  dial_auto(k);
  hear(k, ERROR("1", "-32601", ""));
  expect(k, INITIALIZE("2", "2025-11-25"));
  restart(k);
  expect(k, INITIALIZE("3", "2025-11-25"));
  assert_int_equal(k->connected.count, 0);
}

/* Tries the same again, at once. */
static void call_again(mcp_client *client, const mcp_outcome *outcome,
                       void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, MCP_ERR_CLOSED);
  assert_int_equal(outcome->was_sent, 1);
  note(k, "again",
       mcp_error_name(
           mcp_client_call_tool(client, "t", NULL, NULL, NULL, NULL, NULL)));
}

static void a_legacy_server_is_introduced_anew(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_legacy(k);
  mcp_client_subscribe(k->client, "file:///a", NULL, on_done, e, NULL);
  mcp_client_set_log_level(k->client, MCP_LOG_ERROR, NULL, on_done, e, NULL);
  hear(k, RESULT("2", "{}"));
  hear(k, RESULT("3", "{}"));
  assert_int_equal(e->count, 2);
  k->got[0] = '\0';
  mcp_client_call_tool(k->client, "t", NULL, NULL, call_again, k, NULL);
  turn(k);
  k->got[0] = '\0';
  restart(k);
  expect_log(k, "again MCP_OK\n");
  expect(k, INITIALIZE("5", "2025-06-18"));
  hear(k, HELLO_LEGACY("5", "2025-06-18"));
  expect(k, INITIALIZED);
  expect(k, REQUEST("7", "logging/setLevel", "{\"level\":\"error\"}"));
  expect(k, REQUEST("8", "resources/subscribe", "{\"uri\":\"file:///a\"}"));
  expect(k, REQUEST("9", "tools/call", "{\"name\":\"t\"}")); /* again */
  expect_nothing(k);
  assert_int_equal(k->connected.count, 1);
}

static void on_open(mcp_client *client, const mcp_json *granted,
                    void *userdata) {
  (void)client;
  (void)granted;
  (void)userdata;
  note(w.k, "open", "");
}

#define LISTEN(id)                                                             \
  REQUEST(id, "subscriptions/listen",                                          \
          "{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" META    \
          "}}")
#define WATCH(id)                                                              \
  REQUEST(id, "subscriptions/listen",                                          \
          "{\"notifications\":{\"resourceSubscriptions\":[\"x:a\"]},"          \
          "\"_meta\":{" META "}}")
#define TAG(id) "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define ACK(id, granted)                                                       \
  NOTE("notifications/subscriptions/acknowledged",                             \
       "{\"notifications\":{" granted "}," TAG(id) "}")

static void modern_listens_are_opened_again(void **state) {
  kit *k = *state;
  const mcp_listen filter = {.size = sizeof(mcp_listen), .tools = 1};
  dial_modern(k);
  ending *stream = new_ending(k);
  ending *e = new_ending(k);
  mcp_client_listen(k->client, &filter, NULL, on_open, on_done, stream, NULL);
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  mcp_client_call_tool(k->client, "t", NULL, NULL, call_again, k, NULL);
  hear(k, ACK("2", ""));
  hear(k, ACK("3", "\"resourceSubscriptions\":[\"x:a\"]"));
  assert_int_equal(e->count, 1);
  expect_log(k, "open \n");
  k->got[0] = '\0';
  restart(k);
  expect_log(k, "again MCP_OK\n");
  expect(k, LISTEN("5"));
  expect(k, WATCH("6"));
  expect(k,
         REQUEST("7", "tools/call", "{\"name\":\"t\",\"_meta\":{" META "}}"));
  hear(k, ACK("5", ""));
  hear(k, ACK("6", ""));
  expect_log(k, "");
  hear(k, NOTE("notifications/tools/list_changed", "{" TAG("5") "}"));
  hear(k, NOTE("notifications/resources/updated",
               "{\"uri\":\"x:a\"," TAG("6") "}"));
  expect_log(k, "changed tools\nupdated x:a\n");
  assert_int_equal(stream->count, 0);
}

static void a_listen_for_once_ends_with_the_old_server(void **state) {
  kit *k = *state;
  const mcp_listen filter = {.size = sizeof(mcp_listen), .tools = 1, .once = 1};
  dial_modern(k);
  ending *stream = new_ending(k);
  mcp_client_listen(k->client, &filter, NULL, on_open, on_done, stream, NULL);
  hear(k, ACK("2", ""));
  k->got[0] = '\0';
  restart(k);
  expect_nothing(k);
  assert_int_equal(stream->status, MCP_ERR_CLOSED);
}

static void an_unacknowledged_subscribe_survives(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  expect(k, WATCH("2"));
  restart(k);
  expect(k, WATCH("3"));
  assert_int_equal(e->count, 0);
  hear(k, ACK("3", "\"resourceSubscriptions\":[\"x:a\"]"));
  assert_int_equal(e->status, 0);
}

static void a_listen_that_cannot_be_reopened(void **state) {
  kit *k = *state;
  dial_modern(k);
  ending *e = new_ending(k);
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  turn(k);
  w.send_rc = MCP_ERR_LIMIT;
  restart(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
}

static void questions_of_the_old_server_are_void(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.on_sample = keep_question;
  dial_with(k, &options);
  hear(k, HELLO_LEGACY("1", "2025-11-25"));
  hear(k, REQUEST("1", "sampling/createMessage",
                  "{\"messages\":[],\"maxTokens\":5}"));
  k->got[0] = '\0';
  restart(k);
  k->got[0] = '\0';
  assert_int_equal(mcp_question_decline(k->question), MCP_ERR_GONE);
  expect_nothing(k);
}

/* --- requests that the old session has not acted on ---------------------- */

static void refuse(kit *k, uint64_t request) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the session has ended");
  w.transport.on_request_refused(&w.transport, request, &err);
  turn(k);
}

static void introduce_anew(kit *k, const char *initialize, const char *hello) {
  restart(k);
  expect(k, initialize);
  hear(k, hello);
  expect(k, INITIALIZED);
}

static void a_refused_request_is_sent_again_after_the_handshake(void **state) {
  kit *k = *state;
  dial_legacy(k);
  ending *e = call(k);
  expect(k, REQUEST("2", "tools/call", "{\"name\":\"t\"}"));
  refuse(k, 2);
  expect_nothing(k);
  introduce_anew(k, INITIALIZE("3", "2025-06-18"),
                 HELLO_LEGACY("3", "2025-06-18"));
  expect(k, REQUEST("4", "tools/call", "{\"name\":\"t\"}"));
  assert_int_equal(e->count, 0);
  hear(k, RESULT("4", "{\"content\":[]}"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

/* The program may free the method's name once the request has started. */
static void a_refused_custom_method_is_sent_again(void **state) {
  kit *k = *state;
  char method[] = "example/method";
  dial_legacy(k);
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_request(k->client, method, "{\"a\":1}", NULL,
                                      on_done, e, NULL),
                   0);
  memset(method, 'x', strlen(method));
  expect(k, REQUEST("2", "example/method", "{\"a\":1}"));
  refuse(k, 2);
  introduce_anew(k, INITIALIZE("3", "2025-06-18"),
                 HELLO_LEGACY("3", "2025-06-18"));
  expect(k, REQUEST("4", "example/method", "{\"a\":1}"));
}

static void each_refused_request_is_sent_again(void **state) {
  kit *k = *state;
  dial_legacy(k);
  call(k);
  call(k);
  call(k);
  call(k);
  turn(k);
  refuse(k, 5);
  refuse(k, 2);
  refuse(k, 4);
  k->got[0] = '\0';
  introduce_anew(k, INITIALIZE("6", "2025-06-18"),
                 HELLO_LEGACY("6", "2025-06-18"));
  expect(k, REQUEST("7", "tools/call", "{\"name\":\"t\"}"));
  expect(k, REQUEST("8", "tools/call", "{\"name\":\"t\"}"));
  expect(k, REQUEST("9", "tools/call", "{\"name\":\"t\"}"));
  expect_nothing(k);
}

static void a_request_that_is_refused_twice_fails(void **state) {
  kit *k = *state;
  dial_legacy(k);
  ending *e = call(k);
  refuse(k, 2);
  k->got[0] = '\0';
  introduce_anew(k, INITIALIZE("3", "2025-06-18"),
                 HELLO_LEGACY("3", "2025-06-18"));
  refuse(k, 4);
  restart(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_string_equal(e->message, "the session has ended");
}

/* It was not done, so a program may send it again. */
static void a_refused_request_ends_with_the_connection(void **state) {
  kit *k = *state;
  dial_legacy(k);
  ending *e = call(k);
  refuse(k, 2);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 0);
}

static void a_refused_request_may_be_cancelled(void **state) {
  kit *k = *state;
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  ending *e = new_ending(k);
  dial_legacy(k);
  mcp_client_list_tools(k->client, &options, on_done, e, NULL);
  turn(k);
  refuse(k, 2);
  k->got[0] = '\0';
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  turn(k);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  introduce_anew(k, INITIALIZE("3", "2025-06-18"),
                 HELLO_LEGACY("3", "2025-06-18"));
  expect_nothing(k);
}

/* A request with that limit is refused after before_ms, and ends once it has
 * waited wait_ms. */
static void expect_wait(kit *k, uint32_t timeout_ms, int before_ms,
                        int wait_ms) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .timeout_ms = timeout_ms};
  ending *e = new_ending(k);
  dial_legacy(k);
  mcp_client_list_tools(k->client, &options, on_done, e, NULL);
  turn(k);
  pass(k, before_ms);
  refuse(k, 2);
  pass(k, wait_ms - 1);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
}

static void a_refused_request_waits_as_long_as_for_an_answer(void **state) {
  expect_wait(*state, 50, 49, 50);
}

static void without_a_limit_a_refused_request_waits_a_minute(void **state) {
  expect_wait(*state, UINT32_MAX, 0, 60000);
}

/* The far side may have acted on it. */
static void a_request_that_fails_with_closed_is_not_sent_again(void **state) {
  kit *k = *state;
  mcp_error err;
  dial_legacy(k);
  ending *e = call(k);
  mcp_error_set(&err, MCP_ERR_CLOSED, "the stream broke");
  w.transport.on_request_failed(&w.transport, 2, &err);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_string_equal(e->message, "the stream broke");
}

static void a_refused_listen_is_opened_again_as_a_listen(void **state) {
  kit *k = *state;
  const mcp_listen filter = {.size = sizeof(mcp_listen), .tools = 1};
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .timeout_ms = 50};
  dial_modern(k);
  ending *stream = new_ending(k);
  mcp_client_listen(k->client, &filter, &options, on_open, on_done, stream,
                    NULL);
  turn(k);
  pass(k, 49);
  refuse(k, 2);
  k->got[0] = '\0';
  restart(k);
  assert_non_null(
      strstr(k->got, "\"id\":3,\"method\":\"subscriptions/listen\""));
  pass(k, 49);
  assert_int_equal(stream->count, 0);
  pass(k, 1); /* the acknowledgement's clock runs again */
  assert_int_equal(stream->count, 1);
  assert_int_equal(stream->status, MCP_ERR_TIMEOUT);
}

/* --- requests that begin during the next handshake ----------------------- */

static void a_request_waits_for_the_handshake_after_a_restart(void **state) {
  kit *k = *state;
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  ending *e = new_ending(k);
  dial_legacy(k);
  restart(k);
  expect(k, INITIALIZE("2", "2025-06-18"));
  assert_int_equal(mcp_client_list_tools(k->client, &options, on_done, e, NULL),
                   0);
  assert_int_equal(number, 3);
  expect_nothing(k);
  hear(k, HELLO_LEGACY("2", "2025-06-18"));
  expect(k, INITIALIZED);
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}");
  hear(k, RESULT("4", "{\"tools\":[]}"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

static void
a_request_that_waits_for_the_handshake_may_be_cancelled(void **state) {
  kit *k = *state;
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  ending *e = new_ending(k);
  dial_legacy(k);
  restart(k);
  mcp_client_list_tools(k->client, &options, on_done, e, NULL);
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  assert_int_equal(e->was_sent, 0);
}

static void requests_that_wait_for_the_handshake_have_a_limit(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.max_pending = 2;
  dial_with(k, &options);
  hear(k, HELLO_LEGACY("1", "2025-11-25"));
  restart(k);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL),
                     0);
  }
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL),
                   MCP_ERR_LIMIT);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 2);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

static void a_server_that_lost_a_capability_is_not_asked_again(void **state) {
  kit *k = *state;
  dial_legacy(k);
  ending *e = call(k);
  refuse(k, 2);
  k->got[0] = '\0';
  introduce_anew(k, INITIALIZE("3", "2025-06-18"),
                 RESULT("3", "{\"protocolVersion\":\"2025-06-18\","
                             "\"capabilities\":{},\"serverInfo\":"
                             "{\"name\":\"s\",\"version\":\"2\"}}"));
  expect_nothing(k);
  assert_int_equal(e->status, MCP_ERR_UNSUPPORTED);
}

/* The old session's cursor would not be known. */
static void a_second_page_that_is_refused_fails(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_legacy(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  hear(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"c\"}"));
  refuse(k, 3);
  restart(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

/* --- what a transport is told ------------------------------------------- */

static void versions_are_told(void **state) {
  kit *k = *state;
  size_t count = 0;
  const char *next = w.versions;
  dial_modern(k);
  while (mcp_revision_name(count) != NULL) {
    count++;
  }
  while (count-- > 0) {
    const char *name = mcp_revision_name(count);
    assert_memory_equal(next, name, strlen(name));
    next += strlen(name) + 1;
  }
  assert_string_equal(next, "");
  assert_string_equal(w.version, NEWEST_REVISION);
}

static void only_wanted_versions_are_told(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  dial_with(k, &options);
  assert_string_equal(w.versions,
                      "2025-11-25 2025-06-18 2025-03-26 2024-11-05 ");
  hear(k, HELLO_LEGACY("1", "2025-06-18"));
  assert_string_equal(w.version, "2025-06-18");
}

static void a_pinned_version_is_told_alone(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.revision = "2025-03-26";
  dial_with(k, &options);
  assert_string_equal(w.versions, "2025-03-26 ");
}

static void a_stream_of_its_own_is_aborted(void **state) {
  kit *k = *state;
  dial_modern(k);
  w.transport.flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  ending *e = call(k);
  turn(k);
  k->got[0] = '\0';
  assert_int_equal(mcp_client_cancel(k->client, 2, NULL), 0);
  expect_nothing(k);
  assert_int_equal(w.aborted, 2);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
}

static void log_trace(int is_sent, const char *text, size_t len,
                      void *userdata) {
  char shown[46];
  snprintf(shown, sizeof(shown), "%.*s", (int)len, text);
  note(userdata, is_sent ? "-->" : "<--", shown);
}

/* Not the client's transport alone: what a freed client leaves to end may still
 * speak, and the program's data is gone. */
static void the_wire_is_traced(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.on_trace = log_trace;
  dial_with(k, &options);
  w.closes_at_once = 0;
  hear(k, NOTE("x", "{}"));
  expect_log(k, "--> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"\n"
                "<-- {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}}\n"
                "other x {}\n");
  mcp_client_free(k->client);
  k->client = NULL;
  hear(k, NOTE("x", "{}"));
  expect_log(k, "");
  w.transport.on_close(&w.transport, NULL);
  assert_int_equal(w.released, 1);
}

/* Ends the client when it sees this, in the middle of sending it. */
static const char *trigger;
static int frees_on_trigger;

static void end_on_trigger(int is_sent, const char *text, size_t len,
                           void *userdata) {
  kit *k = userdata;
  char shown[512];
  snprintf(shown, sizeof(shown), "%.*s", (int)len, text);
  if (!is_sent || trigger == NULL || strstr(shown, trigger) == NULL) {
    return;
  }
  trigger = NULL;
  if (frees_on_trigger) {
    mcp_client_free(k->client);
    k->client = NULL;
  } else {
    mcp_client_close(k->client);
  }
}

static mcp_client_options triggered_options(kit *k, const char *what,
                                            int frees) {
  mcp_client_options options = options_of(k);
  trigger = what;
  frees_on_trigger = frees;
  options.on_trace = end_on_trigger;
  return options;
}

static void dial_triggered(kit *k, const char *what, int frees) {
  mcp_client_options options = triggered_options(k, what, frees);
  options.policy = MCP_POLICY_LEGACY;
  options.ping_interval_ms = 1000;
  dial_with(k, &options);
  hear(k, HELLO_LEGACY("1", "2025-11-25"));
}

static void a_trace_may_close_while_subscriptions_are_renewed(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_triggered(k, NULL, 0);
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  mcp_client_subscribe(k->client, "x:b", NULL, on_done, e, NULL);
  hear(k, RESULT("2", "{}"));
  hear(k, RESULT("3", "{}"));
  assert_int_equal(e->count, 2);
  trigger = "x:a";
  restart(k);
  hear(k, HELLO_LEGACY("4", "2025-11-25"));
  assert_null(trigger);
  expect_log(k, "closed MCP_OK\n");
}

static void a_trace_may_close_while_a_watch_is_closed(void **state) {
  kit *k = *state;
  mcp_client_options options = triggered_options(k, NULL, 0);
  ending *e = new_ending(k);
  dial_with(k, &options);
  hear(k, HELLO_MODERN("1"));
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  hear(k, ACK("2", "\"resourceSubscriptions\":[\"x:a\"]"));
  mcp_client_subscribe(k->client, "x:b", NULL, on_done, e, NULL);
  trigger = "notifications/cancelled";
  hear(k, ACK("3", "\"resourceSubscriptions\":[\"x:a\",\"x:b\"]"));
  assert_null(trigger);
  assert_int_equal(e->count, 2);
  expect_log(k, "closed MCP_OK\n");
}

static void a_trace_may_free_while_a_ping_is_given_up(void **state) {
  kit *k = *state;
  dial_triggered(k, "notifications/cancelled", 1);
  pass(k, 1000);
  pass(k, 60000);
  assert_null(trigger);
  assert_null(k->client);
}

static void a_trace_may_free_while_a_level_is_set(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_triggered(k, "logging/setLevel", 1);
  mcp_client_set_log_level(k->client, MCP_LOG_ERROR, NULL, on_done, e, NULL);
  assert_null(k->client);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

/* --- what can go wrong -------------------------------------------------- */

static void a_transport_that_does_not_start(void **state) {
  kit *k = *state;
  wire_init(k);
  w.start_rc = MCP_ERR_IO;
  assert_int_equal(dial(k), MCP_ERR_IO);
  assert_int_equal(w.released, 1);
  turn(k);
  assert_int_equal(k->connected.count, 0);
  wire_init(k);
  assert_int_equal(dial(k), 0);
}

static void a_handshake_that_cannot_be_sent(void **state) {
  kit *k = *state;
  wire_init(k);
  w.send_rc = MCP_ERR_LIMIT;
  assert_int_equal(dial(k), 0);
  assert_int_equal(k->connected.count, 0);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_LIMIT);
  assert_int_equal(w.released, 1);
}

static void an_answer_that_cannot_be_sent(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.on_sample = keep_question;
  mcp_client_set_roots(k->client, "[]", NULL);
  dial_with(k, &options);
  hear(k, HELLO_LEGACY("1", "2025-11-25"));
  hear(k, REQUEST("7", "sampling/createMessage",
                  "{\"messages\":[],\"maxTokens\":5}"));
  k->got[0] = '\0';
  w.send_rc = MCP_ERR_LIMIT;
#define UNSENT                                                                 \
  "error a request of the server's cannot be answered: limit exceeded\n"
  hear(k, REQUEST("8", "ping", "{}"));
  expect_log(k, UNSENT);
  hear(k, REQUEST("9", "roots/list", "{}"));
  expect_log(k, UNSENT);
  hear(k, REQUEST("10", "none/such", "{}"));
  expect_log(k, UNSENT);
  assert_int_equal(mcp_question_fail(k->question, 1, "x"), MCP_ERR_LIMIT);
  expect_nothing(k);
}

static void a_send_that_fails_fails_the_start(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  w.send_rc = MCP_ERR_LIMIT;
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL),
      MCP_ERR_LIMIT);
  w.send_rc = 0;
  turn(k);
  assert_int_equal(e->count, 0);
  call(k);
  turn(k);
  assert_non_null(strstr(k->got, "\"id\":3"));
}

static void a_second_message_that_cannot_be_sent(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  w.send_rc = MCP_ERR_LIMIT;
  hear(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"x\"}"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
}

/* The call ends with what the server said, and does not wait for the list. */
static void a_list_for_headers_that_cannot_be_sent(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  wire_init(k);
  w.transport.flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  assert_int_equal(kit_remake(k, &options, NULL), 0);
  assert_int_equal(dial(k), 0);
  hear(k, HELLO_MODERN("1"));
  ending *e = call(k);
  w.send_rc = MCP_ERR_LIMIT;
  hear(k, ERROR("2", "-32020", ""));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_REMOTE);
}

static void a_wire_that_breaks_while_sending(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  call(k);
  w.closes_on_send = 1;
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL), 0);
  assert_int_equal(e->count, 0);
  assert_int_equal(k->endings[1].count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 0);
  assert_int_equal(k->endings[1].was_sent, 1);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
  assert_int_equal(w.released, 1);
}

static void a_watch_that_breaks_the_wire(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  w.closes_on_send = 1;
  assert_int_equal(
      mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL), 0);
  assert_int_equal(e->count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

static void an_answer_inside_send_completes_later(void **state) {
  kit *k = *state;
  dial_modern(k);
  w.answer_on_send = RESULT("2", "{\"content\":[]}");
  ending *e = call(k);
  assert_int_equal(e->count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

static void a_hello_inside_start_completes_later(void **state) {
  kit *k = *state;
  wire_init(k);
  w.answer_on_send = HELLO_MODERN("1");
  assert_int_equal(dial(k), 0);
  assert_int_equal(k->connected.count, 0);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
}

static void a_slow_end_is_waited_for(void **state) {
  kit *k = *state;
  dial_modern(k);
  w.closes_at_once = 0;
  ending *e = call(k);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1); /* at once */
  expect_log(k, "");
  assert_int_equal(dial(k), MCP_ERR_BUSY);
  assert_int_equal(w.released, 1); /* that of the second attempt */
  w.transport.on_close(&w.transport, NULL);
  expect_log(k, "closed MCP_OK\n");
}

static void a_freed_client_leaves_the_transport_to_end(void **state) {
  kit *k = *state;
  dial_modern(k);
  w.closes_at_once = 0;
  ending *e = call(k);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(e->count, 1); /* before the free returns */
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(w.closes, 1);
  assert_int_equal(w.released, 0);
  w.transport.on_message(&w.transport, "{}", 2);
  w.transport.on_close(&w.transport, NULL);
  assert_int_equal(w.released, 1);
  expect_log(k, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(nothing_is_said_before_it_is_open),
      kit_test(a_dialect_waits_for_it),
      kit_test(why_it_does_not_open_is_told),
      kit_test(it_has_the_time_for_connecting),
      kit_test(it_may_be_closed_before),
      kit_test(a_server_that_dies_of_the_probe_is_legacy),
      kit_test(a_modern_client_probes_again),
      kit_test(a_server_that_dies_of_initialize),
      kit_test(a_legacy_server_is_introduced_anew),
      kit_test(modern_listens_are_opened_again),
      kit_test(a_listen_for_once_ends_with_the_old_server),
      kit_test(an_unacknowledged_subscribe_survives),
      kit_test(a_listen_that_cannot_be_reopened),
      kit_test(questions_of_the_old_server_are_void),
      kit_test(a_refused_request_is_sent_again_after_the_handshake),
      kit_test(a_refused_custom_method_is_sent_again),
      kit_test(each_refused_request_is_sent_again),
      kit_test(a_request_that_is_refused_twice_fails),
      kit_test(a_refused_request_ends_with_the_connection),
      kit_test(a_refused_request_may_be_cancelled),
      kit_test(a_refused_request_waits_as_long_as_for_an_answer),
      kit_test(without_a_limit_a_refused_request_waits_a_minute),
      kit_test(a_request_that_fails_with_closed_is_not_sent_again),
      kit_test(a_refused_listen_is_opened_again_as_a_listen),
      kit_test(a_request_waits_for_the_handshake_after_a_restart),
      kit_test(a_request_that_waits_for_the_handshake_may_be_cancelled),
      kit_test(requests_that_wait_for_the_handshake_have_a_limit),
      kit_test(a_server_that_lost_a_capability_is_not_asked_again),
      kit_test(a_second_page_that_is_refused_fails),
      kit_test(versions_are_told),
      kit_test(only_wanted_versions_are_told),
      kit_test(a_pinned_version_is_told_alone),
      kit_test(a_stream_of_its_own_is_aborted),
      kit_test(the_wire_is_traced),
      kit_test(a_trace_may_close_while_subscriptions_are_renewed),
      kit_test(a_trace_may_close_while_a_watch_is_closed),
      kit_test(a_trace_may_free_while_a_ping_is_given_up),
      kit_test(a_trace_may_free_while_a_level_is_set),
      kit_test(a_transport_that_does_not_start),
      kit_test(a_handshake_that_cannot_be_sent),
      kit_test(an_answer_that_cannot_be_sent),
      kit_test(a_send_that_fails_fails_the_start),
      kit_test(a_second_message_that_cannot_be_sent),
      kit_test(a_list_for_headers_that_cannot_be_sent),
      kit_test(a_wire_that_breaks_while_sending),
      kit_test(a_watch_that_breaks_the_wire),
      kit_test(an_answer_inside_send_completes_later),
      kit_test(a_hello_inside_start_completes_later),
      kit_test(a_slow_end_is_waited_for),
      kit_test(a_freed_client_leaves_the_transport_to_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
