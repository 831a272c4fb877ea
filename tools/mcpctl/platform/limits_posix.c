/* SPDX-License-Identifier: MIT */
#include "platform/limits.h"

#include <sys/resource.h>

void ctl_limits_raise_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}
