/* SPDX-License-Identifier: MIT */
/* A histogram as the few rows that a plot has, each as many times wider than
 * the one before as the next, with ends that are round numbers. */
#ifndef CTL_ROWS_H
#define CTL_ROWS_H

#include "histogram.h"

enum { CTL_ROWS_MAX = 20 };

typedef struct ctl_row {
  uint64_t from_ns;
  uint64_t to_ns; /* no value of the row */
  uint64_t count;
} ctl_row;

/* From the row of the shortest value to that of the longest; returns how many.
 */
size_t ctl_rows_make(const ctl_histogram *histogram,
                     ctl_row rows[CTL_ROWS_MAX]);

/* The most that one of them counts. */
uint64_t ctl_rows_highest(const ctl_row *rows, size_t count);

/* "85.2 µs", "1.25 ms", "12.0 s": three digits. */
enum { CTL_TIME_TEXT = 32 };
const char *ctl_time_text(char text[CTL_TIME_TEXT], double ns);

#endif
