/* SPDX-License-Identifier: MIT */
/** @file
 * The event loop that servers and clients run on.
 *
 * A loop belongs to one thread. The program uses the loop, and all objects on
 * it, only on this thread, and all callbacks run on this thread. If another
 * thread may call a function, the function's comment says so.
 *
 * There are four ways to make and run a loop:
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

/** An event loop, which belongs to one thread. */
typedef struct mcp_loop mcp_loop;

/* ---- libmcp-core ------------------------------------------------------- */

/**
 * Makes a loop without I/O, a manual loop. The program sets its time and runs
 * it with mcp_loop_advance.
 *
 * @param platform  copied; NULL: an empty table
 * @param allocator copied; NULL: the default
 * @param err       says why there is no loop; may be NULL
 * @return owned: free it with mcp_loop_free; NULL with err: MCP_ERR_INVALID
 *         (the platform's size is not set, or the platform has some but not all
 *         of the functions lock_*), MCP_ERR_NOMEM
 */
MCP_API mcp_loop *mcp_loop_new_manual(const mcp_platform *platform,
                                      const mcp_allocator *allocator,
                                      mcp_error *err);

/**
 * Sets the time of a manual loop. Then runs the posted functions, and the
 * timers that are due.
 *
 * @param now_ms  monotonic milliseconds from any start, never going back
 * @param wall_ms milliseconds since 1970-01-01 UTC; used for the expiry of
 *                questions
 */
MCP_API void mcp_loop_advance(mcp_loop *loop, int64_t now_ms, int64_t wall_ms);

/** Returns the time at which the program must call mcp_loop_advance next, on
 * the scale of now_ms. INT64_MAX: there is nothing to do, or the loop is NULL.
 */
MCP_API int64_t mcp_loop_next_deadline(const mcp_loop *loop);

/**
 * Calls `run(argument)` once on the loop's thread, later.
 *
 * Any thread may call this function on a loop of mcp_loop_new, and on a manual
 * loop whose platform has `post`. For a manual loop without `post`, call it
 * only on the loop's thread: the next mcp_loop_advance then calls `run`. Before
 * the program calls mcp_loop_free, all calls of mcp_loop_post on other threads
 * must have returned.
 *
 * @return 0; MCP_ERR_INVALID: loop or run is NULL; MCP_ERR_NOMEM;
 *         MCP_ERR_CLOSED: the loop is being freed. On failure `run` is not
 *         called
 */
MCP_API int mcp_loop_post(mcp_loop *loop, void (*run)(void *argument),
                          void *argument);

/**
 * A timer calls a function of the program after a time, once or repeatedly. It
 * works on every kind of loop. Use it only on the loop's thread. Since 0.2.
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
 *                 may start, stop and free any timer, also its own. It must not
 *                 free the loop
 * @param userdata passed to on_time
 * @param err      may be NULL
 * @return owned: free it with mcp_timer_free; NULL with err: MCP_ERR_INVALID
 *         (loop or on_time is NULL), MCP_ERR_CLOSED (the loop is being freed),
 *         MCP_ERR_NOMEM
 */
MCP_API mcp_timer *
mcp_timer_new(mcp_loop *loop, void (*on_time)(mcp_timer *timer, void *userdata),
              void *userdata, mcp_error *err);

/**
 * Starts a timer. A timer that runs already begins again with the new times.
 * Since 0.2.
 *
 * mcp_loop_run does not return while a timer runs. If the loop is on a
 * `uv_loop` of the program, a running timer does not keep uv_run from
 * returning. On a manual loop, mcp_loop_next_deadline says when the timer is
 * due, and mcp_loop_advance calls on_time.
 *
 * @param delay_ms  milliseconds until on_time is called; 0: in the next turn of
 *                  the loop; above INT64_MAX: never
 * @param repeat_ms milliseconds from the beginning of one call to the next
 *                  call. If the loop is busy for longer than this, the missed
 *                  calls are skipped. 0: on_time is called once, and the timer
 *                  is stopped before the call
 * @return 0; MCP_ERR_NOMEM: the timer stays stopped (to start a running timer
 *         again needs no memory); MCP_ERR_CLOSED: the loop is being freed;
 *         MCP_ERR_INVALID: the timer is NULL
 */
MCP_API int mcp_timer_start(mcp_timer *timer, uint64_t delay_ms,
                            uint64_t repeat_ms);

