/* SPDX-License-Identifier: MIT */
/* subscriptions/listen: what is acknowledged, what comes, and how it ends. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
} bench;

#define LISTEN(id, wanted)                                                     \
  "{$J,'id':" id ",'method':'subscriptions/listen','params':{"                 \
  "'notifications':" wanted ",$M{}}}"
#define TAG(id) "'_meta':{'io.modelcontextprotocol/subscriptionId':" id "}"
#define ACK(id, honoured)                                                      \
  "{$J,'method':'notifications/subscriptions/acknowledged','params':{"         \
  "'notifications':" honoured "," TAG(id) "}}"
#define CHANGED(what, id)                                                      \
  "{$J,'method':'notifications/" what "/list_changed','params':{" TAG(id) "}}"
#define UPDATED(uri, id)                                                       \
  "{$J,'method':'notifications/resources/updated','params':{'uri':'" uri       \
  "'," TAG(id) "}}"
#define CANCELLED(id)                                                          \
  "{$J,'method':'notifications/cancelled','params':{'requestId':" id           \
  ",'reason':'the server ends the subscription'}}"
#define RESULT(id)                                                             \
  "{$J,'id':" id ",'result':{'resultType':'complete','_meta':{"                \
  "'io.modelcontextprotocol/serverInfo':{'name':'test','version':'1'},"        \
  "'io.modelcontextprotocol/subscriptionId':" id "}}}"
#define CANCEL(id)                                                             \
  "{$J,'method':'notifications/cancelled','params':{'requestId':" id "}}"

static int on_nothing(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void add_tool(bench *b, const char *name) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void add_prompt(bench *b, const char *name) {
  const mcp_prompt prompt = {
      .size = MCP_PROMPT_INIT, .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt), 0);
}

static void add_resource(bench *b, const char *uri) {
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = uri, .name = uri, .text = "x"};
  assert_int_equal(mcp_server_add_resource(b->rig.server, &resource), 0);
}

static void begin(bench *b, const mcp_server_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  add_tool(b, "t");
  add_prompt(b, "p");
  add_resource(b, "a:1");
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- beginning ---------------------------------------------------------- */

static void acknowledges_what_it_honours(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire,
           LISTEN("1", "{'toolsListChanged':true,'promptsListChanged':false,"
                       "'resourcesListChanged':true,'resourceSubscriptions':["
                       "'a:1','a:1'],'taskIds':['x'],'com.example/x':true}"),
           ACK("1", "{'toolsListChanged':true,'resourcesListChanged':true,"
                    "'resourceSubscriptions':['a:1']}"));
  exchange(&b.wire, LISTEN("'2'", "{}"), ACK("'2'", "{}"));
  exchange(&b.wire,
           LISTEN("3", "{'toolsListChanged':null,"
                       "'resourceSubscriptions':null}"),
           ACK("3", "{}"));
  end(&b);
}

static void leaves_out_what_the_server_has_not(void **state) {
  server_rig rig;
  rig_wire wire;
  (void)state;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(wire_connect(&wire, &rig, NULL), 0);
  exchange(&wire,
           LISTEN("1", "{'toolsListChanged':true,'promptsListChanged':true,"
                       "'resourcesListChanged':true,'resourceSubscriptions':["
                       "'a:1']}"),
           ACK("1", "{}"));
  mcp_server_free(rig.server);
  rig.server = NULL;
  rig_turn(&rig);
  wire_deinit(&wire);
  rig_deinit(&rig);
}

static void refuses_malformed_wishes(void **state) {
  static const struct {
    const char *wanted;
    const char *why;
  } cases[] = {
      {"[]", "params.notifications must be an object, not an array"},
      {"{'toolsListChanged':1}",
       "params.notifications.toolsListChanged must be a boolean"},
      {"{'resourceSubscriptions':true}",
       "params.notifications.resourceSubscriptions must be an array"},
      {"{'resourceSubscriptions':[1]}",
       "params.notifications.resourceSubscriptions must be an array of URIs, "
       "of at most 4096 bytes each, without NUL"},
      {"{'resourceSubscriptions':['']}",
       "params.notifications.resourceSubscriptions must be an array of URIs, "
       "of at most 4096 bytes each, without NUL"},
  };
  bench b;
  char message[300];
  char expected[300];
  (void)state;
  begin(&b, NULL);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(message, sizeof(message), LISTEN("1", "%s"), cases[i].wanted);
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32602,'message':'%s'}}",
             cases[i].why);
    exchange(&b.wire, message, expected);
  }
  exchange(&b.wire,
           "{$J,'id':1,'method':'subscriptions/listen','params':{$M{}}}",
           "{$J,'id':1,'error':{'code':-32602,'message':"
           "'params.notifications is missing: it must be an object'}}");
  end(&b);
}

