/* SPDX-License-Identifier: MIT */
/* Streams of notifications, and subscriptions in both eras. */
#include "unit/client/kit.h"

#define LISTEN(id, filter)                                                     \
  REQUEST(id, "subscriptions/listen",                                          \
          "{\"notifications\":{" filter "},\"_meta\":{" META "}}")
#define TAG(id) "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}"
#define ACK(id, granted)                                                       \
  NOTE("notifications/subscriptions/acknowledged",                             \
       "{\"notifications\":{" granted "}," TAG(id) "}")
#define WATCH(id, uris) LISTEN(id, "\"resourceSubscriptions\":[" uris "]")
#define WATCH_ACK(id, uris) ACK(id, "\"resourceSubscriptions\":[" uris "]")
#define UPDATED(id, uri)                                                       \
  NOTE("notifications/resources/updated", "{\"uri\":\"" uri "\"," TAG(id) "}")
#define CANCELLED(id) NOTE("notifications/cancelled", "{\"requestId\":" id "}")

static ending stream; /* of the test's listen */
static kit *kit_of_test;

static void on_open(mcp_client *client, const mcp_json *granted,
                    void *userdata) {
  char text[256];
  (void)client;
  assert_ptr_equal(userdata, &stream);
  put_json(granted, text, sizeof(text));
  note(kit_of_test, "open", text);
}

static uint64_t listen_with(kit *k, const mcp_listen *filter) {
  uint64_t number = 0;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &number};
  kit_of_test = k;
  memset(&stream, 0, sizeof(stream));
  assert_int_equal(mcp_client_listen(k->client, filter, &options, on_open,
                                     on_done, &stream, NULL),
                   0);
  return number;
}

static uint64_t listen_to_tools(kit *k) {
  const mcp_listen filter = {.size = sizeof(mcp_listen), .tools = 1, .once = 1};
  uint64_t number = listen_with(k, &filter);
  expect(k, LISTEN("2", "\"toolsListChanged\":true"));
  return number;
}

/* --- the program's listen ----------------------------------------------- */

static void a_listen_is_granted_and_told(void **state) {
  kit *k = *state;
  const char *const uris[] = {"file:///a", "file:///\"b\"", NULL};
  const mcp_listen filter = {.size = sizeof(mcp_listen),
                             .tools = 1,
                             .prompts = 1,
                             .resources = 1,
                             .once = 1,
                             .uris = uris,
                             .more = "\"taskIds\": [ \"t\" ]"};
  connect_modern(k);
  listen_with(k, &filter);
  expect(k, LISTEN("2", "\"toolsListChanged\":true,\"promptsListChanged\":true,"
                        "\"resourcesListChanged\":true,"
                        "\"resourceSubscriptions\":[\"file:///a\","
                        "\"file:///\\\"b\\\"\"],\"taskIds\":[\"t\"]"));
  say(k, ACK("2", "\"toolsListChanged\":true"));
  expect_log(k, "open {\"toolsListChanged\":true}\n");
  say(k, NOTE("notifications/tools/list_changed", "{" TAG("2") "}"));
  say(k, NOTE("notifications/prompts/list_changed", "{" TAG("2") "}"));
  say(k, NOTE("notifications/resources/list_changed", "{" TAG("2") "}"));
  say(k, UPDATED("2", "file:///a"));
  expect_log(k, "changed tools\nchanged prompts\nchanged resources\n"
                "updated file:///a\n");
  pass(k, 100000000); /* a stream has no time limit */
  assert_int_equal(stream.count, 0);
  say(k, RESULT("2", "{\"resultType\":\"complete\"," TAG("2") "}"));
  assert_int_equal(stream.count, 1);
  assert_int_equal(stream.status, 0);
}

static void other_subscriptions_are_not_ours(void **state) {
  kit *k = *state;
  connect_modern(k);
  listen_to_tools(k);
  say(k, ACK("3", ""));
  say(k, ACK("\"2\"", ""));
  expect_log(k, "");
  say(k, ACK("2", ""));
  say(k, ACK("2", ""));
  expect_log(k, "open {}\n");
  say(k, NOTE("notifications/tools/list_changed", "{" TAG("3") "}"));
  say(k, NOTE("notifications/tools/list_changed", "{" TAG("\"2\"") "}"));
  expect_log(k, "");
  say(k, NOTE("notifications/tools/list_changed", "{" TAG("2") "}"));
  say(k, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
         "list_changed\"}");
  expect_log(k, "changed tools\nchanged tools\n");
}

static void a_listen_may_be_refused(void **state) {
  kit *k = *state;
  connect_modern(k);
  listen_to_tools(k);
  say(k, ERROR("2", "-32601", ""));
  assert_int_equal(stream.status, MCP_ERR_REMOTE);
}

