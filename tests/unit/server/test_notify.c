/* SPDX-License-Identifier: MIT */
/* What goes out unasked to legacy sessions, and the client's roots. */
#include "core/loop.h"

#include "support/cm.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  mcp_session *session;
  char roots[200];
} bench;

#define TOOLS_CHANGED "{$J,'method':'notifications/tools/list_changed'}"
#define UPDATED(uri)                                                           \
  "{$J,'method':'notifications/resources/updated','params':{'uri':'" uri "'}}"
#define INITIALIZE                                                             \
  "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"              \
  "'2025-11-25','capabilities':{},'clientInfo':{}}}"
#define INITIALIZED "{$J,'method':'notifications/initialized'}"
#define ROOTS_CHANGED "{$J,'method':'notifications/roots/list_changed'}"
#define SUBSCRIBE(id, uri)                                                     \
  "{$J,'id':" id ",'method':'resources/subscribe','params':{'uri':'" uri "'}}"

static int on_nothing(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void add_tool(bench *b, const char *name) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  (void)server;
  ((bench *)userdata)->session = session;
}

static void begin(bench *b) {
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "a:1", .name = "a", .text = "x"};
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .userdata = b,
                                      .on_session_opened = on_opened};
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, &options, NULL), 0);
  add_tool(b, "t");
  assert_int_equal(mcp_server_add_resource(b->rig.server, &resource), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- changes ------------------------------------------------------------ */

static void tells_sessions_whose_handshake_is_done(void **state) {
  bench b;
  (void)state;
  begin(&b);
  add_tool(&b, "t2");
  expect(&b.wire, "");
  wire_send(&b.wire, INITIALIZE);
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  add_tool(&b, "t3");
  expect(&b.wire, "");
  exchange(&b.wire, INITIALIZED, "");
  add_tool(&b, "t4");
  mcp_server_remove_tool(b.rig.server, "t4");
  expect(&b.wire, TOOLS_CHANGED);
  end(&b);
}

static void tells_every_session(void **state) {
  bench b;
  rig_wire other;
  (void)state;
  begin(&b);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  wire_initialize(&b.wire, "2024-11-05", "{}");
  wire_initialize(&other, "2025-11-25", "{}");
  add_tool(&b, "t2");
  expect(&b.wire, TOOLS_CHANGED);
  expect(&other, TOOLS_CHANGED);
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  add_tool(&b, "t3");
  expect(&other, TOOLS_CHANGED);
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  rig_turn(&b.rig);
  wire_deinit(&other);
  end(&b);
}

static void adds_prompt(bench *b, const char *name) {
  const mcp_prompt prompt = {
      .size = MCP_PROMPT_INIT, .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt), 0);
}

#define PROMPTS_CHANGED "{$J,'method':'notifications/prompts/list_changed'}"
#define RESOURCES_CHANGED "{$J,'method':'notifications/resources/list_changed'}"

/* The first session's initialize declared no prompts, the second's does. */
static void tells_a_session_of_declared_kinds_alone(void **state) {
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "x:{a}",
                                     .name = "x",
                                     .handler = on_nothing};
  bench b;
  rig_wire other;
  (void)state;
  begin(&b);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  adds_prompt(&b, "p");
  expect(&b.wire, "");
  wire_initialize(&other, "2025-11-25", "{}");
  adds_prompt(&b, "q");
  expect(&b.wire, "");
  expect(&other, PROMPTS_CHANGED);
  /* Resources were declared, and templates belong to them. */
  assert_int_equal(mcp_server_add_resource_template(b.rig.server, &tpl), 0);
  expect(&b.wire, RESOURCES_CHANGED);
  expect(&other, RESOURCES_CHANGED);
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  rig_turn(&b.rig);
  wire_deinit(&other);
  end(&b);
}

/* --- a kind that is added while initialize is answered
 * --------------------- */

enum { ID_BYTES = 2000 };

/* Stands for another loop's thread: the allocation number `due` of those that
 * an id of ID_BYTES needs adds the server's first prompt. */
