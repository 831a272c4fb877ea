/* SPDX-License-Identifier: MIT */
/* A loop's time, timers, free lists and mailbox. */
#include "core/loop.h"

#include "base/error.h"
#include "base/profile.h"
#include "base/str.h"
#include "base/widen.h"
#include "core/verdicts.h"

#include <stdio.h>

enum {
  MAX_LAST_TURNS = 100,
  MAX_LOCK_NAMES = 64 /* bytes of the names of all lock functions */
};

/* In a block of the pool, so that repeated posting allocates nothing. */
struct mcpi_posted {
  mcpi_block *block;
  mcpi_posted *next;
  void (*run)(void *argument);
  void *argument;
};

/* --- making one --------------------------------------------------------- */

/* Splitmix64: spreads the few bits that differ over all. */
static uint64_t mix(uint64_t word) {
  word += UINT64_C(0x9E3779B97F4A7C15);
  word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
  return word ^ (word >> 31);
}

/* The same random bytes make the same seed in either byte order, and so, in
 * tests, the same ids. Without random bytes of the platform, addresses and the
 * time must do: they are hard to guess from outside, and the keys come from
 * outside. */
static void seed_hash(mcp_loop *loop) {
  const mcp_platform *platform = &loop->platform;
  uint64_t *seed = loop->hash_seed;
  char bytes[sizeof(loop->hash_seed)];
  if (platform->random != NULL &&
      platform->random(platform->userdata, bytes, sizeof(bytes)) == 0) {
    seed[0] = mcpi_load_word(bytes);
    seed[1] = mcpi_load_word(bytes + 8);
    return;
  }
  uint64_t now = (uint64_t)mcpi_loop_now(loop);
  uint64_t wall = (uint64_t)mcpi_loop_wall(loop);
  seed[0] = mix((uintptr_t)loop ^ mix(wall));
  seed[1] = mix((uintptr_t)&platform ^ mix(now ^ seed[0]));
}

/* Writes the names of the lock functions that are set, or of those that are
 * not. */
static void name_locks(char *names, size_t size, const mcp_platform *platform,
                       int is_set) {
  const struct {
    const char *name;
    int is_set;
  } locks[] = {{"lock_new", platform->lock_new != NULL},
               {"lock_acquire", platform->lock_acquire != NULL},
               {"lock_release", platform->lock_release != NULL},
               {"lock_free", platform->lock_free != NULL}};
  size_t len = 0;
  names[0] = '\0';
  for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
    if (locks[i].is_set == is_set) {
      len += (size_t)snprintf(names + len, size - len, "%s%s",
                              len > 0 ? ", " : "", locks[i].name);
    }
  }
}

/* A platform has all functions of locks, or none. */
static int check_locks(const mcp_platform *platform, mcp_error *err) {
  char set[MAX_LOCK_NAMES];
  char missing[MAX_LOCK_NAMES];
  name_locks(set, sizeof(set), platform, 1);
  name_locks(missing, sizeof(missing), platform, 0);
  if (set[0] == '\0' || missing[0] == '\0') {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "mcp_platform has %s, but not %s; set all four or none",
                       set, missing);
}

/* NULL: an empty table. */
static int take_platform(mcp_platform *out, const mcp_platform *given,
                         mcp_error *err) {
  *out = (mcp_platform){.size = sizeof(*out)};
  int rc = 0;
  if (given != NULL) {
    rc = mcpi_widen(out, sizeof(*out), given, "mcp_platform", err);
  }
  if (rc == 0) {
    rc = check_locks(out, err);
  }
  return rc;
}

