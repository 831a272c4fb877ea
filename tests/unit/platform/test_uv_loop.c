/* SPDX-License-Identifier: MIT */
#include "platform/uv_loop.h"

#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <mcp/http.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Without any limit of the waiting's own. */
#define WAIT_FOR_EVER_UNTIL(condition)                                         \
  while (!(condition)) {                                                       \
    assert_int_equal(mcp_loop_wait(loop, -1), 0);                              \
  }

static mcp_loop *loop;
static size_t ran_count;

static int begin(void **state) {
  ran_count = 0;
  loop = loop_begin();
  return 0;
}

static int end(void **state) {
  loop_end(loop);
  return 0;
}

static void count(void *argument) {
  ran_count++;
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- running ------------------------------------------------------------- */

FIXTURE_TEST(a_loop_with_nothing_to_do_ends) {
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(mcp_loop_step(loop), 0);
  assert_int_equal(mcp_loop_wait(loop, 0), 0);
}

FIXTURE_TEST(what_is_posted_runs_before_the_end) {
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(mcp_loop_post(loop, count, NULL), 0);
  }
  assert_int_equal(ran_count, 0); /* never inside */
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(ran_count, 1000);
}

static void try_to_run(void *argument) {
  count(argument);
  assert_int_equal(mcp_loop_run(loop), MCP_ERR_BUSY);
  assert_int_equal(mcp_loop_step(loop), MCP_ERR_BUSY);
  assert_int_equal(mcp_loop_wait(loop, 0), MCP_ERR_BUSY);
}

FIXTURE_TEST(inside_a_callback_it_is_busy) {
  assert_int_equal(mcp_loop_post(loop, try_to_run, NULL), 0);
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(mcp_loop_post(loop, try_to_run, NULL), 0);
  assert_int_equal(mcp_loop_wait(loop, -1), 0);
  assert_int_equal(ran_count, 2);
}

static void stop_and_post(void *argument) {
  count(argument);
  mcp_loop_stop(loop);
  assert_int_equal(mcp_loop_post(loop, count, NULL), 0);
}

FIXTURE_TEST(stopping_returns_after_the_current_callbacks) {
  assert_int_equal(mcp_loop_post(loop, stop_and_post, NULL), 0);
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(ran_count, 1);
  assert_int_equal(mcp_loop_run(loop), 0); /* goes on where it was */
  assert_int_equal(ran_count, 2);
}

/* libuv may return early now and then (with io_uring, on some kernels); it
 * only matters that the loop sleeps, and that the sleep ends. */
FIXTURE_TEST(waiting_has_its_limit) {
  uint64_t started = uv_hrtime();
  uint64_t waited_ns = 0;
  int turns = 0;
  while (waited_ns < 25 * 1000000) {
    assert_int_equal(mcp_loop_wait(loop, 30), 0);
    waited_ns = uv_hrtime() - started;
    turns++;
  }
  assert_true(turns < 20);
  assert_true(waited_ns < UINT64_C(10000000000));
}

/* --- other threads ------------------------------------------------------- */

static void note_home(void *argument) {
  assert_true(mcpi_loop_is_home(loop));
  count(NULL);
}

static void post_from_outside(void *argument) {
  assert_false(mcpi_loop_is_home(loop));
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(mcp_loop_post(loop, note_home, NULL), 0);
  }
}

FIXTURE_TEST(other_threads_post) {
  uv_thread_t threads[3];
  assert_true(mcpi_loop_is_home(loop));
  for (int i = 0; i < 3; i++) {
    uv_thread_create(&threads[i], post_from_outside, NULL);
  }
  WAIT_UNTIL(loop, ran_count == 3000);
  for (int i = 0; i < 3; i++) {
    uv_thread_join(&threads[i]);
  }
}

static void run_here(void *argument) {
  *(int *)argument = mcp_loop_run(loop);
}

FIXTURE_TEST(a_loop_moves_to_the_thread_that_runs_it) {
  uv_thread_t thread;
  int rc = -1;
  assert_int_equal(mcp_loop_post(loop, note_home, NULL), 0);
  uv_thread_create(&thread, run_here, &rc);
  uv_thread_join(&thread);
  assert_int_equal(rc, 0);
  assert_int_equal(ran_count, 1);
  assert_int_equal(mcp_loop_step(loop), 0); /* and back */
  assert_true(mcpi_loop_is_home(loop));
}

