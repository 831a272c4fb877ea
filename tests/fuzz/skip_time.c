/* SPDX-License-Identifier: MIT */
#include "skip_time.h"

#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t skipped_ms; /* several threads read clocks */
static struct timespec stopped_at; /* all zero: clocks go on */

/* In the place of libc's, for shared libraries too. libFuzzer asks for the wall
 * clock, which goes on as it is. */
__attribute__((visibility("default"))) int
clock_gettime(clockid_t clock, struct timespec *time) {
  int rc = (int)syscall(SYS_clock_gettime, clock, time);
  int64_t ms = skipped_ms;
  if (rc == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
                  clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME)) {
    if (stopped_at.tv_sec != 0) {
      *time = stopped_at;
    }
    time->tv_sec += (time_t)(ms / 1000);
    time->tv_nsec += (long)(ms % 1000) * 1000000;
    time->tv_sec += time->tv_nsec / 1000000000;
    time->tv_nsec %= 1000000000;
  }
  return rc;
}

void stop_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  stopped_at = now;
}

/* The loop tells epoll of new descriptors when it next steps. */
int loop_rests(mcp_loop *loop) {
  struct pollfd fd = {.fd = mcp_loop_fd(loop), .events = POLLIN};
  mcp_loop_step(loop);
  mcp_loop_step(loop);
  return poll(&fd, 1, 0) == 0 && mcp_loop_timeout_ms(loop) != 0;
}

void skip_time(mcp_loop *loop, int max_ms) {
  int wait_ms = mcp_loop_timeout_ms(loop);
  skipped_ms += wait_ms >= 0 && wait_ms < max_ms ? wait_ms : max_ms;
}
