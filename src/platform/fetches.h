/* SPDX-License-Identifier: MIT */
/* The HTTP requests of one loop (mcp_platform.fetch). Each runs on a thread of
 * its own, because libcurl's simple interface blocks; its answer comes back to
 * the loop's thread. OAuth needs few requests, so a few threads suffice, and
 * further requests wait. */
#ifndef MCPI_PLATFORM_FETCHES_H
#define MCPI_PLATFORM_FETCHES_H

#include "base/alloc.h"
#include <mcp/sys/fetch.h>
#include <uv.h>

typedef struct mcpi_fetches mcpi_fetches;

/* No thread runs before the first request. `on_end` is woken when a request has
 * ended. NULL when out of memory. */
mcpi_fetches *mcpi_fetches_new(const mcp_allocator *allocator,
                               uv_async_t *on_end);
/* Ends all requests without calling their functions, and waits for the threads.
 * NULL is accepted. */
void mcpi_fetches_free(mcpi_fetches *fetches);

/* As mcp_platform.fetch and fetch_cancel. */
int mcpi_fetch_start(mcpi_fetches *fetches, const mcp_fetch_request *request,
                     mcp_fetch_done_cb done, void *argument, mcp_fetch **out);
void mcpi_fetch_cancel(mcp_fetch *fetch);

/* Passes on the answers that have come. */
void mcpi_fetches_deliver(mcpi_fetches *fetches);
/* 1 while an answer may still come. */
int mcpi_fetches_are_busy(mcpi_fetches *fetches);

#endif
