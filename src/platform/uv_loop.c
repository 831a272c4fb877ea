/* SPDX-License-Identifier: MIT */
/* A loop on libuv.
 *
 * libuv's uv_run ends when no handle keeps it going. A deadline of the core, a
 * letter from another thread and a running blocking call are not such handles
 * (on the program's own uv_loop they must not be). So mcp_loop_run checks them
 * itself, and counts them when it turns the loop. */
#include "platform/uv_loop.h"

#include "base/error.h"
#include "base/widen.h"
#include "fetch/fetch.h"
#include "platform/descriptors.h"
#include "platform/errors.h"
#include "platform/platform.h"
#include "tls/tls.h"

#include <assert.h>
#include <mcp/schema.h>
#include <time.h>

enum {
  /* The posts that run in one turn, so that descriptors get their turn in
   * between. */
  POSTS_PER_TURN = 256,
  POOL_THREADS = 4,
  POOL_QUEUE = 256,
  OWN_HANDLES = 4
};

/* --- whose thread -------------------------------------------------------- */

/* A number that no other running thread has: the address of its copy of a
 * variable. It can be compared atomically, which a pthread_t cannot. */
static uintptr_t this_thread(void) {
  static _Thread_local char mark;
  return (uintptr_t)&mark;
}

static void settle_here(mcpi_uv *uv) {
  atomic_store_explicit(&uv->home, this_thread(), memory_order_relaxed);
}

static int is_loop_thread(void *userdata) {
  mcpi_uv *uv = userdata;
  uintptr_t home = atomic_load_explicit(&uv->home, memory_order_relaxed);
  return home == this_thread();
}

static void note_inside(mcpi_uv *uv, uintptr_t thread) {
  atomic_store_explicit(&uv->inside, thread, memory_order_relaxed);
}

static int is_inside(mcpi_uv *uv) {
  uintptr_t inside = atomic_load_explicit(&uv->inside, memory_order_relaxed);
  return inside == this_thread();
}

/* A structure that could not be completed has no loop of the core. */
static void count_frame(mcpi_uv *uv, size_t change) {
  if (uv->loop != NULL) {
    uv->loop->frames += change;
  }
}

void mcpi_uv_enter(mcpi_uv *uv) {
  if (uv->depth++ == 0) {
    settle_here(uv);
    note_inside(uv, this_thread());
    count_frame(uv, 1);
  }
}

void mcpi_uv_leave(mcpi_uv *uv) {
  if (--uv->depth == 0) {
    note_inside(uv, 0);
    count_frame(uv, (size_t)-1);
  }
  if (uv->is_in_turn) {
    uv_stop(uv->uv);
  }
}

/* --- deadlines ----------------------------------------------------------- */

/* Not uv_now: that is the time when the turn began, or the last one ended, and
 * a deadline counted from it would come early. */
static int64_t now_ms(void) {
  return (int64_t)(uv_hrtime() / 1000000);
}

static void tell_time(void *userdata, int64_t *now, int64_t *wall) {
  (void)userdata;
  if (now != NULL) {
    *now = now_ms();
  }
  if (wall != NULL) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    *wall = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
  }
}

static void on_deadline(uv_timer_t *timer);
static void on_own_mail(uv_idle_t *idle);

static void arm_deadline(mcpi_uv *uv) {
  int64_t due_ms = mcp_loop_next_deadline(uv->loop);
  if (due_ms == INT64_MAX) {
    uv_timer_stop(&uv->deadline);
    return;
  }
  /* libuv adds the delay to its own time. Counted from an older one, the timer
   * would run early, and mcp_loop_wait would return without an event. */
  uv_update_time(uv->uv);
  int64_t delay_ms = due_ms - (int64_t)uv_now(uv->uv);
  uv_timer_start(&uv->deadline, on_deadline,
                 delay_ms > 0 ? (uint64_t)delay_ms : 0, 0);
}

/* A deadline that is due at once waits for the next turn, since libuv would run
 * it before it looks at a descriptor again. */
