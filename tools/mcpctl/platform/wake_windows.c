/* SPDX-License-Identifier: MIT */
#include "platform/wake_windows.h"

#include <stddef.h>
#include <windows.h>

static SRWLOCK lock = SRWLOCK_INIT;
/* Guarded by the lock. */
static mcp_loop *waiting; /* NULL: the main thread does not wait */
static int is_pending;    /* the next wait must not begin */

static void nothing(void *argument) {
  (void)argument;
}

/* A call that is posted to the loop ends its wait. */
void ctl_wake(void) {
  AcquireSRWLockExclusive(&lock);
  is_pending = 1;
  if (waiting != NULL) {
    mcp_loop_post(waiting, nothing, NULL);
  }
  ReleaseSRWLockExclusive(&lock);
}

int ctl_wake_begin(mcp_loop *loop) {
  AcquireSRWLockExclusive(&lock);
  int may_wait = !is_pending;
  is_pending = 0;
  waiting = may_wait ? loop : NULL;
  ReleaseSRWLockExclusive(&lock);
  return may_wait;
}

void ctl_wake_end(void) {
  AcquireSRWLockExclusive(&lock);
  waiting = NULL;
  is_pending = 0;
  ReleaseSRWLockExclusive(&lock);
}
