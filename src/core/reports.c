/* SPDX-License-Identifier: MIT */
/* A limit on reports of one peer, or of all. */
#include "core/reports.h"

enum { SECOND_MS = 1000 };

static void end_period(mcpi_reports *reports) {
  uint64_t held = reports->held;
  reports->passed = 0;
  reports->held = 0;
  if (held > 0) {
    reports->on_held(reports, held);
  }
}

static void reports_on_due(mcpi_timer *timer) {
  end_period(MCPI_CONTAINER(timer, mcpi_reports, timer));
}

void mcpi_reports_init(mcpi_reports *reports, mcp_loop *loop, uint32_t max,
                       void (*on_held)(mcpi_reports *reports, uint64_t held)) {
  *reports = (mcpi_reports){.loop = loop,
                            .max = max,
                            .period_ms = SECOND_MS,
                            .timer = {.on_due = reports_on_due},
                            .on_held = on_held};
}

/* Where there is no memory for the timer, the next report that does not pass
 * tries to start it again; the end reports the count in any case. */
int mcpi_reports_admit(mcpi_reports *reports) {
  int64_t now_ms = mcpi_loop_now(reports->loop);
  if (reports->timer.place == 0 &&
      now_ms - reports->began_ms >= reports->period_ms) {
    reports->passed = 0;
  }
  if (reports->passed == 0) {
    reports->began_ms = now_ms;
  }
  if (reports->passed < reports->max) {
    reports->passed++;
    return 1;
  }
  reports->held++;
  if (reports->timer.place == 0) {
    mcpi_loop_start_timer(reports->loop, &reports->timer,
                          reports->began_ms + reports->period_ms - now_ms);
  }
  return 0;
}

void mcpi_reports_flush(mcpi_reports *reports) {
  mcpi_loop_stop_timer(reports->loop, &reports->timer);
  end_period(reports);
}
