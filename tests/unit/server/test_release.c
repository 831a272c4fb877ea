/* SPDX-License-Identifier: MIT */
/* `release` of tools, resources, templates, prompts and methods: it runs once,
 * after the last use of `userdata`. */
#include "support/server_bench.h"
#include <stdio.h>
#include <string.h>

/* What `userdata` points at. */
typedef struct watch {
  server_bench *bench;
  int is_added; /* by add_each */
  int runs;     /* of handlers */
  int released; /* calls of release */
} watch;

static void on_release(void *userdata) {
  watch *w = userdata;
  w->released++;
}

static int on_watch(mcp_call *call, void *userdata) {
  watch *w = userdata;
  assert_int_equal(w->released, 0);
  w->runs++;
  return mcp_call_reply(call);
}

static int on_defer(mcp_call *call, void *userdata) {
  watch *w = userdata;
  assert_int_equal(w->released, 0);
  return server_bench_keep(call, w->bench);
}

static mcp_tool watched_tool(watch *w, mcp_call_cb handler) {
  return (mcp_tool){.size = sizeof(mcp_tool),
                    .name = "t",
                    .handler = handler,
                    .userdata = w,
                    .release = on_release};
}

static void add_watched(server_bench *b, watch *w, mcp_call_cb handler) {
  const mcp_tool tool = watched_tool(w, handler);
  w->bench = b;
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

static void add_blocking(server_bench *b, watch *w, mcp_call_cb handler) {
  mcp_tool tool = watched_tool(w, handler);
  tool.is_blocking = 1;
  w->bench = b;
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

static void remove_tool(server_bench *b) {
  assert_int_equal(mcp_server_remove_tool(b->rig.server, "t"), 0);
  rig_turn(&b->rig);
}

static void free_server(server_bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
}

static void call_tool(server_bench *b) {
  wire_send(&b->wire, MODERN_CALL("1", "t"));
  rig_turn(&b->rig);
}

/* ---- each kind ---------------------------------------------------------- */

/* One of each, with two functions where a kind has two. */
static int add_each(mcp_server *server, watch w[6]) {
  const mcp_tool tool = watched_tool(&w[0], on_watch);
  const mcp_resource resource = {.size = sizeof(mcp_resource),
                                 .uri = "a:1",
                                 .name = "r",
                                 .handler = on_watch,
                                 .userdata = &w[1],
                                 .release = on_release};
  const mcp_resource fixed = {.size = sizeof(mcp_resource),
                              .uri = "a:2",
                              .name = "f",
                              .text = "x",
                              .userdata = &w[2],
                              .release = on_release};
  const mcp_resource_template tpl = {.size = sizeof(mcp_resource_template),
                                     .uri_template = "b:{x}",
                                     .name = "b",
                                     .handler = on_watch,
                                     .complete = on_watch,
                                     .userdata = &w[3],
                                     .release = on_release};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = "p",
                             .handler = on_watch,
                             .complete = on_watch,
                             .userdata = &w[4],
                             .release = on_release};
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = "com.example/m",
                             .handler = on_watch,
                             .userdata = &w[5],
                             .release = on_release};
  int rc[] = {mcp_server_add_tool(server, &tool, NULL),
              mcp_server_add_resource(server, &resource, NULL),
              mcp_server_add_resource(server, &fixed, NULL),
              mcp_server_add_resource_template(server, &tpl, NULL),
              mcp_server_add_prompt(server, &prompt, NULL),
              mcp_server_add_method(server, &method, NULL)};
  int first = 0;
  for (size_t i = 0; i < 6; i++) {
    w[i].is_added = rc[i] == 0;
    first = first != 0 ? first : rc[i];
  }
  return first;
}

static void assert_released(const watch *w, size_t count, int times) {
  for (size_t i = 0; i < count; i++) {
    if (w[i].released != times) {
      fail_msg("entry %zu was released %d times, not %d", i, w[i].released,
               times);
    }
  }
}

TEST(a_server_without_a_loop_releases_at_its_end) {
  watch w[6] = {{0}};
  mcp_server *server = mcp_server_new("s", "1", NULL, NULL);
  assert_non_null(server);
  assert_int_equal(add_each(server, w), 0);
  assert_released(w, 6, 0);
  mcp_server_free(server);
  assert_released(w, 6, 1);
}

BENCH_TEST(a_connected_server_releases_at_its_end) {
  server_bench *b = *state;
  watch w[6] = {{0}};
  assert_int_equal(add_each(b->rig.server, w), 0);
  rig_turn(&b->rig);
  assert_released(w, 6, 0);
  free_server(b);
  assert_released(w, 6, 1);
}

