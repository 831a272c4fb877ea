/* SPDX-License-Identifier: MIT */
/* A limit on reports: a peer that does the same wrong thing a million times
 * must not fill the log. In each period `max` reports pass. The others are
 * counted, and the count is reported at the end of the period. */
#ifndef MCPI_CORE_REPORTS_H
#define MCPI_CORE_REPORTS_H

#include "base/list.h"
#include "core/loop.h"

typedef struct mcpi_reports mcpi_reports;
struct mcpi_reports {
  mcp_loop *loop;
  uint32_t max; /* in a period */
  uint32_t period_ms;
  uint32_t passed;
  uint64_t held; /* since began_ms */
  int64_t began_ms;
  mcpi_timer timer; /* runs while some are held */
  /* The period is over, and `held` reports did not pass. The call is the last
   * use of the struct, which it may free. */
  void (*on_held)(mcpi_reports *reports, uint64_t held);
};

/* The period is a second; the caller may set another before the first
 * report. */
void mcpi_reports_init(mcpi_reports *reports, mcp_loop *loop, uint32_t max,
                       void (*on_held)(mcpi_reports *reports, uint64_t held));
/* 1: the report may pass; 0: it has been counted. */
int mcpi_reports_admit(mcpi_reports *reports);
/* The end: on_held comes now if it is due. Harmless after the first time. */
void mcpi_reports_flush(mcpi_reports *reports);

#endif
