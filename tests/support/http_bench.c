/* SPDX-License-Identifier: MIT */
#include "support/http_bench.h"

#include <string.h>

static void on_cancelled(mcp_call *call, void *userdata) {
  ((http_bench *)userdata)->cancelled++;
}

static int on_keep(mcp_call *call, void *userdata) {
  http_bench *b = userdata;
  b->kept[b->kept_count++] = call;
  mcp_call_on_cancel(call, on_cancelled, b);
  return mcp_call_defer(call);
}

static int on_hello(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "hello");
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static void bench_start(http_bench *b, const mcp_http_options *options) {
  failing_alloc_init(&b->alloc);
  assert_int_equal(http_rig_init(&b->http, NULL, options, &b->alloc.allocator),
                   0);
  mcp_server_enable_logging(b->http.rig.server);
  http_bench_add_tool(b, "hello", on_hello, b);
  http_bench_add_tool(b, "keep", on_keep, b);
  http_bench_add_tool(b, "tell", on_tell, b);
  rig_turn(&b->http.rig);
}

/* The number of blocks that are left. */
static size_t bench_stop(http_bench *b) {
  http_bench_answer(b);
  for (size_t i = 0; i < sizeof(b->trips) / sizeof(b->trips[0]); i++) {
    b->trips[i].on_answer = NULL;
    trip_deinit(&b->trips[i]);
  }
  http_rig_deinit(&b->http);
  b->cancelled = 0;
  return atomic_load(&b->alloc.live_blocks);
}

int http_bench_set_up(void **state) {
  static http_bench b;
  memset(&b, 0, sizeof(b));
  *state = &b;
  bench_start(&b, NULL);
  return 0;
}

int http_bench_tear_down(void **state) {
  size_t left = bench_stop(*state);
  if (left > 0) {
    print_error("%zu blocks are left\n", left);
  }
  return left > 0 ? -1 : 0;
}

void http_bench_restart(http_bench *b, const mcp_http_options *options) {
  assert_int_equal(bench_stop(b), 0);
  bench_start(b, options);
}

void http_bench_add_tool(http_bench *b, const char *name, mcp_call_cb handler,
                         void *userdata) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = userdata};
  assert_int_equal(mcp_server_add_tool(b->http.rig.server, &tool, NULL), 0);
}

void http_bench_answer(http_bench *b) {
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_reply_text(b->kept[i], "kept");
  }
  b->kept_count = 0;
  rig_turn(&b->http.rig);
}

void http_bench_free_server(http_bench *b) {
  mcp_server_free(b->http.rig.server);
  b->http.rig.server = NULL;
}

void http_bench_free_endpoint(http_bench *b) {
  mcp_http_free(b->http.http);
  b->http.http = NULL;
}