static void limits_uris_and_listens(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_subscriptions = 4};
  static const char too_many[] =
      "{$J,'id':2,'error':{'code':-32603,'message':"
      "'more than 4 subscriptions on this connection'}}";
  bench b;
  (void)state;
  begin(&b, &options);
  exchange(&b.wire, LISTEN("1", "{'resourceSubscriptions':['a:1']}"),
           ACK("1", "{'resourceSubscriptions':['a:1']}"));
  exchange(&b.wire, LISTEN("2", "{'resourceSubscriptions':['a:1','a:2']}"),
           too_many);
  exchange(&b.wire, LISTEN("3", "{}"), ACK("3", "{}"));
  exchange(&b.wire, LISTEN("4", "{}"), ACK("4", "{}"));
  exchange(&b.wire, LISTEN("2", "{}"), too_many);
  exchange(&b.wire, CANCEL("1"), "");
  exchange(&b.wire, LISTEN("2", "{'resourceSubscriptions':['a:1']}"),
           ACK("2", "{'resourceSubscriptions':['a:1']}"));
  char *message = malloc(6000);
  char *uri = malloc(4098);
  memset(uri, 'u', 4097);
  uri[4097] = '\0';
  sprintf(message, LISTEN("1", "{'resourceSubscriptions':['%s']}"), uri);
  exchange(&b.wire, CANCEL("2"), "");
  exchange(&b.wire, message,
           "{$J,'id':1,'error':{'code':-32602,'message':"
           "'params.notifications.resourceSubscriptions must be an array of "
           "URIs, of at most 4096 bytes each, without NUL'}}");
  memset(uri, 'u', 4096);
  uri[4090] = '\0'; /* the copy would end at the NUL, its length would not */
  sprintf(message, LISTEN("1", "{'resourceSubscriptions':['a\\u0000%s','b']}"),
          uri);
  exchange(&b.wire, message,
           "{$J,'id':1,'error':{'code':-32602,'message':"
           "'params.notifications.resourceSubscriptions must be an array of "
           "URIs, of at most 4096 bytes each, without NUL'}}");
  free(message);
  free(uri);
  end(&b);
}

#define TOO_MANY_BYTES                                                         \
  "{$J,'id':9,'error':{'code':-32603,'message':'the subscriptions of this "    \
  "client take too many bytes: it has its share of 16384 (max_kept_bytes): "   \
  "end one, or try again later'}}"
#define SUBSCRIBE(uri)                                                         \
  "{$J,'id':9,'method':'resources/subscribe','params':{'uri':'" uri "'}}"
#define UNSUBSCRIBE(uri)                                                       \
  "{$J,'id':9,'method':'resources/unsubscribe','params':{'uri':'" uri "'}}"
#define DONE "{$J,'id':9,'result':{}}"

/* Subscribes to one URI after the other until that is refused; how often it was
 * not. */
static int subscribe_to_many(rig_wire *wire) {
  char message[200];
  int count = 0;
  wire_forget(wire);
  for (;; count++) {
    assert_true(count < 1000);
    snprintf(message, sizeof(message), SUBSCRIBE("a:%d"), count);
    wire_send(wire, message);
    rig_turn(wire->rig);
    if (strstr(wire->text.bytes, "error") != NULL) {
      expect(wire, TOO_MANY_BYTES);
      return count;
    }
    wire_forget(wire);
  }
}

