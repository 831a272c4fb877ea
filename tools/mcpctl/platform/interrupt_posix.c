/* SPDX-License-Identifier: MIT */
/* Catches SIGINT and writes to a pipe. A flag alone could be set just before a
 * wait, which then would not end. */
#include "platform/interrupt_posix.h"
#include "platform/error.h"
#include "platform/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include <uv.h>

/* All that a signal handler may touch. */
static int wake[2] = {-1, -1};
static volatile sig_atomic_t has_come;

static void on_signal(int number) {
  (void)number;
  int saved = errno;
  if (has_come) {
    _exit(128 + SIGINT); /* CTL_INTERRUPTED */
  }
  has_come = 1;
  ssize_t written = write(wake[1], "", 1);
  (void)written; /* the pipe is empty: it has room */
  errno = saved;
}

int ctl_interrupt_setup(void) {
  struct sigaction old;
  /* SA_RESTART: only the wait for the pipe must notice the signal. */
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  int rc = uv_pipe(wake, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  if (ctl_error_take(rc) != 0 || sigaction(SIGINT, NULL, &old) != 0) {
    return -1;
  }
  if (old.sa_handler == SIG_IGN) {
    return 0;
  }
  sigemptyset(&action.sa_mask);
  return sigaction(SIGINT, &action, NULL);
}

int ctl_interrupt_fd(void) {
  return wake[0];
}

void ctl_interrupt_clear(void) {
  char byte;
  ssize_t got = read(wake[0], &byte, 1);
  (void)got; /* 1, or -1 when the byte was read before */
}

void ctl_interrupt_reset(void) {
  ctl_interrupt_clear();
  has_come = 0;
}

int ctl_interrupt_has_come(void) {
  return has_come;
}
