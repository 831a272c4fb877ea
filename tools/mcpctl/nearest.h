/* SPDX-License-Identifier: MIT */
/* Of many names, the one that a user may have meant by a misspelt word. */
#ifndef CTL_NEAREST_H
#define CTL_NEAREST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ctl_nearest {
  const char *word;
  size_t word_len;
  const char *name; /* borrowed; NULL: no name is near */
  size_t faults;    /* those of the word, if it is meant to be `name` */
} ctl_nearest;

/* `len`: the bytes of the word that count, at most; SIZE_MAX: all. No name is
 * near to a word of more than 64 bytes. */
void ctl_nearest_begin(ctl_nearest *nearest, const char *word, size_t len);
/* Takes the name if it is nearer than those before. */
void ctl_nearest_offer(ctl_nearest *nearest, const char *name);
#endif
