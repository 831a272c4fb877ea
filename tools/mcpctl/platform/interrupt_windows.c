/* SPDX-License-Identifier: MIT */
/* Windows calls a function of ours on a thread of its own. */
#include "platform/interrupt.h"
#include "platform/wake_windows.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <windows.h>

static atomic_int has_come;
static int is_set_up;

/* FALSE: Windows ends the process, as when its window is closed. */
static BOOL WINAPI on_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) {
    return FALSE;
  }
  if (atomic_exchange(&has_come, 1)) {
    ExitProcess(128 + SIGINT); /* CTL_INTERRUPTED */
  }
  ctl_wake();
  return TRUE;
}

int ctl_interrupt_setup(void) {
  if (!is_set_up && !SetConsoleCtrlHandler(on_event, TRUE)) {
    errno = EIO;
    return -1;
  }
  is_set_up = 1;
  return 0;
}

/* Windows ends a process without a signal. */
int ctl_interrupt_catch_ends(void) {
  return ctl_interrupt_setup();
}

void ctl_interrupt_end(void) {
}

int ctl_interrupt_reset(void) {
  atomic_store(&has_come, 0);
  return 0;
}

int ctl_interrupt_has_come(void) {
  return atomic_load(&has_come);
}
