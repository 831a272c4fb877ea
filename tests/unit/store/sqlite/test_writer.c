/* SPDX-License-Identifier: MIT */
#include "store/sqlite/writer.h"

#include "support/cm.h"
#include "support/folder.h"
#include "support/store_rig.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* --- an allocator with a gate --------------------------------------------- */

/* The store's thread allocates when it has found a record. It stops there while
 * the gate is closed. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;
static int is_closed;
static int is_at_gate;

static void pass_gate(void) {
  pthread_mutex_lock(&gate_lock);
  is_at_gate = 1;
  pthread_cond_broadcast(&gate_moved);
  while (is_closed) {
    pthread_cond_wait(&gate_moved, &gate_lock);
  }
  is_at_gate = 0;
  pthread_mutex_unlock(&gate_lock);
}

static void *gate_alloc(void *userdata, size_t size) {
  const mcp_allocator *usual = mcp_allocator_default();
  if (!pthread_equal(pthread_self(), main_thread)) {
    pass_gate();
  }
  return usual->alloc(usual->userdata, size);
}

static void open_gate(void) {
  pthread_mutex_lock(&gate_lock);
  is_closed = 0;
  pthread_cond_broadcast(&gate_moved);
  pthread_mutex_unlock(&gate_lock);
}

/* --- a store with a small queue ------------------------------------------- */

enum { QUEUE = 4, QUEUE_BYTES = 10000 };

static mcp_error seen_error;
static int error_count;

static void on_error(const mcp_error *err, void *userdata) {
  assert_string_equal(userdata, "mine");
  seen_error = *err;
  error_count++;
}

static int make(mcp_task_store *out, const mcp_allocator *allocator,
                size_t max_bytes) {
  static char mine[] = "mine";
  mcp_allocator gated = *allocator;
  mcp_sqlite_options options = MCP_SQLITE_OPTIONS_INIT;
  gated.alloc = gate_alloc;
  options.allocator = &gated;
  options.max_waiting = QUEUE;
  options.max_waiting_bytes = QUEUE_BYTES;
  options.on_error = on_error;
  options.userdata = mine;
  return mcp_task_store_sqlite(out, folder_path("tasks.db"), &options, NULL);
}

static const store_maker maker = {make, folder_empty};
static store_rig rig;
static int statuses[2000]; /* of the completions, in their order */
static int ended;

static int set_up(void **state) {
  folder_make(state);
  ended = error_count = is_closed = 0;
  main_thread = pthread_self();
  return store_rig_begin(&rig, &maker, mcp_allocator_default(), 0);
}

static int tear_down(void **state) {
  open_gate();
  store_rig_end(&rig);
  return folder_remove(state);
}

#define WRITER_TEST(name) TEST_WITH(name, set_up, tear_down)

static void on_done(void *argument, int status) {
  statuses[ended++] = status;
}

static void on_found(void *argument, int status, const mcp_task_record *records,
                     size_t count) {
  statuses[ended++] = status;
}

static void create_later(const char *id, const char *data) {
  const mcp_task_record record = store_record(id, "anna", 1000, data);
  rig.store.create(rig.store.userdata, rig.loop, &record, on_done, NULL);
}

static void load_later(const char *id) {
  rig.store.load(rig.store.userdata, rig.loop, id, on_found, NULL);
}

/* Makes the thread stop at the gate: it loads a task that there is. */
static void stop_the_thread(void) {
  assert_int_equal(store_create(&rig, "first", "anna", 1000, "{}"), 0);
  pthread_mutex_lock(&gate_lock);
  is_closed = 1;
  pthread_mutex_unlock(&gate_lock);
  load_later("first");
  pthread_mutex_lock(&gate_lock);
  while (!is_at_gate) {
    pthread_cond_wait(&gate_moved, &gate_lock);
  }
  pthread_mutex_unlock(&gate_lock);
}

static void wait_for(int count) {
  while (ended < count) {
    pthread_mutex_lock(&rig.lock);
    while (rig.post_count == 0) {
      pthread_cond_wait(&rig.has_posts, &rig.lock);
    }
    pthread_mutex_unlock(&rig.lock);
    store_rig_run_posts(&rig);
  }
}

/* --- the queue ------------------------------------------------------------ */

WRITER_TEST(a_completion_comes_in_a_later_turn) {
  create_later("one", "{}");
  load_later("one");
  assert_int_equal(ended, 0);
  wait_for(2);
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], 0);
}

