/* SPDX-License-Identifier: MIT */
#include "core/timer.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <string.h>

/* A timer with a name, and the names of those that have run. */
typedef struct named {
  mcpi_timer timer;
  int name;
} named;

static int ran[4096];
static size_t ran_count;

static void note(mcpi_timer *timer) {
  const named *n = (const named *)(const void *)timer;
  assert_int_equal(timer->place, 0);
  ran[ran_count++] = n->name;
}

static int reset(void **state) {
  ran_count = 0;
  return 0;
}

static named make(int name) {
  return (named){{.on_due = note}, name};
}

TEST_WITH(the_earliest_runs_first, reset, NULL) {
  static const int64_t dues[] = {50, 10, 40, 10, 30, 20, 60};
  static const int order[] = {20, 30, 40, 50};
  mcpi_timers timers;
  named all[7];
  mcpi_timers_init(&timers, mcp_allocator_default());
  assert_true(mcpi_timers_next(&timers) == INT64_MAX);
  for (size_t i = 0; i < 7; i++) {
    all[i] = make((int)dues[i]);
    assert_int_equal(mcpi_timer_start(&timers, &all[i].timer, dues[i]), 0);
  }
  assert_int_equal(mcpi_timers_next(&timers), 10);
  mcpi_timers_run(&timers, 9);
  assert_int_equal(ran_count, 0);
  mcpi_timers_run(&timers, 10);
  assert_int_equal(ran_count, 2);
  ran_count = 0;
  mcpi_timers_run(&timers, 59);
  assert_int_equal(ran_count, 4);
  assert_memory_equal(ran, order, sizeof(order));
  assert_int_equal(mcpi_timers_next(&timers), 60);
  mcpi_timer_stop(&timers, &all[6].timer);
  mcpi_timer_stop(&timers, &all[6].timer); /* harmless */
  assert_true(mcpi_timers_next(&timers) == INT64_MAX);
  mcpi_timers_deinit(&timers);
}

TEST_WITH(a_running_timer_moves, reset, NULL) {
  mcpi_timers timers;
  named a = make(1);
  named b = make(2);
  mcpi_timers_init(&timers, mcp_allocator_default());
  mcpi_timer_start(&timers, &a.timer, 10);
  mcpi_timer_start(&timers, &b.timer, 20);
  mcpi_timer_start(&timers, &a.timer, 30); /* later */
  assert_int_equal(mcpi_timers_next(&timers), 20);
  mcpi_timer_start(&timers, &a.timer, 5); /* earlier */
  assert_int_equal(mcpi_timers_next(&timers), 5);
  assert_int_equal(timers.count, 2);
  mcpi_timers_run(&timers, 100);
  assert_int_equal(ran_count, 2);
  assert_int_equal(ran[0], 1);
  mcpi_timers_deinit(&timers);
}

static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525 + 1013904223;
  return *seed >> 8;
}

/* Against the plainest model there is: a row of due times. */
TEST_WITH(a_thousand_random_changes, reset, NULL) {
  enum { COUNT = 200 };
  mcpi_timers timers;
  named all[COUNT];
  int64_t due[COUNT]; /* -1: stopped */
  uint32_t seed = 7;
  mcpi_timers_init(&timers, mcp_allocator_default());
  for (int i = 0; i < COUNT; i++) {
    all[i] = make(i);
    due[i] = -1;
  }
  for (int round = 0; round < 5000; round++) {
    size_t i = next_random(&seed) % COUNT;
    if (next_random(&seed) % 3 == 0) {
      mcpi_timer_stop(&timers, &all[i].timer);
      due[i] = -1;
    } else {
      due[i] = next_random(&seed) % 1000;
      assert_int_equal(mcpi_timer_start(&timers, &all[i].timer, due[i]), 0);
    }
    int64_t first = INT64_MAX;
    for (size_t j = 0; j < COUNT; j++) {
      first = due[j] >= 0 && due[j] < first ? due[j] : first;
      assert_int_equal(all[j].timer.place != 0, due[j] >= 0);
    }
    assert_true(mcpi_timers_next(&timers) == first);
  }
  mcpi_timers_run(&timers, 1000);
  for (size_t i = 1; i < ran_count; i++) {
    assert_true(due[ran[i - 1]] <= due[ran[i]]);
  }
  assert_int_equal(timers.count, 0);
  mcpi_timers_deinit(&timers);
}

