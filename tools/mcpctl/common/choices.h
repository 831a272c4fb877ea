/* SPDX-License-Identifier: MIT */
/* How a word of a line can go on. */
#ifndef CTL_CHOICES_H
#define CTL_CHOICES_H

#include <stddef.h>

typedef struct ctl_choices {
  char **list; /* whole words; owned, as the array is */
  size_t count;
} ctl_choices;

/* Adds a copy of the word, unless there is no memory. */
void ctl_choices_add(ctl_choices *choices, const char *word);
void ctl_choices_deinit(ctl_choices *choices);

#endif
