/* SPDX-License-Identifier: MIT */
/* The lines in which two texts differ. */
#ifndef CTL_LINE_DIFF_H
#define CTL_LINE_DIFF_H

#include <stddef.h>

typedef struct ctl_line {
  const char *text;
  size_t len;     /* with its line feed; only the last line may lack one */
  int is_changed; /* the other text does not have this line here */
} ctl_line;

/* A text; its lines borrow the bytes. */
typedef struct ctl_lines {
  ctl_line *list;
  size_t count;
} ctl_lines;

/* Returns 0, or -1 when out of memory. The caller calls ctl_lines_deinit in
 * both cases. */
int ctl_lines_split(ctl_lines *lines, const char *text);
void ctl_lines_deinit(ctl_lines *lines);

/* Marks the lines that must be removed from the first text and added to make
 * the second one: as few as possible, unless there are very many. The others
 * are the same in both, in their order. Returns 0, or -1 when out of memory. */
int ctl_lines_compare(ctl_lines *before, ctl_lines *after);

#endif
