/* SPDX-License-Identifier: MIT */
#include "store/sqlite/failure.h"

#include "support/cm.h"
#include "support/folder.h"
#include <string.h>

static sqlite3 *db;

static int open_db(void **state) {
  folder_make(state);
  return sqlite3_open(folder_path("a.db"), &db);
}

static int close_db(void **state) {
  sqlite3_close(db);
  return folder_remove(state);
}

#define DB_TEST(name) TEST_WITH(name, open_db, close_db)

static void run(const char *sql) {
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void assert_failure(const char *sql, int code, const char *message) {
  mcp_error err;
  assert_int_not_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(mcpi_sqlite_failure(db, "write", "the/path", &err), code);
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
  assert_int_equal(mcpi_sqlite_failure(db, "write", "the/path", NULL), code);
}

DB_TEST(a_file_that_may_not_grow_is_a_full_disk) {
  run("CREATE TABLE t(a); PRAGMA max_page_count=2");
  assert_failure("INSERT INTO t VALUES(zeroblob(100000))", MCP_ERR_LIMIT,
                 "cannot write the/path: the disk is full");
}

DB_TEST(a_value_that_is_too_large_is_a_limit) {
  run("CREATE TABLE t(a)");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  assert_failure("INSERT INTO t VALUES(zeroblob(1001))", MCP_ERR_LIMIT,
                 "cannot write the/path: a task is larger than SQLite can "
                 "store");
}

DB_TEST(a_lock_is_busy) {
  sqlite3 *other;
  run("CREATE TABLE t(a)");
  assert_int_equal(sqlite3_open(folder_path("a.db"), &other), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
                   SQLITE_OK);
  assert_failure("INSERT INTO t VALUES(1)", MCP_ERR_BUSY,
                 "cannot write the/path: another process uses it, or this one "
                 "has opened it already; one process at a time may use it");
  sqlite3_close(other);
}

DB_TEST(a_database_that_may_only_be_read_is_reported) {
  run("PRAGMA query_only=1");
  assert_failure("CREATE TABLE t(a)", MCP_ERR_IO,
                 "cannot write the/path: it cannot be written to");
}

DB_TEST(other_failures_have_the_words_of_sqlite) {
  assert_failure("INSERT INTO t VALUES(1)", MCP_ERR_PARSE,
                 "cannot write the/path: no such table: t");
  run("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)");
  assert_failure("INSERT INTO t VALUES(1)", MCP_ERR_IO,
                 "cannot write the/path: UNIQUE constraint failed: t.a");
}

TEST(a_file_that_cannot_be_opened_has_the_words_of_the_system) {
  mcp_error err;
  sqlite3 *missing;
  assert_int_equal(sqlite3_open_v2("/no/such/folder/a.db", &missing,
                                   SQLITE_OPEN_READWRITE, NULL),
                   SQLITE_CANTOPEN);
  assert_int_equal(mcpi_sqlite_failure(missing, "open", "a.db", &err),
                   MCP_ERR_IO);
  assert_string_equal(err.message,
                      "cannot open a.db: No such file or directory");
  assert_int_equal(err.status, 2);
  sqlite3_close(missing);
}