/* However many connections they are on. */
static void limits_the_bytes_of_subscriptions(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 16 * 1024};
  bench b;
  rig_wire other = {0};
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  int alone = subscribe_to_many(&b.wire);
  assert_in_range(alone, 8 * 1024 / 80, 8 * 1024 / 64);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  wire_initialize(&other, "2025-11-25", "{}");
  int beside =
      subscribe_to_many(&other); /* as much again is left for a third */
  assert_in_range(beside, alone / 3, alone * 2 / 3);
  exchange(&b.wire, UNSUBSCRIBE("a:0"), DONE);
  exchange(&b.wire, SUBSCRIBE("a:0"), TOO_MANY_BYTES);
  exchange(&b.wire, LISTEN("9", "{'resourceSubscriptions':['b:1']}"),
           TOO_MANY_BYTES);
  wire_deinit(&other);
  rig_turn(&b.rig);
  exchange(&b.wire, SUBSCRIBE("a:0"), DONE);
  end(&b);
}

/* Both eras share one connection, and its limit. */
static void counts_a_sessions_subscriptions_too(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_subscriptions = 3};
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, LISTEN("1", "{'resourceSubscriptions':['a:1']}"),
           ACK("1", "{'resourceSubscriptions':['a:1']}"));
  exchange(&b.wire, SUBSCRIBE("a:1"), DONE);
  exchange(&b.wire, SUBSCRIBE("a:1"), DONE);
  exchange(&b.wire, LISTEN("2", "{}"),
           "{$J,'id':2,'error':{'code':-32603,'message':"
           "'more than 3 subscriptions on this connection'}}");
  exchange(&b.wire, UNSUBSCRIBE("a:1"), DONE);
  exchange(&b.wire, UNSUBSCRIBE("a:1"), DONE);
  exchange(&b.wire, LISTEN("2", "{}"), ACK("2", "{}"));
  exchange(&b.wire, SUBSCRIBE("a:1"),
           "{$J,'id':9,'error':{'code':-32603,'message':"
           "'more than 3 subscriptions on this connection'}}");
  exchange(&b.wire, CANCEL("1"), "");
  exchange(&b.wire, SUBSCRIBE("a:1"), DONE);
  end(&b);
}

/* --- what comes --------------------------------------------------------- */

static void tells_each_listen_what_it_asked_for(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, LISTEN("1", "{'toolsListChanged':true}"),
           ACK("1", "{'toolsListChanged':true}"));
  exchange(&b.wire,
           LISTEN("'two'", "{'toolsListChanged':true,"
                           "'promptsListChanged':true}"),
           ACK("'two'", "{'toolsListChanged':true,'promptsListChanged':true}"));
  exchange(&b.wire,
           LISTEN("3", "{'resourcesListChanged':true,"
                       "'resourceSubscriptions':['a:1']}"),
           ACK("3", "{'resourcesListChanged':true,"
                    "'resourceSubscriptions':['a:1']}"));
  add_tool(&b, "t2");
  expect(&b.wire, CHANGED("tools", "1") "\n" CHANGED("tools", "'two'"));
  mcp_server_remove_prompt(b.rig.server, "p");
  expect(&b.wire, CHANGED("prompts", "'two'"));
  add_resource(&b, "a:2");
  expect(&b.wire, CHANGED("resources", "3"));
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:1"), 0);
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:2"), 0);
  expect(&b.wire, UPDATED("a:1", "3"));
  end(&b);
}

static void tells_many_changes_once(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  rig_turn(&b.rig);
  exchange(&b.wire,
           LISTEN("1", "{'toolsListChanged':true,'resourcesListChanged':true}"),
           ACK("1", "{'toolsListChanged':true,'resourcesListChanged':true}"));
  for (int i = 0; i < 10; i++) {
    char name[20];
    snprintf(name, sizeof(name), "n%d", i);
    add_tool(&b, name);
  }
  add_resource(&b, "a:5");
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "b:{x}",
                                     .name = "b",
                                     .handler = on_nothing};
  assert_int_equal(mcp_server_add_resource_template(b.rig.server, &tpl), 0);
  expect(&b.wire, CHANGED("tools", "1") "\n" CHANGED("resources", "1"));
  end(&b);
}

