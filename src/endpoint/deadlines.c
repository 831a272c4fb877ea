/* SPDX-License-Identifier: MIT */
#include "endpoint/deadlines.h"

#include "endpoint/channel.h"
#include "endpoint/session.h"

/* Moves the timer. Using a session makes its deadline later, so a timer that
 * was right once is never too late. */
int mcpi_endpoint_deadlines_schedule(mcp_http *http) {
  mcp_loop *loop = http->shard->loop;
  int64_t channels = mcpi_endpoint_channels_due(http);
  int64_t sessions = mcpi_endpoint_sessions_due(http);
  int64_t due = channels < sessions ? channels : sessions;
  int64_t now = mcpi_loop_now(loop);
  if (due == INT64_MAX) {
    mcpi_loop_stop_timer(loop, &http->deadline);
    return 0;
  }
  return mcpi_loop_start_timer(loop, &http->deadline,
                               due > now ? due - now : 0);
}

static void deadlines_on_due(mcpi_timer *timer) {
  mcp_http *http = MCPI_CONTAINER(timer, mcp_http, deadline);
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  mcpi_endpoint_ref(http);
  mcpi_endpoint_channels_expire(http);
  mcpi_endpoint_sessions_expire(http);
  mcpi_endpoint_deadlines_schedule(http); /* there is room for the timer */
  mcpi_endpoint_unref(http);
  mcpi_shard_leave(shard);
}

void mcpi_endpoint_deadlines_init(mcp_http *http) {
  http->deadline.on_due = deadlines_on_due;
}

void mcpi_endpoint_deadlines_stop(mcp_http *http) {
  mcpi_loop_stop_timer(http->shard->loop, &http->deadline);
}
