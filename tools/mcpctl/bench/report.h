/* SPDX-License-Identifier: MIT */
/* Reports of a measurement, for people, programs and browsers. */
#ifndef CTL_BENCH_REPORT_H
#define CTL_BENCH_REPORT_H

#include "bench/bench.h"

#include <stdio.h>

/* Print to standard output. Return an exit code. */
int ctl_bench_print_text(const ctl_bench *bench);
int ctl_bench_print_json(const ctl_bench *bench);

/* Writes a page that needs no other file and no script. */
void ctl_bench_write_html(const ctl_bench *bench, FILE *out);

/* ---- figures of all reports -------------------------------------------- */

/* The percentiles that reports show; the last one is the longest time. */
typedef struct ctl_percentile {
  double percent;
  const char *name;   /* for people: "p99.9" */
  const char *member; /* of the JSON: "p99_9" */
} ctl_percentile;

enum { CTL_PERCENTILE_COUNT = 5 };
extern const ctl_percentile ctl_percentiles[CTL_PERCENTILE_COUNT];

/* The number of calls that succeeded or failed. */
uint64_t ctl_bench_calls(const ctl_bench *bench);
/* Calls per second, of those that succeeded. */
double ctl_bench_rate(const ctl_bench *bench);
/* The revision in use, or "mcp-core": that dialect has no revisions. */
const char *ctl_bench_protocol(const ctl_bench *bench);
/* The method that was called. Static. */
const char *ctl_bench_method(const ctl_bench *bench);

#endif
