/* SPDX-License-Identifier: MIT */
#include "common/by_hand.h"
#include "common/report.h"
#include "common/term.h"

int ctl_by_hand(void) {
  return ctl_term_is_terminal(stdin) && ctl_term_is_terminal(stderr);
}

void ctl_by_hand_note(void) {
  ctl_report_aside("a client starts this command as its server; to try it, "
                   "write mcpctl tools -- before it. Ctrl-D ends it");
}