static void progress_and_logs_stay_off_a_listen(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  mcp_server_enable_logging(b.rig.server);
  exchange(&b.wire, LISTEN("1", "{'toolsListChanged':true}"),
           ACK("1", "{'toolsListChanged':true}"));
  assert_int_equal(
      mcp_server_log(b.rig.server, MCP_LOG_EMERGENCY, NULL, "\"x\""), 0);
  expect(&b.wire, "");
  end(&b);
}

/* --- the program's own filters ------------------------------------------ */

static void honours_filters_of_the_program(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  assert_int_equal(
      mcp_server_add_listen_filter(b.rig.server, "com.example/\"jobs\""), 0);
  assert_int_equal(mcp_server_add_listen_filter(b.rig.server, "other"), 0);
  exchange(&b.wire, LISTEN("1", "{'com.example/\\\"jobs\\\"':true}"),
           ACK("1", "{'com.example/\\\"jobs\\\"':true}"));
  exchange(&b.wire, LISTEN("2", "{'other':true}"), ACK("2", "{'other':true}"));
  assert_int_equal(
      mcp_server_notify_listeners(b.rig.server, "com.example/\"jobs\"",
                                  "notifications/com.example/job",
                                  "{\"id\":1,\"_meta\":{\"a\":1}}"),
      0);
  expect(&b.wire,
         "{$J,'method':'notifications/com.example/job','params':{'id':1,"
         "'_meta':{'a':1,'io.modelcontextprotocol/subscriptionId':1}}}");
  assert_int_equal(
      mcp_server_notify_listeners(b.rig.server, "other", "n/o", NULL), 0);
  expect(&b.wire, "{$J,'method':'n/o','params':{" TAG("2") "}}");
  assert_int_equal(
      mcp_server_notify_listeners(b.rig.server, "none", "n/o", NULL),
      MCP_ERR_NOT_FOUND);
  assert_int_equal(
      mcp_server_notify_listeners(b.rig.server, "other", "n/o", "[]"),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_notify_listeners(b.rig.server, "other", "n/o", "{"),
      MCP_ERR_PARSE);
  assert_int_equal(mcp_server_notify_listeners(b.rig.server, "other", "", NULL),
                   MCP_ERR_INVALID);
  end(&b);
}

/* --- the end ------------------------------------------------------------ */

static void is_silent_when_the_client_ends_it(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, LISTEN("1", "{'toolsListChanged':true}"),
           ACK("1", "{'toolsListChanged':true}"));
  exchange(&b.wire, CANCEL("1"), "");
  add_tool(&b, "t2");
  expect(&b.wire, "");
  exchange(&b.wire, LISTEN("1", "{}"), ACK("1", "{}"));
  end(&b);
}

static void ends_with_a_result_and_a_cancellation(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, LISTEN("1", "{}"), ACK("1", "{}"));
  exchange(&b.wire, LISTEN("'b'", "{}"), ACK("'b'", "{}"));
  mcp_connection_close(b.wire.connection, 1000);
  expect(&b.wire, RESULT("1") "\n" CANCELLED("1") "\n" RESULT(
                      "'b'") "\n" CANCELLED("'b'"));
  assert_true(b.wire.is_closed);
  end(&b);
  begin(&b, NULL);
  exchange(&b.wire, LISTEN("1", "{}"), ACK("1", "{}"));
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  expect(&b.wire, RESULT("1") "\n" CANCELLED("1"));
  end(&b);
}

static void ends_with_its_connection(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, LISTEN("1", "{'toolsListChanged':true}"),
           ACK("1", "{'toolsListChanged':true}"));
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  add_tool(&b, "t2");
  rig_turn(&b.rig);
  end(&b);
}

/* A transport of the program's own that refuses everything at some time, and
 * whose close ends it at once and closes what the program has connected. */
typedef struct brittle {
  mcp_transport transport;
  mcp_connection *connections[2];
  int is_full;
  int send_count;
} brittle;

static int brittle_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static int brittle_send(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  brittle *b = transport->userdata;
  (void)message;
  (void)len;
  (void)info;
  b->send_count++;
  return b->is_full ? MCP_ERR_LIMIT : 0;
}

