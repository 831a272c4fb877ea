/* SPDX-License-Identifier: MIT */
#include "bench/histogram.h"

#include "support/cm.h"
#include <stdlib.h>

static ctl_histogram histogram;

static int start(void **state) {
  histogram = (ctl_histogram){0};
  return 0;
}

/* The nearest-rank percentile of sorted values. The histogram approaches
 * it. */
static uint64_t exact(const uint64_t *sorted, size_t count, double percent) {
  size_t rank = 1;
  while (rank < count && (double)rank * 100 < percent * (double)count - 1e-6) {
    rank++;
  }
  return sorted[rank - 1];
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

TEST_WITH(nothing_has_no_percentiles, start, NULL) {
  assert_int_equal(ctl_histogram_percentile(&histogram, 50), 0);
  assert_int_equal(ctl_histogram_percentile(&histogram, 100), 0);
  assert_true(ctl_histogram_mean(&histogram) == 0);
}

TEST_WITH(one_value_is_every_percentile, start, NULL) {
  ctl_histogram_add(&histogram, 123456789);
  assert_int_equal(ctl_histogram_percentile(&histogram, 0.1), 123456789);
  assert_int_equal(ctl_histogram_percentile(&histogram, 100), 123456789);
  assert_int_equal(histogram.min_ns, 123456789);
  assert_true(ctl_histogram_mean(&histogram) == 123456789);
}

TEST_WITH(small_values_are_exact, start, NULL) {
  for (uint64_t ns = 1; ns <= 100; ns++) {
    ctl_histogram_add(&histogram, ns);
  }
  for (unsigned percent = 1; percent <= 100; percent++) {
    assert_int_equal(ctl_histogram_percentile(&histogram, percent), percent);
  }
  assert_true(ctl_histogram_mean(&histogram) == 50.5);
}

/* One in a thousand is above p99.9, though 99.9 has no exact binary form. */
TEST_WITH(a_rank_is_not_one_too_far, start, NULL) {
  for (int i = 0; i < 999; i++) {
    ctl_histogram_add(&histogram, 10);
  }
  ctl_histogram_add(&histogram, 100);
  assert_int_equal(ctl_histogram_percentile(&histogram, 99.9), 10);
  ctl_histogram_add(&histogram, 100);
  assert_int_equal(ctl_histogram_percentile(&histogram, 99.9), 100);
}

TEST_WITH(buckets_meet, start, NULL) {
  assert_int_equal(ctl_histogram_from(0), 0);
  for (size_t i = 0; i + 1 < CTL_HISTOGRAM_BUCKETS; i++) {
    uint64_t from = ctl_histogram_from(i);
    uint64_t next = ctl_histogram_from(i + 1);
    assert_true(from < next);
    ctl_histogram_add(&histogram, from);
    ctl_histogram_add(&histogram, next - 1);
    assert_int_equal(histogram.counts[i], 2);
    /* At most as wide as a 128th of the values that it counts. */
    assert_true(next - from == 1 || (next - from) * 128 <= from);
  }
}

TEST_WITH(percentiles_are_off_by_a_128th_at_most, start, NULL) {
  static const double percents[] = {0.1, 1, 25, 50, 75, 90, 99, 99.9, 99.99};
  static uint64_t values[20000];
  const size_t count = sizeof(values) / sizeof(*values);
  uint64_t seed = 1;
  for (size_t i = 0; i < count; i++) {
    /* Evenly over the doublings from 1 ns to 17 minutes. */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    values[i] = (seed >> 24) >> (seed % 40);
    ctl_histogram_add(&histogram, values[i]);
  }
  qsort(values, count, sizeof(*values), by_value);
  for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
    uint64_t want = exact(values, count, percents[i]);
    uint64_t got = ctl_histogram_percentile(&histogram, percents[i]);
    assert_true(got >= want);
    assert_true(got - want <= want / 128);
  }
  assert_int_equal(ctl_histogram_percentile(&histogram, 100),
                   values[count - 1]);
}

TEST_WITH(what_is_too_long_is_in_the_last, start, NULL) {
  ctl_histogram_add(&histogram, UINT64_MAX / 2);
  ctl_histogram_add(&histogram, 1);
  assert_int_equal(histogram.counts[CTL_HISTOGRAM_BUCKETS - 1], 1);
  assert_int_equal(ctl_histogram_percentile(&histogram, 50), 1);
  assert_int_equal(ctl_histogram_percentile(&histogram, 99), UINT64_MAX / 2);
}
