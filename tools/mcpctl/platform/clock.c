/* SPDX-License-Identifier: MIT */
#include "platform/clock.h"

#include <uv.h>

int64_t ctl_now_ns(void) {
  return (int64_t)uv_hrtime();
}

static double seconds_of(uv_timeval_t time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

double ctl_cpu_seconds(void) {
  uv_rusage_t used = {0};
  uv_getrusage(&used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

void ctl_sleep_ms(unsigned ms) {
  uv_sleep(ms);
}