static void remove_each(mcp_server *server) {
  assert_int_equal(mcp_server_remove_tool(server, "t"), 0);
  assert_int_equal(mcp_server_remove_resource(server, "a:1"), 0);
  assert_int_equal(mcp_server_remove_resource(server, "a:2"), 0);
  assert_int_equal(mcp_server_remove_resource_template(server, "b:{x}"), 0);
  assert_int_equal(mcp_server_remove_prompt(server, "p"), 0);
}

TEST(removing_releases_at_once_before_the_server_is_on_a_loop) {
  watch w[6] = {{0}};
  mcp_server *server = mcp_server_new("s", "1", NULL, NULL);
  assert_non_null(server);
  assert_int_equal(add_each(server, w), 0);
  remove_each(server);
  assert_released(w, 5, 1);
  mcp_server_free(server);
  assert_released(w, 6, 1);
}

BENCH_TEST(removing_releases_in_the_next_turn) {
  server_bench *b = *state;
  watch w[6] = {{0}};
  assert_int_equal(add_each(b->rig.server, w), 0);
  rig_turn(&b->rig);
  remove_each(b->rig.server);
  assert_released(w, 6, 0);
  rig_turn(&b->rig);
  assert_released(w, 5, 1);
  assert_int_equal(w[5].released, 0);
  free_server(b);
  assert_released(w, 6, 1);
}

/* The loop keeps the text of a list that was asked for. */
BENCH_TEST(a_list_that_was_sent_does_not_keep_an_entry) {
  static const char *const lists[] = {"tools", "resources",
                                      "resources/templates", "prompts"};
  server_bench *b = *state;
  watch w[6] = {{0}};
  assert_int_equal(add_each(b->rig.server, w), 0);
  for (size_t i = 0; i < 4; i++) {
    char line[100];
    snprintf(line, sizeof(line),
             "{$J,'id':%d,'method':'%s/list','params':{$M{}}}", (int)i,
             lists[i]);
    wire_send(&b->wire, line);
    rig_turn(&b->rig);
    assert_non_null(strstr(b->wire.text.bytes, "result"));
    wire_forget(&b->wire);
  }
  remove_each(b->rig.server);
  rig_turn(&b->rig);
  assert_released(w, 5, 1);
  free_server(b); /* it releases the method's */
}

/* ---- replacing ---------------------------------------------------------- */

BENCH_TEST(a_replaced_tool_releases_its_own_userdata) {
  server_bench *b = *state;
  watch w[3] = {{0}};
  for (size_t i = 0; i < 3; i++) {
    add_watched(b, &w[i], on_watch);
    call_tool(b);
    assert_int_equal(w[i].runs, 1);
    assert_released(w, i, 1);
    assert_released(w + i, 3 - i, 0);
    if (i < 2) {
      assert_int_equal(mcp_server_remove_tool(b->rig.server, "t"), 0);
    }
  }
  wire_forget(&b->wire);
  free_server(b);
  assert_released(w, 3, 1);
}

BENCH_TEST(entries_that_share_userdata_release_it_once_each) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_watch);
  remove_tool(b);
  add_watched(b, &w, on_watch);
  assert_int_equal(w.released, 1);
  free_server(b);
  assert_int_equal(w.released, 2);
}

/* ---- calls in flight ---------------------------------------------------- */

BENCH_TEST(an_open_deferred_call_keeps_userdata) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_defer);
  call_tool(b);
  remove_tool(b);
  assert_int_equal(w.released, 0);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "x"), 0);
  expect(&b->wire, RESULT_TEXT("1", "x"));
  assert_int_equal(w.released, 1);
}

BENCH_TEST(a_dropped_call_releases) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_defer);
  call_tool(b);
  remove_tool(b);
  mcp_call_drop(b->kept[0]);
  rig_turn(&b->rig);
  assert_int_equal(w.released, 1);
  wire_forget(&b->wire);
}

BENCH_TEST(a_deferred_call_keeps_userdata_after_its_server) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_defer);
  call_tool(b);
  free_server(b);
  assert_int_equal(w.released, 0);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "x"), MCP_ERR_GONE);
  assert_int_equal(w.released, 1);
}

static int on_remove_itself(mcp_call *call, void *userdata) {
  watch *w = userdata;
  assert_int_equal(mcp_server_remove_tool(w->bench->rig.server, "t"), 0);
  rig_turn(&w->bench->rig);
  assert_int_equal(w->released, 0);
  return mcp_call_reply_text(call, "x");
}

BENCH_TEST(a_handler_may_remove_its_tool) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_remove_itself);
  exchange(&b->wire, MODERN_CALL("1", "t"), RESULT_TEXT("1", "x"));
  assert_int_equal(w.released, 1);
}

