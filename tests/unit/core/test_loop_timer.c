/* SPDX-License-Identifier: MIT */
#include <mcp/loop.h>

#include "support/cm.h"
#include "support/failing_alloc.h"

/* --- what a timer did ---------------------------------------------------- */

enum { DO_NOTHING, DO_FREE, DO_STOP, DO_START_AGAIN, DO_FREE_LOOP };

typedef struct seen {
  mcp_loop *loop;
  mcp_timer *timer;
  int calls;
  int then;
  int rc;
} seen;

static void on_time(mcp_timer *timer, void *userdata) {
  seen *s = userdata;
  assert_ptr_equal(timer, s->timer);
  s->calls++;
  switch (s->then) {
  case DO_FREE:
    mcp_timer_free(timer);
    break;
  case DO_STOP:
    mcp_timer_stop(timer);
    break;
  case DO_START_AGAIN:
    s->rc = mcp_timer_start(timer, 7, 0);
    break;
  case DO_FREE_LOOP:
    mcp_loop_free(s->loop);
    break;
  default:
    break;
  }
}

static int begin(void **state) {
  static seen s;
  s = (seen){.loop = mcp_loop_new_manual(NULL, NULL, NULL)};
  s.timer = mcp_timer_new(s.loop, on_time, &s, NULL);
  assert_non_null(s.timer);
  mcp_loop_advance(s.loop, 1000, 0);
  *state = &s;
  return 0;
}

static int end(void **state) {
  seen *s = *state;
  mcp_loop_free(s->loop);
  return 0;
}

/* The calls after the loop's time has become that. */
static int calls_at(seen *s, int64_t now_ms) {
  mcp_loop_advance(s->loop, now_ms, 0);
  return s->calls;
}

#define TIMER_TEST(name) TEST_WITH(name, begin, end)

/* --- once and again ------------------------------------------------------ */

TIMER_TEST(a_new_timer_is_stopped) {
  seen *s = *state;
  assert_true(mcp_loop_next_deadline(s->loop) == INT64_MAX);
  assert_int_equal(calls_at(s, 100000), 0);
}

TIMER_TEST(a_started_timer_is_called_once_after_its_delay) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, 50, 0), 0);
  assert_true(mcp_loop_next_deadline(s->loop) == 1050);
  assert_int_equal(calls_at(s, 1049), 0);
  assert_int_equal(calls_at(s, 1050), 1);
  assert_true(mcp_loop_next_deadline(s->loop) == INT64_MAX);
  assert_int_equal(calls_at(s, 9999), 1);
}

TIMER_TEST(no_delay_means_the_next_turn) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, 0, 0), 0);
  assert_int_equal(s->calls, 0);
  assert_int_equal(calls_at(s, 1000), 1);
}

TIMER_TEST(a_repeating_timer_does_not_make_up_for_missed_times) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, 50, 10), 0);
  assert_int_equal(calls_at(s, 1050), 1);
  assert_int_equal(calls_at(s, 1059), 1);
  assert_int_equal(calls_at(s, 1060), 2);
  assert_int_equal(calls_at(s, 1099), 3);
  assert_true(mcp_loop_next_deadline(s->loop) == 1109);
}

TIMER_TEST(starting_again_replaces_both_times) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, 50, 10), 0);
  assert_int_equal(mcp_timer_start(s->timer, 80, 0), 0);
  assert_int_equal(calls_at(s, 1079), 0);
  assert_int_equal(calls_at(s, 1080), 1);
  assert_int_equal(calls_at(s, 2000), 1);
}

TIMER_TEST(a_stopped_timer_is_not_called) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, 50, 10), 0);
  mcp_timer_stop(s->timer);
  mcp_timer_stop(s->timer);
  assert_true(mcp_loop_next_deadline(s->loop) == INT64_MAX);
  assert_int_equal(calls_at(s, 2000), 0);
}

TIMER_TEST(a_time_past_all_time_never_comes) {
  seen *s = *state;
  assert_int_equal(mcp_timer_start(s->timer, UINT64_MAX, UINT64_MAX), 0);
  assert_true(mcp_loop_next_deadline(s->loop) == INT64_MAX);
  assert_int_equal(calls_at(s, INT64_MAX - 1), 0);
  assert_int_equal(mcp_timer_start(s->timer, 0, UINT64_MAX), 0);
  assert_int_equal(calls_at(s, INT64_MAX - 1), 1);
  assert_int_equal(calls_at(s, INT64_MAX - 1), 1);
}

/* --- inside on_time ------------------------------------------------------ */

TIMER_TEST(a_timer_may_be_freed_inside_its_own_call) {
  seen *s = *state;
  s->then = DO_FREE;
  assert_int_equal(mcp_timer_start(s->timer, 1, 1), 0);
  assert_int_equal(calls_at(s, 1001), 1);
  assert_int_equal(calls_at(s, 1002), 1);
}

