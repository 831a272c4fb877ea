/* SPDX-License-Identifier: MIT */
/* Makes the rows of a plot from a histogram. */
#include "bench/rows.h"

#include <stdio.h>

/* The possible ends of rows in the decade from 1 µs: Renard's preferred
 * numbers, finest first. With the last series each row is a decade, and a
 * histogram has fewer than 20 decades. */
typedef struct series {
  size_t count;
  uint64_t ends[10];
} series;

static const series all_series[] = {
    {10, {1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000}},
    {5, {1000, 1600, 2500, 4000, 6300}},
    {3, {1000, 2000, 5000}},
    {1, {1000}},
};

/* The start of a row; the first row starts at 0. */
static uint64_t begin_of(const series *by, size_t row) {
  if (row == 0) {
    return 0;
  }
  uint64_t begin = by->ends[(row - 1) % by->count];
  for (size_t decade = (row - 1) / by->count; decade > 0; decade--) {
    begin *= 10;
  }
  return begin;
}

static size_t row_of(const series *by, uint64_t ns) {
  size_t row = 0;
  while (begin_of(by, row + 1) <= ns) {
    row++;
  }
  return row;
}

static const series *choose(const ctl_histogram *histogram) {
  const series *by = all_series;
  while (row_of(by, histogram->max_ns) - row_of(by, histogram->min_ns) >=
         CTL_ROWS_MAX) {
    by++;
  }
  return by;
}

/* Returns the largest value of a bucket, which stands for all of its values, as
 * in percentiles. */
static uint64_t value_of(const ctl_histogram *histogram, size_t bucket) {
  uint64_t ns = ctl_histogram_from(bucket + 1) - 1;
  return ns < histogram->max_ns ? ns : histogram->max_ns;
}

size_t ctl_rows_make(const ctl_histogram *histogram,
                     ctl_row rows[CTL_ROWS_MAX]) {
  if (histogram->count == 0) {
    return 0;
  }
  const series *by = choose(histogram);
  size_t first = row_of(by, histogram->min_ns);
  size_t count = row_of(by, histogram->max_ns) - first + 1;
  for (size_t i = 0; i < count; i++) {
    rows[i] =
        (ctl_row){begin_of(by, first + i), begin_of(by, first + i + 1), 0};
  }
  for (size_t i = 0; i < CTL_HISTOGRAM_BUCKETS; i++) {
    if (histogram->counts[i] > 0) {
      size_t row = row_of(by, value_of(histogram, i));
      rows[row - first].count += histogram->counts[i];
    }
  }
  return count;
}

uint64_t ctl_rows_highest(const ctl_row *rows, size_t count) {
  uint64_t highest = 0;
  for (size_t i = 0; i < count; i++) {
    highest = rows[i].count > highest ? rows[i].count : highest;
  }
  return highest;
}

const char *ctl_time_text(char text[CTL_TIME_TEXT], double ns) {
  static const char *const units[] = {"µs", "ms", "s"};
  double value = ns / 1000;
  size_t unit = 0;
  while (value >= 999.5 && unit < 2) {
    value /= 1000;
    unit++;
  }
  int decimals = value < 9.995 ? 2 : value < 99.95;
  snprintf(text, CTL_TIME_TEXT, "%.*f %s", decimals, value, units[unit]);
  return text;
}
