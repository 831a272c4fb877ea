/* SPDX-License-Identifier: MIT */
/* Protects against a callback that frees the object which calls it.
 *
 * A guard lives on the stack of the function that calls the program; the object
 * points at the innermost one. Freeing the object trips all of them, so that
 * each caller learns of it without touching the object's memory. */
#ifndef MCPI_CORE_GUARD_H
#define MCPI_CORE_GUARD_H

#include <stddef.h>

typedef struct mcpi_guard {
  struct mcpi_guard *outer;
  int is_gone;
} mcpi_guard;

static inline void mcpi_guard_enter(mcpi_guard **innermost, mcpi_guard *guard) {
  guard->outer = *innermost;
  guard->is_gone = 0;
  *innermost = guard;
}

/* Returns 1: the object exists; 0: do not touch it, or *innermost in it. */
static inline int mcpi_guard_leave(mcpi_guard **innermost,
                                   const mcpi_guard *guard) {
  if (guard->is_gone) {
    return 0;
  }
  *innermost = guard->outer;
  return 1;
}

/* The object is about to be freed. */
static inline void mcpi_guard_trip(mcpi_guard *innermost) {
  for (; innermost != NULL; innermost = innermost->outer) {
    innermost->is_gone = 1;
  }
}

#endif
