/* SPDX-License-Identifier: MIT */
/* The lock is SQLite's own (locking_mode=EXCLUSIVE), so SQLite's shell and
 * other programs respect it too, and SQLite needs no shared memory beside the
 * file.
 *
 * The lock is one of fcntl: a process loses it when it closes any descriptor of
 * the file. So nothing here opens a file that exists; lstat looks at it. */
#include "store/sqlite/file.h"

#include "store/sqlite/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

/* `ended` is NULL, or the place of the task among those that have ended. The
 * indexes are: an owner's tasks; tasks that have not ended; tasks that ended
 * first; tasks that have expired. */
static const char schema[] =
    "CREATE TABLE task("
    "id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, version INTEGER NOT NULL,"
    "created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, ended INTEGER,"
    "data BLOB NOT NULL);"
    "CREATE INDEX task_of_owner ON task(owner, created_ms, id);"
    "CREATE INDEX task_unfinished ON task(created_ms, id)"
    " WHERE ended IS NULL;"
    "CREATE INDEX task_ended ON task(ended) WHERE ended IS NOT NULL;"
    "CREATE INDEX task_expiry ON task(expires_ms);"
    "PRAGMA application_id=0x6D637074;"
    "PRAGMA user_version=1;";

/* A hostile file can neither run its own functions nor make SQLite read beyond
 * a page. Deleted secrets are overwritten where that needs no further write.
 * The WAL may keep 16 MB between two checkpoints. */
static const char settings[] = "PRAGMA locking_mode=EXCLUSIVE;"
                               "PRAGMA temp_store=MEMORY;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA secure_delete=FAST;"
                               "PRAGMA synchronous=FULL;"
                               "PRAGMA journal_size_limit=16777216;";

static int file_error(mcp_error *err, int error, const char *what,
                      const char *path) {
  mcp_error_set(err, MCP_ERR_IO, "cannot %s %s: %s", what, path,
                strerror(error));
  if (err != NULL) {
    err->status = error;
  }
  return MCP_ERR_IO;
}

/* --- before SQLite sees it ------------------------------------------------ */

/* Splits the path into its folder, which may be a link, and the name of the
 * file, which may not (SQLite refuses links everywhere). */
static int resolve(char full[PATH_MAX], const char *path, mcp_error *err) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  size_t len = slash != NULL ? (size_t)(name - path) : 0;
  if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the path \"%s\" does not name a file", path);
  }
  if (len >= sizeof(folder)) {
    return file_error(err, ENAMETOOLONG, "open", path);
  }
  if (len > 0) {
    memcpy(folder, path, len);
    folder[len] = '\0';
  }
  if (realpath(folder, full) == NULL) {
    return file_error(err, errno, "open the folder of", path);
  }
  len = strlen(full);
  if (len + 1 + strlen(name) >= PATH_MAX) {
    return file_error(err, ENAMETOOLONG, "open", path);
  }
  full[len] = '/';
  memcpy(full + len + 1, name, strlen(name) + 1);
  return 0;
}

static int check_existing(const char *path, mcp_error *err) {
  struct stat found;
  if (lstat(path, &found) != 0) {
    return file_error(err, errno, "open", path);
  }
  if (S_ISLNK(found.st_mode)) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "%s is a symbolic link: give the path of the file "
                         "itself",
                         path);
  }
  if (!S_ISREG(found.st_mode)) {
    return mcp_error_set(err, MCP_ERR_IO, "%s is not a file", path);
  }
  if (found.st_uid != geteuid()) {
    return mcp_error_set(err, MCP_ERR_IO, "%s belongs to another user", path);
  }
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "other users may use %s, which has what clients have "
                         "sent: run chmod 600 on it",
                         path);
  }
  return 0;
}

/* So that the name survives a loss of power. SQLite does this for the WAL
 * alone. */
static int sync_folder_of(const char *path, mcp_error *err) {
  char folder[PATH_MAX];
  size_t len = (size_t)(strrchr(path, '/') - path);
  memcpy(folder, path, len);
  folder[len] = '\0';
  int fd = open(len > 0 ? folder : "/", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) {
    return file_error(err, errno, "open the folder of", path);
  }
  int rc = 0;
  if (fsync(fd) != 0 && errno != EINVAL) { /* a folder that cannot be synced */
    rc = file_error(err, errno, "write the folder of", path);
  }
  close(fd);
  return rc;
}

/* SQLite would make it with other permissions. */
static int make_or_check(const char *path, mcp_error *err) {
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) {
    close(fd);
    return sync_folder_of(path, err);
  }
  return errno == EEXIST ? check_existing(path, err)
                         : file_error(err, errno, "make", path);
}

/* --- what the database is ------------------------------------------------- */

/* Reads one number. Returns an SQLITE_*. */
static int read_number(sqlite3 *db, const char *sql, int64_t *out) {
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_step(statement);
  }
  if (result == SQLITE_ROW) {
    *out = sqlite3_column_int64(statement, 0);
    result = SQLITE_OK;
  }
  int end = sqlite3_finalize(statement);
  return result != SQLITE_OK ? result : end;
}

