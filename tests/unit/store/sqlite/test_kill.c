/* SPDX-License-Identifier: MIT */
/* A process is killed in the midst of creating tasks. Each task whose
 * completion it has seen must be there. */
#include "support/cm.h"
#include "support/folder.h"
#include "support/store_rig.h"
#include <mcp/mcp.h>
#include <mcp/sqlite.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 1000, IN_FLIGHT = 32 };

/* --- the process that is killed ------------------------------------------- */

typedef struct victim {
  mcp_task_store store;
  mcp_loop *loop;
  int out; /* the numbers of the tasks that are stored, as bytes of an int */
  int next;
} victim;

typedef struct victim_task {
  victim *victim;
  int number;
} victim_task;

static victim_task victim_tasks[TASKS];

static void victim_create_next(victim *v);

static void victim_on_done(void *argument, int status) {
  victim_task *task = argument;
  victim *v = task->victim;
  if (status != 0 || write(v->out, &task->number, sizeof(task->number)) < 0) {
    _exit(1);
  }
  victim_create_next(v);
}

static void victim_create_next(victim *v) {
  if (v->next == TASKS) {
    return;
  }
  char id[24];
  victim_task *task = &victim_tasks[v->next];
  *task = (victim_task){v, v->next++};
  snprintf(id, sizeof(id), "task-%d", task->number);
  const mcp_task_record record =
      store_record(id, "anna", 1000 + task->number, "{\"a\":\"text\"}");
  v->store.create(v->store.userdata, v->loop, &record, victim_on_done, task);
}

static void victim_run(int out) {
  victim v = {.store = MCP_TASK_STORE_INIT, .out = out};
  v.loop = mcp_loop_new(NULL, NULL);
  if (v.loop == NULL || mcp_task_store_sqlite(&v.store, folder_path("tasks.db"),
                                              NULL, NULL) != 0) {
    _exit(1);
  }
  for (int i = 0; i < IN_FLIGHT; i++) {
    victim_create_next(&v);
  }
  for (;;) {
    mcp_loop_wait(v.loop, -1);
  }
}

/* --- the one that looks afterwards ---------------------------------------- */

static char reported[TASKS];

/* Reads what the process reports. Returns 0 at the end. */
static int read_one(int in) {
  int number;
  ssize_t got = read(in, &number, sizeof(number));
  if (got == 0) {
    return 0;
  }
  assert_int_equal(got, sizeof(number));
  assert_true(number >= 0 && number < TASKS);
  reported[number] = 1;
  return 1;
}

/* Kills a process once it has reported `count` tasks. Returns how many it has
 * reported then. */
static int kill_after(int count) {
  int ends[2];
  int seen = 0;
  memset(reported, 0, sizeof(reported));
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    victim_run(ends[1]);
  }
  close(ends[1]);
  while (seen < count && read_one(ends[0])) {
    seen++;
  }
  kill(child, SIGKILL);
  while (read_one(ends[0])) {
    seen++;
  }
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return seen;
}

static int make(mcp_task_store *out, const mcp_allocator *allocator,
                size_t max_bytes) {
  return mcp_task_store_sqlite(out, folder_path("tasks.db"), NULL, NULL);
}

static const store_maker maker = {make, folder_empty};

/* All that were reported are there, whole; others may be. */
static void look_for_reported(void) {
  store_rig rig;
  assert_int_equal(store_rig_begin(&rig, &maker, mcp_allocator_default(), 0),
                   0);
  for (int i = 0; i < TASKS; i++) {
    char id[24];
    char wanted[48];
    snprintf(id, sizeof(id), "task-%d", i);
    snprintf(wanted, sizeof(wanted), "%s:{\"a\":\"text\"} ", id);
    if (reported[i]) {
      assert_string_equal(store_load(&rig, id), wanted);
    }
  }
  store_rig_end(&rig);
}

FOLDER_TEST(a_killed_process_loses_no_task_that_was_reported) {
  const int counts[] = {1, 60, 250, 500, 900};
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    int seen = kill_after(counts[i]);
    assert_true(seen >= counts[i]);
    look_for_reported();
  }
}
