/* SPDX-License-Identifier: MIT */
/* Catches signals and writes to a pipe. A flag alone could be set just before a
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
static volatile sig_atomic_t ending; /* a signal that ends the process, or 0 */

static void on_signal(int number) {
  int saved = errno;
  /* A terminal that is closed may send SIGHUP twice. */
  if (has_come && number != SIGHUP) {
    _exit(128 + number); /* for SIGINT: CTL_INTERRUPTED */
  }
  has_come = 1;
  ending = number == SIGINT ? 0 : number;
  ssize_t written = write(wake[1], "", 1);
  (void)written; /* the pipe is empty: it has room */
  errno = saved;
}

/* Catches the signal, unless it is ignored. */
static int catch_signal(int number) {
  struct sigaction old;
  /* SA_RESTART: only the wait for the pipe must notice the signal. */
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  if (sigaction(number, NULL, &old) != 0) {
    return -1;
  }
  if (old.sa_handler == SIG_IGN) {
    return 0;
  }
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

/* A new pipe each time: another process may have the old one, too. */
static int make_pipe(void) {
  int old[2] = {wake[0], wake[1]};
  int fresh[2];
  int rc = uv_pipe(fresh, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  if (ctl_error_take(rc) != 0) {
    return -1;
  }
  wake[0] = fresh[0];
  wake[1] = fresh[1];
  if (old[0] >= 0) {
    close(old[0]);
    close(old[1]);
  }
  if (has_come) { /* the old pipe may have had the byte */
    ssize_t written = write(wake[1], "", 1);
    (void)written;
  }
  return 0;
}

int ctl_interrupt_setup(void) {
  return make_pipe() == 0 ? catch_signal(SIGINT) : -1;
}

int ctl_interrupt_catch_ends(void) {
  return ctl_interrupt_setup() == 0 && catch_signal(SIGTERM) == 0
             ? catch_signal(SIGHUP)
             : -1;
}

void ctl_interrupt_end(void) {
  if (ending != 0) {
    signal(ending, SIG_DFL);
    raise(ending);
  }
}

int ctl_interrupt_fd(void) {
  return wake[0];
}

void ctl_interrupt_clear(void) {
  char byte;
  ssize_t got = read(wake[0], &byte, 1);
  (void)got; /* 1, or -1 when the byte was read before */
}

int ctl_interrupt_reset(void) {
  if (ending != 0) {
    return -1;
  }
  ctl_interrupt_clear();
  has_come = 0;
  return 0;
}

int ctl_interrupt_has_come(void) {
  return has_come;
}
