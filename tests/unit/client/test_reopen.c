/* SPDX-License-Identifier: MIT */
/* Streams of notifications that break are opened again. */
#include "unit/client/kit.h"

#include "client/client.h"

#define LISTEN(id)                                                             \
  REQUEST(id, "subscriptions/listen",                                          \
          "{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" META    \
          "}}")
#define WATCH(id, uris)                                                        \
  REQUEST(id, "subscriptions/listen",                                          \
          "{\"notifications\":{\"resourceSubscriptions\":[" uris               \
          "]},\"_meta\":{" META "}}")
#define TAG(id) "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define ACK(id, granted)                                                       \
  NOTE("notifications/subscriptions/acknowledged",                             \
       "{\"notifications\":{" granted "}," TAG(id) "}")
#define WATCH_ACK(id, uris) ACK(id, "\"resourceSubscriptions\":[" uris "]")
#define CHANGED(id) NOTE("notifications/tools/list_changed", "{" TAG(id) "}")
#define CANCELLED(id) NOTE("notifications/cancelled", "{\"requestId\":" id "}")
#define ENDED(id) RESULT(id, "{\"resultType\":\"complete\"," TAG(id) "}")
#define AGAIN(ms, why)                                                         \
  "error a listen stream is opened again in " ms " ms: " why "\n"

enum { LONG = 60000 };

/* The far side says of one request, as HTTP does, that its connection broke, or
 * what its status was. */
static void break_it(kit *k, uint64_t id, int code) {
  mcp_transport *near = k->client->wire.transport;
  mcp_error err;
  mcp_error_set(&err, code, "broken");
  near->on_request_failed(near, id, &err);
  turn(k);
}

static uint64_t number;

static ending *listen(kit *k, uint32_t once) {
  const mcp_listen filter = {
      .size = sizeof(mcp_listen), .tools = 1, .once = once};
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .request = &number};
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_listen(k->client, &filter, &options, NULL, on_done, e, NULL),
      0);
  expect(k, LISTEN("2"));
  return e;
}

static ending *listen_granted(kit *k) {
  connect_modern(k);
  ending *e = listen(k, 0);
  say(k, ACK("2", "\"toolsListChanged\":true"));
  return e;
}

static ending *subscribe(kit *k, const char *uri) {
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_subscribe(k->client, uri, NULL, on_done, e, NULL),
                   0);
  return e;
}

/* --- a listen ------------------------------------------------------------- */

static void a_broken_one_is_opened_after_a_pause(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  expect_log(k, AGAIN("1000", "broken"));
  pass(k, 999);
  expect_nothing(k);
  pass(k, 1);
  expect(k, LISTEN("3"));
  say(k, CHANGED("2"));
  expect_log(k, "");
  say(k, ACK("3", "\"toolsListChanged\":true"));
  say(k, CHANGED("3"));
  expect_log(k, "changed tools\n");
  assert_int_equal(e->count, 0);
}

static void the_server_may_end_it_either_way(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  say(k, ENDED("2"));
  say(k, CANCELLED("2"));
  expect_log(k, AGAIN("1000", "the server ended it"));
  pass(k, 1000);
  expect(k, LISTEN("3"));
  say(k, ACK("3", ""));
  pass(k, LONG);
  say(k, CANCELLED("3"));
  expect_log(k, AGAIN("1000", "the server ended it"));
  pass(k, 1000);
  expect(k, LISTEN("4"));
  assert_int_equal(e->count, 0);
}

static void once_is_once(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *e = listen(k, 1);
  say(k, ACK("2", ""));
  break_it(k, 2, MCP_ERR_IO);
  assert_int_equal(e->status, MCP_ERR_IO);
  pass(k, LONG);
  expect_nothing(k);
  expect_log(k, "");
}

static void what_was_never_granted_fails(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *e = listen(k, 0);
  break_it(k, 2, MCP_ERR_IO);
  assert_int_equal(e->status, MCP_ERR_IO);
  pass(k, LONG);
  expect_nothing(k);
}

static void a_refusal_is_final(void **state) {
  static const int codes[] = {MCP_ERR_REFUSED, MCP_ERR_PROTOCOL, MCP_ERR_LIMIT};
  for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
    kit *k = *state;
    ending *e = listen_granted(k);
    break_it(k, 2, MCP_ERR_IO);
    pass(k, 1000);
    expect(k, LISTEN("3"));
    break_it(k, 3, codes[i]);
    assert_int_equal(e->count, 1);
    assert_int_equal(e->status, codes[i]);
    pass(k, LONG);
    expect_nothing(k);
    kit_deinit(k);
    assert_int_equal(kit_init(k, NULL), 0);
  }
}

static void the_servers_own_refusal_is_told(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  pass(k, 1000);
  say(k, ERROR("3", "-32601", ""));
  assert_int_equal(e->status, MCP_ERR_REMOTE);
  assert_int_equal(e->remote_code, -32601);
}

static void pauses_grow_and_have_an_end(void **state) {
  static const int64_t pauses_ms[] = {1000, 1500,  2250,  3375,  5062,
                                      7593, 11389, 17083, 25624, 30000};
  kit *k = *state;
  ending *e = listen_granted(k);
  for (uint64_t i = 0; i < 10; i++) {
    break_it(k, i + 2, MCP_ERR_IO);
    assert_int_equal(e->count, 0);
    k->got[0] = '\0';
    pass(k, pauses_ms[i] - 1);
    expect_nothing(k);
    pass(k, 1);
    assert_string_not_equal(k->got, "");
  }
  break_it(k, 12, MCP_ERR_IO);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_IO);
}

