/* SPDX-License-Identifier: MIT */
/* Counts times in bounded memory, as HdrHistogram does.
 *
 * Below 128 ns each value has its own bucket; each doubling above has 128
 * buckets of equal width. So a percentile is at most 1/128 above the value that
 * was counted:
 *
 *     0 1 2 ... 127 | 128 129 ... 255 | 256-257 258-259 ... 510-511 | 512-515
 *     ...
 */
#ifndef CTL_HISTOGRAM_H
#define CTL_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
  CTL_HISTOGRAM_STEPS = 128,
  /* Up to 2^42 ns, more than an hour; the last bucket counts longer times. */
  CTL_HISTOGRAM_BUCKETS = 36 * CTL_HISTOGRAM_STEPS
};

/* Zeroed at the start. */
typedef struct ctl_histogram {
  uint64_t counts[CTL_HISTOGRAM_BUCKETS];
  uint64_t count;
  uint64_t min_ns; /* exact, as the two below */
  uint64_t max_ns;
  double sum_ns;
} ctl_histogram;

void ctl_histogram_add(ctl_histogram *histogram, uint64_t ns);

/* The value that `percent` (above 0, up to 100) of all values do not exceed,
 * rounded up to the end of its bucket, but never above the longest value. 0
 * when there are no values. */
uint64_t ctl_histogram_percentile(const ctl_histogram *histogram,
                                  double percent);

/* 0 when there are no values. */
double ctl_histogram_mean(const ctl_histogram *histogram);

/* The least value that a bucket counts. */
uint64_t ctl_histogram_from(size_t bucket);

#endif
