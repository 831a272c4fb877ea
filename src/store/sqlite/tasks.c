/* SPDX-License-Identifier: MIT */
#include "store/sqlite/tasks.h"

#include "store/sqlite/failure.h"
#include "store/sqlite/file.h"

#include <limits.h>

/* What a task counts besides its strings: the record, its places in the
 * indexes, and the ends of pages that stay free. */
#define TASK_OVERHEAD 200
#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)
/* length() of a text counts characters. */
#define SIZE                                                                   \
  "(length(CAST(id AS BLOB))+length(CAST(owner AS BLOB))+length(data)"         \
  "+" NUMBER_TEXT(TASK_OVERHEAD) ")"
#define RECORD "id,owner,version,created_ms,expires_ms,ended IS NOT NULL,data"
#define IN_ORDER " ORDER BY created_ms,id LIMIT "

static const char *const sql[MCPI_SQL_COUNT] = {
    [MCPI_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [MCPI_SQL_COMMIT] = "COMMIT",
    [MCPI_SQL_ROLLBACK] = "ROLLBACK",
    [MCPI_SQL_CREATE] = "INSERT INTO task(id,owner,version,created_ms,"
                        "expires_ms,ended,data) VALUES(?1,?2,?3,?4,?5,?6,?7)",
    [MCPI_SQL_LOAD] = "SELECT " RECORD " FROM task WHERE id=?1",
    [MCPI_SQL_STATE] =
        "SELECT version,ended," SIZE ",length(data) FROM task WHERE id=?1",
    [MCPI_SQL_UPDATE] = "UPDATE task SET version=?2,expires_ms=?3,ended=?4,"
                        "data=?5 WHERE id=?1",
    [MCPI_SQL_LIST] = "SELECT " RECORD " FROM task WHERE owner=?1"
                      " AND (created_ms,id)>(?2,?3)"
                      " AND expires_ms>=?5" IN_ORDER "?4",
    [MCPI_SQL_LIST_UNFINISHED] =
        "SELECT " RECORD " FROM task WHERE ended IS NULL"
        " AND (created_ms,id)>(?2,?3)" IN_ORDER "?4",
    [MCPI_SQL_FIRST_ENDED] =
        "SELECT rowid," SIZE " FROM task WHERE ended IS NOT NULL AND id<>?1"
        " ORDER BY ended LIMIT 1",
    [MCPI_SQL_REMOVE] = "DELETE FROM task WHERE rowid=?1",
    [MCPI_SQL_EXPIRING] =
        "SELECT coalesce(sum(" SIZE "),0),coalesce(sum(CASE WHEN ended IS NOT "
        "NULL THEN " SIZE " END),0) FROM task WHERE expires_ms<?1",
    [MCPI_SQL_EXPIRE] = "DELETE FROM task WHERE expires_ms<?1",
};

static const char sums_sql[] =
    "SELECT coalesce(sum(" SIZE "),0),coalesce(sum(CASE WHEN ended IS NOT NULL "
    "THEN " SIZE " END),0),coalesce(max(ended),0) FROM task";

/* --- statements ----------------------------------------------------------- */

/* Notes that SQLite has failed. Returns the code. */
static int tasks_fail(mcpi_sqlite_tasks *tasks, const char *what) {
  tasks->has_failed = 1;
  return mcpi_sqlite_failure(tasks->db, what, tasks->path, &tasks->failure);
}

/* Notes that the file has what no store has written. */
static int tasks_are_damaged(mcpi_sqlite_tasks *tasks) {
  tasks->has_failed = 1;
  return mcp_error_set(&tasks->failure, MCP_ERR_PARSE,
                       "cannot read %s: it is damaged; put back a copy of it, "
                       "or move it away",
                       tasks->path);
}

/* Texts and data are borrowed until `finish`. */
static void bind_text(sqlite3_stmt *statement, int at, const char *text) {
  sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_data(sqlite3_stmt *statement, int at,
                      const mcp_task_record *record) {
  if (record->data_len > 0) {
    sqlite3_bind_blob64(statement, at, record->data, record->data_len,
                        SQLITE_STATIC);
  } else {
    sqlite3_bind_zeroblob(statement, at, 0);
  }
}

static void bind_ended(sqlite3_stmt *statement, int at, int64_t ended) {
  if (ended != 0) {
    sqlite3_bind_int64(statement, at, ended);
  } else {
    sqlite3_bind_null(statement, at);
  }
}

/* A failure has been reported by sqlite3_step already. */
static void finish(sqlite3_stmt *statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

/* Runs a statement that gives no rows. Returns 0 or the code of a failure. */
static int run(mcpi_sqlite_tasks *tasks, mcpi_sqlite_sql which) {
  sqlite3_stmt *statement = tasks->statements[which];
  int result = sqlite3_step(statement);
  int rc = 0;
  if (result != SQLITE_DONE && result != SQLITE_ROW) {
    rc = tasks_fail(tasks, "write");
  }
  finish(statement);
  return rc;
}

/* --- transactions --------------------------------------------------------- */

/* SQLite runs this pragma when it is compiled, so it cannot be prepared.
 * Syncing the WAL for one transaction also makes those before it durable. */
static int set_sync(mcpi_sqlite_tasks *tasks, int is_full) {
  if (tasks->is_full_sync == is_full) {
    return 0;
  }
  const char *text =
      is_full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL";
  if (sqlite3_exec(tasks->db, text, NULL, NULL, NULL) != SQLITE_OK) {
    return tasks_fail(tasks, "write");
  }
  tasks->is_full_sync = is_full;
  return 0;
}

int mcpi_sqlite_tasks_begin(mcpi_sqlite_tasks *tasks, int is_durable) {
  tasks->has_failed = 0;
  tasks->before = tasks->sums;
  int rc = set_sync(tasks, is_durable);
  return rc == 0 ? run(tasks, MCPI_SQL_BEGIN) : rc;
}

int mcpi_sqlite_tasks_commit(mcpi_sqlite_tasks *tasks) {
  int rc = run(tasks, MCPI_SQL_COMMIT);
  if (rc != 0) {
    mcpi_sqlite_tasks_roll_back(tasks);
  }
  return rc;
}

/* After some failures SQLite has done this by itself. */
void mcpi_sqlite_tasks_roll_back(mcpi_sqlite_tasks *tasks) {
  if (!sqlite3_get_autocommit(tasks->db)) {
    sqlite3_step(tasks->statements[MCPI_SQL_ROLLBACK]);
    finish(tasks->statements[MCPI_SQL_ROLLBACK]);
  }
  tasks->sums = tasks->before;
}

/* --- room ----------------------------------------------------------------- */

static uint64_t size_of(const mcp_task_record *record) {
  return strlen(record->id) + strlen(record->owner) + record->data_len +
         TASK_OVERHEAD;
}

static int has_room(const mcpi_sqlite_tasks *tasks, uint64_t used,
                    uint64_t more) {
  return more <= tasks->max_bytes && used <= tasks->max_bytes - more;
}

static void forget_bytes(mcpi_sqlite_tasks *tasks, uint64_t all,
                         uint64_t ended) {
  tasks->sums.bytes -= all;
  tasks->sums.ended_bytes -= ended;
}

static int remove_first_ended(mcpi_sqlite_tasks *tasks, const char *kept) {
  sqlite3_stmt *first = tasks->statements[MCPI_SQL_FIRST_ENDED];
  bind_text(first, 1, kept);
  if (sqlite3_step(first) != SQLITE_ROW) {
    finish(first);
    return tasks_are_damaged(tasks); /* the sums know of such a task */
  }
  int64_t row = sqlite3_column_int64(first, 0);
  uint64_t size = (uint64_t)sqlite3_column_int64(first, 1);
  finish(first);
  sqlite3_bind_int64(tasks->statements[MCPI_SQL_REMOVE], 1, row);
  int rc = run(tasks, MCPI_SQL_REMOVE);
  if (rc == 0) {
    forget_bytes(tasks, size, size);
  }
  return rc;
}

/* Forgets tasks that have ended, but not `kept`, until there is room for `more`
 * bytes. Returns 0; MCP_ERR_LIMIT: even that would not be enough, and nothing
 * was forgotten; or the code of a failure. kept_bytes: what `kept` has of the
 * bytes of ended tasks. */
static int make_room(mcpi_sqlite_tasks *tasks, uint64_t more, const char *kept,
                     uint64_t kept_bytes) {
  uint64_t removable = tasks->sums.ended_bytes - kept_bytes;
  if (!has_room(tasks, tasks->sums.bytes, more) &&
      !has_room(tasks, tasks->sums.bytes - removable, more)) {
    return MCP_ERR_LIMIT;
  }
  int rc = 0;
  while (rc == 0 && !has_room(tasks, tasks->sums.bytes, more)) {
    rc = remove_first_ended(tasks, kept);
  }
  return rc;
}

/* --- changing ------------------------------------------------------------- */

/* A task that is to be changed, as it is now. */
typedef struct task_state {
  uint64_t version;
  int64_t ended; /* 0: it has not */
  uint64_t size;
  uint64_t data_len;
} task_state;

/* Returns 0, MCP_ERR_NOT_FOUND or the code of a failure. */
static int read_state(mcpi_sqlite_tasks *tasks, const char *id,
                      task_state *out) {
  sqlite3_stmt *statement = tasks->statements[MCPI_SQL_STATE];
  bind_text(statement, 1, id);
  int result = sqlite3_step(statement);
  int rc = 0;
  if (result == SQLITE_ROW) {
    out->version = (uint64_t)sqlite3_column_int64(statement, 0);
    out->ended = sqlite3_column_int64(statement, 1);
    out->size = (uint64_t)sqlite3_column_int64(statement, 2);
    out->data_len = (uint64_t)sqlite3_column_int64(statement, 3);
  } else if (result == SQLITE_DONE) {
    rc = MCP_ERR_NOT_FOUND;
  } else {
    rc = tasks_fail(tasks, "read");
  }
  finish(statement);
  return rc;
}

/* Returns the place of a task among those that have ended; 0: it has not. */
static int64_t place_of_end(const mcpi_sqlite_tasks *tasks,
                            const mcp_task_record *record, int64_t before) {
  if (before != 0 || !record->has_ended) {
    return before;
  }
  int64_t last = tasks->sums.last_ended;
  return last < INT64_MAX ? last + 1 : last;
}

static void note_size(mcpi_sqlite_tasks *tasks, uint64_t size, int64_t ended) {
  tasks->sums.bytes += size;
  if (ended != 0) {
    tasks->sums.ended_bytes += size;
  }
  if (ended > tasks->sums.last_ended) {
    tasks->sums.last_ended = ended;
  }
}

int mcpi_sqlite_tasks_create(mcpi_sqlite_tasks *tasks,
                             const mcp_task_record *record) {
  task_state state = {0, 0, 0, 0};
  int rc = read_state(tasks, record->id, &state);
  if (rc != MCP_ERR_NOT_FOUND) {
    return rc == 0 ? MCP_ERR_EXISTS : rc;
  }
  rc = make_room(tasks, size_of(record), record->id, 0);
  if (rc != 0) {
    return rc;
  }
  int64_t ended = place_of_end(tasks, record, 0);
  sqlite3_stmt *statement = tasks->statements[MCPI_SQL_CREATE];
  bind_text(statement, 1, record->id);
  bind_text(statement, 2, record->owner);
  sqlite3_bind_int64(statement, 3, (int64_t)record->version);
  sqlite3_bind_int64(statement, 4, record->created_ms);
  sqlite3_bind_int64(statement, 5, record->expires_ms);
  bind_ended(statement, 6, ended);
  bind_data(statement, 7, record);
  rc = run(tasks, MCPI_SQL_CREATE);
  if (rc == 0) {
    note_size(tasks, size_of(record), ended);
  }
  return rc;
}

/* Makes room for what the task will have more than before. */
static int make_room_to_grow(mcpi_sqlite_tasks *tasks,
                             const mcp_task_record *record,
                             const task_state *state) {
  if (record->data_len <= state->data_len) {
    return 0;
  }
  return make_room(tasks, record->data_len - state->data_len, record->id,
                   state->ended != 0 ? state->size : 0);
}

static int write_update(mcpi_sqlite_tasks *tasks, const mcp_task_record *record,
                        const task_state *state) {
  int64_t ended = place_of_end(tasks, record, state->ended);
  sqlite3_stmt *statement = tasks->statements[MCPI_SQL_UPDATE];
  bind_text(statement, 1, record->id);
  sqlite3_bind_int64(statement, 2, (int64_t)record->version);
  sqlite3_bind_int64(statement, 3, record->expires_ms);
  bind_ended(statement, 4, ended);
  bind_data(statement, 5, record);
  int rc = run(tasks, MCPI_SQL_UPDATE);
  if (rc == 0) {
    forget_bytes(tasks, state->size, state->ended != 0 ? state->size : 0);
    note_size(tasks, state->size - state->data_len + record->data_len, ended);
  }
  return rc;
}

int mcpi_sqlite_tasks_update(mcpi_sqlite_tasks *tasks,
                             const mcp_task_record *record) {
  task_state state = {0, 0, 0, 0};
  int rc = read_state(tasks, record->id, &state);
  if (rc != 0) {
    return rc;
  }
  if (state.version + 1 != record->version) {
    return MCP_ERR_EXISTS;
  }
  rc = make_room_to_grow(tasks, record, &state);
  return rc == 0 ? write_update(tasks, record, &state) : rc;
}

int mcpi_sqlite_tasks_expire(mcpi_sqlite_tasks *tasks, int64_t now_ms) {
  sqlite3_stmt *expiring = tasks->statements[MCPI_SQL_EXPIRING];
  sqlite3_bind_int64(expiring, 1, now_ms);
  if (sqlite3_step(expiring) != SQLITE_ROW) {
    int rc = tasks_fail(tasks, "read");
    finish(expiring);
    return rc;
  }
  uint64_t all = (uint64_t)sqlite3_column_int64(expiring, 0);
  uint64_t ended = (uint64_t)sqlite3_column_int64(expiring, 1);
  finish(expiring);
  if (all == 0) {
    return 0;
  }
  sqlite3_bind_int64(tasks->statements[MCPI_SQL_EXPIRE], 1, now_ms);
  int rc = run(tasks, MCPI_SQL_EXPIRE);
  if (rc == 0) {
    forget_bytes(tasks, all, ended);
  }
  return rc;
}

/* --- finding -------------------------------------------------------------- */

void mcpi_sqlite_found_init(mcpi_sqlite_found *found,
                            const mcp_allocator *allocator) {
  mcpi_buf_init(&found->rows, allocator, SIZE_MAX);
  mcpi_buf_init_secret(&found->text, allocator, SIZE_MAX);
  found->count = 0;
}

void mcpi_sqlite_found_deinit(mcpi_sqlite_found *found) {
  mcpi_buf_deinit(&found->rows);
  mcpi_buf_deinit(&found->text);
}

void mcpi_sqlite_found_clear(mcpi_sqlite_found *found) {
  mcpi_buf_clear(&found->rows);
  mcpi_buf_clear(&found->text);
  found->count = 0;
}

static const char *next_string(const char **at, size_t len) {
  const char *string = *at;
  *at += len;
  return string;
}

const mcp_task_record *mcpi_sqlite_found_records(mcpi_sqlite_found *found) {
  mcp_task_record *records = (mcp_task_record *)(void *)found->rows.data;
  const char *at = found->text.data;
  for (size_t i = 0; i < found->count; i++) {
    records[i].id = next_string(&at, strlen(at) + 1);
    records[i].owner = next_string(&at, strlen(at) + 1);
    records[i].data = next_string(&at, records[i].data_len);
  }
  return found->count > 0 ? records : NULL;
}

/* The row's strings can be missing only in a file that others have written, or
 * without memory. */
static int put_strings(mcpi_sqlite_tasks *tasks, sqlite3_stmt *statement,
                       mcpi_buf *text) {
  const char *id = (const char *)sqlite3_column_text(statement, 0);
  const char *owner = (const char *)sqlite3_column_text(statement, 1);
  const void *data = sqlite3_column_blob(statement, 6);
  size_t data_len = (size_t)sqlite3_column_bytes(statement, 6);
  if (id == NULL || owner == NULL || (data == NULL && data_len > 0)) {
    return sqlite3_errcode(tasks->db) == SQLITE_NOMEM
               ? tasks_fail(tasks, "read")
               : tasks_are_damaged(tasks);
  }
  mcpi_buf_put(text, id, strlen(id) + 1);
  mcpi_buf_put(text, owner, strlen(owner) + 1);
  mcpi_buf_put(text, data, data_len);
  return text->error;
}

static int put_row(mcpi_sqlite_tasks *tasks, sqlite3_stmt *statement,
                   mcpi_sqlite_found *found) {
  int rc = put_strings(tasks, statement, &found->text);
  if (rc != 0) {
    return rc;
  }
  const mcp_task_record record = {
      .version = (uint64_t)sqlite3_column_int64(statement, 2),
      .created_ms = sqlite3_column_int64(statement, 3),
      .expires_ms = sqlite3_column_int64(statement, 4),
      .has_ended = sqlite3_column_int(statement, 5),
      .data_len = (size_t)sqlite3_column_bytes(statement, 6)};
  mcpi_buf_put(&found->rows, &record, sizeof(record));
  found->count++;
  return found->rows.error;
}

/* Finds the rows of a statement that has its values. After a failure nothing is
 * found. */
static int find_rows(mcpi_sqlite_tasks *tasks, sqlite3_stmt *statement,
                     mcpi_sqlite_found *found) {
  int rc = 0;
  int result = sqlite3_step(statement);
  while (rc == 0 && result == SQLITE_ROW) {
    rc = put_row(tasks, statement, found);
    if (rc == 0) {
      result = sqlite3_step(statement);
    }
  }
  if (rc == 0 && result != SQLITE_DONE) {
    rc = tasks_fail(tasks, "read");
  }
  if (rc != 0) {
    mcpi_sqlite_found_clear(found);
  }
  finish(statement);
  return rc;
}

int mcpi_sqlite_tasks_load(mcpi_sqlite_tasks *tasks, const char *id,
                           mcpi_sqlite_found *found) {
  sqlite3_stmt *statement = tasks->statements[MCPI_SQL_LOAD];
  bind_text(statement, 1, id);
  int rc = find_rows(tasks, statement, found);
  return rc == 0 && found->count == 0 ? MCP_ERR_NOT_FOUND : rc;
}

int mcpi_sqlite_tasks_list(mcpi_sqlite_tasks *tasks, const char *owner,
                           int64_t now_ms, const mcp_task_record *after,
                           size_t max, mcpi_sqlite_found *found) {
  sqlite3_stmt *statement =
      tasks->statements[owner != NULL ? MCPI_SQL_LIST
                                      : MCPI_SQL_LIST_UNFINISHED];
  sqlite3_bind_int64(statement, 2,
                     after != NULL ? after->created_ms : INT64_MIN);
  bind_text(statement, 3, after != NULL ? after->id : "");
  sqlite3_bind_int64(statement, 4, max < INT32_MAX ? (int64_t)max : INT32_MAX);
  if (owner != NULL) {
    bind_text(statement, 1, owner);
    sqlite3_bind_int64(statement, 5, now_ms);
  }
  return find_rows(tasks, statement, found);
}

/* --- life ----------------------------------------------------------------- */

static int prepare_all(mcpi_sqlite_tasks *tasks) {
  int result = SQLITE_OK;
  for (size_t i = 0; i < MCPI_SQL_COUNT && result == SQLITE_OK; i++) {
    result =
        sqlite3_prepare_v3(tasks->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                           &tasks->statements[i], NULL);
  }
  return result;
}

static int read_sums(mcpi_sqlite_tasks *tasks) {
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(tasks->db, sums_sql, -1, &statement, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_step(statement);
  }
  if (result == SQLITE_ROW) {
    tasks->sums.bytes = (uint64_t)sqlite3_column_int64(statement, 0);
    tasks->sums.ended_bytes = (uint64_t)sqlite3_column_int64(statement, 1);
    tasks->sums.last_ended = sqlite3_column_int64(statement, 2);
    result = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  return result;
}

int mcpi_sqlite_tasks_init(mcpi_sqlite_tasks *tasks, const char *path,
                           uint64_t max_bytes, mcp_error *err) {
  memset(tasks, 0, sizeof(*tasks));
  tasks->path = path;
  tasks->max_bytes = max_bytes;
  tasks->is_full_sync = 1;
  int rc = mcpi_sqlite_open(&tasks->db, path, err);
  if (rc != 0) {
    return rc;
  }
  if (prepare_all(tasks) != SQLITE_OK || read_sums(tasks) != SQLITE_OK) {
    rc = mcpi_sqlite_failure(tasks->db, "open", path, err);
    mcpi_sqlite_tasks_deinit(tasks);
  }
  return rc;
}

void mcpi_sqlite_tasks_deinit(mcpi_sqlite_tasks *tasks) {
  for (size_t i = 0; i < MCPI_SQL_COUNT; i++) {
    sqlite3_finalize(tasks->statements[i]);
  }
  sqlite3_close(tasks->db);
}
