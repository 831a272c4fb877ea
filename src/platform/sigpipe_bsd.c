/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

/* sigwait waits, and macOS has no sigtimedwait. */
void mcpi_sigpipe_take(const sigset_t *only_sigpipe) {
  sigset_t pending;
  int taken;
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
    sigwait(only_sigpipe, &taken);
  }
}
