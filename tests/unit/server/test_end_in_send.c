/* SPDX-License-Identifier: MIT */
/* A trace closes the connection while the server sends: when its calls learn of
 * that. */
#include "support/cm.h"
#include "support/prompt_transport.h"
#include "support/server_rig.h"
#include <mcp/transport.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  mcp_connection *connection;
  mcp_call *kept;
  int removes; /* the handler removes its on_cancel after the send */
  int is_closed;
  int cancel_count;
  int count_after_send;
  int was_cancelled; /* what mcp_call_is_cancelled returned after the send */
} bench;

static void on_trace(mcp_transport *transport,
                     const mcp_traced_message *message, void *userdata) {
  bench *b = userdata;
  if (message->is_sent && b->kept != NULL && !b->is_closed) {
    b->is_closed = 1;
    mcp_connection_close(b->connection, 0);
  }
}

static void on_cancel(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->cancel_count++;
}

static int on_tell(mcp_call *call, void *userdata) {
  bench *b = userdata;
  mcp_call_on_cancel(call, on_cancel, b);
  mcp_call_defer(call);
  b->kept = call;
  mcp_call_progress(call, 1, 2, NULL);
  b->count_after_send = b->cancel_count;
  b->was_cancelled = mcp_call_is_cancelled(call);
  if (b->removes) {
    assert_int_equal(mcp_call_on_cancel(call, NULL, NULL), MCP_ERR_GONE);
  }
  return 0;
}

static void run(bench *b, int is_prompt) {
  const mcp_tool tool = {
      .size = sizeof(tool), .name = "tell", .handler = on_tell, .userdata = b};
  assert_int_equal(rig_init(&b->rig, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
  assert_int_equal(wire_begin(&b->wire, &b->rig), 0);
  mcp_transport *end = b->wire.server_end;
  end = is_prompt ? prompt_transport_new(end) : end;
  end = mcp_transport_trace(b->rig.loop, end, on_trace, b, NULL);
  assert_int_equal(mcp_server_connect(b->rig.server, b->rig.loop, end, NULL,
                                      &b->connection, NULL),
                   0);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  wire_send(&b->wire,
            "{$J,'id':1,'method':'tools/"
            "call','params':{'name':'tell','_meta':{'progressToken':5}}}");
  rig_turn(&b->rig);
  assert_int_equal(b->is_closed, 1);
  assert_int_equal(b->was_cancelled, 1);
  assert_int_equal(b->count_after_send, 0);
  assert_int_equal(mcp_server_connection_count(b->rig.server), 0);
  mcp_call_drop(b->kept);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

TEST(a_call_learns_of_the_end_after_the_send) {
  for (int is_prompt = 0; is_prompt < 2; is_prompt++) {
    bench b = {.removes = 0};
    run(&b, is_prompt);
    assert_int_equal(b.cancel_count, 1);
  }
}

TEST(a_function_that_was_removed_before_does_not_run) {
  for (int is_prompt = 0; is_prompt < 2; is_prompt++) {
    bench b = {.removes = 1};
    run(&b, is_prompt);
    assert_int_equal(b.cancel_count, 0);
  }
}