typedef struct file_facts {
  int64_t application;
  int64_t schema;
  int64_t object_count;
} file_facts;

static int read_facts(sqlite3 *db, file_facts *out) {
  int result = read_number(db, "PRAGMA application_id", &out->application);
  if (result == SQLITE_OK) {
    result = read_number(db, "PRAGMA user_version", &out->schema);
  }
  if (result == SQLITE_OK) {
    result = read_number(db, "SELECT count(*) FROM sqlite_master",
                         &out->object_count);
  }
  return result;
}

static int facts_are_of_nothing(const file_facts *facts) {
  return facts->application == 0 && facts->schema == 0 &&
         facts->object_count == 0;
}

static int check_facts(const file_facts *facts, const char *path,
                       mcp_error *err) {
  if (facts->application != MCPI_SQLITE_APPLICATION || facts->schema < 1) {
    return mcp_error_set(err, MCP_ERR_PARSE,
                         "%s is a database of another program: name another "
                         "file for tasks",
                         path);
  }
  if (facts->schema > MCPI_SQLITE_SCHEMA) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "a newer libmcp has written %s: its schema is %lld, "
                         "and this libmcp knows schemas up to %d",
                         path, (long long)facts->schema, MCPI_SQLITE_SCHEMA);
  }
  return 0;
}

/* A process that is killed here leaves a file of nothing. */
static int make_schema(sqlite3 *db) {
  int result = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_exec(db, schema, NULL, NULL, NULL);
  }
  return result == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)
                             : result;
}

/* The file keeps this mode. Returns 0 or an error. */
static int use_wal(sqlite3 *db, const char *path, mcp_error *err) {
  sqlite3_stmt *statement = NULL;
  int result =
      sqlite3_prepare_v2(db, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_step(statement);
  }
  const char *mode = result == SQLITE_ROW
                         ? (const char *)sqlite3_column_text(statement, 0)
                         : NULL;
  int rc = 0;
  if (mode == NULL) {
    rc = mcpi_sqlite_failure(db, "open", path, err);
  } else if (strcmp(mode, "wal") != 0) {
    rc =
        mcp_error_set(err, MCP_ERR_IO,
                      "cannot open %s: SQLite cannot keep a WAL beside it; use "
                      "another folder",
                      path);
  }
  sqlite3_finalize(statement);
  return rc;
}

/* --- opening -------------------------------------------------------------- */

static int configure(sqlite3 *db, const char *path, mcp_error *err) {
  if (sqlite3_db_readonly(db, "main") != 0) {
    return file_error(err, EACCES, "write to", path);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  file_facts facts = {0, 0, 0};
  if (sqlite3_exec(db, settings, NULL, NULL, NULL) != SQLITE_OK ||
      read_facts(db, &facts) != SQLITE_OK) {
    return mcpi_sqlite_failure(db, "open", path, err);
  }
  int is_new = facts_are_of_nothing(&facts);
  int rc = is_new ? 0 : check_facts(&facts, path, err);
  if (rc == 0) {
    rc = use_wal(db, path, err);
  }
  if (rc == 0 && is_new && make_schema(db) != SQLITE_OK) {
    rc = mcpi_sqlite_failure(db, "make", path, err);
  }
  return rc;
}

static int open_once(sqlite3 **out, const char *path, mcp_error *err) {
  sqlite3 *db = NULL;
  int rc = make_or_check(path, err);
  if (rc != 0) {
    return rc;
  }
  int result = sqlite3_open_v2(
      path, &db,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
  if (db == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "cannot open %s: out of memory",
                         path);
  }
  if (result != SQLITE_OK) {
    rc = mcpi_sqlite_failure(db, "open", path, err);
  } else {
    rc = configure(db, path, err);
  }
  if (rc != 0) {
    sqlite3_close(db);
    return rc;
  }
  *out = db;
  return 0;
}

/* Two processes that open a file at once can keep each other from its lock. So
 * each lets go of the file, and waits for a time that differs from the other's:
 * 10 to 41 ms. */
static uint64_t wait_a_little(uint64_t waited_ms) {
  uint64_t seed = uv_hrtime() ^ ((uint64_t)getpid() << 8);
  unsigned ms = 10 + (unsigned)((seed * UINT64_C(0x9E3779B97F4A7C15)) >> 59);
  uv_sleep(ms);
  return waited_ms + ms;
}

int mcpi_sqlite_open(sqlite3 **out, const char *path, mcp_error *err) {
  char full[PATH_MAX];
  uint64_t waited_ms = 0;
  int rc = resolve(full, path, err);
  if (rc != 0) {
    return rc;
  }
  rc = open_once(out, full, err);
  while (rc == MCP_ERR_BUSY && waited_ms < MCPI_SQLITE_PATIENCE_MS) {
    waited_ms = wait_a_little(waited_ms);
    rc = open_once(out, full, err);
  }
  return rc;
}
