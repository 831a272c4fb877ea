/* SPDX-License-Identifier: MIT */
/* Which members or items of one value have been evaluated, for unevaluated*.
 *
 * In most values these are all of them, or all before a certain one. For others
 * there are bits, but only for a window of them: a value may have a million
 * members. A validation checks a value with members after the window again, for
 * the next window. */
#ifndef MCPI_SCHEMA_MARKS_H
#define MCPI_SCHEMA_MARKS_H

#include <stddef.h>
#include <stdint.h>

enum { MCPI_MARKS = 512 };

typedef struct mcpi_marks {
  uint64_t bits[MCPI_MARKS / 64];
  size_t first;  /* of the window */
  size_t before; /* all before this one are marked */
  size_t end;    /* from this one on, none is marked that is not before it */
} mcpi_marks;

static inline void mcpi_marks_set(mcpi_marks *marks, size_t index) {
  size_t place = index - marks->first;
  if (index <= marks->before) {
    marks->before += index == marks->before;
    return;
  }
  if (place < MCPI_MARKS) {
    marks->bits[place / 64] |= UINT64_C(1) << (place % 64);
  }
  marks->end = index < marks->end ? marks->end : index + 1;
}

static inline void mcpi_marks_set_all(mcpi_marks *marks) {
  marks->before = SIZE_MAX;
}

static inline int mcpi_marks_has(const mcpi_marks *marks, size_t index) {
  size_t place = index - marks->first;
  return index < marks->before ||
         (place < MCPI_MARKS && (marks->bits[place / 64] >> (place % 64) & 1));
}

/* Returns the end of what these marks know about, of `count` members or
 * items. */
static inline size_t mcpi_marks_end(const mcpi_marks *marks, size_t count) {
  size_t end = marks->first + MCPI_MARKS;
  return marks->end > end ? end : count;
}

/* Returns where the next window begins. */
static inline size_t mcpi_marks_next(const mcpi_marks *marks) {
  size_t first = marks->first + MCPI_MARKS;
  return first < marks->before ? marks->before : first;
}

#endif