static void keep(mcpi_timer *timer) {
  (void)timer; /* it keeps the loop going */
}

/* The thread that makes the loop need not wait until the other one runs it. */
FIXTURE_TEST(the_maker_posts_to_the_thread_that_runs_it) {
  uv_thread_t thread;
  mcpi_timer timer = {.on_due = keep};
  int rc = -1;
  assert_int_equal(mcpi_loop_start_timer(loop, &timer, 20), 0);
  uv_thread_create(&thread, run_here, &rc);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(mcp_loop_post(loop, note_home, NULL), 0);
  }
  uv_thread_join(&thread);
  assert_int_equal(rc, 0);
  assert_int_equal(mcp_loop_step(loop), 0);
  assert_int_equal(ran_count, 100);
}

static void post_done(void *argument) {
  assert_int_equal(mcp_loop_post(loop, note_home, argument), 0);
}

static int run_blocking(void (*work)(void *argument)) {
  return loop->platform.run_blocking(loop->platform.userdata, work, NULL);
}

FIXTURE_TEST(a_blocking_call_keeps_the_loop_going) {
  for (int i = 0; i < 20; i++) {
    assert_int_equal(run_blocking(post_done), 0);
  }
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(ran_count, 20);
}

FIXTURE_TEST(what_waits_when_it_is_freed_still_runs) {
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  mcp_loop *before = loop;
  assert_non_null(own);
  assert_int_equal(mcp_loop_post(own, count, NULL), 0);
  loop = own;
  assert_int_equal(run_blocking(post_done), 0);
  mcp_loop_free(own);
  loop = before;
  assert_int_equal(ran_count, 2);
}

static void stop(void *argument) {
  mcp_loop_stop(argument);
}

FIXTURE_TEST(stopping_one_that_is_freed_is_harmless) {
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  assert_non_null(own);
  assert_int_equal(mcp_loop_post(own, stop, own), 0);
  mcp_loop_free(own); /* leaves nothing behind */
}

/* --- time ---------------------------------------------------------------- */

typedef struct timed {
  mcpi_timer timer;
  int64_t ran_ms;
} timed;

static void note_time(mcpi_timer *timer) {
  timed *self = (timed *)(void *)timer;
  self->ran_ms = mcpi_loop_now(loop);
  count(NULL);
}

FIXTURE_TEST(a_deadline_is_kept_and_never_early) {
  timed first = {{.on_due = note_time}, 0};
  timed second = {{.on_due = note_time}, 0};
  int64_t started_ms = mcpi_loop_now(loop);
  assert_int_equal(mcpi_loop_start_timer(loop, &second.timer, 60), 0);
  assert_int_equal(mcpi_loop_start_timer(loop, &first.timer, 20), 0);
  assert_int_equal(mcp_loop_run(loop), 0); /* deadlines keep it going */
  assert_int_equal(ran_count, 2);
  assert_in_range(first.ran_ms - started_ms, 20, 5000);
  assert_in_range(second.ran_ms - started_ms, 60, 5000);
}

/* libuv's own idea of now is as old as its last turn. */
FIXTURE_TEST(time_does_not_stand_still_between_turns) {
  timed late = {{.on_due = note_time}, 0};
  assert_int_equal(mcp_loop_step(loop), 0);
  uv_sleep(50);
  int64_t started_ms = mcpi_loop_now(loop);
  assert_int_equal(mcpi_loop_start_timer(loop, &late.timer, 30), 0);
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_in_range(late.ran_ms - started_ms, 30, 5000);
  assert_true(mcpi_loop_wall(loop) > INT64_C(1700000000000));
}

static void count_three(mcp_timer *timer, void *userdata) {
  count(userdata);
  if (ran_count == 3) {
    mcp_timer_stop(timer);
  }
}

FIXTURE_TEST(a_started_timer_keeps_the_loop_going) {
  mcp_timer *timer = mcp_timer_new(loop, count_three, NULL, NULL);
  assert_int_equal(mcp_loop_run(loop), 0); /* it is stopped */
  assert_int_equal(ran_count, 0);
  assert_int_equal(mcp_timer_start(timer, 10, 1), 0);
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(ran_count, 3);
  mcp_timer_free(timer);
}

