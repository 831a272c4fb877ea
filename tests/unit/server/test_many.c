/* SPDX-License-Identifier: MIT */
/* Limits and costs of a server that only many messages, entries or clients
 * show. What fits in a few lines is in tests/wire/server. */
#include "support/server_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

/* ---- messages ----------------------------------------------------------- */

BENCH_TEST(a_hundred_unreadable_messages_are_the_default) {
  server_bench *b = *state;
  for (int i = 0; i < 100; i++) {
    wire_send(&b->wire, "rubbish");
    rig_turn(&b->rig);
  }
  assert_false(b->wire.is_closed);
  wire_send(&b->wire, "rubbish");
  rig_turn(&b->rig);
  assert_true(b->wire.is_closed);
}

/* Subscribes to one URI after the other until that is refused; how often it was
 * not. */
static int subscribe_to_many(rig_wire *wire) {
  char message[200];
  int count = 0;
  wire_forget(wire);
  for (;; count++) {
    assert_true(count < 1000);
    snprintf(message, sizeof(message),
             "{$J,'id':9,'method':'resources/subscribe','params':{'uri':"
             "'a:%d'}}",
             count);
    wire_send(wire, message);
    rig_turn(wire->rig);
    int is_refused = strstr(wire->text.bytes, "error") != NULL;
    wire_forget(wire);
    if (is_refused) {
      return count;
    }
  }
}

#define SUBSCRIBE "{$J,'id':9,'method':'resources/subscribe','params':{'uri':"
#define TOO_MANY_BYTES                                                         \
  ERROR("9", "-32603",                                                         \
        "the subscriptions of this client take too many bytes: it has its "    \
        "share of 16384 (max_kept_bytes): end one, or try again later")

BENCH_TEST(subscriptions_have_bytes_of_their_own) {
  const mcp_server_options options = {
      .size = sizeof(mcp_server_options),
      .limits = &(mcp_limits){.size = sizeof(mcp_limits),
                              .max_kept_bytes = 16 * 1024}};
  const mcp_resource resource = {
      .size = sizeof(mcp_resource), .uri = "a:1", .name = "a", .text = "x"};
  server_bench *b = *state;
  rig_wire other = {0};
  server_bench_restart(b, &options);
  mcp_server_add_resource(b->rig.server, &resource, NULL);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  int alone = subscribe_to_many(&b->wire);
  assert_in_range(alone, 8 * 1024 / 80, 8 * 1024 / 64);
  assert_int_equal(wire_connect(&other, &b->rig, NULL), 0);
  wire_initialize(&other, "2025-11-25", "{}");
  /* As much again is left for a third. */
  assert_in_range(subscribe_to_many(&other), alone / 3, alone * 2 / 3);
  exchange(&b->wire,
           "{$J,'id':9,'method':'resources/unsubscribe','params':{'uri':"
           "'a:0'}}",
           "{$J,'id':9,'result':{}}");
  exchange(&b->wire, SUBSCRIBE "'a:0'}}", TOO_MANY_BYTES);
  exchange(&b->wire,
           "{$J,'id':9,'method':'subscriptions/listen','params':{"
           "'notifications':{'resourceSubscriptions':['b:1']},$M{}}}",
           TOO_MANY_BYTES);
  wire_deinit(&other);
  rig_turn(&b->rig);
  exchange(&b->wire, SUBSCRIBE "'a:0'}}", "{$J,'id':9,'result':{}}");
}

/* ---- entries ------------------------------------------------------------ */

/* The cursor behind a page, in quotes; NULL: it is the last. */
static const char *next_cursor(const char *page) {
  static char cursor[64];
  const char *at = strstr(page, "\"nextCursor\":");
  if (at == NULL) {
    return NULL;
  }
  at += strlen("\"nextCursor\":");
  snprintf(cursor, sizeof(cursor), "%.*s", (int)strcspn(at + 1, "\"") + 2, at);
  return cursor;
}

static size_t count_tools(const char *page) {
  size_t count = 0;
  while ((page = strstr(page, "{\"name\":\"tool-")) != NULL) {
    page++;
    count++;
  }
  return count;
}

