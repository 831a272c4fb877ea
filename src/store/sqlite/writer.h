/* SPDX-License-Identifier: MIT */
/* The store's thread, on which SQLite runs, and the queue of requests for it.
 * All that wait are done together (batch.h), while further ones gather. */
#ifndef MCPI_STORE_SQLITE_WRITER_H
#define MCPI_STORE_SQLITE_WRITER_H

#include "store/sqlite/job.h"
#include <mcp/sqlite.h>

typedef struct mcpi_sqlite_writer mcpi_sqlite_writer;

/* Opens the file and starts the thread. `options` has all defaults filled in.
 * Returns 0, or a code of mcp_task_store_sqlite with err. */
int mcpi_sqlite_writer_new(mcpi_sqlite_writer **out, const char *path,
                           const mcp_sqlite_options *options, mcp_error *err);
/* Does what waits, posts the completions, closes the file and frees the writer.
 * No other thread may use it any more. */
void mcpi_sqlite_writer_free(mcpi_sqlite_writer *writer);

/* For requests; any thread may call this. */
const mcp_allocator *
mcpi_sqlite_writer_allocator(const mcpi_sqlite_writer *writer);
/* Takes a request, on its loop's thread. It completes at once with MCP_ERR_BUSY
 * if too many wait already, and with MCP_ERR_PLATFORM if its loop has no
 * `post`, since the thread could not report its end. */
void mcpi_sqlite_writer_add(mcpi_sqlite_writer *writer, mcpi_sqlite_job *job);

#endif
