/* SPDX-License-Identifier: MIT */
/* Deadlines: a binary heap of timers that live inside what they time. */
#ifndef MCPI_CORE_TIMER_H
#define MCPI_CORE_TIMER_H

#include "base/alloc.h"

typedef struct mcpi_timer mcpi_timer;
struct mcpi_timer {
  int64_t due_ms;
  size_t place; /* in the heap, from 1; 0: not running */
  void (*on_due)(mcpi_timer *timer);
};

typedef struct mcpi_timers {
  const mcp_allocator *allocator;
  mcpi_timer **heap;
  size_t count;
  size_t cap;
} mcpi_timers;

void mcpi_timers_init(mcpi_timers *timers, const mcp_allocator *allocator);
void mcpi_timers_deinit(mcpi_timers *timers);

/* Starts a timer, or moves it if it runs. Moving never fails. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_timer_start(mcpi_timers *timers, mcpi_timer *timer, int64_t due_ms);
static inline int mcpi_timer_is_running(const mcpi_timer *timer) {
  return timer->place != 0;
}
/* Does nothing if the timer does not run. */
void mcpi_timer_stop(mcpi_timers *timers, mcpi_timer *timer);
/* Returns when the first timer is due; INT64_MAX: none runs. */
int64_t mcpi_timers_next(const mcpi_timers *timers);
/* Runs all timers that are due at now_ms, the earliest first. Each is stopped
 * before its on_due runs, so that it may start again or be freed there. A timer
 * that is started meanwhile to be due at once may have to wait for the next
 * run. */
void mcpi_timers_run(mcpi_timers *timers, int64_t now_ms);

#endif