BENCH_TEST(ten_thousand_tools_are_listed) {
  server_bench *b = *state;
  char name[32];
  size_t total = 0;
  int pages = 0;
  for (int i = 0; i < 10000; i++) {
    snprintf(name, sizeof(name), "tool-%d", i);
    server_bench_add_tool(b, name, on_nothing);
  }
  for (const char *cursor = "null"; cursor != NULL; pages++) {
    char message[200];
    snprintf(message, sizeof(message),
             "{$J,'id':1,'method':'tools/list','params':{'cursor':%s,$M{}}}",
             cursor);
    wire_forget(&b->wire);
    wire_send(&b->wire, message);
    rig_turn(&b->rig);
    /* 512 KB, and what is around the entries */
    assert_true(b->wire.text.len <= 512 * 1024 + 400);
    total += count_tools(b->wire.text.bytes);
    cursor = next_cursor(b->wire.text.bytes);
  }
  wire_forget(&b->wire);
  assert_int_equal(total, 10000);
  assert_int_equal(pages, 2);
  exchange(&b->wire, MODERN_CALL("1", "tool-9999"),
           "{$J,'id':1,'result':{'content':[],$C}}");
}

BENCH_TEST(a_server_has_32_listen_filters) {
  server_bench *b = *state;
  mcp_server *server = b->rig.server;
  assert_int_equal(mcp_server_add_listen_filter(server, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_listen_filter(server, "\xff", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_add_listen_filter(server, "toolsListChanged", NULL),
      MCP_ERR_EXISTS);
  for (int i = 0; i < 32; i++) {
    char name[20];
    snprintf(name, sizeof(name), "f%d", i);
    assert_int_equal(mcp_server_add_listen_filter(server, name, NULL), 0);
  }
  assert_int_equal(mcp_server_add_listen_filter(server, "f0", NULL),
                   MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_add_listen_filter(server, "f32", NULL),
                   MCP_ERR_LIMIT);
}

/* ---- values of one call ------------------------------------------------- */

static int on_complete(mcp_call *call, void *userdata) {
  const int *count = userdata;
  for (int i = 0; i < *count; i++) {
    assert_int_equal(mcp_call_add_completion(call, "v"), 0);
  }
  return mcp_call_reply(call);
}

/* Expects `end` after the values of a completion that has `count`. */
static void expect_completion(server_bench *b, int count, const char *end) {
  const mcp_prompt_argument argument = {.name = "a"};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = "p",
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_nothing,
                             .complete = on_complete,
                             .userdata = &count};
  char expected[1000] = "{$J,'id':1,'result':{'completion':{'values':['v'";
  for (int i = 1; i < 100; i++) {
    strcat(expected, ",'v'");
  }
  strcat(expected, end);
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt, NULL), 0);
  exchange(&b->wire,
           "{$J,'id':1,'method':'completion/complete','params':{'ref':{"
           "'type':'ref/prompt','name':'p'},'argument':{'name':'a','value':"
           "''},$M{}}}",
           expected);
  mcp_server_remove_prompt(b->rig.server, "p");
}

BENCH_TEST(a_completion_sends_a_hundred_values) {
  expect_completion(*state, 100, "]},$C}}");
  expect_completion(*state, 101, "],'total':101,'hasMore':true},$C}}");
}

static int on_deep(mcp_call *call, void *userdata) {
  return mcp_call_reply_json(call, userdata);
}

/* An object of that depth, as the result of a method. */
static void expect_deep(server_bench *b, int depth, const char *expected) {
  char text[1000] = "";
  for (int i = 0; i < depth; i++) {
    strcat(text, "{\"a\":");
  }
  strcat(text, "1");
  for (int i = 0; i < depth; i++) {
    strcat(text, "}");
  }
  char name[20];
  snprintf(name, sizeof(name), "m/%d", depth);
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = name,
                             .handler = on_deep,
                             .userdata = text};
  assert_int_equal(mcp_server_add_method(b->rig.server, &method, NULL), 0);
  char message[100];
  snprintf(message, sizeof(message), "{$J,'id':1,'method':'%s'}", name);
  wire_send(&b->wire, message);
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, expected));
  wire_forget(&b->wire);
}