mcp_loop *mcpi_loop_new(const mcp_platform *platform,
                        const mcp_allocator *allocator, mcp_error *err) {
  mcp_platform wide;
  if (take_platform(&wide, platform, err) != 0) {
    return NULL;
  }
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcp_loop *loop = mcpi_calloc(allocator, 1, sizeof(*loop));
  if (loop == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  loop->allocator = *allocator;
  loop->platform = wide;
  mcpi_timers_init(&loop->timers, &loop->allocator);
  mcpi_pool_init(&loop->pool, &loop->allocator, MCPI_PROFILE_IDLE_BYTES);
  /* the transport limits what the program sends */
  mcpi_buf_init(&loop->scratch, &loop->allocator, SIZE_MAX);
  mcpi_verdicts_init(loop);
  mcpi_list_init(&loop->orphans);
  seed_hash(loop);
  return loop;
}

mcp_loop *mcp_loop_new_manual(const mcp_platform *platform,
                              const mcp_allocator *allocator, mcp_error *err) {
  return mcpi_loop_new(platform, allocator, err);
}

/* --- posting ------------------------------------------------------------ */

static void loop_wake(mcp_loop *loop) {
  if (loop->platform.wake != NULL) {
    loop->platform.wake(loop->platform.userdata);
  }
}

static int post_here(mcp_loop *loop, void (*run)(void *argument),
                     void *argument) {
  mcpi_block *block = mcpi_block_take(&loop->pool, sizeof(mcpi_posted));
  if (block == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_posted *posted = mcpi_block_data(block);
  *posted = (mcpi_posted){block, NULL, run, argument};
  if (loop->posted_first == NULL) {
    loop->posted_first = posted;
  } else {
    loop->posted_last->next = posted;
  }
  loop->posted_last = posted;
  loop->posted_count++;
  loop_wake(loop);
  return 0;
}

int mcp_loop_post(mcp_loop *loop, void (*run)(void *argument), void *argument) {
  if (loop == NULL || run == NULL) {
    return MCP_ERR_INVALID;
  }
  if (loop->platform.post != NULL) {
    return loop->platform.post(loop->platform.userdata, run, argument);
  }
  return loop->is_ending ? MCP_ERR_CLOSED : post_here(loop, run, argument);
}

static void run_first_posted(mcp_loop *loop) {
  mcpi_posted *posted = loop->posted_first;
  void (*run)(void *argument) = posted->run;
  void *argument = posted->argument;
  loop->posted_first = posted->next;
  loop->posted_count--;
  mcpi_block_unref(posted->block);
  run(argument);
}

/* Functions that are posted meanwhile wait for the next turn. */
static void run_posted(mcp_loop *loop) {
  for (size_t left = loop->posted_count; left > 0 && loop->posted_count > 0;
       left--) {
    run_first_posted(loop);
  }
}

/* --- time --------------------------------------------------------------- */

int64_t mcpi_loop_now(const mcp_loop *loop) {
  int64_t now_ms = loop->now_ms;
  if (loop->platform.clock != NULL) {
    loop->platform.clock(loop->platform.userdata, &now_ms, NULL);
  }
  return now_ms;
}

int64_t mcpi_loop_wall(const mcp_loop *loop) {
  int64_t wall_ms = loop->wall_ms;
  if (loop->platform.clock != NULL) {
    loop->platform.clock(loop->platform.userdata, NULL, &wall_ms);
  }
  return wall_ms;
}

void mcpi_loop_run_timers(mcp_loop *loop) {
  mcpi_timers_run(&loop->timers, mcpi_loop_now(loop));
}

/* Runs posted functions before the timers: an answer that came in time must not
 * lose to its own deadline. */
void mcp_loop_advance(mcp_loop *loop, int64_t now_ms, int64_t wall_ms) {
  if (loop == NULL) {
    return;
  }
  if (now_ms > loop->now_ms) {
    loop->now_ms = now_ms;
  }
  loop->wall_ms = wall_ms;
  loop->frames++;
  run_posted(loop);
  mcpi_loop_run_timers(loop);
  loop->frames--;
}

int64_t mcp_loop_next_deadline(const mcp_loop *loop) {
  if (loop == NULL) {
    return INT64_MAX;
  }
  int64_t next_ms = mcpi_timers_next(&loop->timers);
  if (loop->posted_count == 0) {
    return next_ms;
  }
  int64_t now_ms = mcpi_loop_now(loop);
  return next_ms < now_ms ? next_ms : now_ms;
}

/* Returns INT64_MAX if the sum would be larger: never due. */
static int64_t due_after(int64_t now_ms, int64_t delay_ms) {
  if (delay_ms < 0) {
    delay_ms = 0;
  }
  return now_ms > INT64_MAX - delay_ms ? INT64_MAX : now_ms + delay_ms;
}

int mcpi_loop_start_timer(mcp_loop *loop, mcpi_timer *timer, int64_t delay_ms) {
  int64_t before_ms = mcpi_timers_next(&loop->timers);
  int64_t due_ms = due_after(mcpi_loop_now(loop), delay_ms);
  int rc = mcpi_timer_start(&loop->timers, timer, due_ms);
  if (rc == 0 && due_ms < before_ms) {
    loop_wake(loop);
  }
  return rc;
}

void mcpi_loop_stop_timer(mcp_loop *loop, mcpi_timer *timer) {
  mcpi_timer_stop(&loop->timers, timer);
}

int mcpi_loop_is_home(const mcp_loop *loop) {
  const mcp_platform *platform = &loop->platform;
  return platform->is_loop_thread == NULL ||
         platform->is_loop_thread(platform->userdata);
}

/* --- the end ------------------------------------------------------------ */

/* The end may have left transports that still need a turn or two to close. Work
 * that is not done after MAX_LAST_TURNS turns will never be. */
static void run_last_turns(mcp_loop *loop) {
  int64_t now_ms = mcpi_loop_now(loop);
  for (int left = MAX_LAST_TURNS;
       left > 0 && mcp_loop_next_deadline(loop) <= now_ms; left--) {
    run_posted(loop);
    mcpi_timers_run(&loop->timers, now_ms);
  }
}

static void release_orphans(mcp_loop *loop) {
  while (!mcpi_list_is_empty(&loop->orphans)) {
    mcpi_orphan *orphan = MCPI_CONTAINER(loop->orphans.next, mcpi_orphan, link);
    orphan->release(orphan);
  }
}

void mcp_loop_free(mcp_loop *loop) {
  if (loop == NULL || loop->frames > 0) {
    return;
  }
  loop->frames++;
  loop->is_ending = 1;
  run_last_turns(loop);
  if (loop->platform.release != NULL) {
    loop->platform.release(loop->platform.userdata);
  }
  release_orphans(loop);
  mcpi_verdicts_deinit(loop);
  mcpi_timers_deinit(&loop->timers);
  mcpi_buf_deinit(&loop->scratch);
  mcpi_pool_deinit(&loop->pool);
  mcp_allocator allocator = loop->allocator;
  mcpi_free(&allocator, loop, sizeof(*loop));
}