FIXTURE_TEST(a_timer_that_is_left_to_the_loop_is_not_called) {
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  mcp_timer *timer = mcp_timer_new(own, count_three, NULL, NULL);
  assert_int_equal(mcp_timer_start(timer, 0, 1), 0);
  mcp_loop_free(own);
  assert_int_equal(ran_count, 0);
}

enum { ENOUGH = 1000 * 1000 }; /* for the test to fail, and not to hang */

static int times_due;

static void start_again(mcpi_timer *timer) {
  if (++times_due < ENOUGH && ran_count == 0) {
    assert_int_equal(mcpi_loop_start_timer(loop, timer, 0), 0);
  }
}

FIXTURE_TEST(one_that_is_due_again_lets_others_by) {
  mcpi_timer timer = {.on_due = start_again};
  times_due = 0;
  assert_int_equal(mcpi_loop_start_timer(loop, &timer, 0), 0);
  WAIT_FOR_EVER_UNTIL(times_due > 0);
  assert_int_equal(mcp_loop_post(loop, count, NULL), 0);
  assert_int_equal(mcp_loop_run(loop), 0);
  assert_int_equal(ran_count, 1);
  assert_true(times_due < ENOUGH);
}

/* libuv runs timers before it sleeps, and then sleeps nevertheless. */
FIXTURE_TEST(a_deadline_that_is_due_ends_the_waiting) {
  timed due = {{.on_due = note_time}, 0};
  for (size_t i = 1; i <= 20; i++) {
    assert_int_equal(mcpi_loop_start_timer(loop, &due.timer, (int64_t)i % 3),
                     0);
    uv_sleep(i % 2 == 0 ? 3 : 0);
    WAIT_FOR_EVER_UNTIL(ran_count == i);
  }
}

/* --- in another loop ----------------------------------------------------- */

FIXTURE_TEST(a_foreign_loop_turns_it) {
  timed timer = {{.on_due = note_time}, 0};
  uv_thread_t thread;
  assert_int_equal(mcp_loop_step(loop), 0);
  assert_int_equal(mcp_loop_timeout_ms(loop), -1);
  assert_int_equal(mcpi_loop_start_timer(loop, &timer.timer, 20), 0);
  assert_in_range(mcp_loop_timeout_ms(loop), 0, 21);
  uv_thread_create(&thread, post_done, NULL);
  for (int i = 0; ran_count < 2; i++) {
    struct pollfd polled = {mcp_loop_fd(loop), POLLIN, 0};
    assert_true(i < 10000);
    assert_true(poll(&polled, 1, mcp_loop_timeout_ms(loop)) >= 0);
    assert_int_equal(mcp_loop_step(loop), 0);
  }
  uv_thread_join(&thread);
  assert_int_equal(mcp_loop_timeout_ms(loop), -1);
}

static void try_on_given(void *argument) {
  count(argument);
  assert_int_equal(mcp_loop_step(loop), MCP_ERR_BUSY);
}

FIXTURE_TEST(it_runs_on_a_given_uv_loop) {
  uv_loop_t uv;
  assert_int_equal(uv_loop_init(&uv), 0);
  mcp_loop_options options = {.size = sizeof(mcp_loop_options), .uv_loop = &uv};
  mcp_loop *before = loop;
  loop = mcp_loop_new(&options, NULL);
  assert_non_null(loop);
  assert_int_equal(mcp_loop_run(loop), MCP_ERR_INVALID);
  assert_int_equal(mcp_loop_post(loop, try_on_given, NULL), 0);
  uv_run(&uv, UV_RUN_DEFAULT);
  assert_int_equal(ran_count, 1);
  mcp_loop_free(loop);
  loop = before;
  uv_run(&uv, UV_RUN_DEFAULT); /* the handles close */
  assert_int_equal(uv_loop_close(&uv), 0);
}

static void free_it(void *argument) {
  mcp_loop_free(loop); /* does nothing */
  count(argument);
}

static void free_it_when_drained(mcp_http_listener *drained, void *userdata) {
  assert_string_equal(mcp_http_listener_url(drained),
                      mcp_http_listener_url(userdata));
  free_it(NULL);
}

