/* SPDX-License-Identifier: MIT */
/* The table of tasks: its statements, and the limit of its bytes. One thread at
 * a time uses it.
 *
 * If SQLite fails, a function returns the code, and `failure` has the reason.
 * The caller then rolls the transaction back, since SQLite may have done that
 * already. */
#ifndef MCPI_STORE_SQLITE_TASKS_H
#define MCPI_STORE_SQLITE_TASKS_H

#include "base/buf.h"
#include <mcp/tasks.h>
#include <sqlite3.h>

typedef enum mcpi_sqlite_sql {
  MCPI_SQL_BEGIN,
  MCPI_SQL_COMMIT,
  MCPI_SQL_ROLLBACK,
  MCPI_SQL_CREATE,
  MCPI_SQL_LOAD,
  MCPI_SQL_STATE,
  MCPI_SQL_UPDATE,
  MCPI_SQL_LIST,
  MCPI_SQL_LIST_UNFINISHED,
  MCPI_SQL_FIRST_ENDED,
  MCPI_SQL_REMOVE,
  MCPI_SQL_EXPIRING,
  MCPI_SQL_EXPIRE,
  MCPI_SQL_COUNT
} mcpi_sqlite_sql;

/* What is known of the whole table without asking SQLite. */
typedef struct mcpi_sqlite_sums {
  uint64_t bytes;       /* of all tasks */
  uint64_t ended_bytes; /* of those that have ended */
  int64_t last_ended;   /* the highest `ended` that was ever given */
} mcpi_sqlite_sums;

typedef struct mcpi_sqlite_tasks {
  sqlite3 *db;
  const char *path; /* for messages */
  uint64_t max_bytes;
  int is_full_sync;
  mcpi_sqlite_sums sums;
  mcpi_sqlite_sums before; /* the transaction */
  int has_failed;          /* SQLite has, since the transaction began */
  mcp_error failure;
  sqlite3_stmt *statements[MCPI_SQL_COUNT];
} mcpi_sqlite_tasks;

/* What was found: `count` records in `rows`, and their strings in `text`. */
typedef struct mcpi_sqlite_found {
  mcpi_buf rows;
  mcpi_buf text;
  size_t count;
} mcpi_sqlite_found;

void mcpi_sqlite_found_init(mcpi_sqlite_found *found,
                            const mcp_allocator *allocator);
void mcpi_sqlite_found_deinit(mcpi_sqlite_found *found);
void mcpi_sqlite_found_clear(mcpi_sqlite_found *found);
/* The records, valid until `found` changes; NULL if there are none. */
const mcp_task_record *mcpi_sqlite_found_records(mcpi_sqlite_found *found);

/* Opens the file. `path` is borrowed until deinit. Returns 0, or a code of
 * mcp_task_store_sqlite with err; then nothing needs deinit. */
int mcpi_sqlite_tasks_init(mcpi_sqlite_tasks *tasks, const char *path,
                           uint64_t max_bytes, mcp_error *err);
void mcpi_sqlite_tasks_deinit(mcpi_sqlite_tasks *tasks);

/* Transactions. is_durable: it must survive a loss of power. After a failure of
 * begin or commit there is no transaction. */
int mcpi_sqlite_tasks_begin(mcpi_sqlite_tasks *tasks, int is_durable);
int mcpi_sqlite_tasks_commit(mcpi_sqlite_tasks *tasks);
void mcpi_sqlite_tasks_roll_back(mcpi_sqlite_tasks *tasks);

/* As the functions of mcp_task_store. */
int mcpi_sqlite_tasks_create(mcpi_sqlite_tasks *tasks,
                             const mcp_task_record *record);
int mcpi_sqlite_tasks_update(mcpi_sqlite_tasks *tasks,
                             const mcp_task_record *record);
int mcpi_sqlite_tasks_expire(mcpi_sqlite_tasks *tasks, int64_t now_ms);
int mcpi_sqlite_tasks_load(mcpi_sqlite_tasks *tasks, const char *id,
                           mcpi_sqlite_found *found);
/* owner NULL: the tasks of all owners that have not ended. after NULL: from the
 * first on. */
int mcpi_sqlite_tasks_list(mcpi_sqlite_tasks *tasks, const char *owner,
                           int64_t now_ms, const mcp_task_record *after,
                           size_t max, mcpi_sqlite_found *found);

#endif
