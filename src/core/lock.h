/* SPDX-License-Identifier: MIT */
/* A lock of the platform, for what several loops share. It may outlive the loop
 * that it came from. */
#ifndef MCPI_CORE_LOCK_H
#define MCPI_CORE_LOCK_H

#include <mcp/sys/platform.h>

typedef struct mcpi_lock mcpi_lock;

/* Makes a lock. A platform without locks has one thread: then the lock does
 * nothing, and needs no memory. NULL when out of memory. */
const mcpi_lock *mcpi_lock_new(const mcp_platform *platform);
/* No thread may hold it. NULL is accepted. */
void mcpi_lock_free(const mcpi_lock *lock);
void mcpi_lock_acquire(const mcpi_lock *lock);
void mcpi_lock_release(const mcpi_lock *lock);

#endif
