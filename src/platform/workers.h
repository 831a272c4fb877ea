/* SPDX-License-Identifier: MIT */
/* Threads for handlers that block. They are the library's own: libuv's four
 * threads also look up names and read files, which a slow tool must not
 * delay. */
#ifndef MCPI_PLATFORM_WORKERS_H
#define MCPI_PLATFORM_WORKERS_H

#include "base/alloc.h"
#include <uv.h>

typedef struct mcpi_workers mcpi_workers;

/* No thread runs before the first job.
 * @param on_idle woken when the last job that was taken has been done */
mcpi_workers *mcpi_workers_new(const mcp_allocator *allocator,
                               uint32_t thread_count, uint32_t queue_count,
                               uv_async_t *on_idle);
/* Waits until every accepted job has been done. NULL is accepted. */
void mcpi_workers_free(mcpi_workers *workers);

/* Runs work(argument) on a thread. Returns 0, or MCP_ERR_BUSY: the queue is
 * full, or the system gives no thread. */
int mcpi_workers_run(mcpi_workers *workers, void (*work)(void *argument),
                     void *argument);
/* 1 while a job waits or runs. */
int mcpi_workers_are_busy(mcpi_workers *workers);

#endif
