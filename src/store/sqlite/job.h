/* SPDX-License-Identifier: MIT */
/* A request to the store, from the function of mcp_task_store to its
 * completion.
 *
 *     made on the loop's thread -> waits -> done on the store's thread
 *       -> posted to the loop -> completed on the loop's thread, and freed
 *
 * One of them holds it at a time: the queue, the store's thread, or the post.
 * It may outlive the store, so it has a copy of the allocator. */
#ifndef MCPI_STORE_SQLITE_JOB_H
#define MCPI_STORE_SQLITE_JOB_H

#include "base/list.h"
#include "store/sqlite/tasks.h"

typedef enum mcpi_sqlite_kind {
  MCPI_SQLITE_CREATE,
  MCPI_SQLITE_UPDATE,
  MCPI_SQLITE_EXPIRE,
  MCPI_SQLITE_LOAD,
  MCPI_SQLITE_LIST,
  MCPI_SQLITE_LIST_UNFINISHED
} mcpi_sqlite_kind;

typedef struct mcpi_sqlite_job {
  mcpi_list link;               /* in the queue */
  struct mcpi_sqlite_job *next; /* in the same post */
  mcp_allocator allocator;
  size_t size; /* of this structure with its strings */
  mcpi_sqlite_kind kind;
  mcp_loop *loop;
  mcp_task_done_cb done; /* create, update, expire; else NULL */
  mcp_task_found_cb on_found;
  void *argument;
  /* create, update: the record. load: its id. list: its owner, and id and time
   * of `after` if has_after. */
  mcp_task_record record;
  int has_after;
  size_t max;
  int64_t now_ms;
  int status;
  mcpi_sqlite_found found;
  char strings[];
} mcpi_sqlite_job;

/* Makes a request. The record is copied; its strings may be NULL. Returns NULL
 * without memory. */
mcpi_sqlite_job *mcpi_sqlite_job_new(const mcp_allocator *allocator,
                                     mcpi_sqlite_kind kind, mcp_loop *loop,
                                     const mcp_task_record *record);
/* Frees it without its completion. */
void mcpi_sqlite_job_free(mcpi_sqlite_job *job);

/* 1 if it changes tasks. */
int mcpi_sqlite_job_writes(const mcpi_sqlite_job *job);
/* 1 if its end must survive a loss of power. */
int mcpi_sqlite_job_is_durable(const mcpi_sqlite_job *job);
/* Does what it asks for, and sets its status. */
void mcpi_sqlite_job_run(mcpi_sqlite_job *job, mcpi_sqlite_tasks *tasks);
/* Reports the end, on the loop's thread, and frees the request. */
void mcpi_sqlite_job_complete(mcpi_sqlite_job *job);

#endif
