/* SPDX-License-Identifier: MIT */
#include "auth/resource/expiry.h"

/* How often the wall clock is looked at: it may be set, and while the machine
 * sleeps, timers may stand still. */
enum { LOOK_MS = 60 * 1000 };

/* INT64_MAX: it never ends. */
static int64_t grant_expiry_left_ms(const mcpi_grant_expiry *expiry) {
  int64_t left = INT64_MAX;
  if (expiry->grant->expires_ms != INT64_MAX) {
    left = expiry->grant->expires_ms - mcpi_loop_wall(expiry->loop);
  }
  if (expiry->due_ms != INT64_MAX) {
    int64_t until_due = expiry->due_ms - mcpi_loop_now(expiry->loop);
    left = until_due < left ? until_due : left;
  }
  return left;
}

static int grant_expiry_watch(mcpi_grant_expiry *expiry) {
  int64_t left = grant_expiry_left_ms(expiry);
  if (left == INT64_MAX) {
    return 0;
  }
  left = left < 0 ? 0 : left > LOOK_MS ? LOOK_MS : left;
  return mcpi_loop_start_timer(expiry->loop, &expiry->timer, left);
}

static void grant_expiry_on_due(mcpi_timer *timer) {
  mcpi_grant_expiry *expiry = MCPI_CONTAINER(timer, mcpi_grant_expiry, timer);
  if (grant_expiry_left_ms(expiry) > 0) {
    grant_expiry_watch(expiry); /* there is room: the timer has just run */
  } else {
    expiry->on_expired(expiry);
  }
}

int mcpi_grant_expiry_start(mcpi_grant_expiry *expiry, mcp_loop *loop,
                            mcpi_grant *grant,
                            void (*on_expired)(mcpi_grant_expiry *expiry)) {
  if (grant == NULL) {
    return 0;
  }
  *expiry = (mcpi_grant_expiry){.timer = {.on_due = grant_expiry_on_due},
                                .loop = loop,
                                .grant = mcpi_grant_ref(grant),
                                .due_ms = INT64_MAX,
                                .on_expired = on_expired};
  if (grant->stream_ms != INT64_MAX) {
    expiry->due_ms = mcpi_loop_now(loop) + grant->stream_ms;
  }
  int rc = grant_expiry_watch(expiry);
  if (rc != 0) {
    mcpi_grant_expiry_stop(expiry);
  }
  return rc;
}

void mcpi_grant_expiry_stop(mcpi_grant_expiry *expiry) {
  if (expiry->grant != NULL) {
    mcpi_loop_stop_timer(expiry->loop, &expiry->timer);
    mcpi_grant_unref(expiry->grant);
    expiry->grant = NULL;
  }
}
