/* SPDX-License-Identifier: MIT */
#include "platform/children.h"

#include <sys/prctl.h>
#include <sys/wait.h>

void ctl_children_adopt(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1L);
}

int ctl_children_run(void) {
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) {
      return 0; /* ECHILD */
    }
    if (info.si_pid == 0) {
      return 1;
    }
  }
}
