/* SPDX-License-Identifier: MIT */
#include "store/sqlite/batch.h"

#include "support/cm.h"
#include "support/folder.h"
#include "support/store_rig.h"
#include <stdio.h>
#include <string.h>

enum { MAX_JOBS = 16 };

static mcpi_sqlite_tasks tasks;
static mcpi_sqlite_job *jobs[MAX_JOBS];
static size_t job_count;
static int statuses[MAX_JOBS]; /* as the completions report them */
static size_t found_counts[MAX_JOBS];

static int set_up(void **state) {
  mcp_error err;
  folder_make(state);
  job_count = 0;
  return mcpi_sqlite_tasks_init(&tasks, folder_path("a.db"), 1000000, &err);
}

static int tear_down(void **state) {
  mcpi_sqlite_tasks_deinit(&tasks);
  return folder_remove(state);
}

#define BATCH_TEST(name) TEST_WITH(name, set_up, tear_down)

static void on_done(void *argument, int status) {
  statuses[(size_t)(uintptr_t)argument] = status;
}

static void on_found(void *argument, int status, const mcp_task_record *records,
                     size_t count) {
  size_t i = (size_t)(uintptr_t)argument;
  statuses[i] = status;
  found_counts[i] = count;
}

static mcpi_sqlite_job *add(mcpi_sqlite_kind kind, const char *id,
                            const char *owner, const char *data) {
  mcp_task_record record = store_record(id, owner, 1000, data);
  mcpi_sqlite_job *job =
      mcpi_sqlite_job_new(mcp_allocator_default(), kind, NULL, &record);
  assert_non_null(job);
  job->argument = (void *)(uintptr_t)job_count;
  if (kind <= MCPI_SQLITE_EXPIRE) {
    job->done = on_done;
  } else {
    job->on_found = on_found;
  }
  jobs[job_count++] = job;
  return job;
}

static void add_create(const char *id, const char *data) {
  add(MCPI_SQLITE_CREATE, id, "anna", data);
}

static void add_update(const char *id, uint64_t version, int has_ended) {
  mcpi_sqlite_job *job = add(MCPI_SQLITE_UPDATE, id, "anna", "new");
  job->record.version = version;
  job->record.has_ended = has_ended;
}

static void add_load(const char *id) {
  add(MCPI_SQLITE_LOAD, id, NULL, "");
}

/* Runs what was added, and completes it. Returns what the batch says. */
static int run_all(void) {
  int has_failed = mcpi_sqlite_batch_run(&tasks, jobs, job_count);
  for (size_t i = 0; i < job_count; i++) {
    mcpi_sqlite_job_complete(jobs[i]);
  }
  job_count = 0;
  return has_failed;
}

static int count_tasks(void) {
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_prepare_v2(tasks.db, "SELECT count(*) FROM task", -1,
                                      &statement, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  int count = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return count;
}

BATCH_TEST(requests_are_done_in_their_order) {
  add_load("one");
  add_create("one", "{}");
  add_update("one", 2, 0);
  add_load("one");
  add_create("one", "{}");
  add_update("one", 2, 0);
  mcpi_sqlite_job *list = add(MCPI_SQLITE_LIST, NULL, "anna", "");
  list->max = 10;
  mcpi_sqlite_job *expire = add(MCPI_SQLITE_EXPIRE, NULL, NULL, "");
  expire->now_ms = 5001;
  mcpi_sqlite_job *unfinished =
      add(MCPI_SQLITE_LIST_UNFINISHED, NULL, NULL, "");
  unfinished->max = 10;
  assert_false(run_all());
  const int wanted[] = {MCP_ERR_NOT_FOUND, 0, 0, 0, MCP_ERR_EXISTS,
                        MCP_ERR_EXISTS,    0, 0, 0};
  assert_memory_equal(statuses, wanted, sizeof(wanted));
  assert_int_equal(found_counts[3], 1);
  assert_int_equal(found_counts[6], 1);
  assert_int_equal(found_counts[8], 0);
}

static int commits;

static int on_commit(void *unused) {
  commits++;
  return 0;
}

BATCH_TEST(all_changes_are_one_transaction) {
  commits = 0;
  sqlite3_commit_hook(tasks.db, on_commit, NULL);
  add_create("one", "{}");
  add_create("two", "{}");
  add_load("two");
  add_update("one", 2, 1);
  assert_false(run_all());
  assert_int_equal(commits, 1);
  add_load("one");
  add_load("two");
  assert_false(run_all());
  assert_int_equal(commits, 1);
}

BATCH_TEST(only_creates_and_ends_wait_for_the_disk) {
  add_create("one", "{}");
  assert_false(run_all());
  assert_true(tasks.is_full_sync);
  add_update("one", 2, 0);
  assert_false(run_all());
  assert_false(tasks.is_full_sync);
  add_update("one", 3, 0);
  add_update("one", 4, 1);
  assert_false(run_all());
  assert_true(tasks.is_full_sync);
}

/* SQLite refuses one value, and the others are stored. */
BATCH_TEST(a_request_that_fails_does_not_fail_the_others) {
  static char text[2001];
  memset(text, 'x', sizeof(text) - 1);
  sqlite3_limit(tasks.db, SQLITE_LIMIT_LENGTH, 2000);
  add_create("one", "{}");
  add_create("two", text);
  add_create("three", "{}");
  add_load("three");
  assert_true(run_all());
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], MCP_ERR_LIMIT);
  assert_int_equal(statuses[2], 0);
  assert_int_equal(statuses[3], 0);
  assert_int_equal(count_tasks(), 2);
  assert_non_null(strstr(tasks.failure.message, "larger than SQLite"));
  assert_true(tasks.sums.bytes == 2 * 206 + 6 + 2);
}

static int refuse_commits(void *unused) {
  return 1;
}

/* A commit that fails is a failure of all changes, but not of what is read. */
BATCH_TEST(changes_that_cannot_be_committed_are_reported) {
  add_create("zero", "{}");
  assert_false(run_all());
  sqlite3_commit_hook(tasks.db, refuse_commits, NULL);
  add_create("one", "{}");
  add_load("one");
  add_load("zero");
  add_update("zero", 2, 0);
  assert_true(run_all());
  assert_true(statuses[0] < 0 && statuses[3] < 0);
  assert_int_equal(statuses[1], MCP_ERR_NOT_FOUND);
  assert_int_equal(statuses[2], 0);
  sqlite3_commit_hook(tasks.db, NULL, NULL);
  add_create("one", "{}");
  add_update("zero", 2, 0);
  assert_false(run_all());
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], 0);
}

BATCH_TEST(a_full_disk_fails_what_does_not_fit) {
  static char text[50001];
  memset(text, 'x', sizeof(text) - 1);
  sqlite3_exec(tasks.db, "PRAGMA max_page_count=12", NULL, NULL, NULL);
  add_create("one", "{}");
  add_create("two", text);
  add_create("three", "{}");
  assert_true(run_all());
  assert_int_equal(statuses[0], 0);
  assert_int_equal(statuses[1], MCP_ERR_LIMIT);
  assert_int_equal(statuses[2], 0);
  assert_int_equal(count_tasks(), 2);
  assert_non_null(strstr(tasks.failure.message, "the disk is full"));
}
