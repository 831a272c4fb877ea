/* SPDX-License-Identifier: MIT */
/* Changes that are made elsewhere than in the loop's own turn. All other
 * notifications are in tests/wire/server/notify.txt and listen.txt. */
#include "support/server_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

static void add_prompt(mcp_server *server, const char *name) {
  const mcp_prompt prompt = {
      .size = sizeof(mcp_prompt), .name = name, .handler = on_nothing};
  assert_int_equal(mcp_server_add_prompt(server, &prompt, NULL), 0);
}

/* ---- another thread ----------------------------------------------------- */

static int post_nothing(void *userdata, void (*run)(void *argument),
                        void *argument) {
  return MCP_ERR_NOMEM;
}

static void cannot_post(mcp_platform *platform) {
  platform->post = post_nothing;
}

/* There is no memory to tell the loop, so it finds out by itself. */
BENCH_TEST(a_lost_letter_is_made_up_for) {
  server_bench *b = *state;
  b->change_platform = cannot_post;
  server_bench_restart(b, NULL);
  server_bench_add_tool(b, "t", on_nothing);
  rig_turn(&b->rig);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  b->is_elsewhere = 1;
  server_bench_add_tool(b, "t2", on_nothing);
  b->is_elsewhere = 0;
  expect(&b->wire, "");
  exchange(&b->wire, "{$J,'id':7,'method':'ping'}",
           "{$J,'id':7,'result':{}}\n"
           "{$J,'method':'notifications/tools/list_changed'}");
  exchange(&b->wire, "{$J,'id':8,'method':'ping'}", "{$J,'id':8,'result':{}}");
}

/* ---- while initialize is answered --------------------------------------- */

enum { ID_BYTES = 2000 };

/* Stands for another loop's thread: the allocation number `due` of those that
 * an id of ID_BYTES needs adds the server's first prompt. */
typedef struct intruder {
  server_rig rig;
  rig_wire wire;
  mcp_allocator allocator;
  int due;
  int count;
} intruder;

static void intrude(intruder *in, size_t size) {
  if (size >= ID_BYTES && ++in->count == in->due) {
    add_prompt(in->rig.server, "p");
  }
}

static void *intruder_alloc(void *userdata, size_t size) {
  const mcp_allocator *plain = mcp_allocator_default();
  intrude(userdata, size);
  return plain->alloc(plain->userdata, size);
}

static void *intruder_resize(void *userdata, void *ptr, size_t old_size,
                             size_t size) {
  const mcp_allocator *plain = mcp_allocator_default();
  intrude(userdata, size);
  return plain->resize(plain->userdata, ptr, old_size, size);
}

static void intruder_release(void *userdata, void *ptr, size_t size) {
  const mcp_allocator *plain = mcp_allocator_default();
  plain->release(plain->userdata, ptr, size);
}

static int intruder_set_up(void **state) {
  static intruder in;
  *state = &in;
  return 0;
}

static void intruder_deinit(intruder *in) {
  in->due = 0;
  mcp_server_free(in->rig.server);
  in->rig.server = NULL;
  if (in->rig.loop != NULL) {
    rig_turn(&in->rig);
  }
  if (in->wire.end != NULL) {
    wire_deinit(&in->wire);
  }
  rig_deinit(&in->rig);
}

static int intruder_tear_down(void **state) {
  intruder_deinit(*state);
  return 0;
}

static int has_come(rig_wire *wire, const char *text) {
  rig_turn(wire->rig);
  int has = strstr(wire->text.bytes, text) != NULL;
  wire_forget(wire);
  return has;
}

/* 1: the prompt was added at that allocation; 0: there are fewer. */
static int add_prompt_at(intruder *in, int due) {
  static char message[ID_BYTES + 300];
  intruder_deinit(in);
  in->count = 0;
  in->allocator =
      (mcp_allocator){intruder_alloc, intruder_resize, intruder_release, in};
  assert_int_equal(rig_init(&in->rig, NULL, &in->allocator), 0);
  assert_int_equal(wire_connect(&in->wire, &in->rig, NULL), 0);
  in->count = 0;
  in->due = due;
  snprintf(message, sizeof(message),
           "{$J,'id':'%0*d','method':'initialize','params':{'protocolVersion':"
           "'2025-11-25','capabilities':{},'clientInfo':{}}}",
           (int)ID_BYTES, 1);
  wire_send(&in->wire, message);
  int is_declared = has_come(&in->wire, "\"prompts\":{\"listChanged\":true}");
  int was_added = in->count >= due;
  wire_send(&in->wire, INITIALIZED);
  rig_turn(&in->rig);
  wire_forget(&in->wire);
  add_prompt(in->rig.server, "q");
  assert_int_equal(has_come(&in->wire, "prompts/list_changed"), is_declared);
  return was_added;
}

TEST_WITH(a_session_is_told_of_what_its_initialize_declared, intruder_set_up,
          intruder_tear_down) {
  int due = 1;
  while (add_prompt_at(*state, due)) {
    due++;
  }
  assert_true(due > 2);
}

/* ---- what only a program can do wrong ----------------------------------- */

BENCH_TEST(a_notification_needs_all_its_parts) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  assert_int_equal(mcp_server_resource_updated(server, "\xff"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_resource_updated(server, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_session_notify(NULL, "n", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_session_elicitation_complete(NULL, "e"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(server, MCP_LOG_DEBUG, "\xff", "1"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_log(NULL, MCP_LOG_DEBUG, NULL, "1"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_enable_logging(NULL), MCP_ERR_INVALID);
  mcp_connection_close(NULL, 0);
}

/* Another thread may log while this one holds the call. */
static int on_bad_log(mcp_call *call, void *userdata) {
  int rc = mcp_call_add_text_n(call, "\xff", 1);
  assert_int_equal(rc, MCP_ERR_INVALID);
  assert_int_equal(mcp_call_logf(call, MCP_LOG_ERROR, "log %s", "\xff"),
                   MCP_ERR_INVALID);
  return rc;
}

BENCH_TEST(a_log_message_that_is_not_utf_8_records_nothing_on_the_call) {
  server_bench *b = *state;
  server_bench_add_tool(b, "t", on_bad_log);
  exchange(&b->wire, MODERN_CALL("1", "t"),
           "{$J,'id':1,'error':{'code':-32603,"
           "'message':'the text is not UTF-8 at byte 0'}}");
}