static int on_free_server(mcp_call *call, void *userdata) {
  watch *w = userdata;
  mcp_server_free(w->bench->rig.server);
  w->bench->rig.server = NULL;
  assert_int_equal(w->released, 0);
  return mcp_call_reply_text(call, "x");
}

BENCH_TEST(a_handler_may_free_its_server) {
  server_bench *b = *state;
  watch w = {0};
  add_watched(b, &w, on_free_server);
  call_tool(b);
  assert_int_equal(w.released, 1);
}

/* ---- blocking handlers -------------------------------------------------- */

BENCH_TEST(a_queued_handler_keeps_a_removed_tool) {
  server_bench *b = *state;
  watch w = {0};
  add_blocking(b, &w, on_watch);
  call_tool(b);
  remove_tool(b);
  assert_int_equal(w.released, 0);
  rig_work(&b->rig);
  assert_int_equal(w.runs, 1);
  assert_int_equal(w.released, 1);
  wire_forget(&b->wire);
}

BENCH_TEST(a_queued_handler_keeps_userdata_after_its_server) {
  server_bench *b = *state;
  watch w = {0};
  add_blocking(b, &w, on_watch);
  call_tool(b);
  free_server(b);
  assert_int_equal(w.released, 0);
  rig_work(&b->rig);
  assert_int_equal(w.runs, 1);
  assert_int_equal(w.released, 1);
}

/* The test plays both threads: the handler is on the pool, and what it calls is
 * what the loop's thread does meanwhile. */
BENCH_TEST(the_server_is_freed_while_a_blocking_handler_runs) {
  server_bench *b = *state;
  watch w = {0};
  add_blocking(b, &w, on_free_server);
  call_tool(b);
  rig_work(&b->rig);
  assert_int_equal(w.released, 1);
}

static void assert_home(void *userdata) {
  watch *w = userdata;
  assert_false(w->bench->is_elsewhere);
  w->released++;
}

/* The pool's thread never runs it, also when it has the last use. */
BENCH_TEST(release_runs_on_the_thread_of_the_loop) {
  server_bench *b = *state;
  watch w = {.bench = b};
  mcp_tool tool = watched_tool(&w, on_watch);
  tool.is_blocking = 1;
  tool.release = assert_home;
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
  call_tool(b);
  remove_tool(b);
  void (*work)(void *argument) = b->rig.work;
  b->rig.work = NULL;
  b->is_elsewhere = 1;
  work(b->rig.work_argument);
  b->is_elsewhere = 0;
  assert_int_equal(w.released, 0);
  rig_turn(&b->rig);
  assert_int_equal(w.released, 1);
  wire_forget(&b->wire);
}

/* ---- the server's own userdata ------------------------------------------ */

static void release_after_entry(void *userdata) {
  watch *w = userdata;
  assert_int_equal(w[0].released, 0);
  assert_int_equal(w[1].released, 1);
  w[0].released++;
}

/* w[0] is the server's, w[1] its tool's. */
static mcp_server *watched_server(watch w[2], const mcp_allocator *allocator,
                                  mcp_error *err) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .allocator = allocator,
                                      .userdata = w,
                                      .release = release_after_entry};
  return mcp_server_new("s", "1", &options, err);
}

TEST(a_server_releases_its_userdata_after_that_of_its_tools) {
  watch w[2] = {{0}};
  mcp_server *server = watched_server(w, NULL, NULL);
  const mcp_tool tool = watched_tool(&w[1], on_watch);
  assert_int_equal(mcp_server_add_tool(server, &tool, NULL), 0);
  assert_int_equal(w[0].released, 0);
  mcp_server_free(server);
  assert_int_equal(w[0].released, 1);
}

BENCH_TEST(a_server_releases_its_userdata_after_its_last_call) {
  server_bench *b = *state;
  watch w[2] = {{0}};
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .userdata = w,
                                      .release = release_after_entry};
  server_bench_restart(b, &options);
  add_watched(b, &w[1], on_defer);
  call_tool(b);
  free_server(b);
  assert_int_equal(w[0].released, 0);
  assert_int_equal(mcp_call_reply_text(b->kept[0], "x"), MCP_ERR_GONE);
  assert_int_equal(w[0].released, 1);
}

static int make_server(const mcp_allocator *allocator, void *userdata) {
  (void)userdata;
  watch w[2] = {{0}, {.released = 1}};
  mcp_error err = {0};
  mcp_server *server = watched_server(w, allocator, &err);
  assert_int_equal(w[0].released, 0);
  mcp_server_free(server);
  assert_int_equal(w[0].released, server != NULL);
  return server != NULL ? 0 : err.code;
}

