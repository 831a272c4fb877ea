/* SPDX-License-Identifier: MIT */
/** @file
 * The event loop that servers and clients run on.
 *
 * A loop belongs to one thread: everything attached to it is used, and every
 * callback runs, on that thread. The exceptions say so (mcp_loop_post, and a
 * deferred call's replies).
 *
 * There are four ways to have one:
 * - mcp_loop_new(NULL, NULL), then mcp_loop_run: the loop runs in your thread;
 * - mcp_loop_new with a `uv_loop`: on a libuv loop that the program runs;
 * - mcp_loop_new(NULL, NULL), then mcp_loop_fd, mcp_loop_timeout_ms and
 *   mcp_loop_step: inside any other loop (poll, GLib, Qt, ...);
 * - mcp_loop_new_manual: no descriptors and no clock at all, for programs that
 *   link libmcp-core only and move the bytes themselves.
 */
#ifndef MCP_LOOP_H
#define MCP_LOOP_H

#include <mcp/allocator.h>
#include <mcp/error.h>
#include <mcp/sys/platform.h>

MCP_BEGIN_DECLS

typedef struct mcp_loop mcp_loop;

/* ---- libmcp-core ------------------------------------------------------- */

/**
 * A loop without I/O: the program tells it the time with mcp_loop_advance.
 *
 * @param platform  copied; NULL: an empty table
 * @param allocator copied; NULL: the default
 * @param err       says why there is no loop; may be NULL
 * @return owned: free it with mcp_loop_free; NULL with err: MCP_ERR_INVALID
 *         (the platform's size is not set, or the platform has some of the
 *         functions lock_* and not all), MCP_ERR_NOMEM
 */
MCP_API mcp_loop *mcp_loop_new_manual(const mcp_platform *platform,
                                      const mcp_allocator *allocator,
                                      mcp_error *err);

/**
 * Sets the time of a manual loop and runs what is due.
 *
 * @param now_ms  monotonic milliseconds from any start, never going back
 * @param wall_ms milliseconds since 1970-01-01 UTC; dates expiries
 */
MCP_API void mcp_loop_advance(mcp_loop *loop, int64_t now_ms, int64_t wall_ms);

/** When mcp_loop_advance must be called next, in its monotonic milliseconds;
 * INT64_MAX: nothing waits, or the loop is NULL. */
MCP_API int64_t mcp_loop_next_deadline(const mcp_loop *loop);

/**
 * Runs `run(argument)` once on the loop's thread, soon.
 *
 * Callable from any thread where the platform can post; on a manual loop
 * without `post` from the loop's thread, and then it runs at the next
 * mcp_loop_advance. Threads of the program's must have returned from it before
 * mcp_loop_free is called, and must not call it afterwards.
 *
 * @return 0, MCP_ERR_NOMEM, or MCP_ERR_CLOSED when the loop is being freed;
 *         on failure it never runs
 */
MCP_API int mcp_loop_post(mcp_loop *loop, void (*run)(void *argument),
                          void *argument);

/**
 * A timer: calls a function of the program's after a time, once or again and
 * again. It belongs to a loop, on every kind of loop, and is used on the loop's
 * thread alone. Since 0.2.
 *
 *     static void on_time(mcp_timer *timer, void *userdata) {
 *       puts("a second has passed");
 *       mcp_timer_free(timer);
 *     }
 *
 *     mcp_timer *timer = mcp_timer_new(loop, on_time, NULL, NULL);
 *     mcp_timer_start(timer, 1000, 0);
 */
typedef struct mcp_timer mcp_timer;

/**
 * Makes a timer that is stopped. Since 0.2.
 *
 * mcp_loop_free frees the timers that the program has not freed; the program
 * must not use them afterwards. on_time is not called while the loop is freed.
 *
 * @param loop     runs on_time; must outlive the timer
 * @param on_time  called on the loop's thread, never inside mcp_timer_start. It
 *                 may start, stop or free its timer, and all others. It must
 *                 not free the loop
 * @param userdata passed to on_time
 * @param err      may be NULL
 * @return owned: free it with mcp_timer_free; NULL on failure:
 *         MCP_ERR_INVALID (loop or on_time is NULL), MCP_ERR_CLOSED (the loop
 *         is being freed), MCP_ERR_NOMEM
 */
MCP_API mcp_timer *
mcp_timer_new(mcp_loop *loop, void (*on_time)(mcp_timer *timer, void *userdata),
              void *userdata, mcp_error *err);

