/* SPDX-License-Identifier: MIT */
/* What SQLite reports when it fails, as our codes and sentences. */
#ifndef MCPI_STORE_SQLITE_FAILURE_H
#define MCPI_STORE_SQLITE_FAILURE_H

#include <mcp/error.h>
#include <sqlite3.h>

/* Fills err, which may be NULL, with the last failure of the database:
 * "cannot WHAT PATH: why". Returns its code. */
int mcpi_sqlite_failure(sqlite3 *db, const char *what, const char *path,
                        mcp_error *err);

#endif
