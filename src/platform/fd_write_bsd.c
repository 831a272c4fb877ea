/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

/* A pipe has no flag for this here. */
ssize_t mcpi_fd_write_quiet(mcpi_fd_writer *writer, struct iovec *parts,
                            int count) {
  return mcpi_fd_write_blocked(writer, parts, count);
}

/* sigwait waits, and macOS has no sigtimedwait. */
void mcpi_sigpipe_take(const sigset_t *only_sigpipe) {
  sigset_t pending;
  int taken;
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE)) {
    sigwait(only_sigpipe, &taken);
  }
}