static void brittle_close(mcp_transport *transport) {
  brittle *b = transport->userdata;
  for (size_t i = 0; i < 2; i++) {
    mcp_connection *connection = b->connections[i];
    b->connections[i] = NULL;
    mcp_connection_close(connection, 0);
  }
  transport->on_close(transport, NULL);
}

static void brittle_deliver(brittle *b, const char *marked) {
  char *text = rig_expand(marked);
  b->transport.on_message(&b->transport, text, strlen(text));
  free(text);
}

/* All listens of both connections end while they are told of a change. */
static void ends_while_it_is_told(void **state) {
  static const char *const filters[] = {
      LISTEN("1", "{'toolsListChanged':true,'own':true,"
                  "'resourceSubscriptions':['a:1']}"),
      LISTEN("2", "{'toolsListChanged':true,'own':true,"
                  "'resourceSubscriptions':['a:1']}")};
  (void)state;
  for (int way = 0; way < 3; way++) {
    bench b;
    brittle odd = {.transport = {.size = MCP_TRANSPORT_INIT,
                                 .start = brittle_start,
                                 .send = brittle_send,
                                 .close = brittle_close}};
    odd.transport.userdata = &odd;
    begin(&b, NULL);
    mcp_server_add_listen_filter(b.rig.server, "own");
    assert_int_equal(mcp_server_connect(b.rig.server, b.rig.loop,
                                        &odd.transport, NULL,
                                        &odd.connections[0], NULL),
                     0);
    odd.connections[1] = b.wire.connection;
    brittle_deliver(&odd, filters[0]);
    brittle_deliver(&odd, filters[1]);
    wire_send(&b.wire, filters[0]);
    rig_turn(&b.rig);
    assert_int_equal(odd.send_count, 2);
    odd.is_full = 1;
    if (way == 0) {
      mcp_server_remove_tool(b.rig.server, "t");
      rig_turn(&b.rig);
    } else if (way == 1) {
      mcp_server_resource_updated(b.rig.server, "a:1");
    } else {
      mcp_server_notify_listeners(b.rig.server, "own", "n", NULL);
    }
    assert_int_equal(odd.send_count, 3);
    rig_turn(&b.rig);
    assert_int_equal(mcp_server_connection_count(b.rig.server), 0);
    end(&b);
  }
}

/* --- memory ------------------------------------------------------------- */

static int listen(const mcp_allocator *allocator, void *userdata) {
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "a:1", .name = "a", .text = "x"};
  server_rig rig;
  rig_wire wire = {0};
  (void)userdata;
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_resource(rig.server, &resource);
  if (rc == 0) {
    rc = mcp_server_add_listen_filter(rig.server, "own");
  }
  if (rc == 0) {
    rc = wire_connect(&wire, &rig, NULL);
  }
  if (rc == 0) {
    wire_send(&wire, LISTEN("1", "{'resourcesListChanged':true,'own':true,"
                                 "'resourceSubscriptions':['a:1','a:2']}"));
    rig_turn(&rig);
    rc = mcp_server_resource_updated(rig.server, "a:2");
  }
  if (rc == 0) {
    rc = mcp_server_notify_listeners(rig.server, "own", "n", "{\"a\":1}");
  }
  mcp_server_free(rig.server);
  rig.server = NULL;
  rig_turn(&rig);
  wire_deinit(&wire);
  rig_deinit(&rig);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(listen, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(acknowledges_what_it_honours),
      cmocka_unit_test(leaves_out_what_the_server_has_not),
      cmocka_unit_test(refuses_malformed_wishes),
      cmocka_unit_test(limits_uris_and_listens),
      cmocka_unit_test(limits_the_bytes_of_subscriptions),
      cmocka_unit_test(counts_a_sessions_subscriptions_too),
      cmocka_unit_test(tells_each_listen_what_it_asked_for),
      cmocka_unit_test(tells_many_changes_once),
      cmocka_unit_test(progress_and_logs_stay_off_a_listen),
      cmocka_unit_test(honours_filters_of_the_program),
      cmocka_unit_test(is_silent_when_the_client_ends_it),
      cmocka_unit_test(ends_with_a_result_and_a_cancellation),
      cmocka_unit_test(ends_with_its_connection),
      cmocka_unit_test(ends_while_it_is_told),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_listen", tests, NULL, NULL);
}