typedef struct intruder {
  bench b;
  mcp_allocator allocator;
  int due;
  int count;
} intruder;

static void intrude(intruder *in, size_t size) {
  if (size >= ID_BYTES && ++in->count == in->due) {
    adds_prompt(&in->b, "p");
  }
}

static void *intruder_alloc(size_t size, void *userdata) {
  const mcp_allocator *plain = mcp_allocator_default();
  intrude(userdata, size);
  return plain->alloc(size, plain->userdata);
}

static void *intruder_resize(void *ptr, size_t old_size, size_t size,
                             void *userdata) {
  const mcp_allocator *plain = mcp_allocator_default();
  intrude(userdata, size);
  return plain->resize(ptr, old_size, size, plain->userdata);
}

static void intruder_release(void *ptr, size_t size, void *userdata) {
  const mcp_allocator *plain = mcp_allocator_default();
  (void)userdata;
  plain->release(ptr, size, plain->userdata);
}

static void initialize_with_long_id(rig_wire *wire) {
  static char message[ID_BYTES + 300];
  snprintf(message, sizeof(message),
           "{$J,'id':'%0*d','method':'initialize','params':{'protocolVersion':"
           "'2025-11-25','capabilities':{},'clientInfo':{}}}",
           (int)ID_BYTES, 1);
  wire_send(wire, message);
  rig_turn(wire->rig);
}

static int has_come(rig_wire *wire, const char *text) {
  rig_turn(wire->rig);
  int has = wire->text.bytes != NULL && strstr(wire->text.bytes, text) != NULL;
  wire_forget(wire);
  return has;
}

/* 1: the prompt was added at that allocation; 0: there are fewer. */
static int add_prompt_at(int due) {
  intruder in = {
      .allocator = {intruder_alloc, intruder_resize, intruder_release, &in}};
  assert_int_equal(rig_init(&in.b.rig, NULL, &in.allocator), 0);
  assert_int_equal(wire_connect(&in.b.wire, &in.b.rig, NULL), 0);
  in.count = 0;
  in.due = due;
  initialize_with_long_id(&in.b.wire);
  int is_declared = has_come(&in.b.wire, "\"prompts\":{\"listChanged\":true}");
  int was_added = in.count >= due;
  wire_send(&in.b.wire, INITIALIZED);
  rig_turn(&in.b.rig);
  wire_forget(&in.b.wire);
  adds_prompt(&in.b, "q");
  assert_int_equal(has_come(&in.b.wire, "prompts/list_changed"), is_declared);
  in.due = 0;
  end(&in.b);
  return was_added;
}

static void each_kind_that_initialize_declares_is_notified(void **state) {
  int due = 1;
  (void)state;
  while (add_prompt_at(due)) {
    due++;
  }
  assert_true(due > 2);
}

static void logs_to_sessions_that_were_told_of_logging(void **state) {
  bench b;
  rig_wire other;
  (void)state;
  begin(&b);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  mcp_server_enable_logging(b.rig.server);
  wire_initialize(&other, "2025-11-25", "{}");
  assert_int_equal(mcp_server_log(b.rig.server, MCP_LOG_ERROR, NULL, "\"x\""),
                   0);
  expect(&b.wire, "");
  expect(&other, "{$J,'method':'notifications/message','params':{"
                 "'level':'error','data':'x'}}");
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  rig_turn(&b.rig);
  wire_deinit(&other);
  end(&b);
}

static int is_elsewhere(void *userdata) {
  (void)userdata;
  return 0;
}

static int post_nothing(void *userdata, void (*run)(void *argument),
                        void *argument) {
  (void)userdata;
  (void)run;
  (void)argument;
  return MCP_ERR_NOMEM;
}

/* A change on another thread, and no memory to tell this one. */
static void a_lost_letter_is_made_up_for(void **state) {
  bench b;
  (void)state;
  begin(&b);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  b.rig.loop->platform.is_loop_thread = is_elsewhere;
  b.rig.loop->platform.post = post_nothing;
  add_tool(&b, "t2");
  b.rig.loop->platform.is_loop_thread = NULL;
  b.rig.loop->platform.post = NULL;
  expect(&b.wire, "");
  exchange(&b.wire, SUBSCRIBE("7", "a:1"),
           "{$J,'id':7,'result':{}}\n" TOOLS_CHANGED);
  exchange(&b.wire, SUBSCRIBE("8", "a:1"), "{$J,'id':8,'result':{}}");
  end(&b);
}

