/* SPDX-License-Identifier: MIT */
#include "store/sqlite/file.h"

#include "support/cm.h"
#include "support/folder.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static mcp_error err;

/* Opens the file and closes it again. Returns the code. */
static int try_path(const char *path) {
  sqlite3 *db = NULL;
  memset(&err, 0, sizeof(err));
  int rc = mcpi_sqlite_open(&db, path, &err);
  assert_int_equal(err.code, rc);
  assert_true((db != NULL) == (rc == 0));
  sqlite3_close(db);
  return rc;
}

static int try_file(const char *name) {
  return try_path(folder_path(name));
}

/* The message has the text and, if it is not NULL, the path of the file. */
static void assert_message(const char *text, const char *name) {
  if (strstr(err.message, text) == NULL) {
    fail_msg("not in \"%s\": %s", err.message, text);
  }
  if (name != NULL) {
    assert_non_null(strstr(err.message, folder_path(name)));
  }
}

static void run_sql(const char *name, const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(folder_path(name), &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* --- making --------------------------------------------------------------- */

static int exists(const char *name) {
  return access(folder_path(name), F_OK) == 0;
}

FOLDER_TEST(a_new_file_is_made_for_the_user_alone) {
  struct stat found;
  mode_t mask = umask(0);
  assert_int_equal(try_file("a.db"), 0);
  umask(mask);
  assert_int_equal(stat(folder_path("a.db"), &found), 0);
  assert_int_equal(found.st_mode & 07777, 0600);
  assert_false(exists("a.db-wal"));
  assert_false(exists("a.db-shm"));
  assert_int_equal(try_file("a.db"), 0);
}

FOLDER_TEST(an_empty_file_becomes_a_store) {
  folder_write("a.db", "", 0600);
  assert_int_equal(try_file("a.db"), 0);
  assert_int_equal(try_file("a.db"), 0);
}

FOLDER_TEST(a_relative_path_is_that_of_the_folder_at_the_time) {
  char before[4096];
  sqlite3 *db = NULL;
  assert_non_null(getcwd(before, sizeof(before)));
  assert_int_equal(chdir(folder_path("")), 0);
  int rc = mcpi_sqlite_open(&db, "a.db", NULL);
  assert_int_equal(chdir(before), 0);
  assert_int_equal(rc, 0);
  assert_int_equal(sqlite3_exec(db, "DELETE FROM task", NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
  assert_true(exists("a.db"));
}

FOLDER_TEST(a_path_must_name_a_file) {
  assert_int_equal(try_path(""), MCP_ERR_INVALID);
  assert_int_equal(try_path("/tmp/"), MCP_ERR_INVALID);
  assert_int_equal(try_path("/tmp/.."), MCP_ERR_INVALID);
  assert_message("/tmp/..", NULL);
  assert_int_equal(try_file("missing/a.db"), MCP_ERR_IO);
  assert_int_equal(err.status, ENOENT);
  assert_message("cannot open the folder of", "missing/a.db");
  char long_path[9000];
  memset(long_path, 'a', sizeof(long_path) - 1);
  long_path[sizeof(long_path) - 1] = '\0';
  assert_int_equal(try_path(long_path), MCP_ERR_IO);
  long_path[8000] = '/';
  assert_int_equal(try_path(long_path), MCP_ERR_IO);
}

/* Tries the file as a user who is not root, who may do everything. */
static int try_as_user(const char *name) {
  uid_t user = geteuid();
  if (user == 0) {
    assert_int_equal(seteuid(65534), 0);
  }
  int rc = try_file(name);
  assert_int_equal(seteuid(user), 0);
  return rc;
}

FOLDER_TEST(a_folder_that_cannot_be_written_to_is_reported) {
  assert_int_equal(chmod(folder_path(""), 0555), 0);
  int rc = try_as_user("a.db");
  assert_int_equal(chmod(folder_path(""), 0700), 0);
  assert_int_equal(rc, MCP_ERR_IO);
  assert_int_equal(err.status, EACCES);
  assert_message("Permission denied", "a.db");
}

/* The file is there, but SQLite cannot make its WAL. */
FOLDER_TEST(a_file_in_a_folder_that_cannot_be_written_to_is_reported) {
  assert_int_equal(try_file("a.db"), 0);
  assert_int_equal(chmod(folder_path(""), 0555), 0);
  if (geteuid() == 0) {
    assert_int_equal(chown(folder_path("a.db"), 65534, 65534), 0);
  }
  int rc = try_as_user("a.db");
  assert_int_equal(chmod(folder_path(""), 0700), 0);
  assert_int_equal(rc, MCP_ERR_IO);
  assert_message("its folder cannot be written to", "a.db");
}

/* --- refusing ------------------------------------------------------------- */

FOLDER_TEST(a_file_that_others_can_use_is_refused) {
  const unsigned modes[] = {0640, 0620, 0604, 0602, 0601, 0666};
  assert_int_equal(try_file("a.db"), 0);
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
    assert_int_equal(chmod(folder_path("a.db"), modes[i]), 0);
    assert_int_equal(try_file("a.db"), MCP_ERR_IO);
    assert_message("run chmod 600 on it", "a.db");
  }
  assert_int_equal(chmod(folder_path("a.db"), 0600), 0);
  assert_int_equal(try_file("a.db"), 0);
}

FOLDER_TEST(a_file_of_another_user_is_refused) {
  assert_int_equal(try_file("a.db"), 0);
  if (geteuid() != 0) {
    skip();
  }
  assert_int_equal(chown(folder_path("a.db"), 65534, 65534), 0);
  assert_int_equal(try_file("a.db"), MCP_ERR_IO);
  assert_message("belongs to another user", "a.db");
}

FOLDER_TEST(a_link_is_refused_but_a_link_to_the_folder_is_not) {
  assert_int_equal(try_file("a.db"), 0);
  assert_int_equal(symlink(folder_path("a.db"), folder_path("link")), 0);
  assert_int_equal(try_file("link"), MCP_ERR_IO);
  assert_message("is a symbolic link", "link");
  assert_int_equal(symlink(folder_path("no.db"), folder_path("dangling")), 0);
  assert_int_equal(try_file("dangling"), MCP_ERR_IO);
  assert_false(exists("no.db"));
  assert_int_equal(symlink(folder_path(""), folder_path("here")), 0);
  assert_int_equal(try_file("here/a.db"), 0);
}

FOLDER_TEST(what_is_not_a_file_is_refused) {
  assert_int_equal(mkfifo(folder_path("pipe"), 0600), 0);
  assert_int_equal(try_file("pipe"), MCP_ERR_IO);
  assert_message("is not a file", "pipe");
}

FOLDER_TEST(a_file_that_cannot_be_written_to_is_refused) {
  assert_int_equal(try_file("a.db"), 0);
  assert_int_equal(chmod(folder_path("a.db"), 0400), 0);
  if (geteuid() == 0) {
    assert_int_equal(chown(folder_path("a.db"), 65534, 65534), 0);
    assert_int_equal(chmod(folder_path(""), 0777), 0);
  }
  assert_int_equal(try_as_user("a.db"), MCP_ERR_IO);
  assert_int_equal(err.status, EACCES);
  assert_message("cannot write to", "a.db");
}

FOLDER_TEST(a_file_that_is_no_database_is_refused) {
  folder_write("a.db", "These are the recipes of my grandmother.\n", 0600);
  assert_int_equal(try_file("a.db"), MCP_ERR_PARSE);
  assert_message("it is not a database of SQLite", "a.db");
}

static void overwrite(const char *name, long at, const char *bytes) {
  FILE *file = fopen(folder_path(name), "r+");
  assert_non_null(file);
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  fputs(bytes, file);
  assert_int_equal(fclose(file), 0);
}

FOLDER_TEST(a_damaged_file_is_refused) {
  assert_int_equal(try_file("a.db"), 0);
  /* The head of the first page, which has the schema. */
  overwrite("a.db", 100, "xxxxxxxxxxxxxxxx");
  assert_int_equal(try_file("a.db"), MCP_ERR_PARSE);
  assert_message("it is damaged", "a.db");
}

FOLDER_TEST(a_database_of_another_program_is_refused) {
  run_sql("a.db", "CREATE TABLE recipe(text)");
  chmod(folder_path("a.db"), 0600);
  assert_int_equal(try_file("a.db"), MCP_ERR_PARSE);
  assert_message("is a database of another program", "a.db");
  run_sql("b.db", "PRAGMA application_id=7; PRAGMA user_version=1");
  chmod(folder_path("b.db"), 0600);
  assert_int_equal(try_file("b.db"), MCP_ERR_PARSE);
}

FOLDER_TEST(a_newer_schema_is_refused) {
  assert_int_equal(try_file("a.db"), 0);
  run_sql("a.db", "PRAGMA user_version=2");
  assert_int_equal(try_file("a.db"), MCP_ERR_UNSUPPORTED);
  assert_message("its schema is 2, and this libmcp knows schemas up to 1",
                 "a.db");
  run_sql("a.db", "PRAGMA user_version=1");
  assert_int_equal(try_file("a.db"), 0);
}

/* --- the lock ------------------------------------------------------------- */

FOLDER_TEST(a_file_that_is_open_already_is_busy) {
  sqlite3 *db;
  assert_int_equal(mcpi_sqlite_open(&db, folder_path("a.db"), &err), 0);
  assert_int_equal(try_file("a.db"), MCP_ERR_BUSY);
  assert_message("one process at a time may use it", "a.db");
  sqlite3_close(db);
  assert_int_equal(try_file("a.db"), 0);
}

/* Opens the file in another process, which says so, and waits until it is
 * killed. Returns its id. */
static pid_t open_elsewhere(const char *name) {
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    sqlite3 *db;
    if (mcpi_sqlite_open(&db, folder_path(name), NULL) == 0 &&
        write(ends[1], "x", 1) == 1) {
      pause();
    }
    _exit(1);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  return child;
}

static void end_process(pid_t child) {
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

FOLDER_TEST(a_second_process_is_refused_until_the_first_has_ended) {
  pid_t child = open_elsewhere("a.db");
  int rc = try_file("a.db");
  end_process(child);
  assert_int_equal(rc, MCP_ERR_BUSY);
  assert_message("another process uses it", "a.db");
  assert_int_equal(try_file("a.db"), 0);
}

/* Trying must not end the lock of this process (close ends those of fcntl). */
FOLDER_TEST(a_refused_second_opening_leaves_the_lock) {
  sqlite3 *db;
  assert_int_equal(mcpi_sqlite_open(&db, folder_path("a.db"), &err), 0);
  assert_int_equal(try_file("a.db"), MCP_ERR_BUSY);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    sqlite3 *other;
    _exit(mcpi_sqlite_open(&other, folder_path("a.db"), NULL) == MCP_ERR_BUSY
              ? 0
              : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  sqlite3_close(db);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Of several processes that open a file at once, one gets it. */
FOLDER_TEST(one_of_those_that_open_a_file_at_once_gets_it) {
  enum { PROCESSES = 4 };
  for (int round = 0; round < 2; round++) {
    int ends[2];
    char byte;
    pid_t children[PROCESSES];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < PROCESSES; i++) {
      children[i] = fork();
      assert_true(children[i] >= 0);
      if (children[i] == 0) {
        sqlite3 *db;
        int rc = mcpi_sqlite_open(&db, folder_path("a.db"), NULL);
        if (write(ends[1], rc == 0 ? "y" : "n", 1) == 1) {
          pause();
        }
        _exit(1);
      }
    }
    int opened = 0;
    for (int i = 0; i < PROCESSES; i++) {
      assert_int_equal(read(ends[0], &byte, 1), 1);
      opened += byte == 'y';
    }
    for (int i = 0; i < PROCESSES; i++) {
      end_process(children[i]);
    }
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(opened, 1);
  }
}

/* --- without memory ------------------------------------------------------- */

/* SQLite has its own allocator; this one fails once. */
static sqlite3_mem_methods usual;
static long left = -1; /* allocations until the one that fails; -1: none does */

static int fails(void) {
  return left >= 0 && left-- == 0;
}

static void *alloc(int size) {
  return fails() ? NULL : usual.xMalloc(size);
}

static void *resize(void *block, int size) {
  return fails() ? NULL : usual.xRealloc(block, size);
}

FOLDER_TEST(a_lack_of_sqlites_memory_is_reported) {
  int failures = 0;
  /* There are some 700 allocations; the later ones resemble each other. */
  for (long at = 0;; at += 1 + at / 50) {
    folder_empty();
    left = at;
    int rc = try_file("a.db");
    int has_failed = left < 0;
    left = -1;
    if (!has_failed) {
      assert_int_equal(rc, 0);
      break;
    }
    /* SQLite does without some of its memory. */
    assert_true(rc == 0 || rc == MCP_ERR_NOMEM);
    failures += rc != 0;
    if (at % 16 == 0) {
      assert_int_equal(try_file("a.db"), 0);
    }
  }
  assert_true(failures > 20);
}

int main(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) {
    return 1;
  }
  sqlite3_mem_methods methods = usual;
  methods.xMalloc = alloc;
  methods.xRealloc = resize;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) {
    return 1;
  }
  return tests_run(NULL, NULL);
}
