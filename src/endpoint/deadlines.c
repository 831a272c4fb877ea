/* SPDX-License-Identifier: MIT */
/* One timer for all channels and sessions, due when the first of them ends by
 * itself. */
#include "endpoint/deadlines.h"

/* Using a session makes its deadline later, so a timer that was right once is
 * never too late. */
int mcpi_endpoint_deadlines_add(mcp_http *http, int64_t due_ms) {
  mcp_loop *loop = http->shard->loop;
  const mcpi_timer *timer = &http->deadline;
  if (due_ms == INT64_MAX ||
      (mcpi_timer_is_running(timer) && timer->due_ms <= due_ms)) {
    return 0;
  }
  int64_t now = mcpi_loop_now(loop);
  return mcpi_loop_start_timer(loop, &http->deadline,
                               due_ms > now ? due_ms - now : 0);
}

void mcpi_endpoint_deadlines_stop(mcp_http *http) {
  mcpi_loop_stop_timer(http->shard->loop, &http->deadline);
}
