/* SPDX-License-Identifier: MIT */
/* Sockets and pipes have no such limit on Windows. */
#include "platform/limits.h"

void ctl_limits_raise_files(void) {
}
