/* SPDX-License-Identifier: MIT */
#include "login/record_lock.h"

#include "base/error.h"
#include "login/file_lock.h"
#include "platform/errors.h"

#include <uv.h>

enum { TRY_AGAIN_MIN_MS = 10, TRY_AGAIN_MAX_MS = 200 };

static int record_lock_wait(mcpi_record_lock *lock, mcp_error *err) {
  int64_t pause_ms = lock->pause_ms;
  lock->pause_ms =
      pause_ms < TRY_AGAIN_MAX_MS / 2 ? pause_ms * 2 : TRY_AGAIN_MAX_MS;
  int rc = mcpi_loop_start_timer(lock->loop, &lock->timer, pause_ms);
  return rc == 0 ? MCP_PENDING : mcpi_no_memory(err);
}

int mcpi_record_lock_take(mcpi_record_lock *lock, mcp_error *err) {
  int error = 0;
  if (lock->path == NULL) {
    return mcpi_no_memory(err);
  }
  int fd = mcpi_file_lock(lock->path, &error);
  if (fd == MCP_ERR_BUSY) {
    return record_lock_wait(lock, err);
  }
  if (fd < 0) {
    return mcp_error_set(err, MCP_ERR_IO, "cannot lock %s: %s", lock->path,
                         mcpi_error_name(error));
  }
  lock->fd = fd;
  return 0;
}

static void record_lock_on_due(mcpi_timer *timer) {
  mcpi_record_lock *lock = MCPI_CONTAINER(timer, mcpi_record_lock, timer);
  mcp_error err;
  int rc = mcpi_record_lock_take(lock, &err);
  if (rc != MCP_PENDING) {
    lock->on_end(lock, rc == 0 ? NULL : &err);
  }
}

void mcpi_record_lock_init(mcpi_record_lock *lock, mcp_loop *loop, char *path) {
  *lock = (mcpi_record_lock){.loop = loop,
                             .path = path,
                             .fd = -1,
                             .pause_ms = TRY_AGAIN_MIN_MS,
                             .timer = {.on_due = record_lock_on_due}};
}

void mcpi_record_lock_drop(mcpi_record_lock *lock) {
  mcpi_loop_stop_timer(lock->loop, &lock->timer);
  if (lock->fd >= 0) {
    mcpi_file_unlock(lock->fd);
  }
  lock->fd = -1;
  mcpi_strfree(&lock->loop->allocator, lock->path);
  lock->path = NULL;
}
