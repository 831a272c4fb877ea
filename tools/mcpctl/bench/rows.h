/* SPDX-License-Identifier: MIT */
/* Makes the few rows of a plot from a histogram. Their ends are round numbers
 * on a logarithmic scale. */
#ifndef CTL_ROWS_H
#define CTL_ROWS_H

#include "bench/histogram.h"

enum { CTL_ROWS_MAX = 20 };

typedef struct ctl_row {
  uint64_t from_ns;
  uint64_t to_ns; /* exclusive */
  uint64_t count;
} ctl_row;

/* Makes the rows from the shortest to the longest time. Returns how many. */
size_t ctl_rows_make(const ctl_histogram *histogram,
                     ctl_row rows[CTL_ROWS_MAX]);

/* The highest count of a row. */
uint64_t ctl_rows_highest(const ctl_row *rows, size_t count);

/* "85.2 µs", "1.25 ms", "12.0 s": three digits. */
enum { CTL_TIME_TEXT = 32 };
const char *ctl_time_text(char text[CTL_TIME_TEXT], double ns);

#endif
