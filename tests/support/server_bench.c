/* SPDX-License-Identifier: MIT */
#include "support/server_bench.h"

#include <string.h>

static server_bench *current; /* there is one at a time */

static int is_loop_thread(void *userdata) {
  return !current->is_elsewhere;
}

static void bench_start(server_bench *b, const mcp_server_options *options) {
  failing_alloc_init(&b->alloc);
  assert_int_equal(rig_init(&b->rig, options, &b->alloc.allocator), 0);
  mcp_loop_free(b->rig.loop);
  b->rig.platform.is_loop_thread = is_loop_thread;
  if (b->change_platform != NULL) {
    b->change_platform(&b->rig.platform);
  }
  b->rig.loop =
      mcp_loop_new_manual(&b->rig.platform, &b->alloc.allocator, NULL);
  b->rig.dialect = b->dialect;
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

/* The number of blocks that are left. */
static size_t bench_stop(server_bench *b) {
  b->is_elsewhere = 0;
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
  b->kept_count = 0;
  return atomic_load(&b->alloc.live_blocks);
}

int server_bench_set_up(void **state) {
  static server_bench b;
  memset(&b, 0, sizeof(b));
  current = &b;
  *state = &b;
  bench_start(&b, NULL);
  return 0;
}

int server_bench_tear_down(void **state) {
  size_t left = bench_stop(*state);
  if (left > 0) {
    print_error("%zu blocks are left\n", left);
  }
  return left > 0 ? -1 : 0;
}

void server_bench_restart(server_bench *b, const mcp_server_options *options) {
  assert_int_equal(bench_stop(b), 0);
  bench_start(b, options);
}

void server_bench_add_tool(server_bench *b, const char *name,
                           mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

int server_bench_keep(mcp_call *call, void *userdata) {
  server_bench *b = userdata;
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}