static void on_deadline(uv_timer_t *timer) {
  mcpi_uv *uv = timer->data;
  mcpi_uv_enter(uv);
  mcpi_loop_run_timers(uv->loop);
  mcpi_uv_leave(uv);
  if (mcp_loop_next_deadline(uv->loop) > now_ms()) {
    arm_deadline(uv);
  } else {
    uv_timer_stop(&uv->deadline);
    uv_idle_start(&uv->own_mail, on_own_mail);
  }
}

static void platform_wake(void *userdata) {
  mcpi_uv *uv = userdata;
  if (!uv->is_ending) {
    arm_deadline(uv);
  }
}

/* --- posts and blocking calls -------------------------------------------- */

static int has_busy_workers(const mcpi_uv *uv) {
  return (uv->workers != NULL && mcpi_workers_are_busy(uv->workers)) ||
         (uv->fetches != NULL && mcpi_fetches_are_busy(uv->fetches));
}

static void run_posts(mcpi_uv *uv) {
  mcpi_uv_enter(uv);
  int more = mcpi_posts_run(&uv->posts, POSTS_PER_TURN);
  mcpi_uv_leave(uv);
  if (more) {
    uv_idle_start(&uv->own_mail, on_own_mail);
  } else {
    uv_idle_stop(&uv->own_mail);
  }
}

static void on_own_mail(uv_idle_t *idle) {
  mcpi_uv *uv = idle->data;
  run_posts(uv);
  arm_deadline(uv);
}

static void deliver_fetches(mcpi_uv *uv) {
  if (uv->fetches != NULL) {
    mcpi_uv_enter(uv);
    mcpi_fetches_deliver(uv->fetches);
    mcpi_uv_leave(uv);
  }
}

static void on_mail(uv_async_t *async) {
  mcpi_uv *uv = async->data;
  run_posts(uv);
  deliver_fetches(uv);
  if (!has_busy_workers(uv)) {
    uv_unref((uv_handle_t *)&uv->mail);
  }
}

/* Between two turns another thread may have taken over the loop and may run it
 * already. Only inside a callback does this thread know that the loop is its
 * own. */
static int can_post_here(mcpi_uv *uv) {
  return uv->owns_uv ? is_inside(uv) : is_loop_thread(uv);
}

static void on_post(void *argument) {
  mcpi_uv *uv = argument;
  if (can_post_here(uv)) {
    uv_idle_start(&uv->own_mail, on_own_mail);
  } else {
    uv_async_send(&uv->mail);
  }
}

static int platform_post(void *userdata, void (*run)(void *argument),
                         void *argument) {
  mcpi_uv *uv = userdata;
  return mcpi_posts_add(&uv->posts, run, argument);
}

static int run_blocking(void *userdata, void (*work)(void *argument),
                        void *argument) {
  mcpi_uv *uv = userdata;
  if (uv->workers == NULL && !uv->is_ending) {
    uv->workers = mcpi_workers_new(&uv->allocator, uv->pool_threads,
                                   uv->pool_queue, &uv->mail);
  }
  if (uv->workers == NULL) {
    return MCP_ERR_BUSY;
  }
  int rc = mcpi_workers_run(uv->workers, work, argument);
  if (rc == 0) {
    uv_ref((uv_handle_t *)&uv->mail);
  }
  return rc;
}

