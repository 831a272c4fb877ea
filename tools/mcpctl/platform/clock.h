/* SPDX-License-Identifier: MIT */
/* Clocks, and times of days. */
#ifndef CTL_PLATFORM_CLOCK_H
#define CTL_PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds on a clock that never jumps. */
int64_t ctl_now_ns(void);

/* Processor seconds that this process has used. */
double ctl_cpu_seconds(void);

/* Stops this thread. */
void ctl_sleep_ms(unsigned ms);

/* The parts of a time, in UTC and in the user's time zone. Return `parts`; NULL
 * if the year is too large. */
struct tm *ctl_time_utc(time_t at, struct tm *parts);
struct tm *ctl_time_local(time_t at, struct tm *parts);

/* The time of parts in UTC. */
time_t ctl_time_of_utc(struct tm *parts);

#endif