TEST(a_server_that_fails_to_be_made_releases_nothing) {
  assert_true(failing_alloc_rerun(make_server, NULL) > 5);
}

/* ---- failures ----------------------------------------------------------- */

BENCH_TEST(a_registration_that_fails_releases_nothing) {
  server_bench *b = *state;
  mcp_server *server = b->rig.server;
  watch w[6] = {{0}};
  watch again[6] = {{0}};
  assert_int_equal(add_each(server, w), 0);
  assert_int_equal(add_each(server, again), MCP_ERR_EXISTS);
  for (size_t i = 0; i < 6; i++) {
    assert_false(again[i].is_added);
  }
  mcp_tool bad = watched_tool(&again[0], on_watch);
  bad.name = "not a name";
  assert_int_equal(mcp_server_add_tool(server, &bad, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_tool(NULL, &bad, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_remove_tool(server, "no"), MCP_ERR_NOT_FOUND);
  assert_int_equal(mcp_server_remove_tool(server, NULL), MCP_ERR_INVALID);
  free_server(b);
  assert_released(w, 6, 1);
  assert_released(again, 6, 0);
}

/* Removing needs memory, because the loop holds the list from before. */
static int remove_with(mcp_server *server, mcp_loop *loop, watch w[6]) {
  int rc = add_each(server, w);
  mcp_loop_advance(loop, 1, 1);
  if (rc == 0) {
    rc = mcp_server_remove_tool(server, "t");
    assert_int_equal(w[0].released, 0);
    mcp_loop_advance(loop, 2, 2);
    assert_int_equal(w[0].released, rc == 0);
  }
  return rc;
}

static int serve_and_end(const mcp_allocator *allocator, void *userdata) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .allocator = allocator};
  watch w[6] = {{0}};
  mcp_transport *ends[2] = {NULL, NULL};
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new_manual(NULL, allocator, &err);
  mcp_server *server = NULL;
  int rc = err.code;
  if (loop != NULL) {
    server = mcp_server_new("s", "1", &options, &err);
    rc = err.code;
  }
  if (server != NULL) {
    rc = mcp_memory_pair(loop, &ends[0], &ends[1], &err);
  }
  if (rc == 0) {
    rc = mcp_server_connect(server, loop, ends[0], NULL, NULL, NULL);
  }
  if (rc == 0) {
    rc = remove_with(server, loop, w);
  }
  mcp_server_free(server);
  mcp_transport_free(ends[1]);
  mcp_loop_free(loop);
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(w[i].released, w[i].is_added);
  }
  return rc;
}

TEST(failing_memory_releases_what_was_added_and_nothing_else) {
  assert_true(failing_alloc_rerun(serve_and_end, NULL) > 20);
}

/* ---- older programs ----------------------------------------------------- */

/* Their structures end before the member. */
BENCH_TEST(structures_without_the_member_release_nothing) {
  server_bench *b = *state;
  mcp_server *server = b->rig.server;
  watch w = {0};
  mcp_tool tool = watched_tool(&w, on_watch);
  mcp_resource resource = {.size = offsetof(mcp_resource, release),
                           .uri = "a:1",
                           .name = "r",
                           .handler = on_watch,
                           .release = on_release};
  mcp_resource_template tpl = {.size = offsetof(mcp_resource_template, release),
                               .uri_template = "b:{x}",
                               .name = "b",
                               .handler = on_watch,
                               .release = on_release};
  mcp_prompt prompt = {.size = offsetof(mcp_prompt, release),
                       .name = "p",
                       .handler = on_watch,
                       .release = on_release};
  mcp_method method = {.size = offsetof(mcp_method, release),
                       .name = "com.example/m",
                       .handler = on_watch,
                       .release = on_release};
  tool.size = offsetof(mcp_tool, release);
  resource.userdata = &w;
  tpl.userdata = &w;
  prompt.userdata = &w;
  method.userdata = &w;
  assert_int_equal(mcp_server_add_tool(server, &tool, NULL), 0);
  assert_int_equal(mcp_server_add_resource(server, &resource, NULL), 0);
  assert_int_equal(mcp_server_add_resource_template(server, &tpl, NULL), 0);
  assert_int_equal(mcp_server_add_prompt(server, &prompt, NULL), 0);
  assert_int_equal(mcp_server_add_method(server, &method, NULL), 0);
  call_tool(b);
  assert_int_equal(w.runs, 1);
  remove_tool(b);
  wire_forget(&b->wire);
  free_server(b);
  assert_int_equal(w.released, 0);
}