static int on_adding(mcp_call *call, void *userdata) {
  add_tool(userdata, "added");
  return mcp_call_reply(call);
}

/* The reply of a call that changes something comes before the news of it. */
static void tells_in_the_next_turn(void **state) {
  bench b;
  (void)state;
  begin(&b);
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "adding",
                         .handler = on_adding,
                         .userdata = &b};
  assert_int_equal(mcp_server_add_tool(b.rig.server, &tool), 0);
  rig_turn(&b.rig);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'adding'}}",
           "{$J,'id':2,'result':{'content':[]}}\n" TOOLS_CHANGED);
  end(&b);
}

static void tells_subscribers_of_updates(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:1"), 0);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:1"), 0);
  expect(&b.wire, "");
  exchange(&b.wire, SUBSCRIBE("2", "a:1"), "{$J,'id':2,'result':{}}");
  exchange(&b.wire, SUBSCRIBE("3", "\\\"odd\\\""), "{$J,'id':3,'result':{}}");
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:1"), 0);
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "\"odd\""), 0);
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:2"), 0);
  expect(&b.wire, UPDATED("a:1") "\n" UPDATED("\\\"odd\\\""));
  exchange(&b.wire,
           "{$J,'id':4,'method':'resources/unsubscribe','params':{"
           "'uri':'a:1'}}",
           "{$J,'id':4,'result':{}}");
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "a:1"), 0);
  expect(&b.wire, "");
  assert_int_equal(mcp_server_resource_updated(b.rig.server, "\xff"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_resource_updated(b.rig.server, NULL),
                   MCP_ERR_INVALID);
  end(&b);
}

static void nobody_connected_is_nobody_to_tell(void **state) {
  server_rig rig;
  (void)state;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(mcp_server_resource_updated(rig.server, "a:1"), 0);
  rig_deinit(&rig);
}

/* --- one session -------------------------------------------------------- */

