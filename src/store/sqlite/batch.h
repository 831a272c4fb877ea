/* SPDX-License-Identifier: MIT */
/* Requests that are done together: all their changes are one transaction, so
 * the disk is waited for once. */
#ifndef MCPI_STORE_SQLITE_BATCH_H
#define MCPI_STORE_SQLITE_BATCH_H

#include "store/sqlite/job.h"

enum {
  /* More would make the first ones wait for longer than a disk needs. */
  MCPI_SQLITE_BATCH_MAX = 256
};

/* Does the requests in their order, and sets their status. A request for which
 * SQLite fails does not keep the others from being done. Returns 1 if SQLite
 * has failed for any of them: tasks->failure says why. */
int mcpi_sqlite_batch_run(mcpi_sqlite_tasks *tasks,
                          mcpi_sqlite_job *const *jobs, size_t count);

#endif