TIMER_TEST(a_repeating_timer_may_be_stopped_inside_its_call) {
  seen *s = *state;
  s->then = DO_STOP;
  assert_int_equal(mcp_timer_start(s->timer, 1, 1), 0);
  assert_int_equal(calls_at(s, 1001), 1);
  assert_int_equal(calls_at(s, 1002), 1);
}

TIMER_TEST(a_timer_may_be_started_inside_its_call) {
  seen *s = *state;
  s->then = DO_START_AGAIN;
  assert_int_equal(mcp_timer_start(s->timer, 1, 1), 0);
  assert_int_equal(calls_at(s, 1001), 1);
  assert_int_equal(s->rc, 0);
  assert_int_equal(calls_at(s, 1007), 1);
  assert_int_equal(calls_at(s, 1008), 2);
}

static void free_that(mcp_timer *timer, void *userdata) {
  mcp_timer_free(userdata);
}

TIMER_TEST(a_timer_may_free_another_that_is_due) {
  seen *s = *state;
  mcp_timer *first = mcp_timer_new(s->loop, free_that, s->timer, NULL);
  assert_int_equal(mcp_timer_start(s->timer, 2, 0), 0);
  assert_int_equal(mcp_timer_start(first, 1, 0), 0);
  assert_int_equal(calls_at(s, 1010), 0);
}

TIMER_TEST(the_loop_is_not_freed_inside_a_call) {
  seen *s = *state;
  s->then = DO_FREE_LOOP;
  assert_int_equal(mcp_timer_start(s->timer, 1, 1), 0);
  assert_int_equal(calls_at(s, 1001), 1);
  assert_int_equal(calls_at(s, 1002), 2);
}

/* --- the end of the loop ------------------------------------------------- */

TEST(a_timer_that_is_due_is_not_called_by_freeing_the_loop) {
  seen s = {.loop = mcp_loop_new_manual(NULL, NULL, NULL)};
  s.timer = mcp_timer_new(s.loop, on_time, &s, NULL);
  assert_int_equal(mcp_timer_start(s.timer, 0, 1), 0);
  mcp_loop_free(s.loop);
  assert_int_equal(s.calls, 0);
}

static void use_timers(void *argument) {
  seen *s = argument;
  mcp_error err = {0};
  s->rc = mcp_timer_start(s->timer, 0, 0);
  assert_null(mcp_timer_new(s->loop, on_time, s, &err));
  assert_int_equal(err.code, MCP_ERR_CLOSED);
  mcp_timer_free(s->timer);
}

TEST(no_timer_starts_while_the_loop_is_freed) {
  seen s = {.loop = mcp_loop_new_manual(NULL, NULL, NULL)};
  s.timer = mcp_timer_new(s.loop, on_time, &s, NULL);
  assert_int_equal(mcp_loop_post(s.loop, use_timers, &s), 0);
  mcp_loop_free(s.loop);
  assert_int_equal(s.rc, MCP_ERR_CLOSED);
  assert_int_equal(s.calls, 0);
}

/* --- failures ------------------------------------------------------------ */

TIMER_TEST(null_arguments_are_refused) {
  seen *s = *state;
  mcp_error err = {0};
  assert_null(mcp_timer_new(NULL, on_time, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "mcp_timer_new: the loop is NULL");
  assert_null(mcp_timer_new(s->loop, NULL, NULL, &err));
  assert_string_equal(err.message, "mcp_timer_new: on_time is NULL");
  assert_null(mcp_timer_new(NULL, NULL, NULL, NULL));
  assert_int_equal(mcp_timer_start(NULL, 0, 0), MCP_ERR_INVALID);
  mcp_timer_stop(NULL);
  mcp_timer_free(NULL);
}

/* The second timer is left to the loop. */
static int use_two(const mcp_allocator *allocator, void *userdata) {
  seen *s = userdata;
  mcp_error err = {0};
  *s = (seen){.loop = mcp_loop_new_manual(NULL, allocator, NULL)};
  if (s->loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  s->timer = mcp_timer_new(s->loop, on_time, s, &err);
  int rc = mcp_timer_start(s->timer, 1, 1);
  if (s->timer == NULL) {
    assert_int_equal(err.code, MCP_ERR_NOMEM);
    rc = err.code;
  }
  mcp_loop_advance(s->loop, 1, 0);
  mcp_loop_advance(s->loop, 2, 0);
  assert_int_equal(s->calls, rc == 0 ? 2 : 0);
  if (rc == 0 && mcp_timer_new(s->loop, on_time, s, &err) == NULL) {
    rc = err.code;
  }
  mcp_timer_free(s->timer);
  mcp_loop_free(s->loop);
  return rc;
}

TEST(every_allocation_may_fail) {
  seen s;
  assert_int_equal(failing_alloc_rerun(use_two, &s), 4);
}
