/* SPDX-License-Identifier: MIT */
#include "platform/clock.h"

struct tm *ctl_time_utc(time_t at, struct tm *parts) {
  return gmtime_s(parts, &at) == 0 ? parts : NULL;
}

struct tm *ctl_time_local(time_t at, struct tm *parts) {
  return localtime_s(parts, &at) == 0 ? parts : NULL;
}

time_t ctl_time_of_utc(struct tm *parts) {
  return _mkgmtime(parts);
}
