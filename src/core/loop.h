/* SPDX-License-Identifier: MIT */
/* A loop as the core sees it: the time, timers, free lists, and the platform.
 * The platform table hides what runs it: libuv, or the program itself. */
#ifndef MCPI_CORE_LOOP_H
#define MCPI_CORE_LOOP_H

#include "base/block.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "core/timer.h"
#include <mcp/loop.h>

typedef struct mcpi_posted mcpi_posted; /* loop.c: a post on a manual loop */

/* An object that only the program holds: it has no owner in the library, or its
 * owner is gone. It is freed when the program returns it, or else by
 * mcp_loop_free. */
typedef struct mcpi_orphan {
  mcpi_list link; /* in loop->orphans; empty: not an orphan */
  void (*release)(struct mcpi_orphan *orphan); /* takes it off the list */
} mcpi_orphan;

struct mcp_loop {
  mcp_allocator allocator;
  mcp_platform platform;
  int64_t now_ms;  /* set by mcp_loop_advance; only without platform.clock */
  int64_t wall_ms; /* likewise */
  mcpi_timers timers;
  mcpi_pool pool;
  uint64_t hash_seed[2];
  mcpi_map verdicts; /* verdicts.c: by origin */
  mcpi_buf scratch;  /* for a message that is sent before anything else runs */
  mcpi_posted *posted_first; /* only without platform.post */
  mcpi_posted *posted_last;
  size_t posted_count;
  mcpi_list orphans;
  size_t frames; /* callbacks and runs on the stack: it must not be freed */
  /* Posts of other threads that must run before the loop is freed, such as the
   * completions of a task store. */
  size_t awaited_posts;
  int is_ending; /* mcp_loop_free runs: nothing can be posted any more */
};

/* Makes the part of a loop that the core owns, for libmcp's loops too. The
 * parameters and errors are those of mcp_loop_new_manual. When it returns NULL,
 * the platform's release does not run.
 *
 * mcp_loop_free calls release while pool, timers and scratch still exist, so
 * that release can finish what waits in the platform's mailbox or must be
 * closed. It frees the loop's own memory afterwards. */
MCP_API mcp_loop *mcpi_loop_new(const mcp_platform *platform,
                                const mcp_allocator *allocator, mcp_error *err);

/* The time, by the platform's clock where it has one. */
MCP_API int64_t mcpi_loop_now(const mcp_loop *loop);
MCP_API int64_t mcpi_loop_wall(const mcp_loop *loop);

/* Runs timers that are due now. */
MCP_API void mcpi_loop_run_timers(mcp_loop *loop);

/* Starts a timer to be due in delay_ms from now, and wakes the platform when
 * the loop's next deadline moved up. 0 or MCP_ERR_NOMEM. */
MCP_API int mcpi_loop_start_timer(mcp_loop *loop, mcpi_timer *timer,
                                  int64_t delay_ms);
MCP_API void mcpi_loop_stop_timer(mcp_loop *loop, mcpi_timer *timer);

/* 1 on the loop's own thread. */
int mcpi_loop_is_home(const mcp_loop *loop);

#endif
