/* SPDX-License-Identifier: MIT */
/* The functions of mcp_task_store. Each makes a request for the store's
 * thread. */
#include "base/error.h"
#include "base/widen.h"
#include "core/loop.h"
#include "store/sqlite/writer.h"

enum {
  /* 64 times what a server keeps in memory: a disk has more room. */
  MAX_BYTES = 1073741824,
  /* As many tasks as a server has unless it says otherwise (mcp_tasks_options),
   * and the bytes that it keeps of them in memory. */
  MAX_WAITING = 10000,
  MAX_WAITING_BYTES = 67108864
};

static mcpi_sqlite_job *store_job(mcpi_sqlite_writer *writer,
                                  mcpi_sqlite_kind kind, mcp_loop *loop,
                                  const mcp_task_record *record) {
  return mcpi_sqlite_job_new(mcpi_sqlite_writer_allocator(writer), kind, loop,
                             record);
}

/* --- changing ------------------------------------------------------------- */

/* `job` is NULL: there was no memory for it. */
static void store_write(mcpi_sqlite_writer *writer, mcpi_sqlite_job *job,
                        mcp_task_done_cb done, void *argument) {
  if (job == NULL) {
    done(argument, MCP_ERR_NOMEM);
    return;
  }
  job->done = done;
  job->argument = argument;
  mcpi_sqlite_writer_add(writer, job);
}

static void store_create(void *userdata, mcp_loop *loop,
                         const mcp_task_record *record, mcp_task_done_cb done,
                         void *argument) {
  store_write(userdata, store_job(userdata, MCPI_SQLITE_CREATE, loop, record),
              done, argument);
}

static void store_update(void *userdata, mcp_loop *loop,
                         const mcp_task_record *record, mcp_task_done_cb done,
                         void *argument) {
  store_write(userdata, store_job(userdata, MCPI_SQLITE_UPDATE, loop, record),
              done, argument);
}

static void store_expire(void *userdata, mcp_loop *loop, int64_t now_ms,
                         mcp_task_done_cb done, void *argument) {
  const mcp_task_record nothing = {0};
  mcpi_sqlite_job *job =
      store_job(userdata, MCPI_SQLITE_EXPIRE, loop, &nothing);
  if (job != NULL) {
    job->now_ms = now_ms;
  }
  store_write(userdata, job, done, argument);
}

/* --- finding -------------------------------------------------------------- */

static void store_read(mcpi_sqlite_writer *writer, mcpi_sqlite_job *job,
                       mcp_task_found_cb on_found, void *argument) {
  if (job == NULL) {
    on_found(argument, MCP_ERR_NOMEM, NULL, 0);
    return;
  }
  job->on_found = on_found;
  job->argument = argument;
  mcpi_sqlite_writer_add(writer, job);
}

static void store_load(void *userdata, mcp_loop *loop, const char *id,
                       mcp_task_found_cb on_found, void *argument) {
  const mcp_task_record wanted = {.id = id};
  store_read(userdata, store_job(userdata, MCPI_SQLITE_LOAD, loop, &wanted),
             on_found, argument);
}

/* owner NULL: all that have not ended. */
static mcpi_sqlite_job *list_job(mcpi_sqlite_writer *writer, mcp_loop *loop,
                                 const char *owner,
                                 const mcp_task_record *after, size_t max) {
  mcp_task_record wanted = {.owner = owner};
  if (after != NULL) {
    wanted.id = after->id;
    wanted.created_ms = after->created_ms;
  }
  mcpi_sqlite_kind kind =
      owner != NULL ? MCPI_SQLITE_LIST : MCPI_SQLITE_LIST_UNFINISHED;
  mcpi_sqlite_job *job = store_job(writer, kind, loop, &wanted);
  if (job != NULL) {
    job->has_after = after != NULL;
    job->max = max;
    job->now_ms = mcpi_loop_wall(loop);
  }
  return job;
}

static void store_list(void *userdata, mcp_loop *loop, const char *owner,
                       const mcp_task_record *after, size_t max,
                       mcp_task_found_cb on_found, void *argument) {
  store_read(userdata, list_job(userdata, loop, owner, after, max), on_found,
             argument);
}

static void store_list_unfinished(void *userdata, mcp_loop *loop,
                                  const mcp_task_record *after, size_t max,
                                  mcp_task_found_cb on_found, void *argument) {
  store_read(userdata, list_job(userdata, loop, NULL, after, max), on_found,
             argument);
}

/* --- life ----------------------------------------------------------------- */

static void store_release(void *userdata) {
  mcpi_sqlite_writer_free(userdata);
}

static int read_options(mcp_sqlite_options *out,
                        const mcp_sqlite_options *given, mcp_error *err) {
  *out = (mcp_sqlite_options){.size = sizeof(*out)};
  if (given != NULL) {
    int rc = mcpi_widen(out, sizeof(*out), given, "mcp_sqlite_options", err);
    if (rc == 0) {
      rc = mcpi_check_reserved("mcp_sqlite_options.reserved", out->reserved,
                               err);
    }
    if (rc != 0) {
      return rc;
    }
  }
  if (out->allocator == NULL) {
    out->allocator = mcp_allocator_default();
  }
  mcpi_default_u64(&out->max_bytes, MAX_BYTES);
  mcpi_default_u32(&out->max_waiting, MAX_WAITING);
  mcpi_default_size(&out->max_waiting_bytes, MAX_WAITING_BYTES);
  return 0;
}

static int check_arguments(const mcp_task_store *store, const char *path,
                           mcp_error *err) {
  if (store == NULL || path == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the %s is NULL",
                         store == NULL ? "store" : "path");
  }
  if (sqlite3_threadsafe() == 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "cannot open %s: SQLite was built without threads",
                         path);
  }
  return 0;
}

int mcp_task_store_sqlite(mcp_task_store *store, const char *path,
                          const mcp_sqlite_options *options, mcp_error *err) {
  mcp_sqlite_options known;
  mcpi_sqlite_writer *writer = NULL;
  int rc = check_arguments(store, path, err);
  if (rc == 0) {
    rc = read_options(&known, options, err);
  }
  if (rc == 0) {
    rc = mcpi_sqlite_writer_new(&writer, path, &known, err);
  }
  if (rc != 0) {
    return rc;
  }
  const mcp_task_store made = {.size = sizeof(made),
                               .create = store_create,
                               .load = store_load,
                               .update = store_update,
                               .list = store_list,
                               .list_unfinished = store_list_unfinished,
                               .expire = store_expire,
                               .release = store_release,
                               .userdata = writer};
  rc = mcpi_narrow(store, &made, sizeof(made), "mcp_task_store", err);
  if (rc != 0) {
    mcpi_sqlite_writer_free(writer);
  }
  return rc;
}