/** Stops a timer: on_time is not called until the timer is started again. If
 * the timer is stopped already, nothing happens. NULL is accepted. Since
 * 0.2. */
MCP_API void mcp_timer_stop(mcp_timer *timer);

/** Stops a timer and frees it. Legal inside its own on_time. Must be called
 * before mcp_loop_free, or not at all. NULL is accepted. Since 0.2. */
MCP_API void mcp_timer_free(mcp_timer *timer);

/**
 * Frees a loop. The program must have freed all servers, clients, listeners and
 * transports on it, and must have released all results of its clients
 * (mcp_result_unref): their memory belongs to the loop. This function waits for
 * blocking handlers that still run, and for transports that are still closing
 * (a child process must end first).
 *
 * Inside a callback of the loop, or of a server or client on it, this function
 * does nothing: the loop goes on, and the program must free it after the
 * callback. NULL is accepted.
 */
MCP_API void mcp_loop_free(mcp_loop *loop);

/* ---- libmcp ------------------------------------------------------------ */

/** Options of a loop on libuv. Zero and NULL mean the default. */
typedef struct mcp_loop_options {
  /** sizeof(mcp_loop_options); MCP_LOOP_OPTIONS_INIT sets it. */
  size_t size;
  /** Copied; NULL: the default. */
  const mcp_allocator *allocator;
  /** A `uv_loop_t *` of the program to run on; NULL: the library makes its own.
   * It must exist until mcp_loop_free has returned. Until then the program must
   * run it, on the thread that called mcp_loop_new. */
  void *uv_loop;
  /** How many threads run blocking handlers; 0: 4. The library starts them when
   * the first blocking handler is called. */
  uint32_t pool_threads;
  /** How many blocking calls may wait for a thread; 0: 256. Further calls get
   * the error -32603. */
  uint32_t pool_queue;
} mcp_loop_options;

#define MCP_LOOP_OPTIONS_INIT MCP_INIT_(mcp_loop_options)

/**
 * Makes a loop on libuv.
 *
 * Without `uv_loop` in the options, the library makes a libuv loop. Before that
 * it opens /dev/null for each of the descriptors 0, 1 and 2 that is closed,
 * because libuv must not get one of these numbers for its own files.
 *
 * @param options NULL: the defaults
 * @param err     says why there is no loop; may be NULL
 * @return owned: free it with mcp_loop_free; NULL with err: MCP_ERR_INVALID
 *         (the size of the options is not set), MCP_ERR_IO (the system refuses,
 *         for example because the process has too many open files),
 *         MCP_ERR_NOMEM
 */
MCP_API mcp_loop *mcp_loop_new(const mcp_loop_options *options, mcp_error *err);

/**
 * Runs the loop until mcp_loop_stop is called, or until there is nothing left
 * to wait for.
 * @return 0; MCP_ERR_BUSY: inside a callback of the loop; MCP_ERR_INVALID: the
 *         loop is on a uv_loop of the program, is a manual loop, or is NULL
 */
MCP_API int mcp_loop_run(mcp_loop *loop);

/** Makes mcp_loop_run return after the current callbacks. If mcp_loop_run is
 * not running, the next mcp_loop_run returns at once. Call it on the loop's
 * thread. It does nothing on a uv_loop of the program and on a manual loop. */
MCP_API void mcp_loop_stop(mcp_loop *loop);

/** Returns a descriptor that becomes readable when mcp_loop_step has something
 * to do. Use it only with poll and similar functions. -1: the loop is a manual
 * loop, or NULL. */
MCP_API int mcp_loop_fd(const mcp_loop *loop);

/** Returns the time in milliseconds after which the program must call
 * mcp_loop_step even if the descriptor is not readable. 0: now. -1: no limit,
 * or the loop is a manual loop or NULL.
 */
MCP_API int mcp_loop_timeout_ms(mcp_loop *loop);

/**
 * Handles all events that are due, without waiting.
 * @return 0; MCP_ERR_BUSY: inside a callback; MCP_ERR_INVALID: the loop is a
 *         manual loop, or NULL
 */
MCP_API int mcp_loop_step(mcp_loop *loop);

/**
 * Waits until an event occurs, at most `timeout_ms` milliseconds (-1: without
 * limit), and handles it.
 * @return as mcp_loop_step
 */
MCP_API int mcp_loop_wait(mcp_loop *loop, int timeout_ms);

MCP_END_DECLS

#endif