WRITER_TEST(a_full_queue_is_busy) {
  stop_the_thread();
  for (int i = 0; i < QUEUE; i++) {
    char id[16];
    snprintf(id, sizeof(id), "%d", i);
    create_later(id, "{}");
  }
  assert_int_equal(ended, 0);
  create_later("more", "{}");
  assert_int_equal(ended, 1);
  assert_int_equal(statuses[0], MCP_ERR_BUSY);
  load_later("first");
  assert_int_equal(ended, 2);
  assert_int_equal(statuses[1], MCP_ERR_BUSY);
  open_gate();
  wait_for(2 + 1 + QUEUE);
  for (int i = 2; i < ended; i++) {
    assert_int_equal(statuses[i], 0);
  }
  assert_int_equal(store_create(&rig, "more", "anna", 1000, "{}"), 0);
}

WRITER_TEST(the_bytes_of_the_queue_are_limited) {
  static char text[QUEUE_BYTES];
  memset(text, 'x', sizeof(text) - 1);
  stop_the_thread();
  create_later("large", text);
  assert_int_equal(ended, 1);
  assert_int_equal(statuses[0], MCP_ERR_BUSY);
  text[QUEUE_BYTES / 2] = '\0';
  create_later("one", text);
  create_later("two", text);
  assert_int_equal(ended, 2);
  assert_int_equal(statuses[1], MCP_ERR_BUSY);
  open_gate();
  wait_for(4);
  assert_true(store_has(&rig, "one"));
  assert_false(store_has(&rig, "two"));
}

/* --- completions ---------------------------------------------------------- */

static void fail_posts(int count) {
  pthread_mutex_lock(&rig.lock);
  rig.fail_posts = count;
  pthread_mutex_unlock(&rig.lock);
}

WRITER_TEST(a_post_that_the_loop_has_no_memory_for_comes_later) {
  fail_posts(3);
  assert_int_equal(store_create(&rig, "one", "anna", 1000, "{}"), 0);
  assert_int_equal(rig.fail_posts, 0);
  fail_posts(1);
  assert_string_equal(store_load(&rig, "one"), "one:{} ");
}

WRITER_TEST(releasing_writes_what_waits_and_posts_the_completions) {
  stop_the_thread();
  create_later("one", "{}");
  create_later("two", "{}");
  open_gate();
  fail_posts(2);
  store_rig_reopen(&rig, 0);
  assert_int_equal(ended, 0);
  assert_int_equal(rig.post_count, 2); /* both creates came in one */
  store_rig_run_posts(&rig);
  assert_int_equal(ended, 3);
  assert_true(store_has(&rig, "one") && store_has(&rig, "two"));
}

static int closed_post(void *userdata, void (*run)(void *argument),
                       void *argument) {
  return MCP_ERR_CLOSED;
}

WRITER_TEST(a_loop_that_is_being_freed_gets_no_completion) {
  mcp_platform platform = MCP_PLATFORM_INIT;
  platform.post = closed_post;
  mcp_loop *closed = mcp_loop_new_manual(&platform, NULL, NULL);
  const mcp_task_record record = store_record("one", "anna", 1000, "{}");
  rig.store.create(rig.store.userdata, closed, &record, on_done, NULL);
  assert_true(store_has(&rig, "one"));
  assert_int_equal(ended, 0);
  mcp_loop_free(closed);
}

WRITER_TEST(a_loop_that_no_thread_can_post_to_is_refused) {
  mcp_loop *alone = mcp_loop_new_manual(NULL, NULL, NULL);
  const mcp_task_record record = store_record("one", "anna", 1000, "{}");
  rig.store.create(rig.store.userdata, alone, &record, on_done, NULL);
  assert_int_equal(ended, 1);
  assert_int_equal(statuses[0], MCP_ERR_PLATFORM);
  mcp_loop_free(alone);
}

/* --- failures ------------------------------------------------------------- */

WRITER_TEST(a_failure_of_sqlite_is_reported_with_words) {
  struct rlimit before;
  assert_int_equal(store_create(&rig, "one", "anna", 1000, "{}"), 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, before.rlim_max}), 0);
  int rc = store_create(&rig, "two", "anna", 1000, "{}");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(rc, MCP_ERR_IO);
  assert_int_equal(seen_error.code, MCP_ERR_IO);
  assert_non_null(strstr(seen_error.message, folder_path("tasks.db")));
  assert_non_null(strstr(seen_error.message, "a limit on the size of files"));
  assert_int_equal(error_count, 1);
  assert_true(store_has(&rig, "one"));
  assert_false(store_has(&rig, "two"));
  assert_int_equal(store_create(&rig, "two", "anna", 1000, "{}"), 0);
}
