/* SPDX-License-Identifier: MIT */
/* Times, counted in bounded memory. */
#include "histogram.h"

/* log2 of the buckets of a doubling. */
enum { STEP_BITS = 7 };

/* How far a value is shifted until it is one of 128 to 255. */
static unsigned shift_of(uint64_t ns) {
  unsigned shift = 0;
  while ((ns >> shift) >= 2 * CTL_HISTOGRAM_STEPS) {
    shift++;
  }
  return shift;
}

/* Behind those of the doublings below, by the bits that follow the first. */
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

/* How many values that percentage is, rounded up; at least one. A hair is taken
 * off first: 99.9 is no binary fraction, and 999 of 1000 must not become
 * 1000. */
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
