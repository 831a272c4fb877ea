/* SPDX-License-Identifier: MIT */
/* Looks for changes of the folder.
 *
 *   WAITING ---> SCANNING ---> WAITING     the timer; the scan has come home
 *                   |
 *                   +---> LOST ---> WAITING   it could not be posted: the timer
 *                                             takes it
 *
 * A thread of the pool scans; the loop's thread publishes. It looks at the time
 * of each file, and reads only what has changed. Notices of the kernel would
 * need one watch for each folder, and do not come from network file systems.
 *
 * The watch is one of its loop's orphans. It is freed when its timer finds that
 * the server has ended, or by mcp_loop_free, which has waited for the pool. */
#include "base/error.h"
#include "core/loop.h"
#include "server/server.h"
#include "skills/skills.h"

#include <time.h>

enum {
  /* Files that were changed in the last so many milliseconds may still be
   * written: the watch looks again after this time. */
  QUIET_MS = 300,
  /* After so many looks a file that is always written is read anyway. */
  MAX_UNQUIET = 10
};

typedef enum watch_state {
  WATCH_WAITING,
  WATCH_SCANNING,
  WATCH_LOST
} watch_state;

typedef struct watch {
  mcpi_timer timer;
  mcpi_orphan orphan;
  mcp_loop *loop;
  mcpi_skills *skills; /* a reference */
  atomic_int state;
  uint32_t unquiet; /* looks in a row that found such files */
  int has_failed;   /* the last scan: it is reported once */
  /* Of the thread that scans, while it does. */
  mcpi_skill_list *before;
  mcpi_skill_list *found; /* NULL: it failed */
  mcpi_skill_scan scan;
  mcp_error why;
} watch;

/* --- the end -------------------------------------------------------------- */

static void watch_free(watch *self) {
  const mcp_allocator allocator = self->skills->allocator;
  mcpi_loop_stop_timer(self->loop, &self->timer);
  mcpi_list_remove(&self->orphan.link);
  mcpi_skill_list_unref(self->before);
  mcpi_skill_list_unref(self->found);
  mcpi_skills_unref(self->skills);
  mcpi_free(&allocator, self, sizeof(*self));
}

static void watch_release(mcpi_orphan *orphan) {
  watch_free(MCPI_CONTAINER(orphan, watch, orphan));
}

/* Whether the program has freed the server. If not, the server stays until this
 * thread returns to the loop: mcp_server_free is called on this thread. */
static int watch_is_over(watch *self) {
  uv_mutex_lock(&self->skills->lock);
  const mcp_server *server = self->skills->server;
  int result = server == NULL || atomic_load(&server->is_freed);
  uv_mutex_unlock(&self->skills->lock);
  return result;
}

/* --- scanning ------------------------------------------------------------- */

static int64_t wall_ns(void) {
  struct timespec now = {0};
  timespec_get(&now, TIME_UTC);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Only the first call after the timer was due may need memory, and then the
 * timer's own place is free. */
static void watch_wait(watch *self) {
  int64_t delay_ms =
      self->unquiet > 0 ? QUIET_MS : self->skills->options.poll_ms;
  mcpi_loop_start_timer(self->loop, &self->timer, delay_ms);
}

static void watch_report_failure(watch *self) {
  if (!self->has_failed) {
    mcpi_server_report(self->skills->server, self->why.code,
                       "skills: %s; the skills stay as they were",
                       self->why.message);
  }
  self->has_failed = 1;
}

static void watch_take_found(watch *self) {
  mcpi_skill_list *found = self->found;
  self->found = NULL;
  if (found == NULL) {
    watch_report_failure(self);
    return;
  }
  self->has_failed = 0;
  self->unquiet = self->scan.unquiet_count > 0 ? self->unquiet + 1 : 0;
  if (mcpi_skill_list_eq(self->before, found)) {
    mcpi_skill_list_unref(found);
  } else {
    mcpi_skills_publish(self->skills, found);
  }
}

/* On the loop's thread. Reports may run callbacks, so the loop must not be
 * freed there. */
static void watch_finish(watch *self) {
  atomic_store(&self->state, WATCH_WAITING);
  if (self->loop->is_ending) {
    return; /* it frees the watch */
  }
  if (watch_is_over(self)) {
    watch_free(self);
    return;
  }
  self->loop->frames++;
  watch_take_found(self);
  self->loop->frames--;
  mcpi_skill_list_unref(self->before);
  self->before = NULL;
  watch_wait(self);
}

static void watch_come_home(void *argument) {
  watch_finish(argument);
}

/* On a thread of the pool. */
static void watch_work(void *argument) {
  watch *self = argument;
  mcp_loop *loop = self->loop;
  mcpi_skill_list_scan(&self->found, &self->scan, &self->skills->allocator,
                       &self->why);
  if (mcp_loop_post(loop, watch_come_home, self) != 0) {
    atomic_store(&self->state, WATCH_LOST);
  }
}

static void watch_look(watch *self) {
  const mcp_platform *platform = &self->loop->platform;
  int is_patient = self->unquiet < MAX_UNQUIET;
  self->before = mcpi_skills_list(self->skills);
  self->scan = (mcpi_skill_scan){
      .dir = self->skills->dir,
      .before = self->before,
      .quiet_since_ns =
          is_patient ? wall_ns() - (int64_t)QUIET_MS * 1000000 : INT64_MAX};
  atomic_store(&self->state, WATCH_SCANNING);
  if (platform->run_blocking(platform->userdata, watch_work, self) != 0) {
    atomic_store(&self->state, WATCH_WAITING); /* all threads are busy */
    mcpi_skill_list_unref(self->before);
    self->before = NULL;
  }
}

static void watch_on_due(mcpi_timer *timer) {
  watch *self = MCPI_CONTAINER(timer, watch, timer);
  int state = atomic_load(&self->state);
  if (self->loop->is_ending) {
    return;
  }
  if (state == WATCH_WAITING && watch_is_over(self)) {
    watch_free(self);
    return;
  }
  watch_wait(self); /* for a scan that gets lost, too */
  if (state == WATCH_LOST) {
    watch_finish(self);
  } else if (state == WATCH_WAITING) {
    watch_look(self);
  }
}

int mcpi_skills_watch(mcpi_skills *skills, mcp_error *err) {
  watch *self = mcpi_calloc(&skills->allocator, 1, sizeof(*self));
  if (self == NULL) {
    return mcpi_no_memory(err);
  }
  self->timer.on_due = watch_on_due;
  self->loop = skills->options.loop;
  self->skills = skills;
  mcpi_skills_ref(skills);
  self->orphan.release = watch_release;
  mcpi_list_append(&self->loop->orphans, &self->orphan.link);
  if (mcpi_loop_start_timer(self->loop, &self->timer,
                            skills->options.poll_ms) != 0) {
    watch_free(self);
    return mcpi_no_memory(err);
  }
  return 0;
}
