/* SPDX-License-Identifier: MIT */
/* Deadlines: a binary heap, the earliest at its root.
 *
 * A timer knows its place, so it is moved or taken out without a search.
 * Places count from 1: the children of place n are 2n and 2n + 1. */
#include "core/timer.h"

#include <assert.h>
#include <mcp/error.h>

enum { FIRST_CAP = 16 };

void mcpi_timers_init(mcpi_timers *timers, const mcp_allocator *allocator) {
  *timers = (mcpi_timers){.allocator = allocator};
}

void mcpi_timers_deinit(mcpi_timers *timers) {
  mcpi_free(timers->allocator, timers->heap,
            timers->cap * sizeof(mcpi_timer *));
  mcpi_timers_init(timers, timers->allocator);
}

static mcpi_timer *at(const mcpi_timers *timers, size_t place) {
  return timers->heap[place - 1];
}

static void timers_put(mcpi_timers *timers, size_t place, mcpi_timer *timer) {
  timers->heap[place - 1] = timer;
  timer->place = place;
}

static void rise(mcpi_timers *timers, mcpi_timer *timer) {
  size_t place = timer->place;
  while (place > 1 && at(timers, place / 2)->due_ms > timer->due_ms) {
    timers_put(timers, place, at(timers, place / 2));
    place /= 2;
  }
  timers_put(timers, place, timer);
}

/* The earlier of the two children, or 0 when there is none. */
static size_t first_child(const mcpi_timers *timers, size_t place) {
  size_t child = place * 2;
  if (child > timers->count) {
    return 0;
  }
  if (child < timers->count &&
      at(timers, child + 1)->due_ms < at(timers, child)->due_ms) {
    child++;
  }
  return child;
}

static void sink(mcpi_timers *timers, mcpi_timer *timer) {
  size_t place = timer->place;
  size_t child;
  while ((child = first_child(timers, place)) != 0 &&
         at(timers, child)->due_ms < timer->due_ms) {
    timers_put(timers, place, at(timers, child));
    place = child;
  }
  timers_put(timers, place, timer);
}

static int timers_make_room(mcpi_timers *timers) {
  if (timers->count < timers->cap) {
    return 0;
  }
  if (timers->cap > SIZE_MAX / sizeof(mcpi_timer *) / 2) {
    return MCP_ERR_NOMEM;
  }
  size_t cap = timers->cap > 0 ? timers->cap * 2 : FIRST_CAP;
  mcpi_timer **heap = mcpi_realloc(timers->allocator, timers->heap,
                                   timers->cap * sizeof(mcpi_timer *),
                                   cap * sizeof(mcpi_timer *));
  if (heap == NULL) {
    return MCP_ERR_NOMEM;
  }
  timers->heap = heap;
  timers->cap = cap;
  return 0;
}

int mcpi_timer_start(mcpi_timers *timers, mcpi_timer *timer, int64_t due_ms) {
  if (timer->place == 0) {
    int rc = timers_make_room(timers);
    if (rc != 0) {
      return rc;
    }
    timers_put(timers, ++timers->count, timer);
  }
  timer->due_ms = due_ms;
  rise(timers, timer);
  sink(timers, timer);
  return 0;
}

/* The last timer takes the free place, and moves from there to its own. */
void mcpi_timer_stop(mcpi_timers *timers, mcpi_timer *timer) {
  size_t place = timer->place;
  if (place == 0) {
    return;
  }
  assert(place <= timers->count && at(timers, place) == timer);
  mcpi_timer *last = at(timers, timers->count--);
  timer->place = 0;
  if (last != timer) {
    timers_put(timers, place, last);
    rise(timers, last);
    sink(timers, last);
  }
}

int64_t mcpi_timers_next(const mcpi_timers *timers) {
  return timers->count > 0 ? at(timers, 1)->due_ms : INT64_MAX;
}

void mcpi_timers_run(mcpi_timers *timers, int64_t now_ms) {
  /* Runs at most as many timers as there are now: a timer that restarts itself
   * at once must not keep the loop here indefinitely. */
  for (size_t left = timers->count; left > 0 && timers->count > 0; left--) {
    mcpi_timer *timer = at(timers, 1);
    if (timer->due_ms > now_ms) {
      break;
    }
    mcpi_timer_stop(timers, timer);
    timer->on_due(timer);
  }
}