static void an_acknowledgement_has_a_time_limit(void **state) {
  kit *k = *state;
  connect_modern(k);
  listen_to_tools(k);
  pass(k, 60000);
  assert_int_equal(stream.status, MCP_ERR_TIMEOUT);
  expect(k, NOTE("notifications/cancelled",
                 "{\"requestId\":2,\"reason\":\"not acknowledged in time\"}"));
}

static void a_listen_is_cancelled(void **state) {
  kit *k = *state;
  connect_modern(k);
  uint64_t number = listen_to_tools(k);
  say(k, ACK("2", ""));
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  expect(k, CANCELLED("2"));
  assert_int_equal(stream.status, MCP_ERR_CANCELLED);
  k->log[0] = '\0';
  say(k, NOTE("notifications/tools/list_changed", "{" TAG("2") "}"));
  expect_log(k, "");
}

static void the_server_may_end_it_by_a_notification(void **state) {
  kit *k = *state;
  connect_modern(k);
  listen_to_tools(k);
  say(k, ACK("2", ""));
  say(k,
      NOTE("notifications/cancelled", "{\"requestId\":2,\"reason\":\"bye\"}"));
  assert_int_equal(stream.count, 1);
  assert_int_equal(stream.status, MCP_ERR_CANCELLED);
}

static void closing_ends_a_listen(void **state) {
  kit *k = *state;
  connect_modern(k);
  listen_to_tools(k);
  k->far->close(k->far);
  turn(k);
  assert_int_equal(stream.count, 1);
  assert_int_equal(stream.status, MCP_ERR_CLOSED);
  assert_int_equal(stream.was_sent, 1);
}

static void wrong_listens_are_refused(void **state) {
  kit *k = *state;
  const char *const uris[] = {"\xff", NULL};
  mcp_listen filter = {.size = 0};
  connect_modern(k);
  assert_int_equal(
      mcp_client_listen(k->client, NULL, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  filter = (mcp_listen){.size = sizeof(mcp_listen), .uris = uris};
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  filter = (mcp_listen){.size = sizeof(mcp_listen), .more = "\"x\""};
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  expect_nothing(k);
  assert_int_equal(mcp_loop_next_deadline(k->loop), INT64_MAX);
}

static void legacy_has_no_listen(void **state) {
  kit *k = *state;
  const mcp_listen filter = {.size = sizeof(mcp_listen), .tools = 1};
  connect_legacy(k, "2025-11-25");
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_UNSUPPORTED);
}

/* --- subscriptions, modern ---------------------------------------------- */

static ending *subscribe(kit *k, const char *uri) {
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_subscribe(k->client, uri, NULL, on_done, e, NULL),
                   0);
  return e;
}

static ending *unsubscribe(kit *k, const char *uri) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_unsubscribe(k->client, uri, NULL, on_done, e, NULL), 0);
  return e;
}

static void one_watch_with_all_uris(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *a = subscribe(k, "file:///a");
  expect(k, WATCH("2", "\"file:///a\""));
  say(k, WATCH_ACK("2", "\"file:///a\""));
  expect_nothing(k);
  assert_int_equal(a->count, 1);
  assert_int_equal(a->status, 0);
  ending *b = subscribe(k, "file:///b");
  expect(k, WATCH("3", "\"file:///a\",\"file:///b\""));
  /* The old one serves until the new one is acknowledged. */
  say(k, UPDATED("2", "file:///a"));
  expect_log(k, "updated file:///a\n");
  assert_int_equal(b->count, 0);
  say(k, WATCH_ACK("3", "\"file:///a\",\"file:///b\""));
  expect(k, CANCELLED("2"));
  assert_int_equal(b->status, 0);
  say(k, UPDATED("2", "file:///a"));
  say(k, UPDATED("3", "file:///a"));
  expect_log(k, "updated file:///a\n");
  unsubscribe(k, "file:///a");
  expect(k, WATCH("4", "\"file:///b\""));
  say(k, WATCH_ACK("4", "\"file:///b\""));
  expect(k, CANCELLED("3"));
  ending *c = unsubscribe(k, "file:///b");
  expect(k, CANCELLED("4"));
  expect_nothing(k);
  assert_int_equal(c->count, 1);
  assert_int_equal(c->status, 0);
  ending *d = unsubscribe(k, "file:///b");
  expect_nothing(k);
  assert_int_equal(d->status, 0);
}

static void a_later_acknowledgement_serves_earlier_ones(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *a = subscribe(k, "file:///a");
  ending *b = subscribe(k, "file:///b");
  expect(k, WATCH("2", "\"file:///a\""));
  expect(k, WATCH("3", "\"file:///a\",\"file:///b\""));
  say(k, WATCH_ACK("3", "\"file:///b\",\"file:///a\""));
  expect(k, CANCELLED("2"));
  assert_int_equal(a->status, 0);
  assert_int_equal(a->count, 1);
  assert_int_equal(b->count, 1);
}

