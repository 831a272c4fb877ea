/* SPDX-License-Identifier: MIT */
/* Work on the record of one task: loads it, lets a function change it, and
 * stores it again. If somebody else has changed the record meanwhile, the work
 * begins anew. So every change of a task is a function from what is known to
 * what is known then, and the version of the record decides who was first.
 *
 *   start --> load --> change --> update --> done
 *               ^                    |
 *               `-- another version -'
 *
 * The structure is a part of its owner's. The owner keeps it until `done`. */
#ifndef MCPI_EXT_TASKS_WORK_H
#define MCPI_EXT_TASKS_WORK_H

#include "ext/tasks/task_data.h"
#include "ext/tasks/tasks.h"

typedef struct mcpi_task_work mcpi_task_work;

struct mcpi_task_work {
  mcpi_tasks *tasks;
  mcpi_shard *shard; /* held until `done` has returned */
  const char *id;    /* borrowed until `done` */
  /* Whose task it must be, borrowed until `done`; NULL: that of a client
   * without a principal. Ignored if `is_ours`. */
  const char *principal;
  int is_ours; /* the library works for itself, not for a client */
  /* Changes *data. Its values must live until `done`. Returns 1: the record is
   * stored; 0: nothing has changed; or an MCP_ERR_*. It runs again if another
   * was faster. NULL: the work only reads. */
  int (*change)(mcpi_task_work *work, mcpi_task_data *data);
  /* Called once, in a frame of the shard (mcpi_shard_enter), perhaps before
   * mcpi_task_work_start returns. With status 0, `data` and work->owner say
   * what is stored now; they are borrowed until it returns. It may free the
   * structure. MCP_ERR_NOT_FOUND: there is no such task for this principal. */
  void (*done)(mcpi_task_work *work, int status, const mcpi_task_data *data);

  /* Its own. */
  char *owner;
  mcpi_task_data data;
  mcp_doc *doc; /* holds the values of `data` that were loaded */
  int64_t expires_ms;
  uint64_t version;
  uint32_t attempts;
};

/* Starts it. On the thread of the shard's loop. */
void mcpi_task_work_start(mcpi_task_work *work);

#endif
