/* SPDX-License-Identifier: MIT */
#include "platform/clock.h"

struct tm *ctl_time_utc(time_t at, struct tm *parts) {
  return gmtime_r(&at, parts);
}

struct tm *ctl_time_local(time_t at, struct tm *parts) {
  return localtime_r(&at, parts);
}

time_t ctl_time_of_utc(struct tm *parts) {
  return timegm(parts);
}
