/* SPDX-License-Identifier: MIT */
/** @file
 * A store that keeps tasks in a file of SQLite, so that they outlive the
 * process (libmcp-sqlite, which needs SQLite). A program that calls this
 * function links libmcp-sqlite.
 *
 *     mcp_task_store store = MCP_TASK_STORE_INIT;
 *     if (mcp_task_store_sqlite(&store, "/var/lib/me/tasks.db", NULL,
 *                               &err) == 0)
 *       mcp_server_enable_tasks(server, &(mcp_tasks_options){
 *           .size = sizeof(mcp_tasks_options), .store = &store}, &err);
 *
 * What is durable: when the completion of `create`, or of an `update` that ends
 * the task, reports 0, the record survives the end of the process, also by
 * SIGKILL, and a loss of power, if the disk writes what it says it has written.
 * Other updates survive the end of the process; a loss of power may undo the
 * last of them.
 *
 * The file has everything; beside it is PATH-wal while a process uses it, and
 * after that process was killed. Move or copy both together. They may hold
 * secrets that clients have sent as arguments, so only their owner can read
 * them. The file does not shrink: SQLite uses its free space again.
 *
 * Threads: the store has a thread of its own, on which SQLite runs, so no loop
 * waits for the disk. Requests that come while the thread writes wait, and the
 * thread then writes them together (up to 256 of them): a thousand tasks that
 * are made at once need a few writes to the disk, not a thousand. Completions
 * come in a later turn of the loop that asked; only MCP_ERR_BUSY,
 * MCP_ERR_PLATFORM and a lack of memory for the request are reported before the
 * function returns. The loops need `post` in their platform, which the loops of
 * libmcp have.
 *
 * The program must not free a loop while the store has a request of it. After
 * `release` the store has no request.
 */
#ifndef MCP_SQLITE_H
#define MCP_SQLITE_H

#include <mcp/tasks.h>

MCP_BEGIN_DECLS

/** Zero and NULL mean the default. All is copied. */
typedef struct mcp_sqlite_options {
  /** sizeof(mcp_sqlite_options); MCP_SQLITE_OPTIONS_INIT sets it. */
  size_t size;
  /** The memory of requests, and of what they find. Several threads use it,
   * until the last completion has run, which may be after `release`. SQLite has
   * its own memory. */
  const mcp_allocator *allocator;
  /** Limits the bytes of all tasks; default 1,073,741,824 (1 GB). Tasks that
   * ended first are dropped to make room; if that is not enough, `create` and
   * `update` report MCP_ERR_LIMIT. A task counts as its strings and 200
   * bytes. The file is somewhat larger than that, and the WAL beside it usually
   * has a few MB. */
  uint64_t max_bytes;
  /** Limits the requests that wait for the thread; default 10,000. Further ones
   * complete with MCP_ERR_BUSY, before the function returns. */
  uint32_t max_waiting;
  uint32_t reserved;
  /** Limits the bytes of those requests; default 67,108,864 (64 MB). */
  size_t max_waiting_bytes;
  /** Called when SQLite fails, because completions report only a code: the
   * message says what failed, why, and the path. It runs on the store's thread,
   * at most once for the requests that were written together. It must not call
   * the store. NULL: failures have only their codes. */
  void (*on_error)(const mcp_error *err, void *userdata);
  /** Passed to on_error. */
  void *userdata;
} mcp_sqlite_options;

#define MCP_SQLITE_OPTIONS_INIT MCP_INIT_(mcp_sqlite_options)

/**
 * Opens a file of tasks, or makes it, and fills in the store. This function
 * reads and writes the file before it returns, so call it before the loop runs.
 * If another process has the file, it waits for up to half a second.
 *
 * The store's `release` waits until all requests that the store has got are
 * written, posts their completions, and closes the file. So do not call it from
 * on_error.
 *
 * The functions of the store report the codes that mcp_task_store names, and
 * - MCP_ERR_LIMIT, also if the disk is full;
 * - MCP_ERR_BUSY: too many requests wait;
 * - MCP_ERR_PARSE: the file is damaged;
 * - MCP_ERR_IO: it cannot be read or written;
 * - MCP_ERR_PLATFORM: the loop's platform has no `post`;
 * - MCP_ERR_NOMEM.
 *
 * @param store   MCP_TASK_STORE_INIT before; unchanged on failure. Its
 *                `release` must be called once: the server does so if
 *                the program gives it the store (mcp_tasks_options)
 * @param path    copied. The folder must exist. If the file does not exist, it
 *                is made, with permissions 0600. A file that belongs to another
 *                user, or that other users can use, and a symbolic link are
 *                refused
 * @param options copied; NULL: the defaults
 * @param err     the reason of a failure, with the path; may be NULL
 * @return 0;
 *         MCP_ERR_INVALID: an argument is NULL, the store has no size, or the
 *         path does not name a file;
 *         MCP_ERR_BUSY: another process has the file, or this one: one process
 *         at a time uses it;
 *         MCP_ERR_PARSE: the file is not a database of SQLite, is damaged, or
 *         is a database of another program;
 *         MCP_ERR_UNSUPPORTED: a newer libmcp has written the file, or an
 *         option is not known;
 *         MCP_ERR_LIMIT: the disk is full;
 *         MCP_ERR_IO: the file cannot be used; mcp_error.status is the errno,
 *         or 0 if SQLite knows none;
 *         MCP_ERR_NOMEM: also if the system gives no thread
 */
MCP_API int mcp_task_store_sqlite(mcp_task_store *store, const char *path,
                                  const mcp_sqlite_options *options,
                                  mcp_error *err);

MCP_END_DECLS

#endif
