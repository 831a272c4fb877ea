/* SPDX-License-Identifier: MIT */
/* Locks, by libuv. */
#include "platform/platform.h"

#include "base/alloc.h"

#include <uv.h>

void *mcpi_platform_lock_new(void *userdata) {
  (void)userdata;
  /* not from the loop's allocator: the lock may outlive the loop */
  uv_mutex_t *mutex = mcpi_alloc(mcp_allocator_default(), sizeof(*mutex));
  if (mutex != NULL && uv_mutex_init(mutex) != 0) {
    mcpi_free(mcp_allocator_default(), mutex, sizeof(*mutex));
    return NULL;
  }
  return mutex;
}

void mcpi_platform_lock_acquire(void *lock) {
  uv_mutex_lock(lock);
}

void mcpi_platform_lock_release(void *lock) {
  uv_mutex_unlock(lock);
}

void mcpi_platform_lock_free(void *lock) {
  uv_mutex_destroy(lock);
  mcpi_free(mcp_allocator_default(), lock, sizeof(uv_mutex_t));
}
