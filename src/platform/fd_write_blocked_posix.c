/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int is_sigpipe_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
}

/* A signal that was pending before belongs to the program, and stays. */
ssize_t mcpi_fd_write_blocked(mcpi_fd_writer *writer, struct iovec *parts,
                              int count) {
  sigset_t only_sigpipe;
  sigset_t before;
  sigemptyset(&only_sigpipe);
  sigaddset(&only_sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &only_sigpipe, &before);
  int was_pending = sigismember(&before, SIGPIPE) && is_sigpipe_pending();
  ssize_t written = writev(writer->fd, parts, count);
  int error = errno;
  if (written < 0 && error == EPIPE && !was_pending) {
    mcpi_sigpipe_take(&only_sigpipe);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}
