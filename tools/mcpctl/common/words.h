/* SPDX-License-Identifier: MIT */
/* Splits a line into words as a shell does: at blanks, except within '...' and
 * "..." and after a backslash. Nothing is replaced. */
#ifndef CTL_WORDS_H
#define CTL_WORDS_H

#include <stddef.h>

typedef struct ctl_words {
  char **list; /* without quotes; NULL at the end; owned */
  size_t count;
  /* Where the last word begins in the line. A line that ends with a blank has
   * an empty last word. */
  size_t last_at;
  char quote; /* the one that is open at the end; '\0': none is */
} ctl_words;

/* Splits a line of `len` bytes, or its beginning. Returns 0, or -1: out of
 * memory. The caller calls ctl_words_deinit in both cases. */
int ctl_words_split(ctl_words *words, const char *line, size_t len);
void ctl_words_deinit(ctl_words *words);

#endif