static void notifies_one_session(void **state) {
  bench b;
  (void)state;
  begin(&b);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  assert_int_equal(mcp_session_notify(b.session, "n/o", NULL), 0);
  assert_int_equal(mcp_session_notify(b.session, "n/p", " {\"a\":\n1}"), 0);
  expect(&b.wire, "{$J,'method':'n/o'}\n"
                  "{$J,'method':'n/p','params':{'a':1}}");
  assert_int_equal(mcp_session_notify(b.session, "n/p", "[]"), MCP_ERR_INVALID);
  assert_int_equal(mcp_session_notify(b.session, "n/p", "{"), MCP_ERR_PARSE);
  assert_int_equal(mcp_session_notify(b.session, NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_session_notify(NULL, "n", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_session_elicitation_complete(b.session, "e-\"1"), 0);
  expect(&b.wire, "{$J,'method':'notifications/elicitation/complete','params':{"
                  "'elicitationId':'e-\\\"1'}}");
  mcp_connection_close(b.wire.connection, 0);
  end(&b);
}

static void only_one_revision_has_elicitation_complete(void **state) {
  bench b;
  (void)state;
  begin(&b);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  assert_int_equal(mcp_session_elicitation_complete(b.session, "e"),
                   MCP_ERR_UNSUPPORTED);
  assert_int_equal(mcp_session_elicitation_complete(b.session, NULL),
                   MCP_ERR_INVALID);
  end(&b);
}

/* --- roots -------------------------------------------------------------- */

static void on_roots(mcp_session *session, const mcp_json *roots,
                     void *userdata) {
  bench *b = userdata;
  assert_ptr_equal(session, b->session);
  mcp_json_iter iter;
  const mcp_json *root;
  mcp_json_iter_init(&iter, roots);
  while ((root = mcp_json_iter_next(&iter, NULL)) != NULL) {
    strcat(b->roots, mcp_json_string(mcp_json_get(root, "uri")));
    strcat(b->roots, " ");
  }
  strcat(b->roots, "; ");
}

static void follows_the_clients_roots(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server_on_roots(b.rig.server, on_roots, &b);
  wire_initialize(&b.wire, "2025-06-18", "{'roots':{'listChanged':true}}");
  exchange(&b.wire, "{$J,'id':1,'result':{'roots':[{'uri':'file:///a'}]}}", "");
  assert_string_equal(b.roots, "file:///a ; ");
  exchange(&b.wire, ROOTS_CHANGED, "{$J,'id':2,'method':'roots/list'}");
  /* One at a time: what changes meanwhile is asked for afterwards, once. */
  exchange(&b.wire, ROOTS_CHANGED, "");
  exchange(&b.wire, ROOTS_CHANGED, "");
  exchange(&b.wire, "{$J,'id':2,'result':{'roots':[]}}",
           "{$J,'id':3,'method':'roots/list'}");
  assert_string_equal(b.roots, "file:///a ; ; ");
  exchange(&b.wire, "{$J,'id':3,'error':{'code':-32603,'message':'no'}}", "");
  assert_string_equal(b.roots, "file:///a ; ; ");
  exchange(&b.wire, ROOTS_CHANGED, "{$J,'id':4,'method':'roots/list'}");
  exchange(&b.wire, "{$J,'id':4,'result':{'roots':7}}", "");
  exchange(&b.wire, ROOTS_CHANGED, "{$J,'id':5,'method':'roots/list'}");
  mcp_server_on_roots(b.rig.server, NULL, NULL);
  exchange(&b.wire, "{$J,'id':5,'result':{'roots':[]}}", "");
  exchange(&b.wire, ROOTS_CHANGED, "");
  end(&b);
}

static void takes_back_what_is_not_answered_in_time(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server_on_roots(b.rig.server, on_roots, &b);
  wire_initialize(&b.wire, "2025-06-18", "{'roots':{}}");
  rig_pass(&b.rig, 600 * 1000);
  expect(&b.wire, "{$J,'method':'notifications/cancelled','params':{"
                  "'requestId':1,'reason':'timed out'}}");
  exchange(&b.wire, ROOTS_CHANGED, "{$J,'id':2,'method':'roots/list'}");
  end(&b);
}

static void asks_nobody_who_has_no_roots(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server_on_roots(b.rig.server, on_roots, &b);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  exchange(&b.wire, ROOTS_CHANGED, "");
  end(&b);
}

static void roots_may_be_on_their_way_at_the_end(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server_on_roots(b.rig.server, on_roots, &b);
  wire_initialize(&b.wire, "2025-06-18", "{'roots':{}}");
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  end(&b);
  begin(&b);
  mcp_server_on_roots(b.rig.server, on_roots, &b);
  wire_initialize(&b.wire, "2025-06-18", "{'roots':{}}");
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_sessions_whose_handshake_is_done),
      cmocka_unit_test(tells_every_session),
      cmocka_unit_test(tells_a_session_of_declared_kinds_alone),
      cmocka_unit_test(each_kind_that_initialize_declares_is_notified),
      cmocka_unit_test(logs_to_sessions_that_were_told_of_logging),
      cmocka_unit_test(a_lost_letter_is_made_up_for),
      cmocka_unit_test(tells_in_the_next_turn),
      cmocka_unit_test(tells_subscribers_of_updates),
      cmocka_unit_test(nobody_connected_is_nobody_to_tell),
      cmocka_unit_test(notifies_one_session),
      cmocka_unit_test(only_one_revision_has_elicitation_complete),
      cmocka_unit_test(follows_the_clients_roots),
      cmocka_unit_test(takes_back_what_is_not_answered_in_time),
      cmocka_unit_test(asks_nobody_who_has_no_roots),
      cmocka_unit_test(roots_may_be_on_their_way_at_the_end),
  };
  return cmocka_run_group_tests_name("server_notify", tests, NULL, NULL);
}