/* Half a request, so that the connection is not idle. */
static int send_half(const mcp_http_listener *listener, uv_loop_t *uv) {
  int port = 0;
  sscanf(mcp_http_listener_url(listener), "http://127.0.0.1:%d/", &port);
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
  write_text(fd, "POST ");
  while (mcp_http_listener_connection_count(listener) == 0) {
    uv_run(uv, UV_RUN_ONCE);
  }
  uv_run(uv, UV_RUN_ONCE); /* reads it */
  return fd;
}

/* On a given uv_loop libuv is run by the program, so what libuv calls, handles
 * that close too, has to say that it is on the stack. */
FIXTURE_TEST(it_is_not_freed_inside_its_callbacks) {
  uv_loop_t uv;
  assert_int_equal(uv_loop_init(&uv), 0);
  mcp_loop_options options = {.size = sizeof(mcp_loop_options), .uv_loop = &uv};
  mcp_loop *before = loop;
  loop = mcp_loop_new(&options, NULL);
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  const mcp_http_listen_options http = {.size = sizeof(mcp_http_listen_options),
                                        .address = "127.0.0.1:0"};
  mcp_http_listener *listener =
      mcp_server_listen_http(server, loop, &http, NULL);
  int fd = send_half(listener, &uv);
  assert_int_equal(mcp_loop_post(loop, free_it, NULL), 0);
  mcp_http_listener_drain(listener, free_it_when_drained, listener);
  close(fd);
  while (ran_count < 2) {
    uv_run(&uv, UV_RUN_ONCE);
  }
  mcp_http_listener_drain(listener, free_it_when_drained, listener);
  assert_int_equal(ran_count, 3); /* there is nothing to wait for */
  mcp_http_listener_free(listener);
  mcp_server_free(server);
  mcp_loop_free(loop);
  loop = before;
  uv_run(&uv, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&uv), 0);
}

FIXTURE_TEST(a_manual_loop_is_none_to_run) {
  mcp_loop *manual = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_int_equal(mcp_loop_run(manual), MCP_ERR_INVALID);
  assert_int_equal(mcp_loop_step(manual), MCP_ERR_INVALID);
  assert_int_equal(mcp_loop_wait(manual, 0), MCP_ERR_INVALID);
  assert_int_equal(mcp_loop_fd(manual), -1);
  mcp_loop_stop(manual);
  mcp_loop_free(manual);
  assert_int_equal(mcp_loop_run(NULL), MCP_ERR_INVALID);
}

/* --- memory -------------------------------------------------------------- */

static int make_and_free(const mcp_allocator *allocator, void *userdata) {
  mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                              .allocator = allocator};
  mcp_error err = {0};
  mcp_loop *made = mcp_loop_new(&options, &err);
  mcp_loop_free(made);
  assert_int_equal(err.code, made != NULL ? 0 : MCP_ERR_NOMEM);
  return err.code;
}

FIXTURE_TEST(without_memory_there_is_none) {
  size_t descriptors = count_descriptors();
  assert_true(failing_alloc_rerun(make_and_free, NULL) >= 2);
  assert_int_equal(count_descriptors(), descriptors);
}

/* --- other failures ------------------------------------------------------- */

FIXTURE_TEST(the_systems_reason_is_told) {
  mcp_error err = {0};
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  mcp_loop *made = mcp_loop_new(NULL, &err);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  assert_null(made);
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_int_equal(err.status, EMFILE);
  assert_string_equal(err.message,
                      "cannot make a libuv loop: too many open files");
}

FIXTURE_TEST(options_without_size_are_refused) {
  mcp_error err = {0};
  const mcp_loop_options options = {0};
  assert_null(mcp_loop_new(&options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "mcp_loop_options has no size: set its "
                                   "member size to sizeof(mcp_loop_options)");
}

FIXTURE_TEST(an_older_options_struct_is_widened) {
  mcp_loop_options options;
  memset(&options, 0xFF, sizeof(options));
  options.size = offsetof(mcp_loop_options, uv_loop);
  options.allocator = NULL;
  mcp_loop *made = mcp_loop_new(&options, NULL);
  assert_non_null(made);
  assert_int_equal(mcpi_uv_of(made)->pool_threads, 4);
  mcp_loop_free(made);
}
