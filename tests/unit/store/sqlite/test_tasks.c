/* SPDX-License-Identifier: MIT */
/* What the store's functions show is in support/store_cases.c; here is the
 * rest: transactions, the sums, and files that others have written. */
#include "store/sqlite/tasks.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/folder.h"
#include "support/store_rig.h"
#include <stdio.h>

static mcpi_sqlite_tasks tasks;

static void open_tasks(uint64_t max_bytes) {
  mcp_error err;
  assert_int_equal(
      mcpi_sqlite_tasks_init(&tasks, folder_path("a.db"), max_bytes, &err), 0);
}

static int set_up(void **state) {
  folder_make(state);
  open_tasks(100000);
  return 0;
}

static int tear_down(void **state) {
  mcpi_sqlite_tasks_deinit(&tasks);
  return folder_remove(state);
}

#define TASKS_TEST(name) TEST_WITH(name, set_up, tear_down)

static int create(const char *id, const char *data) {
  const mcp_task_record record = store_record(id, "anna", 1000, data);
  return mcpi_sqlite_tasks_create(&tasks, &record);
}

static int end_task(const char *id, uint64_t version, const char *data) {
  mcp_task_record record = store_record(id, "anna", 1000, data);
  record.version = version;
  record.has_ended = 1;
  return mcpi_sqlite_tasks_update(&tasks, &record);
}

static int load(const char *id) {
  mcpi_sqlite_found found;
  mcpi_sqlite_found_init(&found, mcp_allocator_default());
  int rc = mcpi_sqlite_tasks_load(&tasks, id, &found);
  assert_int_equal(found.count, rc == 0 ? 1 : 0);
  mcpi_sqlite_found_deinit(&found);
  return rc;
}

