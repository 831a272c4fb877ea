/* SPDX-License-Identifier: MIT */
/* The lock of a record, which the loop waits for. A lock of a file cannot be
 * waited for without blocking the loop, so it is tried again and again.
 *
 *     FREE --take--> WAITING --> HELD
 *                       '------> FREE, with an error
 *     any state --drop--> FREE */
#ifndef MCPI_LOGIN_RECORD_LOCK_H
#define MCPI_LOGIN_RECORD_LOCK_H

#include "core/loop.h"

/* It is part of its owner's structure. */
typedef struct mcpi_record_lock mcpi_record_lock;
struct mcpi_record_lock {
  mcp_loop *loop;
  char *path; /* owned */
  int fd;     /* -1: it is not held */
  int64_t pause_ms;
  mcpi_timer timer;
  /* A lock that was waited for is held; or err is not NULL, and says why it
   * cannot be. It may drop the lock. */
  void (*on_end)(mcpi_record_lock *lock, const mcp_error *err);
};

/* FREE. `path` is taken; NULL is accepted, and mcpi_record_lock_take then says
 * that there is no memory. */
void mcpi_record_lock_init(mcpi_record_lock *lock, mcp_loop *loop, char *path);
/* Ends waiting, unlocks, and frees the path. */
void mcpi_record_lock_drop(mcpi_record_lock *lock);

/* Returns 0: it is held; MCP_PENDING: it waits, and on_end is called later; or
 * MCP_ERR_IO or MCP_ERR_NOMEM with err. */
int mcpi_record_lock_take(mcpi_record_lock *lock, mcp_error *err);

static inline int mcpi_record_lock_is_held(const mcpi_record_lock *lock) {
  return lock->fd >= 0;
}

#endif
