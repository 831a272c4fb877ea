/* SPDX-License-Identifier: MIT */
/* A lock of the platform, together with the functions that work on it: another
 * loop may have another platform. */
#include "core/lock.h"

#include "base/alloc.h"

struct mcpi_lock {
  void (*acquire)(void *lock);
  void (*release)(void *lock);
  void (*free)(void *lock);
  void *lock; /* NULL: there is one thread */
};

static const mcpi_lock one_thread = {0};

/* The memory comes from the default allocator: an allocator of the program may
 * end with its loop. */
const mcpi_lock *mcpi_lock_new(const mcp_platform *platform) {
  if (platform->lock_new == NULL) {
    return &one_thread;
  }
  mcpi_lock *lock = mcpi_alloc(mcp_allocator_default(), sizeof(*lock));
  if (lock == NULL) {
    return NULL;
  }
  *lock = (mcpi_lock){.acquire = platform->lock_acquire,
                      .release = platform->lock_release,
                      .free = platform->lock_free,
                      .lock = platform->lock_new(platform->userdata)};
  if (lock->lock == NULL) {
    mcpi_free(mcp_allocator_default(), lock, sizeof(*lock));
    return NULL;
  }
  return lock;
}

void mcpi_lock_free(const mcpi_lock *lock) {
  if (lock != NULL && lock != &one_thread) {
    lock->free(lock->lock);
    mcpi_free(mcp_allocator_default(), (void *)(uintptr_t)lock, sizeof(*lock));
  }
}

void mcpi_lock_acquire(const mcpi_lock *lock) {
  if (lock->lock != NULL) {
    lock->acquire(lock->lock);
  }
}

void mcpi_lock_release(const mcpi_lock *lock) {
  if (lock->lock != NULL) {
    lock->release(lock->lock);
  }
}
