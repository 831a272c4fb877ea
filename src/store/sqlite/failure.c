/* SPDX-License-Identifier: MIT */
#include "store/sqlite/failure.h"

#include <string.h>

typedef struct sqlite_meaning {
  int result; /* SQLITE_*, or an extended one */
  int code;
  const char *words; /* NULL: those of the system, or of SQLite */
} sqlite_meaning;

/* An extended result stands before its group (find_meaning). */
static const sqlite_meaning meanings[] = {
    {SQLITE_IOERR_NOMEM, MCP_ERR_NOMEM, "out of memory"},
    {SQLITE_NOMEM, MCP_ERR_NOMEM, "out of memory"},
    {SQLITE_FULL, MCP_ERR_LIMIT, "the disk is full"},
    {SQLITE_TOOBIG, MCP_ERR_LIMIT, "a task is larger than SQLite can store"},
    {SQLITE_BUSY, MCP_ERR_BUSY,
     "another process uses it, or this one has opened it already; one process "
     "at a time may use it"},
    {SQLITE_LOCKED, MCP_ERR_BUSY, "it is locked"},
    {SQLITE_NOTADB, MCP_ERR_PARSE, "it is not a database of SQLite"},
    {SQLITE_CORRUPT, MCP_ERR_PARSE,
     "it is damaged; put back a copy of it, or move it away"},
    {SQLITE_READONLY_DIRECTORY, MCP_ERR_IO,
     "its folder cannot be written to, and SQLite needs a file beside it"},
    {SQLITE_READONLY, MCP_ERR_IO, "it cannot be written to"},
    {SQLITE_PERM, MCP_ERR_IO, "permission denied"},
    {SQLITE_CANTOPEN, MCP_ERR_IO, NULL},
    {SQLITE_IOERR_WRITE, MCP_ERR_IO,
     "the system did not write: because of a quota, a limit on the size of "
     "files, or a defect of the disk"},
    {SQLITE_IOERR_FSYNC, MCP_ERR_IO, "the disk did not confirm a write"},
    {SQLITE_IOERR_READ, MCP_ERR_IO,
     "the system did not read; the disk may have a defect"},
    {SQLITE_IOERR, MCP_ERR_IO, NULL},
    /* Such as a table that is missing. */
    {SQLITE_ERROR, MCP_ERR_PARSE, NULL},
};

static const sqlite_meaning *find_meaning(int extended) {
  for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
    if (meanings[i].result == extended ||
        meanings[i].result == (extended & 0xFF)) {
      return &meanings[i];
    }
  }
  return NULL;
}

int mcpi_sqlite_failure(sqlite3 *db, const char *what, const char *path,
                        mcp_error *err) {
  const sqlite_meaning *meaning = find_meaning(sqlite3_extended_errcode(db));
  int code = meaning != NULL ? meaning->code : MCP_ERR_IO;
  const char *words = meaning != NULL ? meaning->words : NULL;
  int error = code == MCP_ERR_IO ? sqlite3_system_errno(db) : 0;
  if (words == NULL) {
    words = error != 0 ? strerror(error) : sqlite3_errmsg(db);
  }
  mcp_error_set(err, code, "cannot %s %s: %s", what, path, words);
  if (err != NULL) {
    err->status = error;
  }
  return code;
}
