/* SPDX-License-Identifier: MIT */
#include "platform/workers.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdatomic.h>

enum { THREADS = 3, QUEUE = 8 };

static uv_loop_t loop;
static uv_async_t idle;
static atomic_int idle_count;
static atomic_int done_count;
static uv_sem_t started;
static uv_sem_t gate;

static void on_idle(uv_async_t *async) {
  idle_count++;
}

static int begin(void **state) {
  done_count = 0;
  idle_count = 0;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(uv_async_init(&loop, &idle, on_idle), 0);
  assert_int_equal(uv_sem_init(&started, 0), 0);
  return uv_sem_init(&gate, 0);
}

static int end(void **state) {
  uv_close((uv_handle_t *)&idle, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  uv_sem_destroy(&started);
  uv_sem_destroy(&gate);
  return 0;
}

static void count(void *argument) {
  done_count++;
}

static void wait_at_gate(void *argument) {
  uv_sem_post(&started);
  uv_sem_wait(&gate);
  count(argument);
}

static mcpi_workers *make(const mcp_allocator *allocator) {
  return mcpi_workers_new(allocator, THREADS, QUEUE, &idle);
}

TEST_WITH(as_many_run_at_once_as_there_are_threads, begin, end) {
  mcpi_workers *workers = make(mcp_allocator_default());
  assert_non_null(workers);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(mcpi_workers_run(workers, wait_at_gate, NULL), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    uv_sem_wait(&started); /* all of them wait inside */
  }
  for (int i = 0; i < QUEUE; i++) {
    assert_int_equal(mcpi_workers_run(workers, count, NULL), 0);
  }
  assert_int_equal(mcpi_workers_run(workers, count, NULL), MCP_ERR_BUSY);
  assert_int_equal(done_count, 0);
  for (int i = 0; i < THREADS; i++) {
    uv_sem_post(&gate);
  }
  mcpi_workers_free(workers); /* waits for all that was taken */
  assert_int_equal(done_count, THREADS + QUEUE);
}

TEST_WITH(the_last_one_wakes_the_loop, begin, end) {
  mcpi_workers *workers = make(mcp_allocator_default());
  assert_int_equal(mcpi_workers_are_busy(workers), 0);
  assert_int_equal(mcpi_workers_run(workers, count, NULL), 0);
  while (idle_count == 0) {
    uv_run(&loop, UV_RUN_ONCE);
  }
  assert_int_equal(done_count, 1);
  assert_int_equal(mcpi_workers_are_busy(workers), 0);
  mcpi_workers_free(workers);
}

static int make_and_free(const mcp_allocator *allocator, void *userdata) {
  mcpi_workers *workers = make(allocator);
  mcpi_workers_free(workers);
  return workers != NULL ? 0 : MCP_ERR_NOMEM;
}

TEST_WITH(without_memory_there_are_none, begin, end) {
  assert_int_equal(failing_alloc_rerun(make_and_free, NULL), 3);
}
