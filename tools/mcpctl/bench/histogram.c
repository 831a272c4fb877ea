/* SPDX-License-Identifier: MIT */
/* Counts times in bounded memory. */
#include "bench/histogram.h"

/* log2 of the number of buckets in a doubling. */
enum { STEP_BITS = 7 };

/* How many bits a value is shifted right to be between 128 and 255. */
static unsigned shift_of(uint64_t ns) {
  unsigned shift = 0;
  while ((ns >> shift) >= 2 * CTL_HISTOGRAM_STEPS) {
    shift++;
  }
  return shift;
}

/* The buckets of smaller doublings come first; the bits after the value's first
 * one choose the bucket within its doubling. */
static size_t bucket_of(uint64_t ns) {
  if (ns < CTL_HISTOGRAM_STEPS) {
    return (size_t)ns;
  }
  unsigned shift = shift_of(ns);
  size_t bucket = ((size_t)shift << STEP_BITS) + (size_t)(ns >> shift);
  return bucket < CTL_HISTOGRAM_BUCKETS ? bucket : CTL_HISTOGRAM_BUCKETS - 1;
}

uint64_t ctl_histogram_from(size_t bucket) {
  if (bucket < CTL_HISTOGRAM_STEPS) {
    return bucket;
  }
  size_t shift = (bucket >> STEP_BITS) - 1;
  return (uint64_t)(bucket - (shift << STEP_BITS)) << shift;
}

void ctl_histogram_add(ctl_histogram *histogram, uint64_t ns) {
  histogram->counts[bucket_of(ns)]++;
  if (histogram->count == 0 || ns < histogram->min_ns) {
    histogram->min_ns = ns;
  }
  if (ns > histogram->max_ns) {
    histogram->max_ns = ns;
  }
  histogram->count++;
  histogram->sum_ns += (double)ns;
}

/* The number of values in a percentage, rounded up; at least one. The small
 * subtraction corrects rounding: 99.9 has no exact binary form, and 99.9 % of
 * 1000 must be 999, not 1000. */
static uint64_t rank_of(uint64_t count, double percent) {
  double exact = (double)count * percent / 100 - 1e-6;
  uint64_t rank = exact > 0 ? (uint64_t)exact + 1 : 1;
  return rank < count ? rank : count;
}

uint64_t ctl_histogram_percentile(const ctl_histogram *histogram,
                                  double percent) {
  uint64_t rank = rank_of(histogram->count, percent);
  uint64_t seen = 0;
  for (size_t i = 0; i + 1 < CTL_HISTOGRAM_BUCKETS; i++) {
    seen += histogram->counts[i];
    uint64_t last = ctl_histogram_from(i + 1) - 1;
    if (seen >= rank && last < histogram->max_ns) {
      return last;
    }
    if (seen >= rank) {
      break;
    }
  }
  return histogram->max_ns;
}

double ctl_histogram_mean(const ctl_histogram *histogram) {
  return histogram->count > 0 ? histogram->sum_ns / (double)histogram->count
                              : 0;
}
