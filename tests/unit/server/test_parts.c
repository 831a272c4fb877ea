/* SPDX-License-Identifier: MIT */
/* The lock over what a server's parts share. tests/unit/libmcp/test_server_
 * loops.c has several loops on threads of their own. */
#include "server/shard.h"

#include "support/server_bench.h"

/* --- a platform with a lock that watches --------------------------------- */

typedef struct watched {
  int is_held;
  int made;
  int acquires;
  int frees;
  int has_no_memory;
  mcp_server *rival_of; /* while it is made, another loop makes its own */
} watched;

static watched first;
static watched second;

static void *watched_new(watched *w) {
  w->made++;
  return w->has_no_memory ? NULL : w;
}

static void *second_new(void *userdata) {
  return watched_new(&second);
}

static void watched_acquire(void *lock) {
  watched *w = lock;
  assert_false(w->is_held);
  w->is_held = 1;
  w->acquires++;
}

static void watched_release(void *lock) {
  watched *w = lock;
  assert_true(w->is_held);
  w->is_held = 0;
}

static void watched_free(void *lock) {
  watched *w = lock;
  assert_false(w->is_held);
  w->frees++;
}

static const mcp_platform second_platform = {.size = sizeof(mcp_platform),
                                             .lock_new = second_new,
                                             .lock_acquire = watched_acquire,
                                             .lock_release = watched_release,
                                             .lock_free = watched_free};

static void *first_new(void *userdata) {
  if (first.rival_of != NULL) {
    assert_int_equal(mcpi_server_make_lock(first.rival_of, &second_platform),
                     0);
  }
  return watched_new(&first);
}

static void watch(mcp_platform *platform) {
  platform->lock_new = first_new;
  platform->lock_acquire = watched_acquire;
  platform->lock_release = watched_release;
  platform->lock_free = watched_free;
}

static void restart(server_bench *b) {
  first = (watched){0};
  second = (watched){0};
  b->change_platform = watch;
  server_bench_restart(b, NULL);
}

/* --- tests --------------------------------------------------------------- */

static int on_change(mcp_call *call, void *userdata) {
  server_bench *b = userdata;
  assert_false(first.is_held);
  server_bench_add_tool(b, "made", on_change);
  assert_int_equal(mcp_server_remove_tool(b->rig.server, "made"), 0);
  return mcp_call_reply(call);
}

BENCH_TEST(the_lock_is_not_held_where_the_program_runs) {
  server_bench *b = *state;
  restart(b);
  assert_int_equal(first.made, 1);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  server_bench_add_tool(b, "t", on_change);
  wire_send(&b->wire, "{$J,'id':7,'method':'tools/call','params':"
                      "{'name':'t'}}");
  rig_turn(&b->rig);
  wire_forget(&b->wire);
  assert_int_equal(mcp_server_connection_count(b->rig.server), 1);
  assert_true(first.acquires > 0);
  assert_false(first.is_held);
}

BENCH_TEST(the_lock_goes_with_the_server) {
  server_bench *b = *state;
  restart(b);
  assert_int_equal(first.frees, 0);
  server_bench_restart(b, NULL);
  assert_int_equal(first.made, 2);
  assert_int_equal(first.frees, 1);
}

BENCH_TEST(a_second_loop_takes_the_lock_that_is_there) {
  server_bench *b = *state;
  restart(b);
  mcp_loop *loop = mcp_loop_new_manual(&second_platform, NULL, NULL);
  mcpi_shard *shard = mcpi_shard_get(b->rig.server, loop);
  assert_non_null(shard);
  assert_int_equal(second.made, 0);
  mcpi_server_leave_loop(b->rig.server, loop);
  assert_false(mcpi_server_is_on(b->rig.server, loop));
  mcp_loop_free(loop);
}

TEST(of_two_locks_made_at_once_one_is_freed) {
  first = (watched){0};
  second = (watched){0};
  mcp_platform platform = {.size = sizeof(mcp_platform)};
  mcp_server *server = mcp_server_new("n", "v", NULL, NULL);
  watch(&platform);
  first.rival_of = server;
  assert_int_equal(mcpi_server_make_lock(server, &platform), 0);
  assert_int_equal(second.made, 1);
  assert_int_equal(second.frees, 0);
  assert_int_equal(first.made, 1);
  assert_int_equal(first.frees, 1);
  const mcpi_lock *lock = mcpi_server_lock(server);
  assert_true(second.is_held);
  mcpi_server_unlock(lock);
  mcp_server_free(server);
  assert_int_equal(second.frees, 1);
}

TEST(without_a_lock_there_is_no_shard) {
  first = (watched){.has_no_memory = 1};
  mcp_platform platform = {.size = sizeof(mcp_platform)};
  mcp_server *server = mcp_server_new("n", "v", NULL, NULL);
  watch(&platform);
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  assert_null(mcpi_shard_get(server, loop));
  assert_null(mcpi_server_lock(server));
  assert_int_equal(mcp_server_connection_count(server), 0);
  assert_int_equal(mcp_server_resource_updated(server, "a:1"), 0);
  assert_false(mcpi_server_is_on(server, loop));
  first.has_no_memory = 0;
  mcpi_shard *shard = mcpi_shard_get(server, loop);
  assert_non_null(shard);
  mcp_server_free(server);
  mcp_loop_free(loop);
  assert_int_equal(first.frees, 1);
}
