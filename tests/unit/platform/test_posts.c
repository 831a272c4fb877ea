/* SPDX-License-Identifier: MIT */
#include "platform/posts.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>

static mcpi_posts posts;
static size_t ran[10000];
static size_t ran_count;
static size_t wakes;

static void on_wake(void *argument) {
  (void)argument;
  wakes++;
}

static int reset(void **state) {
  ran_count = 0;
  wakes = 0;
  assert_int_equal(
      mcpi_posts_init(&posts, mcp_allocator_default(), on_wake, NULL), 0);
  return 0;
}

static int clean(void **state) {
  mcpi_posts_deinit(&posts);
  return 0;
}

static void note(void *argument) {
  ran[ran_count++] = (size_t)(uintptr_t)argument;
}

static void add(size_t number) {
  assert_int_equal(mcpi_posts_add(&posts, note, (void *)(uintptr_t)number), 0);
}

TEST_WITH(they_run_in_order_and_in_bounds, reset, clean) {
  for (size_t i = 0; i < 1000; i++) {
    add(i);
  }
  assert_int_equal(mcpi_posts_run(&posts, 300), 1);
  assert_int_equal(ran_count, 300);
  add(1000);
  while (mcpi_posts_run(&posts, 300)) {
  }
  assert_int_equal(ran_count, 1001);
  for (size_t i = 0; i < ran_count; i++) {
    assert_int_equal(ran[i], i);
  }
  assert_int_equal(mcpi_posts_wait(&posts), 0);
}

static void note_and_add(void *argument) {
  note(argument);
  if (ran_count < 50) {
    assert_int_equal(mcpi_posts_add(&posts, note_and_add, argument), 0);
  }
}

TEST_WITH(what_one_adds_runs_in_a_later_turn, reset, clean) {
  assert_int_equal(mcpi_posts_add(&posts, note_and_add, NULL), 0);
  for (size_t turn = 1; turn <= 50; turn++) {
    assert_int_equal(mcpi_posts_run(&posts, SIZE_MAX), turn < 50);
    assert_int_equal(ran_count, turn);
  }
}

TEST_WITH(a_closed_one_refuses_and_still_runs, reset, clean) {
  add(1);
  mcpi_posts_close(&posts);
  assert_int_equal(mcpi_posts_add(&posts, note, NULL), MCP_ERR_CLOSED);
  assert_int_equal(wakes, 1);
  assert_int_equal(mcpi_posts_run(&posts, SIZE_MAX), 0);
  assert_int_equal(ran_count, 1);
}

static void post_many(void *argument) {
  for (size_t i = 0; i < 1000; i++) {
    add(i);
  }
}

TEST_WITH(threads_post_at_once, reset, clean) {
  uv_thread_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(uv_thread_create(&threads[i], post_many, NULL), 0);
  }
  while (ran_count < 4000) {
    mcpi_posts_run(&posts, 100);
  }
  for (int i = 0; i < 4; i++) {
    uv_thread_join(&threads[i]);
  }
  assert_int_equal(mcpi_posts_wait(&posts), 0);
}

TEST_WITH(a_steady_stream_asks_for_no_memory, reset, clean) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  mcpi_posts steady;
  assert_int_equal(mcpi_posts_init(&steady, &alloc.allocator, on_wake, NULL),
                   0);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(mcpi_posts_add(&steady, note, NULL), 0);
    mcpi_posts_run(&steady, SIZE_MAX);
  }
  size_t calls = alloc.calls;
  for (size_t i = 0; i < 1000; i++) {
    assert_int_equal(mcpi_posts_add(&steady, note, NULL), 0);
    mcpi_posts_run(&steady, SIZE_MAX);
  }
  assert_int_equal(alloc.calls, calls);
  mcpi_posts_deinit(&steady);
  assert_int_equal(alloc.live_blocks, 0);
}

static int add_some(const mcp_allocator *allocator, void *userdata) {
  mcpi_posts scarce;
  int rc = 0;
  assert_int_equal(mcpi_posts_init(&scarce, allocator, on_wake, NULL), 0);
  ran_count = 0;
  size_t added = 0;
  for (; added < 40 && rc == 0; added += rc == 0) {
    rc = mcpi_posts_add(&scarce, note, NULL);
  }
  while (mcpi_posts_run(&scarce, SIZE_MAX)) {
  }
  assert_int_equal(ran_count, added); /* none that was refused */
  mcpi_posts_deinit(&scarce);
  return rc;
}

TEST_WITH(a_refused_one_never_runs, reset, clean) {
  assert_true(failing_alloc_rerun(add_some, NULL) >= 2);
}