/* --- callbacks that change the heap ------------------------------------- */

static mcpi_timers *current;

static void restart(mcpi_timer *timer) {
  note(timer);
  assert_int_equal(mcpi_timer_start(current, timer, timer->due_ms), 0);
}

TEST_WITH(one_that_restarts_at_once_does_not_hold_the_loop, reset, NULL) {
  mcpi_timers timers;
  named again = make(1);
  named other = make(2);
  mcpi_timers_init(&timers, mcp_allocator_default());
  current = &timers;
  again.timer.on_due = restart;
  mcpi_timer_start(&timers, &again.timer, 1);
  mcpi_timer_start(&timers, &other.timer, 100);
  mcpi_timers_run(&timers, 50);
  assert_true(ran_count >= 1 && ran_count <= 2);
  assert_int_equal(mcpi_timers_next(&timers), 1);
  mcpi_timer_stop(&timers, &again.timer);
  mcpi_timer_stop(&timers, &other.timer);
  mcpi_timers_deinit(&timers);
}

static named *victims;

static void stop_the_others(mcpi_timer *timer) {
  note(timer);
  for (size_t i = 1; i < 5; i++) {
    mcpi_timer_stop(current, &victims[i].timer);
    memset(&victims[i], 0xEE, sizeof(victims[i])); /* "freed" */
  }
}

TEST_WITH(one_may_stop_and_free_the_others, reset, NULL) {
  mcpi_timers timers;
  named all[5];
  mcpi_timers_init(&timers, mcp_allocator_default());
  current = &timers;
  victims = all;
  for (int i = 0; i < 5; i++) {
    all[i] = make(i);
    mcpi_timer_start(&timers, &all[i].timer, i);
  }
  all[0].timer.on_due = stop_the_others;
  mcpi_timers_run(&timers, 100);
  assert_int_equal(ran_count, 1);
  assert_int_equal(timers.count, 0);
  mcpi_timers_deinit(&timers);
}

/* --- memory ------------------------------------------------------------- */

static int start_forty(const mcp_allocator *allocator, void *userdata) {
  named *all = userdata;
  mcpi_timers timers;
  int rc = 0;
  mcpi_timers_init(&timers, allocator);
  for (int i = 0; i < 40 && rc == 0; i++) {
    all[i] = make(i);
    rc = mcpi_timer_start(&timers, &all[i].timer, 100 - i);
    assert_int_equal(all[i].timer.place != 0, rc == 0);
  }
  if (rc == 0) {
    assert_int_equal(mcpi_timers_next(&timers), 61);
  }
  mcpi_timers_deinit(&timers);
  return rc;
}

TEST_WITH(a_failed_start_changes_nothing, reset, NULL) {
  named all[40];
  assert_true(failing_alloc_rerun(start_forty, all) >= 2);
}

TEST_WITH(moving_asks_for_no_memory, reset, NULL) {
  failing_alloc alloc;
  mcpi_timers timers;
  named a = make(1);
  failing_alloc_init(&alloc);
  mcpi_timers_init(&timers, &alloc.allocator);
  assert_int_equal(mcpi_timer_start(&timers, &a.timer, 1), 0);
  size_t calls = alloc.calls;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(mcpi_timer_start(&timers, &a.timer, 1000 - i), 0);
    mcpi_timer_stop(&timers, &a.timer);
    assert_int_equal(mcpi_timer_start(&timers, &a.timer, i), 0);
  }
  assert_int_equal(alloc.calls, calls);
  mcpi_timers_deinit(&timers);
  assert_int_equal(alloc.live_blocks, 0);
}