/* The message around it is a level more, and 128 is what peers take. */
BENCH_TEST(a_result_has_at_most_126_levels) {
  server_bench *b = *state;
  wire_initialize(&b->wire, "2025-11-25", "{}");
  expect_deep(b, 126, "\"result\":{\"a\":{\"a\":");
  expect_deep(b, 127, "result: JSON of depth 127, limit 126");
}

/* Eight levels of ten references each are more than ten million steps. */
static const char *costly_schema(void) {
  static char text[4096];
  size_t len = (size_t)sprintf(text, "{\"type\":\"object\",\"$ref\":"
                                     "\"#/$defs/0\",\"$defs\":{");
  for (int level = 0; level < 8; level++) {
    len += (size_t)sprintf(text + len, "\"%d\":{\"allOf\":[", level);
    for (int i = 0; i < 10; i++) {
      len += (size_t)sprintf(text + len, "%s{\"$ref\":\"#/$defs/%d\"}",
                             i > 0 ? "," : "", level + 1);
    }
    len += (size_t)sprintf(text + len, "]},");
  }
  sprintf(text + len, "\"8\":{\"type\":\"object\"}}}");
  return text;
}

static int on_costly(mcp_call *call, void *userdata) {
  assert_int_equal(mcp_call_reply_structured(call, "{}"), MCP_ERR_LIMIT);
  return 0;
}

#define COSTS "the value is too large or too deep to be checked"

BENCH_TEST(a_check_that_costs_too_much_refuses) {
  server_bench *b = *state;
  const mcp_schema costly = {.size = sizeof(mcp_schema),
                             .text = costly_schema()};
  const mcp_tool asks = {.size = sizeof(mcp_tool),
                         .name = "asks",
                         .input = &costly,
                         .handler = on_nothing};
  const mcp_tool says = {.size = sizeof(mcp_tool),
                         .name = "says",
                         .output = &costly,
                         .handler = on_costly};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &asks, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->rig.server, &says, NULL), 0);
  exchange(&b->wire, MODERN_CALL("1", "asks"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'Invalid "
           "arguments for the tool \\\"asks\\\":\\n- " COSTS
           "'}],'isError':true,$C}}");
  exchange(
      &b->wire, MODERN_CALL("2", "says"),
      ERROR("2", "-32603", "tool \\\"says\\\": structured result: " COSTS));
}

/* ---- what must not grow ------------------------------------------------- */

/* Rounds give back what they take: as much is live afterwards as was after the
 * first of them. */
static void expect_no_growth(server_bench *b, void (*round)(server_bench *b)) {
  size_t live = 0;
  for (int i = 0; i < 200; i++) {
    round(b);
    if (i == 20) {
      live = b->alloc.live_bytes;
    }
  }
  assert_int_equal(b->alloc.live_bytes, live);
}

static void initialize(rig_wire *wire) {
  wire_send(wire, "{$J,'id':1,'method':'initialize','params':{"
                  "'protocolVersion':'2025-06-18','capabilities':{},"
                  "'clientInfo':{'name':'c','version':'1'}}}");
  rig_turn(wire->rig);
  wire_forget(wire);
}

static void initialize_again(server_bench *b) {
  initialize(&b->wire);
}

BENCH_TEST(initialize_again_and_again_takes_no_memory) {
  expect_no_growth(*state, initialize_again);
}

static void come_and_go(server_bench *b) {
  rig_wire wire;
  assert_int_equal(wire_connect(&wire, &b->rig, NULL), 0);
  initialize(&wire);
  wire_deinit(&wire);
  rig_turn(&b->rig);
}

BENCH_TEST(clients_that_come_and_go_leave_nothing) {
  server_bench *b = *state;
  expect_no_growth(b, come_and_go);
  assert_int_equal(mcp_server_connection_count(b->rig.server), 1);
}

static void call_modern(server_bench *b) {
  exchange(&b->wire, MODERN_CALL("1", "hi"),
           "{$J,'id':1,'result':{'content':[],$C}}");
}

BENCH_TEST(modern_calls_leave_nothing) {
  server_bench *b = *state;
  server_bench_add_tool(b, "hi", on_nothing);
  expect_no_growth(b, call_modern);
}