static int platform_fetch(void *userdata, const mcp_fetch_request *request,
                          mcp_fetch_done_cb done, void *argument,
                          mcp_fetch **out) {
  mcpi_uv *uv = userdata;
  if (uv->fetches == NULL && !uv->is_ending) {
    uv->fetches = mcpi_fetches_new(&uv->allocator, &uv->mail);
  }
  if (uv->fetches == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcpi_fetch_start(uv->fetches, request, done, argument, out);
  if (rc == 0) {
    uv_ref((uv_handle_t *)&uv->mail);
  }
  return rc;
}

static void platform_fetch_cancel(void *userdata, mcp_fetch *fetch) {
  (void)userdata;
  mcpi_fetch_cancel(fetch);
}

/* --- the end ------------------------------------------------------------- */

void mcpi_uv_hold(mcpi_uv *uv) {
  uv->refs++;
}

static void platform_free_memory(mcpi_uv *uv) {
  mcp_allocator allocator = uv->allocator;
  mcpi_posts_deinit(&uv->posts);
  mcpi_free_wiped(&allocator, uv->read_buffer, MCPI_READ_SIZE);
  mcpi_free(&allocator, uv, sizeof(*uv));
}

/* On the program's uv_loop the last handle frees the structure; end_own_loop
 * closes our own loop. */
void mcpi_uv_drop(mcpi_uv *uv) {
  if (--uv->refs == 0 && !uv->owns_uv) {
    platform_free_memory(uv);
  }
}

static void platform_on_handle_closed(uv_handle_t *handle) {
  mcpi_uv_drop(handle->data);
}

static void close_handles(mcpi_uv *uv) {
  uv_close((uv_handle_t *)&uv->deadline, platform_on_handle_closed);
  uv_close((uv_handle_t *)&uv->patience, platform_on_handle_closed);
  uv_close((uv_handle_t *)&uv->own_mail, platform_on_handle_closed);
  uv_close((uv_handle_t *)&uv->mail, platform_on_handle_closed);
}

/* One turn runs the callbacks of everything that was closed before it. */
static void end_own_loop(mcpi_uv *uv) {
  uv_run(&uv->own_uv, UV_RUN_NOWAIT);
  /* Otherwise a transport was not freed before its loop. */
  assert(uv->refs == 0);
  if (uv_loop_close(&uv->own_uv) == 0) {
    platform_free_memory(uv);
  }
}

/* Freed clients and servers may have left transports that still flush, or wait
 * for a child to end. */
static void await_transports(mcpi_uv *uv) {
  while (uv->refs > OWN_HANDLES && uv_run(uv->uv, UV_RUN_ONCE)) {
  }
}

/* What other threads have yet to post may free more transports. */
static void await_posts(mcpi_uv *uv) {
  while (uv->loop != NULL && uv->loop->awaited_posts > 0) {
    uv_ref((uv_handle_t *)&uv->mail);
    uv_run(uv->uv, UV_RUN_ONCE);
  }
}

static void run_last_posts(mcpi_uv *uv) {
  mcpi_posts_close(&uv->posts);
  while (mcpi_posts_run(&uv->posts, SIZE_MAX)) {
  }
}

static void platform_end(mcpi_uv *uv) {
  uv->is_ending = 1;
  mcpi_workers_free(uv->workers); /* first: its jobs still post */
  uv->workers = NULL;
  mcpi_fetches_free(uv->fetches);
  uv->fetches = NULL;
  mcpi_uv_enter(uv);
  await_posts(uv);
  await_transports(uv);
  run_last_posts(uv);
  mcpi_uv_leave(uv);
  close_handles(uv);
  if (uv->owns_uv) {
    end_own_loop(uv);
  }
}

static void platform_release(void *userdata) {
  platform_end(userdata);
}

/* --- making one ---------------------------------------------------------- */

static int init_uv(mcpi_uv *uv, void *given, mcp_error *err) {
  if (given != NULL) {
    uv->uv = given;
    return 0;
  }
  mcpi_fd_fill_standard();
  int rc = uv_loop_init(&uv->own_uv);
  if (rc != 0) {
    return mcpi_io_error(err, mcpi_error_from_uv(rc),
                         "cannot make a libuv loop");
  }
  uv->uv = &uv->own_uv;
  uv->owns_uv = 1;
  return 0;
}

static int platform_init_handles(mcpi_uv *uv, mcp_error *err) {
  int rc = uv_async_init(uv->uv, &uv->mail, on_mail);
  if (rc != 0) {
    return mcpi_io_error(err, mcpi_error_from_uv(rc),
                         "cannot make what wakes a libuv loop");
  }
  uv_timer_init(uv->uv, &uv->deadline);
  uv_timer_init(uv->uv, &uv->patience);
  uv_idle_init(uv->uv, &uv->own_mail);
  uv->mail.data = uv;
  uv->deadline.data = uv;
  uv->patience.data = uv;
  uv->own_mail.data = uv;
  uv_unref((uv_handle_t *)&uv->mail);
  uv_unref((uv_handle_t *)&uv->deadline);
  uv->refs = OWN_HANDLES;
  return 0;
}

/* Leaves nothing behind when it fails. */
static int platform_init(mcpi_uv *uv, void *given, mcp_error *err) {
  int rc = mcpi_posts_init(&uv->posts, &uv->allocator, on_post, uv);
  if (rc != 0) {
    return mcpi_no_memory(err);
  }
  rc = init_uv(uv, given, err);
  if (rc != 0) {
    goto fail;
  }
  rc = platform_init_handles(uv, err);
  if (rc != 0) {
    goto fail_loop;
  }
  settle_here(uv);
  return 0;

fail_loop:
  if (uv->owns_uv) {
    uv_loop_close(&uv->own_uv);
  }
fail:
  mcpi_posts_deinit(&uv->posts);
  return rc;
}

static mcp_platform platform_of(mcpi_uv *uv) {
  return (mcp_platform){
      .size = sizeof(mcp_platform),
      .userdata = uv,
      .clock = tell_time,
      .random = mcpi_platform_random,
      .crypto = mcpi_tls_is_built() ? &mcpi_platform_crypto : NULL,
      .seal = mcpi_tls_is_built() ? mcpi_platform_seal : NULL,
      .unseal = mcpi_tls_is_built() ? mcpi_platform_unseal : NULL,
      .post = platform_post,
      .is_loop_thread = is_loop_thread,
      .run_blocking = run_blocking,
      .wake = platform_wake,
      .release = platform_release,
      .lock_new = mcpi_platform_lock_new,
      .lock_acquire = mcpi_platform_lock_acquire,
      .lock_release = mcpi_platform_lock_release,
      .lock_free = mcpi_platform_lock_free,
      .fetch = mcpi_fetch_is_built() ? platform_fetch : NULL,
      .fetch_cancel = mcpi_fetch_is_built() ? platform_fetch_cancel : NULL,
  };
}

static mcpi_uv *new_uv(const mcp_loop_options *options, mcp_error *err) {
  /* Done already when the library was loaded; but a program that links it
   * statically has that part of it because of this line. */
  mcp_regex_provide(mcp_regex_pcre2());
  const mcp_allocator *allocator =
      options->allocator != NULL ? options->allocator : mcp_allocator_default();
  mcpi_uv *uv = mcpi_calloc(allocator, 1, sizeof(*uv));
  if (uv == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  uv->allocator = *allocator;
  uv->pool_threads =
      options->pool_threads > 0 ? options->pool_threads : POOL_THREADS;
  uv->pool_queue = options->pool_queue > 0 ? options->pool_queue : POOL_QUEUE;
  if (platform_init(uv, options->uv_loop, err) != 0) {
    mcpi_free(allocator, uv, sizeof(*uv));
    return NULL;
  }
  return uv;
}

mcp_loop *mcp_loop_new(const mcp_loop_options *given, mcp_error *err) {
  mcp_loop_options options = {0};
  if (given != NULL && mcpi_widen(&options, sizeof(options), given,
                                  "mcp_loop_options", err) != 0) {
    return NULL;
  }
  mcpi_uv *uv = new_uv(&options, err);
  if (uv == NULL) {
    return NULL;
  }
  mcp_platform platform = platform_of(uv);
  uv->loop = mcpi_loop_new(&platform, &uv->allocator, err);
  if (uv->loop == NULL) {
    platform_end(uv);
    return NULL;
  }
  return uv->loop;
}

mcpi_uv *mcpi_uv_of(const mcp_loop *loop) {
  return loop != NULL && loop->platform.release == platform_release
             ? loop->platform.userdata
             : NULL;
}

char *mcpi_uv_read_buffer(mcpi_uv *uv) {
  if (uv->read_buffer == NULL) {
    uv->read_buffer = mcpi_alloc(&uv->allocator, MCPI_READ_SIZE);
  }
  return uv->read_buffer;
}

int mcpi_io_error(mcp_error *err, int error, const char *what) {
  mcp_error_set(err, MCP_ERR_IO, "%s: %s", what, mcpi_error_name(error));
  if (err != NULL) {
    err->status = error;
  }
  return MCP_ERR_IO;
}

/* --- running it ---------------------------------------------------------- */

/* Counts deadlines and letters as reasons to keep running, or stops counting
 * them. */
static void count_in(mcpi_uv *uv) {
  uv_ref((uv_handle_t *)&uv->mail);
  uv_ref((uv_handle_t *)&uv->deadline);
}

static void count_out(mcpi_uv *uv) {
  uv_unref((uv_handle_t *)&uv->deadline);
  if (!has_busy_workers(uv)) {
    uv_unref((uv_handle_t *)&uv->mail);
  }
}

/* libuv runs timers, then sleeps. A timer may have caused the event that the
 * program waits for. So everything that happens in a turn stops the loop, which
 * means: do not sleep. */
static void turn(mcpi_uv *uv, uv_run_mode mode) {
  count_in(uv);
  uv->is_in_turn = mode == UV_RUN_ONCE;
  uv_run(uv->uv, mode);
  uv->is_in_turn = 0;
  count_out(uv);
}

static int platform_has_more(mcpi_uv *uv) {
  return mcpi_posts_wait(&uv->posts) ||
         mcp_loop_next_deadline(uv->loop) != INT64_MAX;
}

static void platform_run(mcpi_uv *uv) {
  while (!uv->is_stopping) {
    if (uv_loop_alive(uv->uv)) {
      uv_run(uv->uv, UV_RUN_DEFAULT);
    } else if (platform_has_more(uv)) {
      turn(uv, UV_RUN_ONCE);
    } else {
      break;
    }
  }
  uv->is_stopping = 0;
}

/* Returns 0, or why the loop cannot run now. */
static int refusal(const mcpi_uv *uv) {
  if (uv == NULL) {
    return MCP_ERR_INVALID;
  }
  return uv->depth > 0 ? MCP_ERR_BUSY : 0;
}

int mcp_loop_run(mcp_loop *loop) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  int rc = refusal(uv);
  if (rc != 0 || !uv->owns_uv) {
    return rc != 0 ? rc : MCP_ERR_INVALID;
  }
  mcpi_uv_enter(uv);
  platform_run(uv);
  mcpi_uv_leave(uv);
  return 0;
}

void mcp_loop_stop(mcp_loop *loop) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv != NULL && uv->owns_uv && !uv->is_ending) {
    uv->is_stopping = 1;
    uv_stop(uv->uv);
  }
}

