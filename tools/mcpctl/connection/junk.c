/* SPDX-License-Identifier: MIT */
#include "connection/junk.h"
#include "common/report.h"

#include <stddef.h>

void ctl_junk_warn(int *has_warned, const char *who, const char *what) {
  if (*has_warned) {
    return;
  }
  *has_warned = 1;
  ctl_report(0,
             "warning: %s wrote something that is not a message to its "
             "standard output (logs belong on standard error)%s%s",
             who, what != NULL ? ": " : "", what != NULL ? what : "");
}
