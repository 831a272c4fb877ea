/* SPDX-License-Identifier: MIT */
/* The file of a store: its permissions, its lock and its schema. */
#ifndef MCPI_STORE_SQLITE_FILE_H
#define MCPI_STORE_SQLITE_FILE_H

#include <mcp/error.h>
#include <sqlite3.h>

enum {
  /* "mcpt": by it, file(1) and we know our files. */
  MCPI_SQLITE_APPLICATION = 0x6D637074,
  /* The schema that this version writes, PRAGMA user_version. */
  MCPI_SQLITE_SCHEMA = 1,
  /* For how long opening waits for another process, in milliseconds. */
  MCPI_SQLITE_PATIENCE_MS = 500
};

/* Opens the file, or makes it, with the table `task`. Nobody else can use it
 * until sqlite3_close. Another thread may use *out, one at a time. Returns 0,
 * or a code of mcp_task_store_sqlite with err. */
int mcpi_sqlite_open(sqlite3 **out, const char *path, mcp_error *err);

#endif