static void what_is_not_granted_is_told(void **state) {
  kit *k = *state;
  connect_modern(k);
  subscribe(k, "file:///a");
  turn(k);
  say(k, WATCH_ACK("2", "\"file:///a\""));
  ending *b = subscribe(k, "file:///b");
  turn(k);
  say(k, WATCH_ACK("3", "\"file:///a\""));
  assert_int_equal(b->status, MCP_ERR_UNSUPPORTED);
  k->got[0] = '\0';
  subscribe(k, "file:///c");
  expect(k, WATCH("4", "\"file:///a\",\"file:///c\""));
}

static void a_refused_watch_leaves_the_old_one(void **state) {
  kit *k = *state;
  connect_modern(k);
  subscribe(k, "file:///a");
  turn(k);
  say(k, WATCH_ACK("2", "\"file:///a\""));
  k->got[0] = '\0';
  ending *b = subscribe(k, "file:///b");
  turn(k);
  k->got[0] = '\0';
  say(k, ERROR("3", "-32603", ""));
  assert_int_equal(b->count, 1);
  assert_int_equal(b->status, MCP_ERR_REMOTE);
  assert_int_equal(b->remote_code, -32603);
  expect_nothing(k);
  say(k, UPDATED("2", "file:///a"));
  expect_log(k, "updated file:///a\n");
  ending *c = subscribe(k, "file:///c");
  expect(k, WATCH("4", "\"file:///a\",\"file:///c\""));
  pass(k, 60000);
  assert_int_equal(c->count, 1);
  assert_int_equal(c->status, MCP_ERR_TIMEOUT);
}

static void a_subscription_is_cancelled(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  uint64_t number = 0;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &number};
  connect_modern(k);
  assert_int_equal(
      mcp_client_subscribe(k->client, "file:///a", &options, on_done, e, NULL),
      0);
  turn(k);
  assert_int_equal(number, 2);
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  say(k, WATCH_ACK("2", "\"file:///a\""));
  assert_int_equal(e->count, 1);
  /* The watch itself is not the program's to cancel. */
  assert_int_equal(mcp_client_cancel(k->client, number, NULL),
                   MCP_ERR_NOT_FOUND);
}

static void a_server_without_subscriptions(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, RESULT("1", "{\"supportedVersions\":[" MODERN_NAMES "],"
                     "\"capabilities\":{\"resources\":{}}}"));
  ending *e = subscribe(k, "file:///a");
  assert_int_equal(e->count, 0);
  expect_nothing(k);
  assert_int_equal(e->status, MCP_ERR_UNSUPPORTED);
}

static void subscriptions_end_with_the_connection(void **state) {
  kit *k = *state;
  connect_modern(k);
  subscribe(k, "file:///a");
  turn(k);
  say(k, WATCH_ACK("2", "\"file:///a\""));
  ending *b = subscribe(k, "file:///b");
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(b->count, 1);
  assert_int_equal(b->status, MCP_ERR_CLOSED);
}

/* --- subscriptions, legacy ---------------------------------------------- */

static void legacy_subscribes_by_request(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-06-18");
  ending *a = subscribe(k, "file:///a");
  expect(k, REQUEST("2", "resources/subscribe", "{\"uri\":\"file:///a\"}"));
  say(k, RESULT("2", "{}"));
  assert_int_equal(a->status, 0);
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"file:///a/b\"}"));
  expect_log(k, "updated file:///a/b\n");
  ending *b = unsubscribe(k, "file:///a");
  expect(k, REQUEST("3", "resources/unsubscribe", "{\"uri\":\"file:///a\"}"));
  say(k, RESULT("3", "{}"));
  assert_int_equal(b->status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_listen_is_granted_and_told),
      kit_test(other_subscriptions_are_not_ours),
      kit_test(a_listen_may_be_refused),
      kit_test(an_acknowledgement_has_a_time_limit),
      kit_test(a_listen_is_cancelled),
      kit_test(the_server_may_end_it_by_a_notification),
      kit_test(closing_ends_a_listen),
      kit_test(wrong_listens_are_refused),
      kit_test(legacy_has_no_listen),
      kit_test(one_watch_with_all_uris),
      kit_test(a_later_acknowledgement_serves_earlier_ones),
      kit_test(what_is_not_granted_is_told),
      kit_test(a_refused_watch_leaves_the_old_one),
      kit_test(a_subscription_is_cancelled),
      kit_test(a_server_without_subscriptions),
      kit_test(subscriptions_end_with_the_connection),
      kit_test(legacy_subscribes_by_request),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