/**
 * Starts a timer. A timer that runs already begins again with the new times.
 * Since 0.2.
 *
 * A started timer keeps mcp_loop_run going, since it will cause an event. It
 * does not keep a `uv_loop` of the program's going: uv_run does not wait for
 * it. On a manual loop, mcp_loop_next_deadline says when it is due, and
 * mcp_loop_advance calls on_time.
 *
 * @param delay_ms  milliseconds until on_time is called; 0: in the next turn of
 *                  the loop. With more than INT64_MAX it is never called
 * @param repeat_ms milliseconds from one call to the next, counted from the
 *                  beginning of the call: a time that was missed is not made up
 *                  for. 0: on_time is called once, and the timer is stopped
 *                  before the call
 * @return 0; MCP_ERR_NOMEM, and a timer that was stopped stays stopped (a timer
 *         that runs can always be started again); MCP_ERR_CLOSED when the loop
 *         is being freed; MCP_ERR_INVALID when the timer is NULL
 */
MCP_API int mcp_timer_start(mcp_timer *timer, uint64_t delay_ms,
                            uint64_t repeat_ms);

/** Stops a timer: on_time is not called until the timer is started again. A
 * timer that is stopped already stays so. NULL is accepted. Since 0.2. */
MCP_API void mcp_timer_stop(mcp_timer *timer);

/** Stops a timer and frees it. Legal inside its own on_time. Must be called
 * before mcp_loop_free, or not at all. NULL is accepted. Since 0.2. */
MCP_API void mcp_timer_free(mcp_timer *timer);

/**
 * Ends a loop. Servers, clients and transports on it must have been freed;
 * what they left to close is closed here, which may mean to wait until a child
 * process has ended, and blocking calls are waited for. Inside a callback of
 * the loop, or of a server or client on it, this does nothing: the loop goes
 * on, and the program frees it after the callback. NULL is accepted.
 */
MCP_API void mcp_loop_free(mcp_loop *loop);

/* ---- libmcp ------------------------------------------------------------ */

typedef struct mcp_loop_options {
  /** sizeof(mcp_loop_options); MCP_LOOP_OPTIONS_INIT sets it. */
  size_t size;
  /** Copied; NULL: the default. */
  const mcp_allocator *allocator;
  /** A `uv_loop_t *` of the program's to run on; NULL: a loop of our own. It
   * must outlive the mcp_loop and go on running until mcp_loop_free, on the
   * thread that calls mcp_loop_new. */
  void *uv_loop;
  /** Threads for blocking handlers; 0: 4. They start at the first use. */
  uint32_t pool_threads;
  /** Blocking calls that may wait for a thread; 0: 256. */
  uint32_t pool_queue;
} mcp_loop_options;

#define MCP_LOOP_OPTIONS_INIT MCP_INIT_(mcp_loop_options)

/**
 * Makes a loop on libuv.
 *
 * Without `uv_loop` in the options the library makes a libuv loop of its own.
 * Then it opens /dev/null in the place of each standard descriptor that is
 * closed, because libuv must not get one of those numbers for its own files.
 *
 * @param options NULL: the defaults
 * @param err     says why there is no loop; may be NULL
 * @return owned: free it with mcp_loop_free; NULL with err: MCP_ERR_INVALID
 *         (the size of the options is not set), MCP_ERR_IO (the system refuses,
 *         as when the process has too many open files), MCP_ERR_NOMEM
 */
MCP_API mcp_loop *mcp_loop_new(const mcp_loop_options *options, mcp_error *err);

/** Runs until mcp_loop_stop, or until nothing is left that could ever cause an
 * event.
 * @return 0; MCP_ERR_BUSY inside a callback of the loop; MCP_ERR_INVALID when
 *         it runs on the program's own uv_loop, or is a manual one */
MCP_API int mcp_loop_run(mcp_loop *loop);

/** Makes mcp_loop_run return after the current callbacks. */
MCP_API void mcp_loop_stop(mcp_loop *loop);

/** A descriptor that turns readable when mcp_loop_step has something to do;
 * only to be polled. */
MCP_API int mcp_loop_fd(const mcp_loop *loop);

/** Milliseconds until mcp_loop_step must be called even if the descriptor
 * stays silent; -1: no limit. */
MCP_API int mcp_loop_timeout_ms(mcp_loop *loop);

/** Does what is due without waiting. 0, or MCP_ERR_BUSY inside a callback. */
MCP_API int mcp_loop_step(mcp_loop *loop);

/** Waits for at most `timeout_ms` (-1: for ever) for something to happen, and
 * does it. 0, or MCP_ERR_BUSY inside a callback. */
MCP_API int mcp_loop_wait(mcp_loop *loop, int timeout_ms);

MCP_END_DECLS

#endif
