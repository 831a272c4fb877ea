/* SPDX-License-Identifier: MIT */
#include "store/sqlite/batch.h"

static int any_job(mcpi_sqlite_job *const *jobs, size_t count,
                   int (*has)(const mcpi_sqlite_job *job)) {
  for (size_t i = 0; i < count; i++) {
    if (has(jobs[i])) {
      return 1;
    }
  }
  return 0;
}

/* Does them in one transaction. Returns 0, or the code of a failure: then
 * nothing has changed. A request that reads sees what those before it have
 * changed, also if that is not durable yet: its completion comes after the
 * commit. */
static int run_together(mcpi_sqlite_tasks *tasks, mcpi_sqlite_job *const *jobs,
                        size_t count) {
  int is_durable = any_job(jobs, count, mcpi_sqlite_job_is_durable);
  int rc = mcpi_sqlite_tasks_begin(tasks, is_durable);
  for (size_t i = 0; i < count && rc == 0; i++) {
    mcpi_sqlite_job_run(jobs[i], tasks);
    if (tasks->has_failed) {
      mcpi_sqlite_tasks_roll_back(tasks);
      return jobs[i]->status;
    }
  }
  return rc == 0 ? mcpi_sqlite_tasks_commit(tasks) : rc;
}

/* A request that changes nothing needs no transaction. Returns 1 if SQLite has
 * failed. */
static int run_alone(mcpi_sqlite_tasks *tasks, mcpi_sqlite_job *job) {
  if (mcpi_sqlite_job_writes(job)) {
    int rc = run_together(tasks, &job, 1);
    if (rc != 0) {
      job->status = rc;
    }
    return rc != 0;
  }
  tasks->has_failed = 0;
  mcpi_sqlite_job_run(job, tasks);
  return tasks->has_failed;
}

int mcpi_sqlite_batch_run(mcpi_sqlite_tasks *tasks,
                          mcpi_sqlite_job *const *jobs, size_t count) {
  int has_failed = 0;
  if (any_job(jobs, count, mcpi_sqlite_job_writes) &&
      run_together(tasks, jobs, count) == 0) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    has_failed |= run_alone(tasks, jobs[i]);
  }
  return has_failed;
}