int mcp_loop_fd(const mcp_loop *loop) {
  const mcpi_uv *uv = mcpi_uv_of(loop);
  return uv != NULL ? uv_backend_fd(uv->uv) : -1;
}

int mcp_loop_timeout_ms(mcp_loop *loop) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    return -1;
  }
  uv_update_time(uv->uv);
  count_in(uv);
  int timeout_ms = uv_backend_timeout(uv->uv);
  count_out(uv);
  return timeout_ms;
}

int mcp_loop_step(mcp_loop *loop) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  int rc = refusal(uv);
  if (rc == 0) {
    mcpi_uv_enter(uv);
    turn(uv, UV_RUN_NOWAIT);
    mcpi_uv_leave(uv);
  }
  return rc;
}

static void on_patience(uv_timer_t *timer) {
  uv_stop(timer->loop);
}

int mcp_loop_wait(mcp_loop *loop, int timeout_ms) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  int rc = refusal(uv);
  if (rc != 0) {
    return rc;
  }
  mcpi_uv_enter(uv);
  if (timeout_ms > 0) {
    uv_update_time(uv->uv);
    uv_timer_start(&uv->patience, on_patience, (uint64_t)timeout_ms, 0);
  }
  turn(uv, timeout_ms == 0 ? UV_RUN_NOWAIT : UV_RUN_ONCE);
  uv_timer_stop(&uv->patience);
  mcpi_uv_leave(uv);
  return 0;
}
