/* SPDX-License-Identifier: MIT */
/* The program's timers.
 *
 * A timer is one of its loop's orphans: mcp_timer_free frees it, or else
 * mcp_loop_free does.
 *
 *   STOPPED ---> STARTED ---> STOPPED     on_time has been called, once
 *                   |  ^
 *                   +--+                  it repeats
 */
#include "base/error.h"
#include "core/loop.h"

struct mcp_timer {
  mcpi_timer timer;
  mcpi_orphan orphan;
  mcp_loop *loop;
  int64_t repeat_ms; /* 0: it does not */
  void (*on_time)(mcp_timer *timer, void *userdata);
  void *userdata;
};

static int64_t timer_delay(uint64_t time_ms) {
  return time_ms < INT64_MAX ? (int64_t)time_ms : INT64_MAX;
}

/* The callback may free the timer, so nothing is touched after it. The timer
 * has just left its place in the heap: it fails for no memory to take one
 * again. */
static void timer_on_due(mcpi_timer *due) {
  mcp_timer *timer = MCPI_CONTAINER(due, mcp_timer, timer);
  if (timer->loop->is_ending) {
    return;
  }
  if (timer->repeat_ms > 0) {
    mcpi_loop_start_timer(timer->loop, &timer->timer, timer->repeat_ms);
  }
  timer->on_time(timer, timer->userdata);
}

static void timer_release(mcpi_orphan *orphan) {
  mcp_timer_free(MCPI_CONTAINER(orphan, mcp_timer, orphan));
}

mcp_timer *mcp_timer_new(mcp_loop *loop,
                         void (*on_time)(mcp_timer *timer, void *userdata),
                         void *userdata, mcp_error *err) {
  if (loop == NULL || on_time == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "mcp_timer_new: %s is NULL",
                  loop == NULL ? "the loop" : "on_time");
    return NULL;
  }
  if (loop->is_ending) {
    mcp_error_set(err, MCP_ERR_CLOSED,
                  "mcp_timer_new: the loop is being freed");
    return NULL;
  }
  mcp_timer *timer = mcpi_calloc(&loop->allocator, 1, sizeof(*timer));
  if (timer == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  timer->timer.on_due = timer_on_due;
  timer->loop = loop;
  timer->on_time = on_time;
  timer->userdata = userdata;
  timer->orphan.release = timer_release;
  mcpi_list_append(&loop->orphans, &timer->orphan.link);
  return timer;
}

int mcp_timer_start(mcp_timer *timer, uint64_t delay_ms, uint64_t repeat_ms) {
  if (timer == NULL) {
    return MCP_ERR_INVALID;
  }
  if (timer->loop->is_ending) {
    return MCP_ERR_CLOSED;
  }
  int rc =
      mcpi_loop_start_timer(timer->loop, &timer->timer, timer_delay(delay_ms));
  if (rc == 0) {
    timer->repeat_ms = timer_delay(repeat_ms);
  }
  return rc;
}

void mcp_timer_stop(mcp_timer *timer) {
  if (timer != NULL) {
    mcpi_loop_stop_timer(timer->loop, &timer->timer);
  }
}

void mcp_timer_free(mcp_timer *timer) {
  if (timer != NULL) {
    mcp_loop *loop = timer->loop;
    mcpi_loop_stop_timer(loop, &timer->timer);
    mcpi_list_remove(&timer->orphan.link);
    mcpi_free(&loop->allocator, timer, sizeof(*timer));
  }
}