static void run_sql(const char *sql) {
  assert_int_equal(sqlite3_exec(tasks.db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* The sums are what a store that is opened now finds. */
static void assert_sums(void) {
  mcpi_sqlite_sums sums = tasks.sums;
  mcpi_sqlite_tasks_deinit(&tasks);
  open_tasks(tasks.max_bytes);
  assert_true(tasks.sums.bytes == sums.bytes);
  assert_true(tasks.sums.ended_bytes == sums.ended_bytes);
}

TASKS_TEST(the_sums_follow_each_change) {
  assert_true(tasks.sums.bytes == 0);
  create("one", "{}");
  assert_true(tasks.sums.bytes == 200 + 3 + 4 + 2);
  create("two", "a longer text with \xC3\xA4");
  assert_sums();
  end_task("two", 2, "short");
  assert_true(tasks.sums.ended_bytes == 200 + 3 + 4 + 5);
  assert_sums();
  end_task("two", 3, "longer again");
  end_task("one", 2, "");
  assert_true(tasks.sums.bytes == tasks.sums.ended_bytes);
  assert_sums();
  mcpi_sqlite_tasks_expire(&tasks, 5001);
  assert_true(tasks.sums.bytes == 0 && tasks.sums.ended_bytes == 0);
  assert_sums();
}

TASKS_TEST(what_is_rolled_back_has_not_happened) {
  create("one", "{}");
  mcpi_sqlite_sums sums = tasks.sums;
  assert_int_equal(mcpi_sqlite_tasks_begin(&tasks, 1), 0);
  create("two", "{}");
  end_task("one", 2, "longer");
  mcpi_sqlite_tasks_roll_back(&tasks);
  assert_int_equal(load("two"), MCP_ERR_NOT_FOUND);
  assert_memory_equal(&tasks.sums, &sums, sizeof(sums));
  assert_int_equal(mcpi_sqlite_tasks_begin(&tasks, 1), 0);
  create("two", "{}");
  assert_int_equal(mcpi_sqlite_tasks_commit(&tasks), 0);
  assert_int_equal(load("two"), 0);
}

static int sync_level(void) {
  sqlite3_stmt *statement;
  assert_int_equal(
      sqlite3_prepare_v2(tasks.db, "PRAGMA synchronous", -1, &statement, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  int level = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return level;
}

TASKS_TEST(only_a_durable_transaction_waits_for_the_disk) {
  enum { NORMAL = 1, FULL = 2 };
  const int wanted[] = {1, 0, 0, 1};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(mcpi_sqlite_tasks_begin(&tasks, wanted[i]), 0);
    assert_int_equal(sync_level(), wanted[i] ? FULL : NORMAL);
    assert_int_equal(mcpi_sqlite_tasks_commit(&tasks), 0);
  }
}

/* SQLite rolls back by itself when the disk is full. */
TASKS_TEST(a_full_disk_is_a_failure_and_the_store_goes_on) {
  static char text[50001];
  memset(text, 'x', sizeof(text) - 1);
  run_sql("PRAGMA max_page_count=1");
  assert_int_equal(mcpi_sqlite_tasks_begin(&tasks, 1), 0);
  assert_int_equal(create("one", text), MCP_ERR_LIMIT);
  assert_true(tasks.has_failed);
  assert_non_null(strstr(tasks.failure.message, "the disk is full"));
  mcpi_sqlite_tasks_roll_back(&tasks);
  run_sql("PRAGMA max_page_count=100000");
  assert_true(tasks.sums.bytes == 0);
  assert_int_equal(mcpi_sqlite_tasks_begin(&tasks, 1), 0);
  assert_false(tasks.has_failed);
  assert_int_equal(create("one", text), 0);
  assert_int_equal(mcpi_sqlite_tasks_commit(&tasks), 0);
}

/* Only failures of SQLite count, and a limit of ours is another thing. */
TASKS_TEST(what_a_request_finds_is_no_failure) {
  assert_int_equal(create("one", "{}"), 0);
  assert_int_equal(create("one", "{}"), MCP_ERR_EXISTS);
  assert_int_equal(end_task("two", 2, ""), MCP_ERR_NOT_FOUND);
  assert_int_equal(end_task("one", 3, ""), MCP_ERR_EXISTS);
  tasks.max_bytes = 300;
  assert_int_equal(create("two", "{}"), MCP_ERR_LIMIT);
  assert_false(tasks.has_failed);
}

/* --- files that others have written --------------------------------------- */

/* Makes the table anew, without its conditions. */
static void use_any_values(const char *insert) {
  run_sql("DROP TABLE task");
  run_sql("CREATE TABLE task(id, owner, version, created_ms, expires_ms, "
          "ended, data)");
  run_sql(insert);
  mcpi_sqlite_tasks_deinit(&tasks);
  open_tasks(1000);
}

TASKS_TEST(a_row_without_its_strings_is_damage) {
  use_any_values("INSERT INTO task VALUES('one', NULL, 1, 1, 1, NULL, '')");
  assert_int_equal(load("one"), MCP_ERR_PARSE);
  assert_true(tasks.has_failed);
  assert_non_null(strstr(tasks.failure.message, "it is damaged"));
}

TASKS_TEST(a_row_with_odd_values_is_read_as_far_as_it_goes) {
  use_any_values("INSERT INTO task VALUES('one', 7, 'x', 1.5, 'y', "
                 "9223372036854775807, NULL)");
  assert_int_equal(load("one"), 0);
  assert_int_equal(end_task("one", 1, "{}"), 0);
  assert_int_equal(create("two", "{}"), 0);
  assert_int_equal(end_task("two", 2, "{}"), 0);
}

TASKS_TEST(sums_that_are_not_true_end_in_damage) {
  create("one", "{}");
  tasks.sums.bytes = tasks.sums.ended_bytes = tasks.max_bytes;
  assert_int_equal(create("two", "{}"), MCP_ERR_PARSE);
  assert_true(tasks.has_failed);
}

TASKS_TEST(a_file_without_the_table_is_refused) {
  mcp_error err;
  run_sql("DROP TABLE task");
  mcpi_sqlite_tasks_deinit(&tasks);
  assert_int_equal(
      mcpi_sqlite_tasks_init(&tasks, folder_path("a.db"), 1000, &err),
      MCP_ERR_PARSE);
  assert_non_null(strstr(err.message, "no such table: task"));
  folder_empty();
  open_tasks(1000);
}

/* --- finding -------------------------------------------------------------- */

static int find_two(const mcp_allocator *allocator, void *userdata) {
  mcpi_sqlite_found found;
  mcpi_sqlite_found_init(&found, allocator);
  int rc = mcpi_sqlite_tasks_list(&tasks, "anna", 0, NULL, 10, &found);
  if (rc == 0) {
    const mcp_task_record *records = mcpi_sqlite_found_records(&found);
    assert_int_equal(found.count, 2);
    assert_string_equal(records[0].id, "one");
    assert_string_equal(records[1].owner, "anna");
    assert_memory_equal(records[1].data, "[2]", 3);
  } else {
    assert_int_equal(found.count, 0);
    assert_null(mcpi_sqlite_found_records(&found));
  }
  mcpi_sqlite_found_deinit(&found);
  return rc;
}

TASKS_TEST(what_is_found_needs_memory) {
  create("one", "{}");
  create("two", "[2]");
  failing_alloc_rerun_least(2, find_two, NULL);
  assert_false(tasks.has_failed);
}