static void tries_have_a_limit_of_the_programs(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.max_reopens = 1;
  connect_modern_as(k, &options, "{}");
  ending *e = listen(k, 0);
  say(k, ACK("2", ""));
  break_it(k, 2, MCP_ERR_IO);
  pass(k, 1000);
  break_it(k, 3, MCP_ERR_IO);
  assert_int_equal(e->status, MCP_ERR_IO);
}

/* A server that grants it and ends it at once is not asked without end; one
 * that stood for a while is. */
static void only_one_that_stood_begins_a_new_row(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.max_reopens = 2;
  connect_modern_as(k, &options, "{}");
  ending *e = listen(k, 0);
  say(k, ACK("2", ""));
  break_it(k, 2, MCP_ERR_IO);
  pass(k, 1000);
  say(k, ACK("3", ""));
  break_it(k, 3, MCP_ERR_IO);
  pass(k, 1500);
  say(k, ACK("4", ""));
  pass(k, 5000);
  break_it(k, 4, MCP_ERR_IO);
  pass(k, 1000);
  say(k, ACK("5", ""));
  break_it(k, 5, MCP_ERR_IO);
  pass(k, 1500);
  say(k, ACK("6", ""));
  assert_int_equal(e->count, 0);
  break_it(k, 6, MCP_ERR_IO);
  assert_int_equal(e->status, MCP_ERR_IO);
}

static void silence_is_waited_out_too(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  pass(k, 1000);
  expect(k, LISTEN("3"));
  k->log[0] = '\0';
  pass(k, 60000);
  expect(k, NOTE("notifications/cancelled",
                 "{\"requestId\":3,\"reason\":\"not acknowledged in time\"}"));
  expect_log(k, AGAIN("1500", "the listen was not acknowledged in time"));
  pass(k, 1500);
  expect(k, LISTEN("4"));
  assert_int_equal(e->count, 0);
}

static void a_restart_ends_the_pause(void **state) {
  kit *k = *state;
  mcp_transport *near;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  near = k->client->wire.transport;
  near->on_restart(near);
  expect(k, LISTEN("3"));
  pass(k, 1000); /* and no second one comes of the pause */
  expect_nothing(k);
  assert_int_equal(e->count, 0);
}

static void it_is_cancelled_while_it_waits(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  pass(k, LONG);
  expect_nothing(k);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
}

static void closing_ends_the_pause(void **state) {
  kit *k = *state;
  ending *e = listen_granted(k);
  break_it(k, 2, MCP_ERR_IO);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(mcp_loop_next_deadline(k->loop), INT64_MAX);
}

static void free_it(mcp_client *client, const mcp_error *err, void *userdata) {
  kit *k = userdata;
  (void)err;
  k->client = NULL;
  mcp_client_free(client);
}

static void a_client_may_be_freed_when_it_is_told(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_error = free_it;
  connect_modern_as(k, &options, "{}");
  ending *e = listen(k, 0);
  say(k, ACK("2", ""));
  break_it(k, 2, MCP_ERR_IO);
  assert_null(k->client);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

/* --- subscriptions -------------------------------------------------------- */

static void subscriptions_come_back(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *a = subscribe(k, "x:a");
  expect(k, WATCH("2", "\"x:a\""));
  say(k, WATCH_ACK("2", "\"x:a\""));
  say(k, ENDED("2"));
  expect_log(k, AGAIN("1000", "the server ended it"));
  pass(k, 1000);
  expect(k, WATCH("3", "\"x:a\""));
  say(k, WATCH_ACK("3", "\"x:a\""));
  say(k, NOTE("notifications/resources/updated",
              "{\"uri\":\"x:a\"," TAG("3") "}"));
  expect_log(k, "updated x:a\n");
  assert_int_equal(a->count, 1);
}

static void the_end_of_subscriptions_is_told(void **state) {
  kit *k = *state;
  connect_modern(k);
  subscribe(k, "x:a");
  turn(k);
  say(k, WATCH_ACK("2", "\"x:a\""));
  break_it(k, 2, MCP_ERR_IO);
  pass(k, 1000);
  k->log[0] = '\0';
  break_it(k, 3, MCP_ERR_REFUSED);
  expect_log(k, "error the subscriptions have ended: broken\n");
  k->got[0] = '\0';
  subscribe(k, "x:b");
  expect(k, WATCH("4", "\"x:a\",\"x:b\""));
}

static void a_newer_watch_ends_the_pause_of_an_older_one(void **state) {
  kit *k = *state;
  connect_modern(k);
  subscribe(k, "x:a");
  turn(k);
  say(k, WATCH_ACK("2", "\"x:a\""));
  break_it(k, 2, MCP_ERR_IO);
  k->got[0] = '\0';
  ending *b = subscribe(k, "x:b");
  expect(k, WATCH("3", "\"x:a\",\"x:b\""));
  say(k, WATCH_ACK("3", "\"x:a\",\"x:b\""));
  assert_int_equal(b->status, 0);
  pass(k, LONG);
  expect_nothing(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_broken_one_is_opened_after_a_pause),
      kit_test(the_server_may_end_it_either_way),
      kit_test(once_is_once),
      kit_test(what_was_never_granted_fails),
      kit_test(a_refusal_is_final),
      kit_test(the_servers_own_refusal_is_told),
      kit_test(pauses_grow_and_have_an_end),
      kit_test(tries_have_a_limit_of_the_programs),
      kit_test(only_one_that_stood_begins_a_new_row),
      kit_test(silence_is_waited_out_too),
      kit_test(a_restart_ends_the_pause),
      kit_test(it_is_cancelled_while_it_waits),
      kit_test(closing_ends_the_pause),
      kit_test(a_client_may_be_freed_when_it_is_told),
      kit_test(subscriptions_come_back),
      kit_test(the_end_of_subscriptions_is_told),
      kit_test(a_newer_watch_ends_the_pause_of_an_older_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
